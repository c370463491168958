//! Every reader over its corpus: as it is, and changed a few hundred times.

use fairtrial_fuzz::{Target, targets};
use std::path::Path;
use std::time::{Duration, Instant};

/// Changed inputs of each target.
const CHANGED: u64 = 200;
/// A reader that takes this long for one small input does not come to an end.
const ENDLESS: Duration = Duration::from_mins(1);

fn survives(target: &Target, bytes: &[u8], what: &str) {
    let began = Instant::now();
    let read = target.survives(bytes);
    assert_eq!(read, Ok(()), "{}: {what}", target.name);
    assert!(began.elapsed() < ENDLESS, "{}: {what} hangs", target.name);
}

#[test]
fn no_reader_breaks() {
    for target in targets() {
        for (name, bytes) in &target.files {
            survives(&target, bytes, name);
        }
        for number in 1..=CHANGED {
            survives(&target, &target.input(number), &format!("input {number}"));
        }
    }
}

/// Inputs depend on their numbers alone: what a long run found can be made again.
#[test]
fn an_input_is_made_again_from_its_number() {
    let (one, other) = (targets(), targets());
    for (one, other) in one.iter().zip(&other) {
        assert!((1..50).all(|number| one.input(number) == other.input(number)));
        let different: std::collections::BTreeSet<Vec<u8>> =
            (1..50).map(|number| one.input(number)).collect();
        assert!(
            different.len() > 25,
            "{}: {} different",
            one.name,
            different.len()
        );
    }
}

#[test]
fn the_corpus_is_small() {
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")];
    let mut size = 0;
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let data = entry.metadata().unwrap();
            if data.is_dir() {
                open.push(entry.path());
            } else {
                size += data.len();
            }
        }
    }
    assert!(size < 1 << 20, "{size} bytes");
}
