//! Deaths and refusals: the process dies at every fail point, the disk is full, another process holds the lock, many
//! trials end at once. Children are this same test binary, told by a variable which part to play.

use crate::common::{finished, new_run, opened, spec, time, write};
use fairtrial_journal::{
    Commit, DataRoot, Durability, Event, JournalError, JournalWriter, RunDir, RunLock, RunState,
    Selector, Seq, WriterOptions, cancel_requested, failpoint, is_live, read_journal,
    request_cancel, views,
};
use fairtrial_model::Outcome;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

const PART: &str = "FAIRTRIAL_TEST_PART";
const FOLDER: &str = "FAIRTRIAL_TEST_FOLDER";
const RECORDS: u64 = 12;

/// Not a test of its own: the children's entry, which does nothing unless a parent asked for a part.
#[test]
fn play_a_part() {
    let Ok(part) = std::env::var(PART) else {
        return;
    };
    let folder = PathBuf::from(std::env::var(FOLDER).unwrap());
    match part.as_str() {
        "append" => append_and_acknowledge(&folder),
        "views" => write_views(&folder),
        "lock" => hold_the_lock(&folder),
        "full" => meet_a_full_disk(&folder),
        other => panic!("no part `{other}`"),
    }
}

fn part(name: &str, folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "torture::play_a_part", "--nocapture"])
        .env(PART, name)
        .env(FOLDER, folder);
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

fn only_run(folder: &Path) -> RunDir {
    RunDir::open(&DataRoot::at(folder), "demo", Selector::Latest).unwrap()
}

fn commits_of(path: &Path, options: WriterOptions) -> (JournalWriter, Receiver<Commit>) {
    let (sender, commits) = mpsc::channel();
    let on_commit = Box::new(move |commit| drop(sender.send(commit)));
    (
        JournalWriter::open_with(path, options, on_commit).unwrap(),
        commits,
    )
}

/// Appends records one by one and notes each as done once it is durable.
fn append_and_acknowledge(folder: &Path) {
    let options = WriterOptions {
        spacing: Duration::ZERO,
        ..WriterOptions::default()
    };
    let (writer, commits) = commits_of(&only_run(folder).journal(), options);
    let mut done = std::fs::File::create(folder.join("done")).unwrap();
    for index in 0..RECORDS {
        let seq = writer.append(&finished(index, 1, Outcome::Ok));
        assert_eq!(commits.recv().unwrap(), Commit::Durable { through: seq });
        writeln!(done, "{index}").unwrap();
    }
}

fn write_views(folder: &Path) {
    views::write_all(&only_run(folder), &spec(), Durability::Full).unwrap();
}

fn run_with_failpoint(name: &str, folder: &Path, point: &str) -> ExitStatus {
    part(name, folder)
        .env(failpoint::VARIABLE, point)
        .status()
        .unwrap()
}

fn indices(path: &Path) -> Vec<u64> {
    let events = read_journal(path)
        .unwrap()
        .map(|entry| entry.unwrap().event);
    let index = |event| match event {
        Event::Finished(record) => Some(record.trial.index),
        _ => None,
    };
    events.filter_map(index).collect()
}

#[test]
fn a_controller_that_dies_anywhere_loses_and_repeats_nothing() {
    let points = ["before_write", "mid_write", "before_sync", "after_sync"];
    for (place, point) in points.into_iter().enumerate() {
        for count in [1, 2, RECORDS] {
            let dir = tempfile::tempdir().unwrap();
            let run = new_run(&DataRoot::at(dir.path()), "demo");
            write(&run.journal(), &[opened(&run, RECORDS)]);
            let point = format!("journal.{point}:{count}");
            let status = run_with_failpoint("append", dir.path(), &point);
            assert!(!status.success(), "{point} was not reached");

            let done = std::fs::read_to_string(dir.path().join("done"))
                .unwrap()
                .lines()
                .count();
            assert_eq!(done as u64, count - 1, "{point}");
            let found = indices(&run.journal());
            assert!(
                found.len() >= done,
                "{point}: {done} were done, {found:?} are there"
            );
            let state = RunState::read(&run.journal()).unwrap();
            assert_eq!(state.problems, [], "{point}");
            assert_eq!(state.summary.torn.is_some(), place == 1, "{point}");

            let missing = (0..RECORDS).filter(|index| !state.trial(*index).is_done());
            let rest: Vec<_> = missing
                .map(|index| finished(index, 1, Outcome::Ok))
                .collect();
            write(&run.journal(), &rest);
            assert_eq!(
                indices(&run.journal()),
                (0..RECORDS).collect::<Vec<_>>(),
                "{point}"
            );
        }
    }
}

