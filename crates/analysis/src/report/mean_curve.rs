//! The mean of an arm's curves: at every step over all of its runs, or not at all.
//!
//! A mean over those runs that happen to have a value shows the survivors: where bad runs have gaps or end early, a bad
//! arm would look good. So a gap in one run is a gap in the mean, and the mean ends where the shortest run does.

use super::line::{GRID, Known, Line, Needed, Taken};
use fairtrial_series::CurvePoints;
use fairtrial_stats::Level;
use fairtrial_stats::series::{CommonGrid, SharedSteps};
use fairtrial_text::count::first_of;
use serde::Serialize;

/// Trials that a note names.
const NAMED: usize = 6;
/// The share of the longest curve by which the mean may be shorter before it is said.
const UNSAID: f64 = 0.02;

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

/// The mean of the lines of one arm, of which `expected` was taken. Where the mean needs something else, the points of a
/// trial are read again.
pub(super) fn mean_curve(
    lines: &[Line],
    (alpha, expected): (f64, &Needed),
    again: &dyn Fn(u64) -> Option<CurvePoints>,
) -> MeanCurve {
    let mut notes = Vec::new();
    let empty = lines.iter().filter(|line| line.known.is_none());
    let empty: Vec<u64> = empty.map(|line| line.index).collect();
    if !empty.is_empty() {
        notes.push(format!(
            "no value at all in {}: not in the mean",
            trials(&empty)
        ));
    }
    let known = || {
        let known = |line: &'_ Line| Some((line.index, line.known.clone()?));
        lines.iter().filter_map(known)
    };
    let ranges: Vec<[f64; 2]> = known().map(|(_, known)| known.range).collect();
    let known: Vec<(u64, Known)> = match Needed::of(&ranges) {
        Some(needed) if needed != *expected => {
            let other = |(index, _)| Some((index, Known::of(&again(index)?, &needed)?));
            known().filter_map(other).collect()
        }
        _ => known().collect(),
    };
    if known.len() < ranges.len() {
        notes.push("no mean: files changed while they were read".to_owned());
        return MeanCurve {
            runs: 0,
            points: Vec::new(),
            notes,
        };
    }
    let points = mean(&known, alpha, &mut notes);
    MeanCurve {
        runs: known.len(),
        points,
        notes,
    }
}

