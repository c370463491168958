//! Writing, reading and folding a journal, also one that is damaged.

use crate::common::{finished, new_run, opened, record, session, started, time, write};
use fairtrial_journal::views::write_all;
use fairtrial_journal::{
    DataRoot, Durability, Event, JournalError, JournalWriter, OutcomeCounts, Problem, ReadError,
    RecordText, RunDir, RunState, RunStatus, effective_records, read_journal,
};
use fairtrial_model::{Number, Outcome};
use std::path::Path;

fn run() -> (tempfile::TempDir, RunDir) {
    let dir = tempfile::tempdir().unwrap();
    let run = new_run(&DataRoot::at(dir.path().join("data")), "demo");
    (dir, run)
}

fn events(path: &Path) -> Vec<Event> {
    read_journal(path)
        .unwrap()
        .map(|entry| entry.unwrap().event)
        .collect()
}

fn small(run: &RunDir) -> Vec<Event> {
    vec![
        opened(run, 3),
        session(false),
        started(0, 1),
        finished(0, 1, Outcome::Ok),
        started(1, 1),
        Event::Note {
            at: time(2.0),
            text: "a \"note\"\nin two lines é".into(),
        },
        finished(1, 1, Outcome::Infra),
        started(1, 2),
        started(2, 1),
        finished(1, 2, Outcome::Failed),
        Event::Closed {
            at: time(9.0),
            status: RunStatus::Cancelled,
            counts: OutcomeCounts {
                ok: 1,
                failed: 1,
                ..OutcomeCounts::default()
            },
        },
    ]
}

#[test]
fn a_record_whose_text_is_there_already_makes_the_same_line() {
    let (_dir, run) = run();
    let mut odd = record(2, 1, Outcome::Failed);
    odd.metrics.insert("nan".into(), Number(f64::NAN));
    odd.notes.push("a \"note\" with }".into());
    let text = RecordText::of(&odd).unwrap();
    let writer = JournalWriter::open(&run.journal(), Box::new(drop)).unwrap();
    writer.append(&Event::Finished(Box::new(odd)));
    writer.append_record(&text);
    writer.close().unwrap();
    let written = std::fs::read_to_string(run.journal()).unwrap();
    let lines: Vec<&str> = written.lines().collect();
    assert_eq!(lines.len(), 2);
    // They differ in what follows: the first has no line before it.
    let before = |line: &str| line.split_once(",\"notes\"").unwrap().0.to_owned();
    assert_eq!(before(lines[0]), before(lines[1]));
    assert_eq!(events(&run.journal()).len(), 2);
}

#[test]
fn what_is_written_is_read() {
    let (_dir, run) = run();
    let mut all = small(&run);
    let mut odd = record(2, 1, Outcome::Ok);
    odd.metrics.insert("nan".into(), Number(f64::NAN));
    odd.metrics.insert("inf".into(), Number(f64::NEG_INFINITY));
    odd.metrics.insert("third".into(), Number(0.1 + 0.2));
    all.push(Event::Finished(Box::new(odd)));
    write(&run.journal(), &all);
    let read = events(&run.journal());
    // NaN is not equal to itself, so the forms are compared.
    assert_eq!(format!("{read:?}"), format!("{all:?}"));
}

#[test]
fn a_run_is_folded_to_its_effective_records() {
    let (_dir, run) = run();
    let mut all = small(&run);
    // A late record of an older attempt is kept and not used.
    all.insert(10, finished(1, 1, Outcome::Ok));
    write(&run.journal(), &all);
    let state = RunState::read(&run.journal()).unwrap();
    assert_eq!(state.opened.as_ref().unwrap().trials, 3);
    assert_eq!(state.trial(0).outcome, Some(Outcome::Ok));
    assert_eq!((state.trial(1).started, state.trial(1).finished), (2, 2));
    assert_eq!(state.trial(1).outcome, Some(Outcome::Failed));
    assert!(state.trial(2).is_in_flight());
    assert_eq!(state.trial(2).next_attempt(), 2);
    assert_eq!(
        (state.counts.ok, state.counts.failed, state.counts.total()),
        (1, 1, 2)
    );
    assert_eq!(state.closed(), Some((time(9.0), RunStatus::Cancelled)));
    assert!(state.problems.is_empty());
    assert!(std::mem::size_of::<fairtrial_journal::TrialState>() <= 32);

    let mut records = Vec::new();
    effective_records(&run.journal(), &state, |record| {
        records.push(record);
        Ok::<(), JournalError>(())
    })
    .unwrap();
    assert_eq!(
        records,
        [record(0, 1, Outcome::Ok), record(1, 2, Outcome::Failed)]
    );
}

