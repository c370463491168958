//! What must hold after every run, whatever happened to it: one effective record per trial, nothing lost, and nothing
//! run twice to a record that is used. Each trial writes its attempt's name into a ledger when it runs to its end.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A run's journal, taken apart.
pub struct Audit {
    /// The effective record of each trial.
    pub effective: BTreeMap<u64, Value>,
    /// All records.
    pub records: Vec<Value>,
    /// Names of attempts in the ledger, in order.
    pub ledger: Vec<String>,
    pub events: Vec<Value>,
}

impl Audit {
    /// Reads the run and checks what always holds.
    pub fn of(run: &Path, ledger: &Path) -> Self {
        let text = std::fs::read_to_string(run.join("journal.jsonl")).unwrap();
        let events: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let records: Vec<Value> = events
            .iter()
            .filter(|event| event["event"] == "finished")
            .cloned()
            .collect();
        let mut effective: BTreeMap<u64, Value> = BTreeMap::new();
        for record in &records {
            let index = record["trial"]["index"].as_u64().unwrap();
            let newer = effective
                .get(&index)
                .is_none_or(|known| record["attempt"].as_u64() >= known["attempt"].as_u64());
            if newer {
                effective.insert(index, record.clone());
            }
        }
        let ledger = std::fs::read_to_string(ledger).unwrap_or_default();
        let ledger: Vec<String> = ledger.lines().map(str::to_owned).collect();
        let audit = Self {
            effective,
            records,
            ledger,
            events,
        };
        audit.always();
        audit
    }

    fn always(&self) {
        // One record per attempt.
        let mut seen = BTreeSet::new();
        for record in &self.records {
            let key = (
                record["trial"]["index"].as_u64(),
                record["attempt"].as_u64(),
            );
            assert!(seen.insert(key), "two records of one attempt: {record}");
        }
        // No attempt ran twice: a restarted job must not run a trial into the same directory.
        let names: BTreeSet<&String> = self.ledger.iter().collect();
        assert_eq!(
            names.len(),
            self.ledger.len(),
            "an attempt ran twice: {:?}",
            self.ledger
        );
        // A used record is one of an attempt that ran, once.
        for record in self
            .effective
            .values()
            .filter(|record| record["outcome"] == "ok")
        {
            let name = record["dir"].as_str().unwrap().rsplit('/').next().unwrap();
            assert!(
                self.ledger.iter().any(|known| known == name),
                "{name} is used and did not run"
            );
        }
    }

    /// Every trial of so many has an effective record with this outcome.
    pub fn all(&self, trials: u64, outcome: &str) -> &Self {
        assert_eq!(self.effective.len() as u64, trials, "trials with a record");
        for record in self.effective.values() {
            assert_eq!(record["outcome"], outcome, "{record}");
        }
        self
    }

    /// The journal's lines of one kind.
    pub fn events(&self, kind: &str) -> Vec<&Value> {
        self.events
            .iter()
            .filter(|event| event["event"] == kind)
            .collect()
    }
}
