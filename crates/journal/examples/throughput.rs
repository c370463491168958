//! Measures this crate on this machine: `cargo run --release -p fairtrial-journal --example throughput [TRIALS]`.
#![allow(
    clippy::print_stdout,
    reason = "a measuring program prints its figures"
)]

#[path = "../tests/common/mod.rs"]
mod common;

use fairtrial_journal::{
    DataRoot, Durability, Index, JournalError, JournalWriter, RunDir, RunState,
};
use fairtrial_journal::{effective_records, read_journal, views};
use fairtrial_model::Outcome;
use std::time::Instant;

type Outcomes = Result<(), Box<dyn std::error::Error>>;

fn timed<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let begun = Instant::now();
    let done = work();
    println!("{:>9.1} ms  {what}", begun.elapsed().as_secs_f64() * 1e3);
    done
}

fn write_run(root: &DataRoot, name: &str, trials: u64) -> Result<RunDir, JournalError> {
    let run = RunDir::create(root, name, common::time(0.0))?;
    let writer = JournalWriter::open(&run.journal(), Box::new(|_| {}))?;
    writer.append(&common::opened(&run, trials));
    writer.append(&common::session(false));
    for index in 0..trials {
        writer.append(&common::started(index, 1));
        writer.append(&common::finished(index, 1, Outcome::Ok));
    }
    writer.close()?;
    Ok(run)
}

fn main() -> Outcomes {
    let trials = std::env::args()
        .nth(1)
        .map_or(Ok(100_000), |text| text.parse())?;
    let dir = tempfile::tempdir()?;
    let root = DataRoot::at(dir.path().join("data"));
    let run = timed("make and append started + finished, durable", || {
        write_run(&root, "big", trials)
    })?;
    let path = run.journal();
    println!(
        "{trials} trials, journal of {} bytes",
        path.metadata()?.len()
    );
    let state = timed("RunState::read", || RunState::read(&path))?;
    timed("read_journal, every line in full", || {
        read_journal(&path).map(Iterator::count)
    })?;
    timed("effective_records", || {
        effective_records(&path, &state, |_| Ok::<(), JournalError>(()))
    })?;
    timed("views::write_all", || {
        views::write_all(&run, &common::spec(), Durability::Process)
    })?;
    let mut index = Index::open(&root)?;
    timed("Index::catch_up of all trials", || index.catch_up())?;
    timed("Index::catch_up with nothing new", || index.catch_up())?;
    for number in 0..1000 {
        write_run(&root, &format!("small-{number}"), 2)?;
    }
    timed("Index::catch_up of 1,000 small runs", || index.catch_up())?;
    drop(index);
    timed("open, catch up and list 1,001 runs", || -> Outcomes {
        let mut index = Index::open(&root)?;
        index.catch_up()?;
        index.runs()?;
        Ok(())
    })?;
    Ok(())
}
