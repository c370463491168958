//! What is read of a record to judge a run: which trial, how it ended, and its numbers.
//!
//! A record holds much more (resources, files, notes). Reading only this, and borrowing the text, is what makes a
//! summary of 100,000 trials quick; it stands here because this crate is built to be fast.

use fairtrial_model::{Code, Number, Outcome, Params, Record, SeriesInfo};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// One trial's answer.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Observation<'a> {
    /// Which trial.
    #[serde(borrow)]
    pub trial: Key<'a>,
    /// Its content identity.
    #[serde(borrow)]
    pub id: Cow<'a, str>,
    /// How it ended.
    pub outcome: Outcome,
    /// What it used.
    #[serde(default)]
    pub resources: Used,
    /// Its numbers.
    #[serde(borrow, default)]
    pub metrics: Metrics<'a>,
    /// The numbers of the iterations inside it, where they are kept.
    #[serde(default)]
    pub samples: BTreeMap<String, Vec<Number>>,
    /// The series behind those that are one.
    #[serde(default)]
    pub series: BTreeMap<String, Behind>,
    /// What it says about itself in words.
    #[serde(default)]
    pub facts: BTreeMap<String, String>,
    /// What a reader of its record should know.
    #[serde(default)]
    pub notes: Vec<String>,
    /// What it ran.
    #[serde(default)]
    pub code: Option<Code>,
    /// Its directory, which no other trial shares.
    #[serde(borrow, default)]
    pub dir: Cow<'a, str>,
    /// The run and trial that it was taken over from.
    #[serde(borrow, default)]
    pub reused_from: Option<Cow<'a, str>>,
}

/// A trial's place in the design.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Key<'a> {
    /// Place in the run's order.
    pub index: u64,
    /// The task.
    #[serde(borrow)]
    pub task: Cow<'a, str>,
    /// The arm.
    #[serde(borrow, default)]
    pub arm: Option<Cow<'a, str>>,
    /// The sweep point.
    #[serde(default)]
    pub point: Params,
    /// The seed.
    pub seed: u64,
    /// The repetition under one seed.
    #[serde(default)]
    pub rollout: u32,
}

/// The part of the resource record that a summary shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
pub struct Used {
    /// Wall seconds.
    #[serde(rename = "wall_s", default)]
    pub wall: Option<f64>,
    /// CPU seconds in user mode.
    #[serde(rename = "user_s", default)]
    pub user: Option<f64>,
    /// CPU seconds in the kernel.
    #[serde(rename = "sys_s", default)]
    pub sys: Option<f64>,
    /// Times that another program took the CPU.
    #[serde(default)]
    pub involuntary_switches: Option<u64>,
}

/// What is read of the series behind a number.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Behind {
    /// Its first step.
    pub first_step: Number,
    /// Its last step.
    pub last_step: Number,
    /// Whether the number is only a bound: the threshold was not reached by the last step.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub not_reached: bool,
}

impl From<&SeriesInfo> for Behind {
    fn from(info: &SeriesInfo) -> Self {
        Self {
            first_step: info.first_step,
            last_step: info.last_step,
            not_reached: info.not_reached,
        }
    }
}

/// Metric values in the order of the record, without a map's cost.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Metrics<'a>(pub Vec<(Cow<'a, str>, f64)>);

impl Metrics<'_> {
    /// The value of a metric.
    pub fn get(&self, name: &str) -> Option<f64> {
        let found = self.0.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| *value)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Metrics<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MetricsVisitor;
        impl<'de> Visitor<'de> for MetricsVisitor {
            type Value = Metrics<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map of metric values")
            }
            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Metrics<'de>, M::Error> {
                let mut values = Vec::with_capacity(map.size_hint().unwrap_or(4));
                while let Some((BorrowedKey(name), Number(value))) = map.next_entry()? {
                    values.push((name, value));
                }
                Ok(Metrics(values))
            }
        }
        deserializer.deserialize_map(MetricsVisitor)
    }
}

/// A map key that borrows; a plain `Cow` would copy.
#[derive(Deserialize)]
struct BorrowedKey<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a> From<&'a Record> for Observation<'a> {
    fn from(record: &'a Record) -> Self {
        let metrics = record.metrics.iter();
        Self {
            trial: Key {
                index: record.trial.index,
                task: Cow::Borrowed(&record.trial.task),
                arm: record.trial.arm.as_deref().map(Cow::Borrowed),
                point: record.trial.point.clone(),
                seed: record.trial.seed,
                rollout: record.trial.rollout,
            },
            id: Cow::Borrowed(&record.id.0),
            outcome: record.outcome,
            resources: Used {
                wall: record.resources.wall,
                user: record.resources.user,
                sys: record.resources.sys,
                involuntary_switches: record.resources.involuntary_switches,
            },
            metrics: Metrics(
                metrics
                    .map(|(name, value)| (Cow::Borrowed(name.as_str()), value.0))
                    .collect(),
            ),
            samples: record.samples.clone(),
            series: record
                .series
                .iter()
                .map(|(name, info)| (name.clone(), Behind::from(info)))
                .collect(),
            facts: record.facts.clone(),
            notes: record.notes.clone(),
            code: record.code.clone(),
            dir: Cow::Borrowed(&record.dir),
            reused_from: record.reused_from.as_deref().map(Cow::Borrowed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Observation;
    use std::borrow::Cow;

    #[test]
    fn a_line_is_read_without_copying_its_text() {
        let line = r#"{"event":"finished","schema":1,"trial":{"index":3,"task":"train","arm":"b","seed":7},"id":"ab",
            "attempt":1,"outcome":"ok","ended_at":"2025-08-24T12:34:56Z","resources":{"wall_s":1.5,"user_s":1},
            "metrics":{"reward":0.5,"loss":"NaN"},"crc":"00000000"}"#;
        let read: Observation = serde_json::from_str(line).unwrap();
        assert_eq!(read.trial.task, "train");
        assert!(matches!(read.trial.task, Cow::Borrowed(_)));
        assert_eq!(read.resources.wall, Some(1.5));
        assert_eq!(read.metrics.get("reward"), Some(0.5));
        assert!(read.metrics.get("loss").unwrap().is_nan());
        assert_eq!(read.metrics.get("other"), None);
    }
}
