//! Trials in the columns of Inspect's `samples_df`, for notebooks that read those.

use super::outgoing::{Outgoing, Writer};
use crate::error::InteropError;
use fairtrial_model::Outcome;
use fairtrial_text::escape;
use std::collections::BTreeSet;

/// See the module.
pub(super) struct InspectCsv;

impl Writer for InspectCsv {
    fn name(&self) -> &'static str {
        "inspect-csv"
    }

    fn write(&self, run: &Outgoing<'_>) -> Result<String, InteropError> {
        let names = run.records.iter().flat_map(|record| record.metrics.keys());
        let names: BTreeSet<&String> = names.collect();
        let wrong = |error: csv::Error| InteropError::Unknown(error.to_string());
        let mut writer = csv::Writer::from_writer(Vec::new());
        let mut titles: Vec<String> = [
            "sample_id",
            "eval_id",
            "task_name",
            "model",
            "id",
            "epoch",
            "error",
            "total_time",
        ]
        .map(str::to_owned)
        .to_vec();
        titles.extend(names.iter().map(|name| format!("score_{name}")));
        let harmless = titles.iter().map(|title| escape::csv(title).into_owned());
        writer.write_record(harmless).map_err(wrong)?;
        for record in run.records {
            let trial = &record.trial;
            let error = match record.outcome {
                Outcome::Ok => String::new(),
                outcome => record
                    .cause
                    .as_ref()
                    .map_or(outcome.to_string(), ToString::to_string),
            };
            let wall = record
                .resources
                .wall
                .map_or_else(String::new, |wall| wall.to_string());
            let mut row = vec![
                record.id.0.clone(),
                run.name.to_owned(),
                run.name.to_owned(),
                trial.arm.clone().unwrap_or_default(),
                trial.task.clone(),
                (u64::from(trial.rollout) + 1).to_string(),
                error,
                wall,
            ];
            row.extend(names.iter().map(|name| {
                let value = record.metrics.get(*name);
                value.map_or_else(String::new, |value| value.0.to_string())
            }));
            let harmless = row.iter().map(|cell| escape::csv(cell).into_owned());
            writer.write_record(harmless).map_err(wrong)?;
        }
        let bytes = writer
            .into_inner()
            .map_err(|error| InteropError::Unknown(error.to_string()))?;
        String::from_utf8(bytes).map_err(|error| InteropError::Unknown(error.to_string()))
    }
}
