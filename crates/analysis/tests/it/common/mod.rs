//! Records for the tests, and runs on disk made of them.

use fairtrial_journal::{DataRoot, Event, JOURNAL_SCHEMA, JournalWriter, Opened, RunDir};
use fairtrial_model::{
    Direction, MetricDeclaration, Number, Outcome, Params, RECORD_SCHEMA, Record, Resources,
    TrialId, TrialKey, UtcTime,
};

pub const NOON_MICROS: i64 = 1_756_038_896_000_000;

/// A record that ended ok, without metrics.
pub fn record(index: u64, task: &str, arm: &str, seed: u64) -> Record {
    Record {
        schema: RECORD_SCHEMA,
        trial: TrialKey {
            index,
            task: task.into(),
            arm: (!arm.is_empty()).then(|| arm.to_owned()),
            point: Params::new(),
            seed,
            rollout: 0,
        },
        id: TrialId(format!("{index:032x}")),
        attempt: 1,
        outcome: Outcome::Ok,
        cause: None,
        exit: None,
        started_at: Some(UtcTime::from_micros(NOON_MICROS)),
        ended_at: UtcTime::from_micros(NOON_MICROS + 250_000),
        dir: format!("runs/20250824__12-34-56-{index}"),
        packed: None,
        host: None,
        resources: Resources {
            wall: Some(0.25),
            ..Resources::default()
        },
        metrics: std::collections::BTreeMap::new(),
        series: std::collections::BTreeMap::new(),
        checkpoint: None,
        notes: vec![],
        samples: std::collections::BTreeMap::new(),
        facts: std::collections::BTreeMap::new(),
        reused_from: None,
        code: None,
    }
}

/// The same with metric values.
pub fn measured(mut record: Record, metrics: &[(&str, f64)]) -> Record {
    let numbers = metrics
        .iter()
        .map(|(name, value)| ((*name).to_owned(), Number(*value)));
    record.metrics.extend(numbers);
    record
}

/// The same with another ending.
pub fn ended(mut record: Record, outcome: Outcome) -> Record {
    record.outcome = outcome;
    record
}

pub fn metric(name: &str, direction: Option<Direction>) -> MetricDeclaration {
    MetricDeclaration {
        direction,
        ..MetricDeclaration::named(name)
    }
}

/// Writes a finished run.
pub fn write_run(root: &DataRoot, name: &str, records: Vec<Record>) -> RunDir {
    let run = RunDir::create(
        root,
        name,
        fairtrial_model::Access::Owner,
        UtcTime::from_micros(NOON_MICROS),
    )
    .unwrap();
    let writer = JournalWriter::open(&run.journal(), Box::new(|_| {})).unwrap();
    writer.append(&Event::Opened(Opened {
        schema: JOURNAL_SCHEMA,
        name: name.to_owned(),
        stamp: run.stamp(),
        config: "bench.toml".into(),
        spec_sha256: "00".repeat(32),
        plan_hash: "11".repeat(16),
        trials: records.len() as u64,
        set: vec![],
        only: None,
        registration_sha256: None,
        takes_over: None,
        imported: false,
        parallel: 2,
        version: "0.1.0".into(),
        created_at: UtcTime::from_micros(NOON_MICROS),
        host: "box".into(),
    }));
    for record in records {
        writer.append(&Event::Finished(Box::new(record)));
    }
    writer.close().unwrap();
    run
}

/// A small spec with these metrics and the arms `control` and `candidate`.
pub fn spec(metrics: &[MetricDeclaration]) -> fairtrial_spec::Spec {
    let text = "[[tasks]]\nid = \"train\"\ncommand = \"true\"\n\n[arms.control]\narch = \"a\"\n[arms.candidate]\narch = \"b\"\n";
    let options = fairtrial_spec::LoadOptions::default();
    let loaded =
        fairtrial_spec::load_text("bench.toml", text, fairtrial_spec::Format::Toml, &options);
    let mut spec = loaded.spec.unwrap();
    spec.metrics = metrics.to_vec();
    spec
}