#[test]
fn a_death_while_views_are_written_leaves_whole_views() {
    let dir = tempfile::tempdir().unwrap();
    let run = new_run(&DataRoot::at(dir.path()), "demo");
    write(
        &run.journal(),
        &[opened(&run, 9), finished(0, 1, Outcome::Ok)],
    );
    assert!(part("views", dir.path()).status().unwrap().success());
    let old = std::fs::read(run.manifest()).unwrap();
    write(&run.journal(), &[finished(1, 1, Outcome::Ok)]);
    assert!(!run_with_failpoint("views", dir.path(), "view.before_rename").success());
    assert_eq!(std::fs::read(run.manifest()).unwrap(), old);
    // What the death left behind does not get in the way.
    write_views(dir.path());
    let manifest: serde_json::Value =
        serde_json::from_slice(&std::fs::read(run.manifest()).unwrap()).unwrap();
    assert_eq!(manifest["results"].as_array().unwrap().len(), 2);
}

fn hold_the_lock(folder: &Path) {
    let _lock = RunLock::acquire(&only_run(folder), time(0.0)).unwrap();
    eprintln!("holding");
    std::thread::sleep(Duration::from_mins(10));
}

/// Ends its child when the test ends, however that is.
struct Held(Child);

impl Drop for Held {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_lock_dies_with_its_holder() {
    let dir = tempfile::tempdir().unwrap();
    let run = new_run(&DataRoot::at(dir.path()), "demo");
    assert!(!is_live(&run).unwrap().is_live());
    let mut holder = Held(
        part("lock", dir.path())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap(),
    );
    let said = BufReader::new(holder.0.stderr.take().unwrap());
    assert!(said.lines().any(|line| line.unwrap().contains("holding")));

    let JournalError::Locked(locked) = RunLock::acquire(&run, time(1.0)).unwrap_err() else {
        panic!("not refused for the lock");
    };
    assert_eq!(
        locked.holder.as_ref().map(|holder| holder.pid),
        Some(holder.0.id())
    );
    assert!(
        locked.to_string().contains("since 2025-08-24T12:34:56Z"),
        "{locked}"
    );
    assert!(is_live(&run).unwrap().is_live());

    drop(holder);
    assert!(!is_live(&run).unwrap().is_live());
    let lock = RunLock::acquire(&run, time(2.0)).unwrap();
    assert!(RunLock::acquire(&run, time(3.0)).is_err());
    drop(lock);
    RunLock::acquire(&run, time(4.0)).unwrap();
}

#[test]
fn a_request_to_stop_is_for_the_controller_that_has_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let run = new_run(&DataRoot::at(dir.path()), "demo");
    assert!(!cancel_requested(&run));
    request_cancel(&run, time(0.0)).unwrap();
    request_cancel(&run, time(1.0)).unwrap();
    assert!(cancel_requested(&run));
    // Whoever takes the run was not meant, and is meant from then on.
    let lock = RunLock::acquire(&run, time(2.0)).unwrap();
    assert!(!cancel_requested(&run));
    request_cancel(&run, time(3.0)).unwrap();
    assert!(RunLock::acquire(&run, time(4.0)).is_err());
    assert!(cancel_requested(&run));
    drop(lock);
    RunLock::acquire(&run, time(5.0)).unwrap();
    assert!(!cancel_requested(&run));
}

/// Runs under a limit on file size, which refuses writes as a full disk does: a part is written, the rest is not.
fn meet_a_full_disk(folder: &Path) {
    let options = WriterOptions {
        retries: vec![Duration::from_millis(1); 2],
        ..WriterOptions::default()
    };
    let path = only_run(folder).journal();
    let (writer, commits) = commits_of(&path, options.clone());
    let mut appended = Seq(0);
    let refused = loop {
        appended = writer.append(&finished(appended.0, 1, Outcome::Ok));
        match commits.recv().unwrap() {
            Commit::Durable { through } => assert_eq!(through, appended),
            Commit::Failed { error } => break error,
        }
    };
    assert_eq!(refused.kind, std::io::ErrorKind::FileTooLarge);
    let durable = appended.0 - 1;
    let text = std::fs::read(&path).unwrap();
    assert_eq!(text.last(), Some(&b'\n'), "a part of a line was left");
    assert_eq!(indices(&path).len() as u64, durable);
    assert!(matches!(writer.close(), Err(JournalError::Write(_))));

    // The disk has room again while the controller still lives: nothing that waited is lost.
    let (writer, commits) = commits_of(&path, options);
    writer.append(&finished(durable, 1, Outcome::Ok));
    assert!(matches!(commits.recv().unwrap(), Commit::Failed { .. }));
    let limit = rustix::process::Resource::Fsize;
    let mut now = rustix::process::getrlimit(limit);
    now.current = now.maximum;
    rustix::process::setrlimit(limit, now).unwrap();
    let last = writer.append(&finished(durable + 1, 1, Outcome::Ok));
    assert_eq!(commits.recv().unwrap(), Commit::Durable { through: last });
    writer.close().unwrap();
    assert_eq!(indices(&path), (0..durable + 2).collect::<Vec<_>>());
    std::fs::write(folder.join("met"), "").unwrap();
}

