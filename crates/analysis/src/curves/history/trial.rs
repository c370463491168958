//! Histories of our own trials: the spec says in which file of the trial's directory a metric's series lies.

use super::behind::Runs;
use super::curve::{History, Points, RecordedNumber};
use super::file::{content, read_text};
use super::lines;
use super::table::Table;
use crate::compare::ranking::sweep::conditions;
use crate::error::AnalysisError;
use fairtrial_interop::{Collected, Keep, format_named, locate};
use fairtrial_journal::{DataRoot, RECORD_NAME, RunDir};
use fairtrial_model::{MetricDeclaration, MetricSource, Outcome, Record, TrackerKind};
use std::path::Path;

/// The file that trials report to.
const REPORTED_FILE: &str = "metrics.jsonl";

/// The curve of one trial of ours, whose run was asked for by name or is told by the trial's directory.
pub(super) fn history(
    (runs, root): (&mut Runs, &DataRoot),
    (dir, asked): (&Path, Option<&RunDir>),
    metric: &str,
    id: String,
) -> Result<History, AnalysisError> {
    let path = dir.join(RECORD_NAME);
    let packed = if path.exists() {
        None
    } else {
        runs.packed(root, dir)?
    };
    let record: Record = match packed {
        Some(record) => record,
        None => serde_json::from_str(&read_text(&path)?)
            .map_err(|error| content(&path, format!("not a record: {error}")))?,
    };
    let (spec, run) = runs.of(root, dir, asked)?.unzip();
    let declaration = spec.and_then(|spec| {
        let mut declared = spec.metrics.iter();
        declared.find(|declared| declared.name == metric).cloned()
    });
    // A trial that failed may have left no file: that is its answer, not an error of the question.
    let number = record.metrics.get(metric);
    let points = match (points(dir, metric, declaration.as_ref()), number) {
        (Err(_), _) if record.outcome != Outcome::Ok => Points::default(),
        (Err(_), Some(number)) if !record.series.contains_key(metric) => Points::single(number.0),
        (points, _) => points?,
    };
    let mut notes = points.notes;
    if record.outcome != Outcome::Ok {
        notes.push(format!("the trial ended as {}", record.outcome));
    }
    Ok(History {
        id,
        task: Some(record.trial.task.clone()),
        point: Some(conditions(&record.trial.point).join(", ")),
        arm: record.trial.arm.clone(),
        seed: Some(record.trial.seed),
        rollout: Some(record.trial.rollout),
        rollouts: Vec::new(),
        place: None,
        outcome: record.outcome,
        steps: points.steps,
        values: points.values,
        declaration,
        recorded: recorded(&record, metric),
        run,
        notes,
    })
}

/// What the record made of the metric's series.
fn recorded(record: &Record, metric: &str) -> Option<RecordedNumber> {
    let series = record.series.get(metric)?;
    Some(RecordedNumber {
        value: record.metrics.get(metric)?.0,
        summary: series.summary.clone(),
    })
}

/// The points of a metric in the unit that its numbers are kept in, so that a declared margin is about them.
pub(super) fn points(
    dir: &Path,
    metric: &str,
    declaration: Option<&MetricDeclaration>,
) -> Result<Points, AnalysisError> {
    let mut points = as_written(dir, metric, declaration)?;
    if let Some(convert) = declaration.and_then(|declared| declared.convert.as_ref()) {
        for value in &mut points.values {
            *value = convert.apply(*value);
        }
    }
    Ok(points)
}

fn as_written(
    dir: &Path,
    metric: &str,
    declaration: Option<&MetricDeclaration>,
) -> Result<Points, AnalysisError> {
    let step = declaration.and_then(|declaration| declaration.step.as_deref());
    let of_lines = |file: &str, key: &str| {
        let path = dir.join(file);
        Ok(lines::points(&path, &read_text(&path)?, key, step)?.0)
    };
    match declaration.map(|declaration| &declaration.source) {
        None | Some(MetricSource::Reported) => of_lines(REPORTED_FILE, metric),
        Some(MetricSource::Jsonl { file, key }) => of_lines(file, key),
        Some(MetricSource::Csv { file, column }) => {
            let path = dir.join(file);
            Table::read(&path)?.only_points(&path, column, step)
        }
        Some(MetricSource::Tracked {
            tracker,
            folder,
            key,
        }) => tracked(&dir.join(folder), *tracker, key),
        Some(_) => Err(content(
            dir,
            format!("`{metric}` is one number and no curve"),
        )),
    }
}

/// The points that the trial's own process logged with a tracker.
fn tracked(folder: &Path, tracker: TrackerKind, key: &str) -> Result<Points, AnalysisError> {
    let located = locate(&[folder.to_owned()], Some(format_named(tracker.scheme())?))?;
    let found = Collected::read(&located, Keep::Points(key.to_owned()))?;
    let id = found.metric_named(key);
    let curves = found.curves.iter().filter_map(|curves| curves.get(&id?));
    let (steps, values) = curves
        .flat_map(|curve| curve.points.iter().copied())
        .unzip();
    Ok(Points {
        steps,
        values,
        notes: found.notes,
    })
}
