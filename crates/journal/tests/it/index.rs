//! The index over all runs: it follows the journals, whatever happens to them or to itself.

use crate::common::{finished, new_run, opened, record, session, started, time, write};
use fairtrial_journal::{DataRoot, Event, Index, OutcomeCounts, RunLock, RunState, RunStatus};
use fairtrial_model::Outcome;

fn root() -> (tempfile::TempDir, DataRoot) {
    let dir = tempfile::tempdir().unwrap();
    let root = DataRoot::at(dir.path().join("data"));
    (dir, root)
}

fn closed() -> Event {
    Event::Closed {
        at: time(9.0),
        status: RunStatus::Finished,
        counts: OutcomeCounts::default(),
    }
}

fn fresh(root: &DataRoot) -> Index {
    let mut index = Index::open(root).unwrap();
    index.catch_up().unwrap();
    index
}

#[test]
fn it_follows_a_growing_journal() {
    let (_dir, root) = root();
    let run = new_run(&root, "demo");
    write(
        &run.journal(),
        &[
            opened(&run, 4),
            session(false),
            finished(1, 1, Outcome::Infra),
        ],
    );
    let mut index = fresh(&root);
    assert!(Index::path(&root).is_file());
    let rows = index.runs().unwrap();
    assert_eq!(
        (rows[0].trials, rows[0].status, rows[0].counts.infra),
        (4, None, 1)
    );
    assert_eq!(rows[0].created_at, Some(time(0.0)));

    let mut slow = record(0, 1, Outcome::Ok);
    slow.resources.wall = Some(1.75);
    let more = [
        started(1, 2),
        finished(1, 2, Outcome::Failed),
        finished(1, 1, Outcome::Ok),
        Event::Finished(Box::new(slow)),
        closed(),
    ];
    write(&run.journal(), &more);
    index.catch_up().unwrap();
    let rows = index.runs().unwrap();
    assert_eq!(
        (rows[0].status, rows[0].ended_at),
        (Some(RunStatus::Finished), Some(time(9.0)))
    );
    let counts = rows[0].counts;
    assert_eq!(
        (counts.ok, counts.failed, counts.infra, counts.total()),
        (1, 1, 0, 2)
    );
    // Three attempts of a quarter second each, and the slow one.
    assert_eq!((rows[0].timed, rows[0].mean_wall_s), (4, Some(0.625)));
    // What was taken in piece by piece is what a new index takes in at once.
    drop(index);
    std::fs::remove_file(Index::path(&root)).unwrap();
    assert_eq!(fresh(&root).runs().unwrap(), rows);
}

#[test]
fn a_run_that_is_folded_already_is_not_read_again() {
    let (_dir, root) = root();
    let run = new_run(&root, "demo");
    let path = run.journal();
    write(
        &path,
        &[
            opened(&run, 4),
            session(false),
            finished(0, 1, Outcome::Ok),
            closed(),
        ],
    );
    let mut state = RunState::read(&path).unwrap();
    // Not what the journal says: who read it would notice.
    state.counts.ok = 3;
    let mut index = Index::open(&root).unwrap();
    index.take(&run, &state).unwrap();
    index.catch_up().unwrap();
    let rows = index.runs().unwrap();
    assert_eq!((rows[0].counts.ok, rows[0].trials), (3, 4));
    // What came after it was folded is not lost.
    write(&path, &[session(true), finished(1, 1, Outcome::Ok)]);
    index.take(&run, &state).unwrap();
    index.catch_up().unwrap();
    assert_eq!(index.runs().unwrap()[0].counts.ok, 2);
}

#[test]
fn replaced_and_cut_journals_are_read_anew() {
    let (_dir, root) = root();
    let run = new_run(&root, "demo");
    let path = run.journal();
    write(
        &path,
        &[
            opened(&run, 9),
            finished(0, 1, Outcome::Ok),
            finished(1, 1, Outcome::Ok),
        ],
    );
    let mut index = fresh(&root);
    assert_eq!(index.runs().unwrap()[0].counts.ok, 2);

    std::fs::remove_file(&path).unwrap();
    write(&path, &[opened(&run, 9), finished(5, 1, Outcome::Failed)]);
    index.catch_up().unwrap();
    let counts = index.runs().unwrap()[0].counts;
    assert_eq!((counts.failed, counts.total()), (1, 1));

    std::fs::remove_file(&path).unwrap();
    let longer: Vec<_> = (2..9)
        .map(|index| finished(index, 1, Outcome::Ok))
        .collect();
    write(&path, &longer);
    index.catch_up().unwrap();
    assert_eq!(index.runs().unwrap()[0].counts.ok, 7);

    std::fs::remove_dir_all(run.path()).unwrap();
    index.catch_up().unwrap();
    assert_eq!(index.runs().unwrap(), []);
}

#[test]
fn torn_and_corrupt_lines_are_not_taken() {
    let (_dir, root) = root();
    let run = new_run(&root, "demo");
    let path = run.journal();
    write(&path, &[opened(&run, 9), finished(0, 1, Outcome::Ok)]);
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() - 5]).unwrap();
    let mut index = fresh(&root);
    assert_eq!(index.runs().unwrap()[0].counts.total(), 0);
    let mut bytes = b"garbage\n".to_vec();
    bytes.extend_from_slice(&whole);
    std::fs::write(&path, &bytes).unwrap();
    index.catch_up().unwrap();
    let row = &index.runs().unwrap()[0];
    assert_eq!((row.corrupt, row.counts.ok), (1, 1));
}

