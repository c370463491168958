//! When columns are made, used and passed over.

use crate::lab::Trial;
use fairtrial_model::Conversion;
use fairtrial_series::{COLUMNS_FILE, Reading, file_digest};
use std::fs;
use std::os::unix::fs::PermissionsExt;

fn long(points: usize, factor: f64) -> String {
    let line = |step: usize| {
        let value = factor * step as f64 / 7.0;
        format!(
            "{{\"step\": {step}, \"loss\": {value}, \"reward\": {}}}\n",
            -value
        )
    };
    (0..points).map(line).collect()
}

const METRICS: [&str; 2] = ["loss", "reward"];

fn check(trial: &Trial) {
    let files = trial.read(&METRICS, Reading::Files);
    assert_eq!(trial.read(&METRICS, Reading::Columns), files);
    assert_eq!(trial.read(&METRICS, Reading::Columns), files);
}

#[test]
fn long_curves_are_packed_and_short_ones_get_no_file() {
    let short = Trial::reported(&long(300, 1.0), &METRICS);
    assert!(short.curves().pack().is_empty());
    check(&short);
    assert!(!short.is_packed());
    let trial = Trial::reported(&long(5000, 1.0), &METRICS);
    let digests = trial.curves().pack();
    let expected = file_digest(&trial.file("metrics.jsonl")).unwrap();
    assert_eq!(digests["metrics.jsonl"], expected);
    assert_eq!(trial.curves().digests(), digests);
    assert!(trial.is_packed());
    // Steps are there once.
    let bytes = fs::metadata(trial.file(COLUMNS_FILE)).unwrap().len();
    assert!((3 * 40_000..3 * 40_000 + 4096).contains(&bytes), "{bytes}");
    check(&trial);
}

#[test]
fn an_old_trial_is_packed_when_it_is_first_read_and_columns_are_what_is_read_then() {
    let trial = Trial::reported(&long(5000, 1.0), &METRICS);
    let reading = Reading::Files;
    trial.curves().open_one("loss", reading).unwrap();
    assert!(!trial.is_packed());
    let found = trial.curves().open_one("loss", Reading::Columns).unwrap();
    assert!(trial.is_packed());
    assert_eq!((found.len(), found.range()), (5000, Some([0.0, 4999.0])));
    assert!(found.is_ascending());
    // The other metric of the record came with it: columns are not made again.
    let made = fs::metadata(trial.file(COLUMNS_FILE))
        .unwrap()
        .modified()
        .unwrap();
    trial.curves().open_one("reward", Reading::Columns).unwrap();
    let now = fs::metadata(trial.file(COLUMNS_FILE))
        .unwrap()
        .modified()
        .unwrap();
    assert_eq!(made, now);
}

#[test]
fn columns_of_another_content_are_not_used_and_are_made_again() {
    let trial = Trial::reported(&long(5000, 1.0), &METRICS);
    trial.curves().pack();
    let before = trial.read(&METRICS, Reading::Columns);
    for text in [
        long(5000, 2.0),
        long(4000, 1.0),
        long(5000, 1.0).replace("/7", "/8"),
    ] {
        fs::write(trial.file("metrics.jsonl"), &text).unwrap();
        check(&trial);
    }
    // Of the same length, and with the times of before.
    let source = trial.file("metrics.jsonl");
    fs::write(&source, long(5000, 1.0)).unwrap();
    check(&trial);
    assert_eq!(trial.read(&METRICS, Reading::Columns), before);
    let times = fs::metadata(&source).unwrap().modified().unwrap();
    let text = fs::read_to_string(&source).unwrap();
    let changed = text.replacen("\"loss\": 0", "\"loss\": 9", 1);
    assert_eq!(changed.len(), text.len());
    fs::write(&source, changed).unwrap();
    fs::File::options()
        .write(true)
        .open(&source)
        .unwrap()
        .set_modified(times)
        .unwrap();
    let found = trial.read(&METRICS, Reading::Columns);
    assert_eq!(found[0].as_ref().unwrap().1[0], 9.0_f64.to_bits());
    check(&trial);
}