#[test]
fn a_full_disk_is_reported_and_nothing_half_written_stays() {
    let dir = tempfile::tempdir().unwrap();
    let run = new_run(&DataRoot::at(dir.path()), "demo");
    write(&run.journal(), &[opened(&run, 99)]);
    let inner = part("full", dir.path());
    let mut shell = Command::new("sh");
    // Ignored signals stay ignored in the program that the shell becomes.
    shell.args([
        "-c",
        "trap '' XFSZ; ulimit -S -f 20 || exit 77; exec \"$@\"",
        "sh",
    ]);
    shell.arg(inner.get_program()).args(inner.get_args());
    shell.env(PART, "full").env(FOLDER, dir.path());
    let output = shell.output().unwrap();
    if output.status.code() == Some(77) {
        eprintln!("skipped: the shell cannot limit file sizes");
        return;
    }
    assert!(output.status.success(), "{output:?}");
    assert!(
        dir.path().join("met").exists(),
        "the child did not play its part: {output:?}"
    );
}

#[test]
fn two_hundred_trials_may_end_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let run = new_run(&DataRoot::at(dir.path()), "demo");
    let (writer, commits) = commits_of(&run.journal(), WriterOptions::default());
    writer.append(&opened(&run, 200));
    let writer_ref = &writer;
    std::thread::scope(|scope| {
        for index in 0..200 {
            scope.spawn(move || writer_ref.append(&finished(index, 1, Outcome::Ok)));
        }
    });
    writer.close().unwrap();
    let commits: Vec<_> = commits.into_iter().collect();
    assert_eq!(commits.last(), Some(&Commit::Durable { through: Seq(201) }));
    let state = RunState::read(&run.journal()).unwrap();
    assert_eq!((state.counts.ok, state.problems.len()), (200, 0));
}

#[test]
fn more_than_the_limit_may_be_appended() {
    let dir = tempfile::tempdir().unwrap();
    let run = new_run(&DataRoot::at(dir.path()), "demo");
    let options = WriterOptions {
        pending_limit: 1000,
        ..WriterOptions::default()
    };
    let (writer, _commits) = commits_of(&run.journal(), options);
    for index in 0..100 {
        writer.append(&finished(index, 1, Outcome::Ok));
    }
    writer.close().unwrap();
    assert_eq!(indices(&run.journal()).len(), 100);
}

#[test]
fn who_waits_need_not_wait_for_the_next_flush() {
    let dir = tempfile::tempdir().unwrap();
    let run = new_run(&DataRoot::at(dir.path()), "demo");
    let hour = std::time::Duration::from_hours(1);
    let options = WriterOptions {
        spacing: hour,
        hurried: std::time::Duration::ZERO,
        ..WriterOptions::default()
    };
    let (writer, commits) = commits_of(&run.journal(), options);
    for index in 0..5 {
        let seq = writer.append(&finished(index, 1, Outcome::Ok));
        // Also while the one before is being written.
        writer.hurry();
        loop {
            match commits.recv_timeout(hour / 60).unwrap() {
                Commit::Durable { through } if through >= seq => break,
                Commit::Durable { .. } => {}
                Commit::Failed { error } => panic!("{error}"),
            }
        }
    }
    writer.close().unwrap();
}

#[test]
fn secrets_do_not_reach_the_journal() {
    let dir = tempfile::tempdir().unwrap();
    let run = new_run(&DataRoot::at(dir.path()), "demo");
    let options = WriterOptions {
        redactor: fairtrial_journal::redact::Redactor::from_env([("API_KEY", "open-sesame-1")]),
        ..WriterOptions::default()
    };
    let (writer, _commits) = commits_of(&run.journal(), options);
    let text = "login with open-sesame-1 failed".to_owned();
    writer.append(&Event::Note {
        at: time(0.0),
        text: text.clone(),
    });
    let mut record = crate::common::record(0, 1, Outcome::Infra);
    record.notes = vec![text.clone()];
    record.cause = Some(fairtrial_model::Cause::Lost { message: text });
    writer.append(&Event::Finished(Box::new(record)));
    writer.close().unwrap();
    let journal = std::fs::read_to_string(run.journal()).unwrap();
    assert_eq!(journal.matches("login with [redacted] failed").count(), 3);
    assert!(!journal.contains("sesame"));
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("missing/journal.jsonl");
    let error = JournalWriter::open(&path, Box::new(|_| {}))
        .err()
        .unwrap()
        .to_string();
    assert!(
        error.starts_with("cannot open") && error.contains("missing/journal.jsonl"),
        "{error}"
    );
}
