//! Metrics of per-episode files that no run of ours made.

use super::error::TableError;
use super::gather::matches;
use super::suite::SuiteChoice;
use crate::error::SessionError;
use crate::session::Session;
use fairtrial_episode::{Measured, measure_all};
use fairtrial_model::{MetricDeclaration, MetricSource};
use rayon::prelude::*;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// One file's numbers.
#[derive(Debug)]
pub struct MeasuredFile {
    /// Its name: that of its folder.
    pub name: String,
    /// The file.
    pub file: String,
    measured: Vec<Measured>,
    /// The metrics that it must have.
    required: Vec<String>,
}

impl Session {
    /// Works out the declared metrics of per-episode files; `metrics` selects some.
    pub fn measure_files(
        &self,
        files: &[PathBuf],
        suite: &SuiteChoice,
        metrics: &[String],
    ) -> Result<Vec<MeasuredFile>, SessionError> {
        let spec = self.suite(suite)?.ok_or(TableError::NothingToMeasure)?;
        let declared: Vec<MetricDeclaration> = spec
            .metrics
            .into_iter()
            .filter(|metric| metrics.is_empty() || metrics.contains(&metric.name))
            .filter(|metric| matches!(metric.source, MetricSource::Episodes { .. }))
            .collect();
        if declared.is_empty() {
            return Err(TableError::NoEpisodeMetric.into());
        }
        Ok(files.par_iter().map(|file| row(file, &declared)).collect())
    }
}

fn row(file: &Path, declared: &[MetricDeclaration]) -> MeasuredFile {
    let own_name = file.file_name().unwrap_or_default().to_string_lossy();
    let of_this_file = |metric: &&MetricDeclaration| match &metric.source {
        MetricSource::Episodes { episodes, .. } => {
            let last = episodes.file.rsplit('/').next().unwrap_or_default();
            matches(last, &own_name)
        }
        _ => false,
    };
    let wanted: Vec<MetricDeclaration> = declared.iter().filter(of_this_file).cloned().collect();
    let folder = file.parent().and_then(Path::file_name);
    let name = folder
        .or_else(|| file.file_stem())
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    MeasuredFile {
        name,
        file: file.display().to_string(),
        measured: measure_all(&wanted, |_| Ok(file.to_owned())),
        required: wanted
            .into_iter()
            .filter(|metric| metric.required)
            .map(|metric| metric.name)
            .collect(),
    }
}

impl MeasuredFile {
    /// Whether there is no such file.
    pub fn is_absent(&self) -> bool {
        !Path::new(&self.file).exists()
    }

    /// The metrics that it has.
    pub fn numbers(&self) -> impl Iterator<Item = (&str, f64)> {
        let all = self.measured.iter();
        all.filter_map(|one| Some((one.name.as_str(), *one.value.as_ref().ok()?)))
    }

    /// The numbers, and what is missing, as JSON.
    pub fn json(&self) -> Value {
        let metrics: Map<String, Value> = self
            .numbers()
            .map(|(name, value)| (name.to_owned(), json!(fairtrial_model::Number(value))))
            .collect();
        let missing: Map<String, Value> = self
            .measured
            .iter()
            .filter_map(|one| {
                Some((
                    one.name.clone(),
                    json!(one.value.as_ref().err()?.to_string()),
                ))
            })
            .collect();
        json!({ "experiment": self.name, "file": self.file, "metrics": metrics, "missing": missing })
    }

    /// The required metrics that it has not, with the reason.
    pub fn missing(&self) -> impl Iterator<Item = (&str, String)> {
        let all = self.measured.iter();
        all.filter(|one| self.required.contains(&one.name))
            .filter_map(|one| Some((one.name.as_str(), one.value.as_ref().err()?.to_string())))
    }

    /// Why it has no metric at all; absent where it has one.
    pub fn trouble(&self) -> Option<String> {
        if self.numbers().next().is_some() {
            return None;
        }
        let why = self.measured.iter().find_map(|one| one.value.clone().err());
        Some(match why {
            _ if self.is_absent() => "there is no such file".to_owned(),
            Some(error) => error.to_string(),
            None => "no declared file has this name".to_owned(),
        })
    }
}
