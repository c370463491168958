//! A reader of `journal.jsonl` that shares no line with the product's own.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A journal: its whole lines, checked.
#[derive(Debug, Clone, Default)]
pub(crate) struct Journal {
    /// The bytes up to the last newline.
    pub(crate) bytes: Vec<u8>,
    pub(crate) events: Vec<Value>,
}

impl Journal {
    /// Reads a journal; one that is not there is empty. A damaged whole line is a failure.
    pub(crate) fn read(path: &Path) -> Self {
        let mut bytes = std::fs::read(path).unwrap_or_default();
        let whole = bytes.iter().rposition(|byte| *byte == b'\n');
        bytes.truncate(whole.map_or(0, |place| place + 1));
        let lines = bytes
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty());
        let events = lines.map(checked).collect();
        Self { bytes, events }
    }

    /// Fails unless this journal is the earlier one with lines appended.
    pub(crate) fn assert_continues(&self, earlier: &Self) {
        assert!(
            self.bytes.starts_with(&earlier.bytes),
            "whole lines of the journal were changed or lost"
        );
    }

    /// Lines of one kind.
    pub(crate) fn of_kind<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Value> {
        self.events
            .iter()
            .filter(move |event| event["event"] == kind)
    }

    /// Every record, in the order of the file.
    pub(crate) fn records(&self) -> impl Iterator<Item = &Value> {
        self.of_kind("finished")
    }

    /// The record that counts for each trial: that of the highest attempt, and of those the last.
    pub(crate) fn effective(&self) -> BTreeMap<u64, &Value> {
        let mut effective: BTreeMap<u64, &Value> = BTreeMap::new();
        for record in self.records() {
            let known = effective.entry(index(record)).or_insert(record);
            if attempt(record) >= attempt(known) {
                *known = record;
            }
        }
        effective
    }

    /// Trials that have their answer: nothing may start them again.
    pub(crate) fn answered(&self) -> BTreeSet<u64> {
        let is_final =
            |record: &&Value| ["ok", "failed", "timeout", "oom"].contains(&outcome(record));
        let effective = self.effective();
        let done = effective.values().filter(|record| is_final(record));
        done.map(|record| index(record)).collect()
    }

    /// All records of one trial, by attempt.
    pub(crate) fn attempts(&self, trial: u64) -> Vec<&Value> {
        self.records()
            .filter(|record| index(record) == trial)
            .collect()
    }

    /// The status of the last `closed` line.
    pub(crate) fn closed(&self) -> Option<&str> {
        self.of_kind("closed").last()?["status"].as_str()
    }
}

/// Checks the sum at the end of a line, as the reference of the files describes it.
fn checked(line: &[u8]) -> Value {
    let text = String::from_utf8_lossy(line);
    let event: Value = serde_json::from_slice(line)
        .unwrap_or_else(|error| panic!("a line of the journal is no JSON ({error}): {text}"));
    let body = &line[..line.len() - ",\"crc\":\"00000000\"}".len()];
    let sum = format!("{:08x}", crc32fast::hash(body));
    assert_eq!(event["crc"], sum, "the sum of a line is wrong: {text}");
    event
}

/// The trial of a record.
pub(crate) fn index(record: &Value) -> u64 {
    record["trial"]["index"].as_u64().expect("an index")
}

/// The attempt of a record.
pub(crate) fn attempt(record: &Value) -> u64 {
    record["attempt"].as_u64().expect("an attempt")
}

/// The outcome of a record.
pub(crate) fn outcome(record: &Value) -> &str {
    record["outcome"].as_str().expect("an outcome")
}
