//! The mean of an arm's curves: at every step over all of its runs, or not at all.
//!
//! A mean over those runs that happen to have a value shows the survivors: where bad runs have gaps or end early, a bad
//! arm would look good. So a gap in one run is a gap in the mean, and the mean ends where the shortest run does.

use fairtrial_stats::Level;
use fairtrial_stats::series::{CommonGrid, Curve};
use fairtrial_text::count::first_of;
use serde::Serialize;

/// Steps at which means are taken: more than a panel has columns to show.
const GRID: usize = 160;
/// Trials that a note names.
const NAMED: usize = 6;
/// The share of the longest curve by which the mean may be shorter before it is said.
const UNSAID: f64 = 0.02;

/// One trial's line.
pub(super) struct Line {
    pub(super) index: u64,
    pub(super) steps: Vec<f64>,
    pub(super) values: Vec<f64>,
}

/// The mean at one step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CurvePoint {
    /// The step.
    pub step: f64,
    /// The mean; absent where a run has no value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// Its interval; absent for one run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
}

/// The mean of some lines.
pub(super) struct MeanCurve {
    /// How many runs it is over.
    pub(super) runs: usize,
    pub(super) points: Vec<CurvePoint>,
    /// What a reader should know.
    pub(super) notes: Vec<String>,
}

/// A run's curve, and the stretches inside in which it has no value.
struct Known {
    index: u64,
    curve: Curve,
    gaps: Vec<[f64; 2]>,
}

impl Known {
    /// Rare gaps are bridged, as a summary bridges them; others stay gaps. A run without any value has no curve.
    fn of(line: &Line) -> Option<Self> {
        let index = line.index;
        if let Ok(curve) = Curve::new(&line.steps, &line.values) {
            let gaps = Vec::new();
            return Some(Self { index, curve, gaps });
        }
        let mut points: Vec<(f64, f64)> =
            line.points().filter(|(step, _)| step.is_finite()).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut gaps = Vec::new();
        let mut before: Option<(f64, bool)> = None;
        for (step, value) in &points {
            match before {
                Some((from, true)) if value.is_finite() => gaps.push([from, *step]),
                _ => {}
            }
            before = if value.is_finite() {
                Some((*step, false))
            } else {
                before.map(|(from, _)| (from, true))
            };
        }
        points.retain(|(_, value)| value.is_finite());
        let (steps, values): (Vec<f64>, Vec<f64>) = points.into_iter().unzip();
        let curve = Curve::new(&steps, &values).ok()?;
        Some(Self { index, curve, gaps })
    }

    fn has_gap_at(&self, step: f64) -> bool {
        self.gaps
            .iter()
            .any(|[from, to]| *from < step && step < *to)
    }
}

impl Line {
    pub(super) fn points(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.steps.iter().copied().zip(self.values.iter().copied())
    }
}

/// The mean of the lines of one arm.
pub(super) fn mean_curve(lines: &[Line], alpha: f64) -> MeanCurve {
    let found: Vec<(u64, Option<Known>)> = lines
        .iter()
        .map(|line| (line.index, Known::of(line)))
        .collect();
    let mut notes = Vec::new();
    let empty: Vec<u64> = found
        .iter()
        .filter(|(_, known)| known.is_none())
        .map(|(index, _)| *index)
        .collect();
    if !empty.is_empty() {
        notes.push(format!(
            "no value at all in {}: not in the mean",
            trials(&empty)
        ));
    }
    let known: Vec<Known> = found.into_iter().filter_map(|(_, known)| known).collect();
    let points = mean(&known, alpha, &mut notes);
    MeanCurve {
        runs: known.len(),
        points,
        notes,
    }
}

fn mean(known: &[Known], alpha: f64, notes: &mut Vec<String>) -> Vec<CurvePoint> {
    let gap_at = |step: f64| known.iter().any(|known| known.has_gap_at(step));
    let gaps: Vec<u64> = known
        .iter()
        .filter(|known| !known.gaps.is_empty())
        .map(|known| known.index)
        .collect();
    if !gaps.is_empty() {
        notes.push(format!(
            "the mean has a gap wherever a run has no value ({})",
            trials(&gaps)
        ));
    }
    match known {
        [] => return Vec::new(),
        [only] => return alone(only),
        _ => {}
    }
    let curves: Vec<&Curve> = known.iter().map(|known| &known.curve).collect();
    let band =
        CommonGrid::shared(&curves, GRID).and_then(|grid| grid.band(Level::two_sided(alpha)));
    let Ok(band) = band else {
        notes.push(format!(
            "no mean: no stretch of steps is in all {} curves",
            known.len()
        ));
        return Vec::new();
    };
    notes.extend(shorter(known));
    let point = |point: &fairtrial_stats::series::BandPoint| {
        let there = !gap_at(point.step);
        CurvePoint {
            step: point.step,
            mean: there.then_some(point.mean),
            interval: there.then_some([point.interval.low, point.interval.high]),
        }
    };
    band.points.iter().map(point).collect()
}