#[test]
fn damaged_columns_are_passed_over() {
    let trial = Trial::reported(&long(5000, 1.0), &METRICS);
    let columns = trial.file(COLUMNS_FILE);
    trial.curves().pack();
    let whole = fs::read(&columns).unwrap();
    let expected = trial.read(&METRICS, Reading::Files);
    let last = whole.len() - 1;
    for at in [0, 9, 13, 40, 1000, last / 2, last] {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x10;
        fs::write(&columns, damaged).unwrap();
        assert_eq!(
            trial.read(&METRICS, Reading::Columns),
            expected,
            "byte {at}"
        );
        trial.read(&METRICS, Reading::Columns);
        assert_eq!(fs::metadata(&columns).unwrap().len(), whole.len() as u64);
    }
    for length in [0, 7, 16, 300, 60_000, last] {
        fs::write(&columns, &whole[..length]).unwrap();
        assert_eq!(
            trial.read(&METRICS, Reading::Columns),
            expected,
            "{length} bytes"
        );
    }
    // Also where they are damaged after they were looked at.
    fs::write(&columns, &whole).unwrap();
    let opened = trial.curves().open_one("loss", Reading::Columns).unwrap();
    fs::write(&columns, &whole[..last / 2]).unwrap();
    assert_eq!(opened.points().unwrap().values.len(), 5000);
    assert!(!columns.exists());
    assert_eq!(opened.points().unwrap().values.len(), 5000);
}

#[test]
fn a_copied_folder_keeps_its_columns() {
    let trial = Trial::reported(&long(5000, 1.0), &METRICS);
    trial.curves().pack();
    let copy = Trial::reported(&long(5000, 1.0), &METRICS);
    fs::copy(trial.file(COLUMNS_FILE), copy.file(COLUMNS_FILE)).unwrap();
    check(&copy);
    let names: Vec<_> = fs::read_dir(copy.home.path()).unwrap().collect();
    assert_eq!(names.len(), 2, "{names:?}");
    // Somebody else's columns beside another curve are none of it.
    let other = Trial::reported(&long(5000, 3.0), &METRICS);
    fs::copy(trial.file(COLUMNS_FILE), other.file(COLUMNS_FILE)).unwrap();
    check(&other);
}

#[test]
fn a_folder_that_cannot_be_written_to_is_read_as_it_is() {
    let trial = Trial::reported(&long(5000, 1.0), &METRICS);
    let access = |mode| {
        let mode = fs::Permissions::from_mode(mode);
        fs::set_permissions(trial.home.path(), mode).unwrap();
    };
    access(0o555);
    check(&trial);
    let digests = trial.curves().pack();
    assert_eq!(digests.len(), 1);
    access(0o755);
}

#[test]
fn a_table_beside_lines_and_a_unit_are_as_in_the_files() {
    let rows: String = (0..6000)
        .map(|step| format!("{},{step}.25\n", 64 * step))
        .collect();
    let table = format!("time/total_timesteps,speed\n{rows}");
    let mut trial = Trial::reported(&long(5000, 1.0), &METRICS).with_table(&table, "speed");
    trial.declared[0].convert = Some(Conversion::between("s", "ms").unwrap());
    let all = ["loss", "speed", "reward", "speed", "nothing"];
    let files = trial.read(&all, Reading::Files);
    let errors = files[4].as_ref().unwrap_err();
    assert!(
        errors.ends_with("no line holds `nothing`; there are loss, reward"),
        "{errors}"
    );
    assert_eq!(files[1].as_ref().unwrap().1[1], 1250.0_f64.to_bits());
    for _ in 0..2 {
        assert_eq!(trial.read(&all, Reading::Columns), files);
    }
    assert_eq!(trial.curves().digests().len(), 2);
}

#[test]
fn what_would_fill_the_memory_is_not_packed_and_has_its_digest() {
    let mut trial = Trial::reported(&long(5000, 1.0), &METRICS);
    for (metric, points) in [("loss", 10_000_000), ("reward", 10_000_000)] {
        trial.series.get_mut(metric).unwrap().points = points;
    }
    assert_eq!(trial.curves().pack().len(), 1);
    let bytes = fs::metadata(trial.file(COLUMNS_FILE)).unwrap().len();
    assert!((80_000..84_096).contains(&bytes), "one of two: {bytes}");
    check(&trial);
    trial.series.get_mut("loss").unwrap().points = u64::MAX;
    trial.series.get_mut("reward").unwrap().points = 1 << 40;
    assert_eq!(trial.curves().pack().len(), 1);
    assert!(!trial.is_packed());
    check(&trial);
}
