//! How long summaries and comparisons of large runs take:
//! `cargo run --release -p fairtrial-analysis --example large_runs -- 100000`.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measuring program"
)]

use fairtrial_analysis::compare::{CompareOptions, Inputs, compare};
use fairtrial_analysis::{Dataset, summarize_run};
use fairtrial_journal::{DataRoot, Event, JOURNAL_SCHEMA, JournalWriter, Opened, RunDir, RunState};
use fairtrial_model::{
    Exit, Number, Outcome, Params, RECORD_SCHEMA, Record, Resources, TrialId, TrialKey, UtcTime,
};
use fairtrial_spec::{Format, LoadOptions, Spec, load_text};
use fairtrial_stats::rng::{Purpose, Stream};
use std::time::Instant;

const SPEC: &str = "[[tasks]]\nid = \"train\"\ncommand = \"true\"\n[arms.control]\na = 1\n[arms.candidate]\na = 2\n\
[metrics.reward]\ndirection = \"up\"\n[metrics.loss]\ndirection = \"down\"\n";

fn main() {
    let trials: u64 = std::env::args()
        .nth(1)
        .map_or(100_000, |text| text.parse().unwrap());
    let dir = tempfile::tempdir().unwrap();
    let root = DataRoot::at(dir.path().join("data"));
    let spec = load_text("bench.toml", SPEC, Format::Toml, &LoadOptions::default())
        .spec
        .unwrap();
    let (first, second) = (
        write(&root, "first", trials),
        write(&root, "second", trials),
    );
    for _ in 0..3 {
        report(&first, &second, &spec);
    }
}

fn report(first: &RunDir, second: &RunDir, spec: &Spec) {
    let start = Instant::now();
    let summary = summarize_run(first, spec).unwrap();
    println!(
        "summarize {} trials: {:.3} s",
        summary.outcomes.total(),
        start.elapsed().as_secs_f64()
    );
    let start = Instant::now();
    let control = Dataset::from_run(first, spec, None).unwrap();
    let candidate = Dataset::from_run(second, spec, None).unwrap();
    let read = start.elapsed().as_secs_f64();
    let found = compare(
        Inputs::Two(&control, &candidate),
        &CompareOptions::default(),
    )
    .unwrap();
    let whole = start.elapsed().as_secs_f64();
    println!(
        "compare two runs: {whole:.3} s ({read:.3} s of it reading), {} contrasts",
        found.contrasts.len()
    );
}

fn write(root: &DataRoot, name: &str, trials: u64) -> RunDir {
    let now = UtcTime::from_micros(1_756_038_896_000_000);
    let run = RunDir::create(root, name, fairtrial_model::Access::Owner, now).unwrap();
    let writer = JournalWriter::open(&run.journal(), Box::new(|_| {})).unwrap();
    writer.append(&Event::Opened(Opened {
        schema: JOURNAL_SCHEMA,
        name: name.to_owned(),
        stamp: run.stamp(),
        config: "bench.toml".into(),
        spec_sha256: "00".repeat(32),
        plan_hash: "11".repeat(16),
        trials,
        set: vec![],
        only: None,
        registration_sha256: None,
        takes_over: None,
        imported: false,
        parallel: 2,
        version: "0.1.0".into(),
        created_at: now,
        host: "box".into(),
    }));
    let mut stream = Stream::new(1, Purpose::new(name), 0);
    for index in 0..trials {
        let dir = format!("runs/{}-{index}", run.stamp());
        writer.append(&Event::Started {
            index,
            attempt: 1,
            at: now,
            dir: dir.clone(),
        });
        writer.append(&Event::Finished(Box::new(record(
            index,
            dir,
            now,
            &mut stream,
        ))));
    }
    writer.close().unwrap();
    // As the end of a run does.
    RunState::read_and_seal(&run).unwrap();
    run
}

fn record(index: u64, dir: String, now: UtcTime, stream: &mut Stream) -> Record {
    Record {
        schema: RECORD_SCHEMA,
        trial: TrialKey {
            index,
            task: "train".into(),
            arm: Some(
                if index.is_multiple_of(2) {
                    "control"
                } else {
                    "candidate"
                }
                .into(),
            ),
            point: Params::new(),
            seed: 1072 + index / 2,
            rollout: 0,
        },
        id: TrialId(format!("{index:032x}")),
        attempt: 1,
        outcome: Outcome::Ok,
        cause: None,
        exit: Some(Exit::Code(0)),
        started_at: Some(now),
        ended_at: now,
        dir,
        packed: None,
        host: None,
        resources: Resources {
            wall: Some(0.25),
            user: Some(0.2),
            sys: Some(0.01),
            peak_memory_bytes: Some(12_345_678),
            minor_faults: Some(100),
            major_faults: Some(0),
            voluntary_switches: Some(3),
            involuntary_switches: Some(5),
            ..Resources::default()
        },
        metrics: [
            ("reward", 0.5 + 0.1 * stream.normal()),
            ("loss", stream.normal().exp()),
        ]
        .map(|(name, value)| (name.to_owned(), Number(value)))
        .into(),
        series: std::collections::BTreeMap::new(),
        checkpoint: None,
        notes: vec![],
        samples: std::collections::BTreeMap::new(),
        facts: std::collections::BTreeMap::new(),
        reused_from: None,
        code: None,
    }
}
