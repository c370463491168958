//! Learning curves of a run: every trial's own line, and the mean of each arm with its pointwise interval.

use super::evidence::Evidence;
use super::line::{Line, Needed, PARTS};
use super::mean_curve::{CurvePoint, MeanCurve, mean_curve, trials};
use crate::order;
use fairtrial_model::{MetricDeclaration, Outcome, Params, Record};
use fairtrial_series::{CurvePoints, TrialCurves};
use rayon::prelude::*;
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
    /// Each trial's line; the points stay in the trial's own files, so the JSON form has none.
    #[serde(skip)]
    pub traces: Vec<Vec<(f64, f64)>>,
    /// Into how many parts of their steps lines are divided of which the first, lowest, highest and last points stand
    /// here; absent where all points do.
    #[serde(skip)]
    pub thinned: Option<usize>,
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

/// The lines of an arm at a place, and what of each was taken for their mean.
struct ArmLines {
    lines: Vec<Line>,
    expected: Needed,
}

type ByArm = HashMap<Option<String>, ArmLines>;

/// Reads the lines of every place, several files at a time: reading is most of the time that a report takes.
fn read(evidence: &Evidence<'_>, places: &[Place]) -> Vec<ByArm> {
    let mut found: Vec<ByArm> = places
        .iter()
        .map(|place| expected(evidence, place))
        .collect();
    let part = |record: &Record| read_trial(evidence, record, (places, &found));
    let records = evidence.records.par_iter();
    let parts: Vec<Vec<(usize, Line)>> = records.map(part).collect();
    for (record, lines) in evidence.records.iter().zip(parts) {
        for (place, line) in lines {
            if let Some(arm) = found[place].get_mut(&record.trial.arm) {
                arm.lines.push(line);
            }
        }
    }
    found
}

/// Whether a trial has a line at a place.
fn is_at(record: &Record, (metric, task, point): &Place) -> bool {
    let trial = &record.trial;
    let is_there = trial.task == *task && trial.point == *point;
    record.outcome == Outcome::Ok && is_there && record.series.contains_key(metric)
}

/// The arms that have lines at a place, and what their means will need by what their records say.
fn expected(evidence: &Evidence<'_>, place: &Place) -> ByArm {
    let mut ranges: HashMap<Option<String>, Vec<[f64; 2]>> = HashMap::new();
    for record in evidence.records.iter().filter(|it| is_at(it, place)) {
        let known = ranges.entry(record.trial.arm.clone()).or_default();
        let series = record.series.get(&place.0);
        known.extend(series.map(|series| [series.first_step.0, series.last_step.0]));
    }
    let arm = |(arm, ranges): (_, Vec<[f64; 2]>)| {
        let lines = Vec::with_capacity(ranges.len());
        let expected = Needed::expected(&ranges);
        (arm, ArmLines { lines, expected })
    };
    ranges.into_iter().map(arm).collect()
}

/// The lines of a trial, with the numbers of their places.
fn read_trial(
    evidence: &Evidence<'_>,
    record: &Record,
    (places, found): (&[Place], &[ByArm]),
) -> Vec<(usize, Line)> {
    let here = places
        .iter()
        .enumerate()
        .filter(|(_, place)| is_at(record, place));
    let here: Vec<(usize, &str)> = here.map(|(at, place)| (at, place.0.as_str())).collect();
    let metrics: Vec<&str> = here.iter().map(|(_, metric)| *metric).collect();
    let points = points(evidence, record, &metrics);
    let line = |((place, _), points): ((usize, &str), CurvePoints)| {
        let arm = found[place].get(&record.trial.arm)?;
        let line = Line::of(record.trial.index, &points, &arm.expected);
        Some((place, line))
    };
    here.into_iter().zip(points).filter_map(line).collect()
}

/// The points of a trial's metrics, one metric after the other; none where they cannot be read.
fn points<'a>(
    evidence: &Evidence<'_>,
    record: &Record,
    metrics: &'a [&str],
) -> impl Iterator<Item = CurvePoints> + use<'a> {
    let dir = evidence.run.folder_of(&record.dir);
    let curves = TrialCurves {
        dir: &dir,
        series: &record.series,
        declared: &evidence.spec.metrics,
    };
    let opened = curves.open(metrics, evidence.reading);
    opened.into_iter().map(|series| {
        let series = series.ok();
        let points = series.and_then(|it| it.points().ok().map(std::borrow::Cow::into_owned));
        points.unwrap_or_default()
    })
}

fn declaration<'a>(evidence: &'a Evidence<'_>, metric: &str) -> Option<&'a MetricDeclaration> {
    evidence
        .spec
        .metrics
        .iter()
        .find(|declared| declared.name == metric)
}

fn one(evidence: &Evidence<'_>, (metric, task, point): Place, mut lines: ByArm) -> MetricCurves {
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
        let lines = lines.remove(&arm).unwrap_or_else(|| ArmLines {
            lines: Vec::new(),
            expected: Needed::Whole,
        });
        let of_arm = here.iter().filter(|record| record.trial.arm == arm);
        let of_arm: Vec<&Record> = of_arm.copied().collect();
        let again = |index| {
            let record = of_arm.iter().find(|record| record.trial.index == index)?;
            points(evidence, record, &[metric.as_str()]).next()
        };
        arm_curve((arm, lines), (&of_arm, evidence.alpha), &again)
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
    (arm, read): (Option<String>, ArmLines),
    (records, alpha): (&[&Record], f64),
    again: &dyn Fn(u64) -> Option<CurvePoints>,
) -> ArmCurve {
    let ArmLines {
        mut lines,
        expected,
    } = read;
    lines.sort_by_key(|line| line.index);
    let MeanCurve {
        runs,
        points,
        notes,
    } = mean_curve(&lines, (alpha, &expected), again);
    let is_thinned = lines.iter().any(|line| line.is_thinned);
    ArmCurve {
        arm,
        runs,
        trials: records.len(),
        mean: points,
        notes: absent(&lines, records).into_iter().chain(notes).collect(),
        traces: lines.into_iter().map(|line| line.trace).collect(),
        thinned: is_thinned.then_some(PARTS),
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
