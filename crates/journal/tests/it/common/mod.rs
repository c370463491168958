//! What the integration tests share: example events and a writer that is driven to its end.

use fairtrial_journal::{Commit, DataRoot, Event, JournalWriter, Opened, RunDir, WriterOptions};
use fairtrial_model::{
    Cause, Exit, Number, Outcome, Params, Record, Resources, Stamp, TrialId, TrialKey, UtcTime,
};
use std::path::Path;
use std::sync::mpsc;

pub const NOON_MICROS: i64 = 1_756_038_896_000_000;

pub fn time(seconds: f64) -> UtcTime {
    UtcTime::from_micros(NOON_MICROS + (seconds * 1e6) as i64)
}

pub fn stamp() -> Stamp {
    Stamp::of(time(0.0))
}

pub fn new_run(root: &DataRoot, name: &str) -> RunDir {
    RunDir::create(root, name, fairtrial_model::Access::Owner, time(0.0)).unwrap()
}

pub fn opened(run: &RunDir, trials: u64) -> Event {
    Event::Opened(Opened {
        schema: fairtrial_journal::JOURNAL_SCHEMA,
        name: run.name().to_owned(),
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
        created_at: time(0.0),
        host: "box".into(),
    })
}

pub fn session(resumed: bool) -> Event {
    Event::Session {
        pid: 1,
        host: "box".into(),
        at: time(0.1),
        resumed,
        attends: false,
        scores: false,
    }
}

pub fn started(index: u64, attempt: u32) -> Event {
    Event::Started {
        index,
        attempt,
        at: time(index as f64),
        dir: DataRoot::trial_dir_relative(stamp(), index, attempt),
    }
}

pub fn record(index: u64, attempt: u32, outcome: Outcome) -> Record {
    let ok = outcome == Outcome::Ok;
    let mut point = Params::new();
    point.set("lr", serde_json::json!(0.001));
    Record {
        schema: fairtrial_model::RECORD_SCHEMA,
        trial: TrialKey {
            index,
            task: if index.is_multiple_of(2) {
                "train"
            } else {
                "evaluate"
            }
            .into(),
            arm: Some(
                if index % 4 < 2 {
                    "control"
                } else {
                    "candidate"
                }
                .into(),
            ),
            point,
            seed: 1072 + index / 4,
            rollout: 0,
        },
        id: TrialId(format!("{index:032x}")),
        attempt,
        outcome,
        cause: (!ok).then_some(Cause::ExitCode { code: 3 }),
        exit: Some(Exit::Code(if ok { 0 } else { 3 })),
        started_at: Some(time(index as f64)),
        ended_at: time(index as f64 + 0.25),
        dir: DataRoot::trial_dir_relative(stamp(), index, attempt),
        packed: None,
        host: None,
        resources: Resources {
            wall: Some(0.25),
            user: Some(0.2),
            sys: Some(0.01),
            peak_memory_bytes: Some(12_345_678),
            ..Resources::default()
        },
        metrics: [
            ("loss".to_owned(), Number(1.0 / (index as f64 + 3.0))),
            ("reward".to_owned(), Number(index as f64 * 0.1)),
        ]
        .into(),
        samples: std::collections::BTreeMap::new(),
        series: std::collections::BTreeMap::new(),
        checkpoint: None,
        notes: vec![],
        facts: std::collections::BTreeMap::new(),
        reused_from: None,
        code: None,
    }
}

pub fn finished(index: u64, attempt: u32, outcome: Outcome) -> Event {
    Event::Finished(Box::new(record(index, attempt, outcome)))
}

/// Appends events and closes, expecting no error.
pub fn write(path: &Path, events: &[Event]) {
    let (sender, commits) = mpsc::channel();
    let on_commit = Box::new(move |commit| drop(sender.send(commit)));
    let writer = JournalWriter::open_with(path, WriterOptions::default(), on_commit).unwrap();
    let mut last = None;
    for event in events {
        last = Some(writer.append(event));
    }
    writer.close().unwrap();
    let through = commits.into_iter().last();
    assert_eq!(through, last.map(|through| Commit::Durable { through }));
}

/// A spec with the two tasks and arms of [`record`].
pub fn spec() -> fairtrial_spec::Spec {
    let task = |id: &str, work: serde_json::Value| {
        serde_json::json!({
            "id": id, "work": work, "arm": null, "rollouts": 1, "seeds": null,
            "params": {"lr": 0.5, "layers": 2}, "sweep": {"axes": [], "strategy": "cartesian"},
            "env": {}, "inherit_env": {"allow": ["*"], "deny": []}, "workdir": null,
            "limits": {"wall_s": null, "cpu_s": null, "memory_bytes": null, "processes": null, "grace_s": 5.0},
            "needs": [], "retries": {"infra": 2, "failed": 0, "timeout": 0, "oom": 0},
            "log_limit": 1_000_000, "place": 0
        })
    };
    let prepared = serde_json::json!({
        "kind": "prepared", "dir": "data/tasks/prepared/alpha", "model": "gpt-4",
        "apply_overrides": false, "overrides": null,
        "options": {
            "agent": {"name": "nop"}, "sandbox": {"kind": null, "network": "on"}, "scoring": "weighted",
            "verify_timeout_s": 60.0, "pass_score": 1.0
        }
    });
    let command = serde_json::json!({"kind": "command", "argv": ["true"], "shell": false});
    serde_json::from_value(serde_json::json!({
        "schema": 1, "name": "demo", "source": "bench.toml", "base_dir": "/p", "seeds": [1072],
        "parallel": 2, "order": "blocks", "order_seed": 0,
        "tasks": [task("train", prepared), task("evaluate", command)],
        "arms": [
            {"name": "control", "params": {"arch": "vit", "model": "m-1"}},
            {"name": "candidate", "params": {"arch": "trxl"}}
        ],
        "sweep": {"axes": [], "strategy": "cartesian"}, "metrics": [],
        "analysis": {"control": null, "metric": null, "alpha": null, "stop": null},
        "budget": {"wall_s": null, "trials": null, "cost": null},
        "provenance": {"env": [], "watch": []}, "output_dir": null, "tags": [], "notes": ""
    }))
    .unwrap()
}
