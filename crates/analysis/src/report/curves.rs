//! Learning curves of a run: every trial's own line, and the mean of each arm with its pointwise interval.

use super::evidence::Evidence;
use super::mean_curve::{CurvePoint, Line, MeanCurve, mean_curve, trials};
use crate::curves::history::series_of;
use crate::order;
use fairtrial_model::{MetricDeclaration, Outcome, Params, Record};
use serde::Serialize;
use std::collections::HashMap;

/// Charts of curves at most; a sweep of 100 points is no picture.
const MOST_CHARTS: usize = 12;

/// The curves of one metric, at one task and sweep point.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MetricCurves {
    /// The metric.
    pub metric: String,
    /// Its unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The task.
    pub task: String,
    /// The sweep point.
    #[serde(skip_serializing_if = "Params::is_empty")]
    pub point: Params,
    /// One minus the confidence of the bands.
    pub alpha: f64,
    /// The arms.
    pub arms: Vec<ArmCurve>,
}

/// One arm's curves.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ArmCurve {
    /// The arm; absent where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arm: Option<String>,
    /// How many runs the mean is over.
    pub runs: usize,
    /// How many trials the arm has here, however they ended.
    pub trials: usize,
    /// The mean with its interval.
    pub mean: Vec<CurvePoint>,
    /// Each trial's points; they stay in the trial's own files, so the JSON form has none.
    #[serde(skip)]
    pub traces: Vec<Vec<(f64, f64)>>,
    /// What a reader should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

type Place = (String, String, Params);

/// All curves, in the order of the declared metrics.
pub(super) fn curves(evidence: &Evidence<'_>, notes: &mut Vec<String>) -> Vec<MetricCurves> {
    let mut places: Vec<Place> = Vec::new();
    for record in evidence
        .records
        .iter()
        .filter(|record| record.outcome == Outcome::Ok)
    {
        for metric in record.series.keys().filter(|it| evidence.is_shown(it)) {
            let trial = &record.trial;
            let place = (metric.clone(), trial.task.clone(), trial.point.clone());
            if !places.contains(&place) {
                places.push(place);
            }
        }
    }
    let declared = order::Listed::of(evidence.spec.metrics.iter().map(|metric| &metric.name));
    let tasks = order::Listed::of(evidence.spec.tasks.iter().map(|task| &task.id));
    places.sort_by(|a, b| {
        declared
            .cmp(&a.0, &b.0)
            .then_with(|| tasks.cmp(&a.1, &b.1))
            .then_with(|| order::points(&a.2, &b.2))
    });
    if places.len() > MOST_CHARTS {
        notes.push(format!(
            "{} of {} charts of curves are shown, the first metrics and points.",
            MOST_CHARTS,
            places.len()
        ));
        places.truncate(MOST_CHARTS);
    }
    let lines = read(evidence, &places);
    places
        .into_iter()
        .zip(lines)
        .map(|(place, lines)| one(evidence, place, lines))
        .collect()
}

/// Reads the lines of every place, several files at a time: reading is most of the time that a report takes.
fn read(evidence: &Evidence<'_>, places: &[Place]) -> Vec<HashMap<Option<String>, Vec<Line>>> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let share = evidence.records.len().div_ceil(threads).max(1);
    let parts: Vec<Vec<(usize, Option<String>, Line)>> = std::thread::scope(|scope| {
        let working: Vec<_> = evidence
            .records
            .chunks(share)
            .map(|records| {
                let read = move || read_part(evidence, records, places);
                let started = std::thread::Builder::new().spawn_scoped(scope, read);
                // Where no thread can be had, it is read here.
                started.map_err(|_| read())
            })
            .collect();
        let parts = working.into_iter().map(|part| match part {
            Ok(thread) => {
                let joined = thread.join();
                joined.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            }
            Err(read) => read,
        });
        parts.collect()
    });
    let mut found: Vec<HashMap<Option<String>, Vec<Line>>> =
        places.iter().map(|_| HashMap::new()).collect();
    for (place, arm, line) in parts.into_iter().flatten() {
        found[place].entry(arm).or_default().push(line);
    }
    found
}