#[test]
fn a_broken_or_older_index_is_made_again() {
    let (_dir, root) = root();
    let run = new_run(&root, "demo");
    write(
        &run.journal(),
        &[opened(&run, 9), finished(0, 1, Outcome::Ok)],
    );
    let path = Index::path(&root);
    std::fs::write(
        &path,
        "this is not a database, however long it may be".repeat(100),
    )
    .unwrap();
    assert_eq!(fresh(&root).runs().unwrap().len(), 1);

    let other = rusqlite::Connection::open(&path).unwrap();
    other
        .execute_batch("PRAGMA user_version = 9999; UPDATE runs SET ok = 7;")
        .unwrap();
    drop(other);
    let mut index = fresh(&root);
    assert_eq!(index.runs().unwrap()[0].counts.ok, 1);
    drop(index);

    // Damage inside the file, found only when the pages are read.
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 4;
    bytes[middle..].fill(0x5a);
    std::fs::write(&path, &bytes).unwrap();
    write(&run.journal(), &[finished(1, 1, Outcome::Ok)]);
    let mut index = fresh(&root);
    assert_eq!(index.runs().unwrap()[0].counts.ok, 2);
}

#[test]
fn a_root_that_is_not_there_has_an_empty_index() {
    let (_dir, root) = root();
    let mut index = fresh(&root);
    assert_eq!(index.runs().unwrap(), []);
    assert!(!root.path().exists());
}

#[test]
fn a_run_with_a_controller_is_live() {
    let (_dir, root) = root();
    let run = new_run(&root, "demo");
    write(&run.journal(), &[opened(&run, 9), session(false)]);
    let mut index = fresh(&root);
    assert!(!index.runs().unwrap()[0].live);
    let lock = RunLock::acquire(&run, time(0.0)).unwrap();
    assert!(index.runs().unwrap()[0].live);
    drop(lock);
    assert!(!index.runs().unwrap()[0].live);
}

#[test]
fn several_commands_may_catch_up_at_once() {
    let (_dir, root) = root();
    let run = new_run(&root, "demo");
    let mut events = vec![opened(&run, 500)];
    events.extend((0..500).map(|index| finished(index, 1, Outcome::Ok)));
    write(&run.journal(), &events);
    std::thread::scope(|scope| {
        let commands: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| fresh(&root).runs().unwrap()))
            .collect();
        for command in commands {
            assert_eq!(command.join().unwrap()[0].counts.ok, 500);
        }
    });
}

#[test]
fn an_index_that_somebody_holds_is_made_in_memory() {
    let (_dir, root) = root();
    let run = new_run(&root, "demo");
    write(&run.journal(), &[opened(&run, 4), session(false)]);
    let rows = fresh(&root).runs().unwrap();
    let hold = rusqlite::Connection::open(Index::path(&root)).unwrap();
    hold.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(fresh(&root).runs().unwrap(), rows);
}

#[test]
fn whatever_is_damaged_in_the_index_the_answer_is_that_of_the_journals() {
    let (_dir, root) = root();
    for number in 0..12 {
        let run = new_run(&root, &format!("demo{number}"));
        let mut events = vec![opened(&run, 40)];
        events.extend((0..=number).map(|index| finished(index, 1, Outcome::Ok)));
        events.push(closed());
        write(&run.journal(), &events);
    }
    let expected = fresh(&root).runs().unwrap();
    let path = Index::path(&root);
    let sound = std::fs::read(&path).unwrap();
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % below as u64) as usize
    };
    for _ in 0..300 {
        let mut bytes = sound.clone();
        for _ in 0..=next(4) {
            let at = next(bytes.len());
            let until = (at + 1 + next(16)).min(bytes.len());
            for byte in &mut bytes[at..until] {
                *byte = next(256) as u8;
            }
        }
        if next(10) == 0 {
            bytes.truncate(next(sound.len()));
        }
        for suffix in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{suffix}", path.display()));
        }
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(fresh(&root).runs().unwrap(), expected);
    }
}

#[test]
fn a_journal_of_a_later_version_hides_no_other_run() {
    let (_dir, root) = root();
    let [old, new] = ["old", "new"].map(|name| new_run(&root, name));
    write(&old.journal(), &[opened(&old, 4), closed()]);
    write(&new.journal(), &[opened(&new, 4), closed()]);
    let mut index = fresh(&root);
    assert_eq!(index.runs().unwrap().len(), 2);
    let body = r#"{"event":"opened","schema":99,"name":"new""#;
    let line = format!(
        "{body},\"crc\":\"{:08x}\"}}\n",
        crc32fast::hash(body.as_bytes())
    );
    std::fs::write(new.journal(), line).unwrap();
    index.catch_up().unwrap();
    let rows = index.runs().unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].name, "old");
    let [(run, error)] = index.unreadable() else {
        panic!("one run cannot be read");
    };
    assert_eq!(run.name(), "new");
    assert!(error.to_string().contains("newer"), "{error}");
}