fn mean(known: &[(u64, Known)], alpha: f64, notes: &mut Vec<String>) -> Vec<CurvePoint> {
    let gap_at = |step: f64| known.iter().any(|(_, known)| known.has_gap_at(step));
    let gaps = known.iter().filter(|(_, known)| !known.gaps.is_empty());
    let gaps: Vec<u64> = gaps.map(|(index, _)| *index).collect();
    if !gaps.is_empty() {
        notes.push(format!(
            "the mean has a gap wherever a run has no value ({})",
            trials(&gaps)
        ));
    }
    match known {
        [] => return Vec::new(),
        [(_, only)] => return alone(only),
        _ => {}
    }
    let Some(band) = grid(known).and_then(|grid| grid.band(Level::two_sided(alpha)).ok()) else {
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

/// The curves at the steps that they share.
fn grid(known: &[(u64, Known)]) -> Option<CommonGrid> {
    let ranges: Vec<[f64; 2]> = known.iter().map(|(_, known)| known.range).collect();
    let SharedSteps { steps, lost_share } = SharedSteps::of(&ranges, GRID).ok()?;
    let row = |(_, known): &(u64, Known)| match &known.taken {
        Taken::At(row) if row.len() == steps.len() => Some(row.clone()),
        _ => None,
    };
    let rows: Option<Vec<Vec<f64>>> = known.iter().map(row).collect();
    Some(CommonGrid {
        rows: rows?,
        steps,
        lost_share,
        dropped: Vec::new(),
    })
}

/// One run is its own mean, without an interval; a gap is a point without a value at its middle.
fn alone(only: &Known) -> Vec<CurvePoint> {
    let Taken::Whole(points) = &only.taken else {
        return Vec::new();
    };
    let there = points.iter().map(|(step, value)| (*step, Some(*value)));
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
fn shorter(known: &[(u64, Known)]) -> Option<String> {
    let ranges = || known.iter().map(|(_, known)| known.range);
    let first = ranges().map(|range| range[0]).fold(f64::INFINITY, f64::min);
    let last = ranges()
        .map(|range| range[1])
        .fold(f64::NEG_INFINITY, f64::max);
    let slack = UNSAID * (last - first);
    let late = known.iter().filter(|(_, known)| {
        let [from, to] = known.range;
        from > first + slack || to < last - slack
    });
    let late: Vec<u64> = late.map(|(index, _)| *index).collect();
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
    use super::super::line::PARTS;
    use super::{GRID, Line, MeanCurve, Needed, trials};
    use fairtrial_series::CurvePoints;

    fn line(index: u64, value: impl Fn(usize) -> f64, points: usize) -> (u64, CurvePoints) {
        let points = CurvePoints {
            steps: (0..points).map(|step| step as f64).collect(),
            values: (0..points).map(value).collect(),
            notes: Vec::new(),
        };
        (index, points)
    }

    /// The mean where this was expected to be needed.
    fn mean_of(lines: &[(u64, CurvePoints)], expected: &Needed) -> MeanCurve {
        let of = |(index, points): &(u64, CurvePoints)| Line::of(*index, points, expected);
        let read: Vec<Line> = lines.iter().map(of).collect();
        super::mean_curve(&read, (0.05, expected), &|index| {
            let mut lines = lines.iter();
            lines
                .find(|line| line.0 == index)
                .map(|line| line.1.clone())
        })
    }

    /// The mean, the same whatever was expected.
    fn mean_curve(lines: &[(u64, CurvePoints)]) -> MeanCurve {
        let ranges: Vec<[f64; 2]> = lines
            .iter()
            .map(|(_, points)| [points.steps[0], points.steps[points.steps.len() - 1]])
            .collect();
        let found = mean_of(lines, &Needed::expected(&ranges));
        for other in [Needed::Whole, Needed::At(vec![1.0, 2.0])] {
            let other = mean_of(lines, &other);
            assert_eq!(
                (other.runs, &other.points, &other.notes),
                (found.runs, &found.points, &found.notes)
            );
        }
        found
    }

    #[test]
    fn a_long_line_is_thinned_and_its_mean_is_of_all_points() {
        let spike = |step: usize| if step == 777 { 50.0 } else { (step % 2) as f64 };
        let lines = [line(0, spike, 100_000), line(1, |_| 0.0, 100_000)];
        let found = mean_curve(&lines);
        assert_eq!(found.points.len(), GRID);
        let expected = Needed::expected(&[[0.0, 99_999.0]; 2]);
        let thinned = Line::of(0, &lines[0].1, &expected);
        assert!(thinned.is_thinned && thinned.trace.len() <= 4 * PARTS);
        assert!(thinned.trace.contains(&(777.0, 50.0)));
        assert!(!Line::of(0, &line(0, spike, 2000).1, &expected).is_thinned);
        let only = mean_curve(&lines[..1]);
        assert!(only.points.len() <= 4 * PARTS);
        assert!(only.points.iter().any(|point| point.mean == Some(50.0)));
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
        let found = mean_curve(&[line(1, |_| 1.0, 100), line(4, gap, 100)]);
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
        let found = mean_curve(&[line(0, |_| 1.0, 200), line(2, |_| 0.0, 40)]);
        assert_eq!(found.points.last().map(|point| point.step), Some(39.0));
        assert_eq!(
            found.notes,
            ["the mean is drawn from step 0 to 39 of 199, which all runs have (shorter: trial 2)"]
        );
    }

    #[test]
    fn what_cannot_be_in_the_mean_is_said() {
        let found = mean_curve(&[line(0, |_| f64::NAN, 20), line(1, |_| 1.0, 20)]);
        assert_eq!((found.runs, found.points.len()), (1, 20));
        assert_eq!(found.notes, ["no value at all in trial 0: not in the mean"]);
        let apart = CurvePoints {
            steps: vec![500.0, 501.0],
            values: vec![1.0, 1.0],
            notes: Vec::new(),
        };
        let found = mean_curve(&[line(0, |_| 1.0, 20), (9, apart)]);
        assert!(found.points.is_empty());
        assert_eq!(
            found.notes,
            ["no mean: no stretch of steps is in all 2 curves"]
        );
        let gap = |step| if step == 10 { f64::INFINITY } else { 1.0 };
        let one = mean_curve(&[line(0, gap, 20)]);
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
