//! A baseline as a file that can be committed: the trials of a run with their values and what is known about how they
//! were made. A gate compares against it as against the run itself.

use super::{Dataset, Fact, Origin, Repeat, SeedsPair};
use crate::error::AnalysisError;
use crate::validity::Floor;
use fairtrial_journal::observation::{Behind, Observation};
use fairtrial_model::{MetricDeclaration, Number, Params};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Version of the file's form.
const BASELINE_SCHEMA: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Head {
    /// The form; also what tells such a file from others.
    fairtrial_baseline: u32,
    label: String,
    origin: Origin,
    /// Files of earlier versions do not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    opened: Option<String>,
    metrics: Vec<MetricDeclaration>,
    arms: Vec<String>,
    control: Option<String>,
    facts: Vec<Fact>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    floor: Option<Floor>,
    /// What is different about trials that another tool measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    imported: Option<Imported>,
}

#[derive(Serialize, Deserialize)]
struct Imported {
    repeat: Repeat,
    seeds_pair: bool,
}

#[derive(Serialize)]
struct Row<'a> {
    trial: RowKey<'a>,
    id: &'a str,
    outcome: fairtrial_model::Outcome,
    metrics: BTreeMap<&'a str, Number>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    series: BTreeMap<&'a str, Behind>,
}

#[derive(Serialize)]
struct RowKey<'a> {
    index: u64,
    task: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    arm: Option<&'a str>,
    #[serde(skip_serializing_if = "Params::is_empty")]
    point: &'a Params,
    seed: u64,
    rollout: u32,
}

impl Dataset {
    /// The file, one trial per line: a change of a baseline is a change of lines.
    pub fn to_baseline(&self) -> Result<String, AnalysisError> {
        let broken = |error: serde_json::Error| AnalysisError::Question(error.to_string());
        // A baseline is another run than any it is compared with.
        let seeds_pair = self.seeds_pair == SeedsPair::Everywhere;
        let head = Head {
            fairtrial_baseline: BASELINE_SCHEMA,
            label: self.label.clone(),
            origin: self.origin.clone(),
            opened: self.opened.clone(),
            metrics: self.declared.clone(),
            arms: self.arm_order.clone(),
            control: self.control.clone(),
            facts: self.facts.clone(),
            floor: self.floor.clone(),
            imported: (self.repeat != Repeat::Rollout || !seeds_pair).then_some(Imported {
                repeat: self.repeat,
                seeds_pair,
            }),
        };
        let mut text = serde_json::to_string(&head).map_err(broken)?;
        text.push('\n');
        let mut values: Vec<BTreeMap<&str, Number>> = vec![BTreeMap::new(); self.trials.len()];
        for column in &self.columns {
            for (place, value) in &column.values {
                values[*place as usize].insert(&column.name, Number(*value));
            }
        }
        let mut series: Vec<BTreeMap<&str, Behind>> = vec![BTreeMap::new(); self.trials.len()];
        for column in &self.columns {
            for (place, behind) in &column.series {
                series[*place as usize].insert(&column.name, *behind);
            }
        }
        let numbers = values.into_iter().zip(series);
        for (trial, (metrics, series)) in self.trials.iter().zip(numbers) {
            let row = Row {
                trial: RowKey {
                    index: trial.index,
                    task: self.tasks.get(trial.task),
                    arm: self.arms.get(trial.arm).as_deref(),
                    point: &self.point_values[trial.point as usize],
                    seed: trial.seed,
                    rollout: trial.rollout,
                },
                id: "",
                outcome: trial.outcome,
                metrics,
                series,
            };
            text.push_str(&serde_json::to_string(&row).map_err(broken)?);
            text.push('\n');
        }
        Ok(text)
    }

    /// Whether a text is such a file.
    pub fn is_baseline(text: &str) -> bool {
        text.starts_with("{\"fairtrial_baseline\":")
    }

    /// Reads such a file.
    pub fn from_baseline(label: &str, text: &str) -> Result<Self, AnalysisError> {
        let wrong = |message: String| AnalysisError::Content {
            label: label.to_owned(),
            message,
        };
        let mut lines = text.lines().filter(|line| !line.trim().is_empty());
        let head: Head = serde_json::from_str(lines.next().unwrap_or_default())
            .map_err(|error| wrong(format!("not a baseline: {error}")))?;
        if head.fairtrial_baseline > BASELINE_SCHEMA {
            return Err(wrong(format!(
                "its form is {}, this version reads {BASELINE_SCHEMA}",
                head.fairtrial_baseline
            )));
        }
        let mut data = Self::new(format!("baseline {}", head.label), head.origin);
        data.opened = head.opened;
        data.declared = head
            .metrics
            .iter()
            .map(MetricDeclaration::reduced)
            .collect();
        data.arm_order = head.arms;
        data.control = head.control;
        data.facts = head.facts;
        data.floor = head.floor;
        if let Some(imported) = head.imported {
            data.repeat = imported.repeat;
            data.seeds_pair = SeedsPair::everywhere_if(imported.seeds_pair);
        }
        for (number, line) in lines.enumerate() {
            let observation: Observation<'_> = serde_json::from_str(line)
                .map_err(|error| wrong(format!("line {}: {error}", number + 2)))?;
            data.push(&observation);
        }
        if data.arm_order.is_empty() {
            data.arms_as_they_came();
        }
        Ok(data)
    }
}

#[cfg(test)]
mod tests {
    use crate::dataset::{Dataset, FactKind, Origin};
    use fairtrial_journal::observation::Observation;

    #[test]
    fn a_baseline_gives_back_what_went_in() {
        let mut data = Dataset::new("bench 1", Origin::Records);
        data.fact(FactKind::Machine, "cpu", "Xeon");
        data.arm_order = vec!["a".to_owned()];
        data.opened = Some("2025-08-24T12:34:56.1Z on box".to_owned());
        for seed in 0..3 {
            let line = format!(
                r#"{{"trial":{{"index":{seed},"task":"t","arm":"a","point":{{"lr":0.1}},"seed":{seed}}},"id":"x",
                "outcome":"{}","metrics":{{"m":0.1{seed},"n":"NaN"}}}}"#,
                if seed == 2 { "failed" } else { "ok" }
            );
            let observation: Observation<'_> = serde_json::from_str(&line).unwrap();
            data.push(&observation);
        }
        let text = data.to_baseline().unwrap();
        assert!(Dataset::is_baseline(&text));
        let back = Dataset::from_baseline("file", &text).unwrap();
        assert_eq!(
            back.to_baseline()
                .unwrap()
                .replace("baseline bench 1", "bench 1"),
            text
        );
        assert_eq!(back.values("m"), data.values("m"));
        assert_eq!(back.facts, data.facts);
        assert!(Dataset::from_baseline("file", "{}").is_err());
    }
}
