//! Histories of our own trials: the spec says in which file of the trial's directory a metric's series lies.

use super::{History, Points, content, lines, read_text, table::Table};
use crate::AnalysisError;
use fairtrial_journal::{DataRoot, list_runs, read_if_there};
use fairtrial_model::{MetricDeclaration, MetricSource, Outcome, Record, Stamp};
use fairtrial_spec::Spec;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;
use std::rc::Rc;

/// The file that trials report to.
const REPORTED_FILE: &str = "metrics.jsonl";

/// The specs of the runs that trials belong to, read once.
#[derive(Debug, Default)]
pub(super) struct Trials {
    specs: HashMap<Stamp, Option<Rc<Spec>>>,
}

impl Trials {
    pub(super) fn history(
        &mut self,
        root: &DataRoot,
        dir: &Path,
        metric: &str,
        id: String,
    ) -> Result<History, AnalysisError> {
        let path = dir.join("record.json");
        let record: Record = serde_json::from_str(&read_text(&path)?)
            .map_err(|error| content(&path, format!("not a record: {error}")))?;
        let declaration = self.declaration(root, dir, metric)?;
        // A trial that failed may have left no file: that is its answer, not an error of the question.
        let number = record.metrics.get(metric);
        let points = match (points(dir, metric, declaration.as_ref()), number) {
            (Err(_), _) if record.outcome != Outcome::Ok => Points::default(),
            (Err(_), Some(number)) if !record.series.contains_key(metric) => {
                Points::single(number.0)
            }
            (points, _) => points?,
        };
        let mut notes = points.notes;
        if record.outcome != Outcome::Ok {
            notes.push(format!("the trial ended as {}", record.outcome));
        }
        Ok(History {
            id,
            arm: record.trial.arm.clone(),
            seed: Some(record.trial.seed),
            outcome: record.outcome,
            steps: points.steps,
            values: points.values,
            declaration,
            notes,
        })
    }

    /// How the trial's spec declares the metric.
    fn declaration(
        &mut self,
        root: &DataRoot,
        dir: &Path,
        metric: &str,
    ) -> Result<Option<MetricDeclaration>, AnalysisError> {
        let Some(stamp) = stamp_of(dir) else {
            return Ok(None);
        };
        let spec = match self.specs.entry(stamp) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(spec_of(root, stamp)?),
        };
        let declared = |spec: &Rc<Spec>| {
            let found = spec.metrics.iter().find(|declared| declared.name == metric);
            found.cloned()
        };
        Ok(spec.as_ref().and_then(declared))
    }
}

/// The spec of the run with this stamp; absent where the run is gone. One that is there and cannot be read is an error:
/// without it nobody knows which way of the metric is better.
fn spec_of(root: &DataRoot, stamp: Stamp) -> Result<Option<Rc<Spec>>, AnalysisError> {
    let run = list_runs(root)?
        .into_iter()
        .find(|run| run.stamp() == stamp);
    let Some(path) = run.map(|run| run.resolved_spec()) else {
        return Ok(None);
    };
    let Some(text) = read_if_there(&path)? else {
        return Ok(None);
    };
    let spec = serde_json::from_slice(&text)
        .map_err(|error| content(&path, format!("not a spec of this version: {error}")))?;
    Ok(Some(Rc::new(spec)))
}

/// The run of a trial directory, `<stamp>-<index>[-attemptN]`.
fn stamp_of(dir: &Path) -> Option<Stamp> {
    let name = dir.file_name()?.to_str()?;
    let name = name.rsplit_once("-attempt").map_or(name, |(name, _)| name);
    name.rsplit_once('-')?.0.parse().ok()
}

pub(super) fn points(
    dir: &Path,
    metric: &str,
    declaration: Option<&MetricDeclaration>,
) -> Result<Points, AnalysisError> {
    let of_lines = |file: &str, key: &str| {
        let path = dir.join(file);
        Ok(lines::points(&path, &read_text(&path)?, key)?.0)
    };
    match declaration.map(|declaration| &declaration.source) {
        None | Some(MetricSource::Reported) => of_lines(REPORTED_FILE, metric),
        Some(MetricSource::Jsonl { file, key }) => of_lines(file, key),
        Some(MetricSource::Csv { file, column }) => {
            let path = dir.join(file);
            let history = Table::read(&path)?.history(&path, None, column, String::new())?;
            Ok(Points {
                steps: history.steps,
                values: history.values,
                notes: history.notes,
            })
        }
        Some(_) => Err(content(
            dir,
            format!("`{metric}` is one number and no curve"),
        )),
    }
}
