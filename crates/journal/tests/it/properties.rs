//! Whatever bytes a journal holds, reading never panics and every intact line is found.

use crate::common::{finished, new_run, opened, session, started, write};
use fairtrial_journal::{DataRoot, Event, ReadError, RunState, read_journal};
use fairtrial_model::{Number, Outcome};
use proptest::collection::vec;
use proptest::prelude::*;
use std::sync::LazyLock;

/// Lines as the writer makes them, with their events.
static LINES: LazyLock<Vec<(Vec<u8>, Event)>> = LazyLock::new(|| {
    let dir = tempfile::tempdir().unwrap();
    let run = new_run(&DataRoot::at(dir.path()), "demo");
    let mut events = vec![opened(&run, 1000), session(false)];
    for index in 0..6 {
        events.push(started(index, 1));
        events.push(finished(index, 1, Outcome::ALL[index as usize]));
    }
    write(&run.journal(), &events);
    let bytes = std::fs::read(run.journal()).unwrap();
    let lines = bytes
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty());
    lines.map(<[u8]>::to_vec).zip(events).collect()
});

#[derive(Debug, Clone)]
enum Piece {
    Intact(usize),
    Garbage(Vec<u8>),
}

fn piece() -> impl Strategy<Value = Piece> {
    let no_newline = any::<u8>().prop_filter("one line", |byte| *byte != b'\n');
    let garbage = vec(no_newline, 0..80).prop_map(Piece::Garbage);
    let flipped =
        (0..LINES.len(), any::<prop::sample::Index>(), 0..8u8).prop_map(|(line, at, bit)| {
            let mut bytes = LINES[line].0.clone();
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
            // A newline would make two lines of it.
            if bytes[at] == b'\n' {
                bytes[at] = 0;
            }
            Piece::Garbage(bytes)
        });
    prop_oneof![3 => (0..LINES.len()).prop_map(Piece::Intact), 1 => garbage, 1 => flipped]
}

fn with_file<T>(bytes: &[u8], look: impl FnOnce(&std::path::Path) -> T) -> T {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    look(file.path())
}

proptest! {
    #[test]
    fn arbitrary_bytes_are_read_without_panic(bytes in vec(any::<u8>(), 0..2000)) {
        with_file(&bytes, |path| {
            let intact = read_journal(path).unwrap().flatten().count();
            assert_eq!(intact, 0, "no random line has a right checksum");
            RunState::read(path).unwrap();
        });
    }

    #[test]
    fn intact_lines_are_found_between_damaged_ones(
        pieces in vec(piece(), 0..40),
        torn in vec(any::<u8>().prop_filter("one line", |byte| *byte != b'\n'), 0..50),
    ) {
        let mut bytes = Vec::new();
        let mut expected = Vec::new();
        let mut damaged = Vec::new();
        for (place, piece) in pieces.iter().enumerate() {
            match piece {
                Piece::Intact(line) => {
                    expected.push((place as u64 + 1, bytes.len() as u64, LINES[*line].1.clone()));
                    bytes.extend_from_slice(&LINES[*line].0);
                }
                Piece::Garbage(garbage) => {
                    damaged.push((place as u64 + 1, bytes.len() as u64));
                    bytes.extend_from_slice(garbage);
                }
            }
            bytes.push(b'\n');
        }
        let end = bytes.len() as u64;
        bytes.extend_from_slice(&torn);
        with_file(&bytes, |path| {
            let mut reader = read_journal(path).unwrap();
            let mut found = Vec::new();
            let mut reported = Vec::new();
            for entry in reader.by_ref() {
                match entry {
                    Ok(entry) => found.push((entry.line, entry.offset, entry.event)),
                    Err(ReadError::Corrupt(corrupt)) => reported.push((corrupt.line, corrupt.offset)),
                    Err(other) => panic!("{other}"),
                }
            }
            assert_eq!(found, expected);
            assert_eq!(reported, damaged);
            assert_eq!(reader.summary().end, end);
            let tail = reader.summary().torn.map_or(0, |torn| torn.bytes);
            assert_eq!(tail, torn.len() as u64);
            RunState::read(path).unwrap();
        });
    }

    #[test]
    fn every_finite_metric_is_read_back_to_the_bit(value in any::<f64>()) {
        let Event::Finished(mut record) = LINES[3].1.clone() else { panic!() };
        record.metrics.insert("m".into(), Number(value));
        let text = serde_json::to_string(&record).unwrap();
        let back: fairtrial_model::Record = serde_json::from_str(&text).unwrap();
        let read = back.metrics["m"].0;
        prop_assert!(read.to_bits() == value.to_bits() || (read.is_nan() && value.is_nan()));
    }
}