/// One run is its own mean, without an interval; a gap is a point without a value at its middle.
fn alone(only: &Known) -> Vec<CurvePoint> {
    let values = only.curve.steps().iter().zip(only.curve.values());
    let there = values.map(|(step, value)| (*step, Some(*value)));
    let gaps = only
        .gaps
        .iter()
        .map(|[from, to]| (f64::midpoint(*from, *to), None));
    let mut points: Vec<(f64, Option<f64>)> = there.chain(gaps).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points
        .into_iter()
        .map(|(step, mean)| CurvePoint {
            step,
            mean,
            interval: None,
        })
        .collect()
}

/// Why the mean is shorter than the longest curve, where it is.
fn shorter(known: &[Known]) -> Option<String> {
    let ranges = || known.iter().map(|known| known.curve.range());
    let first = ranges().map(|range| range[0]).fold(f64::INFINITY, f64::min);
    let last = ranges()
        .map(|range| range[1])
        .fold(f64::NEG_INFINITY, f64::max);
    let slack = UNSAID * (last - first);
    let late = known.iter().filter(|known| {
        let [from, to] = known.curve.range();
        from > first + slack || to < last - slack
    });
    let late: Vec<u64> = late.map(|known| known.index).collect();
    let from = ranges().map(|range| range[0]).fold(first, f64::max);
    let to = ranges().map(|range| range[1]).fold(last, f64::min);
    (!late.is_empty()).then(|| {
        format!(
            "the mean is drawn from step {from} to {to} of {last}, which all runs have (shorter: {})",
            trials(&late)
        )
    })
}

/// `trial 3`, `trials 3, 5`, `trials 3, 5, 7, 9, 11, 13 and 4 more`.
pub(super) fn trials(indices: &[u64]) -> String {
    let s = if indices.len() == 1 { "" } else { "s" };
    format!("trial{s} {}", first_of(indices, NAMED))
}

#[cfg(test)]
mod tests {
    use super::{Line, mean_curve, trials};

    fn line(index: u64, value: impl Fn(usize) -> f64, points: usize) -> Line {
        Line {
            index,
            steps: (0..points).map(|step| step as f64).collect(),
            values: (0..points).map(value).collect(),
        }
    }

    #[test]
    fn a_run_with_a_gap_stays_in_the_mean() {
        let gap = |step: usize| {
            if (50..54).contains(&step) {
                f64::NAN
            } else {
                0.0
            }
        };
        let found = mean_curve(&[line(1, |_| 1.0, 100), line(4, gap, 100)], 0.05);
        assert_eq!(found.runs, 2);
        assert!(
            found
                .points
                .iter()
                .all(|point| point.mean.is_none_or(|mean| mean == 0.5))
        );
        let open: Vec<f64> = found
            .points
            .iter()
            .filter(|point| point.mean.is_none())
            .map(|point| point.step)
            .collect();
        assert!(
            !open.is_empty() && open.iter().all(|step| (49.0..54.0).contains(step)),
            "{open:?}"
        );
        assert_eq!(
            found.notes,
            ["the mean has a gap wherever a run has no value (trial 4)"]
        );
    }

    #[test]
    fn the_mean_ends_where_the_shortest_run_does() {
        let found = mean_curve(&[line(0, |_| 1.0, 200), line(2, |_| 0.0, 40)], 0.05);
        assert_eq!(found.points.last().map(|point| point.step), Some(39.0));
        assert_eq!(
            found.notes,
            ["the mean is drawn from step 0 to 39 of 199, which all runs have (shorter: trial 2)"]
        );
    }

    #[test]
    fn what_cannot_be_in_the_mean_is_said() {
        let found = mean_curve(&[line(0, |_| f64::NAN, 20), line(1, |_| 1.0, 20)], 0.05);
        assert_eq!((found.runs, found.points.len()), (1, 20));
        assert_eq!(found.notes, ["no value at all in trial 0: not in the mean"]);
        let apart = Line {
            index: 9,
            steps: vec![500.0, 501.0],
            values: vec![1.0, 1.0],
        };
        let found = mean_curve(&[line(0, |_| 1.0, 20), apart], 0.05);
        assert!(found.points.is_empty());
        assert_eq!(
            found.notes,
            ["no mean: no stretch of steps is in all 2 curves"]
        );
        let one = mean_curve(
            &[line(
                0,
                |step| if step == 10 { f64::INFINITY } else { 1.0 },
                20,
            )],
            0.05,
        );
        assert_eq!(
            one.points
                .iter()
                .filter(|point| point.mean.is_none())
                .count(),
            1
        );
    }

    #[test]
    fn many_trials_are_counted() {
        assert_eq!(trials(&[3]), "trial 3");
        assert_eq!(
            trials(&[1, 2, 3, 4, 5, 6, 7, 8]),
            "trials 1, 2, 3, 4, 5, 6 and 2 more"
        );
    }
}
