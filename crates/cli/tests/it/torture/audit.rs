//! What must be true of a run that was finished, whatever happened on the way: one answer per trial, and views that
//! say what the journal says.

use super::journal::{Journal, attempt, index, outcome};
use super::lab::Lab;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Checks a finished run of so many trials and gives its journal.
pub(crate) fn audit(lab: &Lab, trials: u64) -> Journal {
    let run = lab.run_dir().expect("a run");
    let journal = lab.journal();
    assert_eq!(journal.closed(), Some("finished"));
    one_answer_per_trial(&journal, trials);
    what_is_packed_has_no_folder(&journal, lab);
    evidence_is_kept(&journal, lab.data());
    views_equal_the_journal(&journal, &run);
    no_temporary_file(&run);
    let verified = lab.call(&["verify", "torture", "--latest"]);
    assert_eq!(
        verified.status.code(),
        Some(0),
        "a false alarm: {verified:?}"
    );
    lab.assert_deserted();
    journal
}

/// Every trial has exactly one effective record, no attempt has two, and an answer is never asked for again.
fn one_answer_per_trial(journal: &Journal, trials: u64) {
    let all: Vec<u64> = (0..trials).collect();
    assert_eq!(journal.effective().into_keys().collect::<Vec<_>>(), all);
    let mut seen = BTreeSet::new();
    for record in journal.records() {
        let attempt = (index(record), attempt(record));
        assert!(seen.insert(attempt), "two records of attempt {attempt:?}");
    }
}

/// Trials whose files are packed have no folder, whenever their controller was killed; then they are given one.
fn what_is_packed_has_no_folder(journal: &Journal, lab: &Lab) {
    let mut packed = journal
        .records()
        .filter(|it| it["packed"].is_object())
        .peekable();
    if packed.peek().is_none() {
        return;
    }
    for record in packed {
        let dir = lab.data().join(record["dir"].as_str().unwrap());
        assert!(!dir.exists(), "{}", dir.display());
    }
    lab.call(&["unpack", "torture", "--all"]).assert_code(0);
}

/// Each record of a started attempt has its directory, with the same record and the logs in it.
fn evidence_is_kept(journal: &Journal, data: &Path) {
    for record in journal.records() {
        let dir = record["dir"].as_str().unwrap_or_default();
        if dir.is_empty() {
            // No program was started: what it needs had failed, or could not be read.
            let unstarted = record["cause"]["kind"] == "launch" && outcome(record) == "infra";
            assert!(unstarted || outcome(record) == "skipped", "{record}");
            continue;
        }
        let dir = data.join(dir);
        assert!(dir.join("logs/stdout.log").is_file(), "{}", dir.display());
        assert!(dir.join("logs/stderr.log").is_file(), "{}", dir.display());
        let copy = dir.join("record.json");
        let notes = record["notes"].to_string();
        if !copy.exists() && notes.contains("record.json was not written") {
            continue;
        }
        let kept = read_json(&copy);
        assert_eq!(kept, without_envelope(record), "{}", dir.display());
    }
}

fn without_envelope(record: &Value) -> Value {
    let mut record = record.clone();
    let fields = record.as_object_mut().unwrap();
    fields.remove("event");
    fields.remove("crc");
    fields.remove("prev");
    record
}

fn read_json(path: &Path) -> Value {
    let text = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn views_equal_the_journal(journal: &Journal, run: &Path) {
    let effective = journal.effective();
    let manifest = read_json(&run.join("manifest.json"));
    assert_eq!(manifest["status"], "finished");
    assert_eq!(manifest["counts"], counts(effective.values().copied()));
    let rows = manifest["results"].as_array().unwrap();
    assert_eq!(rows.len(), effective.len());
    for (row, record) in rows.iter().zip(effective.values()) {
        row_equals_record(row, record);
    }
    let lines = fs::read_to_string(run.join("runs.txt")).unwrap();
    let dirs = rows
        .iter()
        .map(|row| row["run_dir"].as_str().unwrap_or_default());
    let started: Vec<&str> = dirs.filter(|dir| !dir.is_empty()).collect();
    assert_eq!(lines.lines().collect::<Vec<_>>(), started);
    task_results_equal_the_manifest(rows, &run.join("task_results"));
}

fn row_equals_record(row: &Value, record: &Value) {
    let trial = &record["trial"];
    for key in ["task", "arm", "seed"] {
        assert_eq!(row[key], trial[key], "{key}: {row} {record}");
    }
    for key in ["outcome", "attempt", "ended_at"] {
        assert_eq!(row[key], record[key], "{key}: {row} {record}");
    }
    let no_metrics = serde_json::json!({});
    assert_eq!(
        row["metrics"],
        *record.get("metrics").unwrap_or(&no_metrics)
    );
    assert_eq!(row["wall_s"], record["resources"]["wall_s"]);
    let dir = |of: &Value, key: &str| of[key].as_str().unwrap_or_default().to_owned();
    let (row_dir, dir) = (dir(row, "run_dir"), dir(record, "dir"));
    assert!(row_dir.ends_with(&dir), "{row} {record}");
}

fn task_results_equal_the_manifest(rows: &[Value], folder: &Path) {
    let mut by_task: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for row in rows {
        by_task
            .entry(row["task"].as_str().unwrap())
            .or_default()
            .push(row);
    }
    assert_eq!(fs::read_dir(folder).unwrap().count(), by_task.len());
    for (task, rows) in by_task {
        let view = read_json(&folder.join(format!("{task}.json")));
        assert_eq!(view["counts"], counts(rows.iter().copied()));
        let trials: Vec<&Value> = view["trials"].as_array().unwrap().iter().collect();
        assert_eq!(trials, rows);
    }
}

/// Outcomes of rows or records, in the form of the files.
fn counts<'a>(items: impl Iterator<Item = &'a Value>) -> Value {
    let words = [
        "ok",
        "failed",
        "timeout",
        "oom",
        "infra",
        "cancelled",
        "skipped",
    ];
    let mut counts = serde_json::Map::new();
    for word in words {
        counts.insert(word.to_owned(), 0.into());
    }
    for item in items {
        let count = &mut counts[outcome(item)];
        *count = (count.as_u64().unwrap() + 1).into();
    }
    counts.into()
}

/// A run that was finished has no temporary file of any controller: what those that died had left was taken away.
fn no_temporary_file(run: &Path) {
    for folder in [run.to_owned(), run.join("task_results"), run.join("code")] {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            let temporary = path.extension().is_some_and(|ending| ending == "tmp");
            assert!(!temporary, "{} was left behind", path.display());
        }
    }
}