#[test]
fn a_tail_torn_at_any_byte_is_dropped_and_repaired() {
    // Thousands of flushes: in memory where the system has a folder there.
    let memory = Path::new("/dev/shm");
    let base = if memory.is_dir() {
        memory.to_owned()
    } else {
        std::env::temp_dir()
    };
    let dir = tempfile::tempdir_in(base).unwrap();
    let run = new_run(&DataRoot::at(dir.path()), "demo");
    let path = run.journal();
    let all = small(&run);
    write(&path, &all);
    let whole = std::fs::read(&path).unwrap();
    for cut in 0..whole.len() {
        std::fs::write(&path, &whole[..cut]).unwrap();
        let complete = whole[..cut].split(|byte| *byte == b'\n').count() - 1;
        let mut reader = read_journal(&path).unwrap();
        let read: Vec<_> = reader.by_ref().map(|entry| entry.unwrap().event).collect();
        assert_eq!(read, all[..complete], "cut at {cut}");
        let summary = reader.summary();
        assert_eq!(summary.torn.is_some(), summary.end < cut as u64);

        let writer = JournalWriter::open(&path, Box::new(|_| {})).unwrap();
        assert_eq!(
            writer.repaired().map(|repair| repair.offset),
            summary.torn.map(|torn| torn.offset)
        );
        writer.append(&all[0]);
        writer.close().unwrap();
        let read = events(&path);
        assert_eq!((read.len(), &read[complete]), (complete + 1, &all[0]));
    }
}

#[test]
fn a_corrupt_line_is_named_and_the_rest_is_read() {
    let (_dir, run) = run();
    let path = run.journal();
    let all = small(&run);
    write(&path, &all);
    let mut bytes = std::fs::read(&path).unwrap();
    let third = bytes
        .iter()
        .enumerate()
        .filter(|(_, b)| **b == b'\n')
        .nth(2)
        .unwrap()
        .0
        + 1;
    bytes[third + 40] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let lines: Vec<_> = read_journal(&path).unwrap().collect();
    assert_eq!(lines.len(), all.len());
    let Err(ReadError::Corrupt(corrupt)) = &lines[3] else {
        panic!("{:?}", lines[3])
    };
    assert_eq!((corrupt.line, corrupt.offset), (4, third as u64));
    assert_eq!(
        lines.iter().filter(|line| line.is_ok()).count(),
        all.len() - 1
    );
    let state = RunState::read(&path).unwrap();
    assert_eq!(state.problems, [Problem::Corrupt(corrupt.clone())]);
    assert_eq!(state.trial(0).outcome, None);
    assert_eq!(state.trial(1).outcome, Some(Outcome::Failed));
}

#[test]
fn events_of_a_later_version_are_passed_over() {
    let (_dir, run) = run();
    let path = run.journal();
    let body = r#"{"event":"heartbeat","slots":[1,2]"#;
    let crc = crc32fast::hash(body.as_bytes());
    std::fs::write(&path, format!("{body},\"crc\":\"{crc:08x}\"}}\n")).unwrap();
    assert_eq!(events(&path), [Event::Unknown]);
    assert_eq!(
        RunState::read(&path).unwrap().problems,
        [Problem::NotOpened]
    );
}

#[test]
fn a_trial_outside_the_plan_is_reported() {
    let (_dir, run) = run();
    write(
        &run.journal(),
        &[opened(&run, 1), finished(77, 1, Outcome::Ok)],
    );
    let state = RunState::read(&run.journal()).unwrap();
    assert_eq!(
        state.problems,
        [Problem::NoSuchTrial { line: 2, index: 77 }]
    );
}

/// A journal in which a line says that it is of a later form, with a checksum that is right.
fn with_later(run: &RunDir, make: impl Fn(&mut Event)) -> Vec<u8> {
    let mut events = small(run);
    events.iter_mut().for_each(make);
    write(&run.journal(), &events);
    std::fs::read(run.journal()).unwrap()
}

#[test]
fn a_journal_of_a_later_form_is_not_read() {
    let later_run = |event: &mut Event| {
        if let Event::Opened(opened) = event {
            opened.schema = 99;
        }
    };
    let later_record = |event: &mut Event| {
        if let Event::Finished(record) = event {
            record.schema = 99;
        }
    };
    for make in [&later_run as &dyn Fn(&mut Event), &later_record] {
        let (_dir, run) = run();
        let before = with_later(&run, make);
        let error = RunState::read(&run.journal()).unwrap_err().to_string();
        assert!(
            error.contains("made by a newer fairtrial (form 99; this one knows 1)"),
            "{error}"
        );
        let read = read_journal(&run.journal()).unwrap();
        let refused = |entry: &Result<_, ReadError>| matches!(entry, Err(ReadError::Io(_)));
        assert_eq!(read.filter(refused).count(), 1, "and nothing after it");
        assert!(write_all(&run, &crate::common::spec(), Durability::Process).is_err());
        assert_eq!(std::fs::read(run.journal()).unwrap(), before);
    }
}