fn read_part(
    evidence: &Evidence<'_>,
    records: &[Record],
    places: &[Place],
) -> Vec<(usize, Option<String>, Line)> {
    let mut lines = Vec::new();
    for record in records
        .iter()
        .filter(|record| record.outcome == Outcome::Ok)
    {
        for (place, (metric, task, point)) in places.iter().enumerate() {
            let trial = &record.trial;
            if trial.task != *task || trial.point != *point || !record.series.contains_key(metric) {
                continue;
            }
            let dir = evidence.run.root().path().join(&record.dir);
            let declaration = declaration(evidence, metric);
            let (steps, values) = series_of(&dir, metric, declaration).unwrap_or_default();
            let line = Line {
                index: trial.index,
                steps,
                values,
            };
            lines.push((place, trial.arm.clone(), line));
        }
    }
    lines
}

fn declaration<'a>(evidence: &'a Evidence<'_>, metric: &str) -> Option<&'a MetricDeclaration> {
    evidence
        .spec
        .metrics
        .iter()
        .find(|declared| declared.name == metric)
}

fn one(
    evidence: &Evidence<'_>,
    (metric, task, point): Place,
    mut lines: HashMap<Option<String>, Vec<Line>>,
) -> MetricCurves {
    let here: Vec<&Record> = evidence
        .records
        .iter()
        .filter(|record| record.trial.task == task && record.trial.point == point)
        .collect();
    // Those too of which no trial has a curve: that they are not in the picture must be said.
    let mut arms: Vec<Option<String>> = Vec::new();
    for record in &here {
        if !arms.contains(&record.trial.arm) {
            arms.push(record.trial.arm.clone());
        }
    }
    let order = order::Listed::of(evidence.spec.arms.iter().map(|arm| &arm.name));
    let name = |arm: &Option<String>| arm.clone().unwrap_or_default();
    arms.sort_by(|a, b| order.cmp(&name(a), &name(b)));
    let unit = declaration(evidence, &metric).and_then(|declared| declared.unit.clone());
    let curves = arms.into_iter().map(|arm| {
        let lines = lines.remove(&arm).unwrap_or_default();
        let of_arm = here.iter().filter(|record| record.trial.arm == arm);
        let of_arm: Vec<&Record> = of_arm.copied().collect();
        arm_curve(arm, lines, &of_arm, evidence.alpha)
    });
    MetricCurves {
        arms: curves.collect(),
        unit,
        metric,
        task,
        point,
        alpha: evidence.alpha,
    }
}

fn arm_curve(
    arm: Option<String>,
    mut lines: Vec<Line>,
    records: &[&Record],
    alpha: f64,
) -> ArmCurve {
    lines.sort_by_key(|line| line.index);
    let MeanCurve {
        runs,
        points,
        notes,
    } = mean_curve(&lines, alpha);
    ArmCurve {
        arm,
        runs,
        trials: records.len(),
        mean: points,
        notes: absent(&lines, records).into_iter().chain(notes).collect(),
        traces: lines.iter().map(|line| line.points().collect()).collect(),
    }
}

/// The trials that have no curve at all, and why.
fn absent(lines: &[Line], records: &[&Record]) -> Vec<String> {
    let without = |ok: bool| {
        let of = records
            .iter()
            .filter(|record| (record.outcome == Outcome::Ok) == ok)
            .map(|record| record.trial.index);
        let mut without: Vec<u64> = of
            .filter(|index| lines.iter().all(|line| line.index != *index))
            .collect();
        without.sort_unstable();
        without
    };
    let said = [
        (without(false), "did not end ok"),
        (without(true), "wrote none"),
    ];
    said.into_iter()
        .filter(|(without, _)| !without.is_empty())
        .map(|(without, why)| format!("no curve of {}, which {why}", trials(&without)))
        .collect()
}
