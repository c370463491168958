//! A trial's line as far as a report shows it, taken from its points in one go: there may be millions of them.

use fairtrial_series::CurvePoints;
use fairtrial_stats::series::{Curve, SharedSteps, thin_stretches};

/// Steps at which means are taken: more than a panel has columns to show.
pub(super) const GRID: usize = 160;
/// Parts of its steps of which a long line keeps the first, the lowest, the highest and the last point: more than a panel
/// has columns to show.
pub(super) const PARTS: usize = 1024;

/// What a mean is made of: the curve at these steps, or the whole curve where there is no other.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Needed {
    At(Vec<f64>),
    Whole,
}

impl Needed {
    /// For curves with these first and last steps.
    pub(super) fn of(ranges: &[[f64; 2]]) -> Option<Self> {
        match ranges {
            [] => None,
            [_] => Some(Self::Whole),
            _ => SharedSteps::of(ranges, GRID)
                .ok()
                .map(|shared| Self::At(shared.steps)),
        }
    }

    /// What will be needed if curves begin and end where their records say, so that each needs to be read but once.
    pub(super) fn expected(ranges: &[[f64; 2]]) -> Self {
        Self::of(ranges).unwrap_or(Self::Whole)
    }
}

/// One trial's line, as far as a report shows it: not its points, of which there may be millions.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Line {
    pub(super) index: u64,
    /// What is drawn of it.
    pub(super) trace: Vec<(f64, f64)>,
    /// Whether that is not every point.
    pub(super) is_thinned: bool,
    /// Its curve; absent where it has no value.
    pub(super) known: Option<Known>,
}

/// A run's curve as far as it is needed, and the stretches inside in which it has no value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Known {
    pub(super) range: [f64; 2],
    pub(super) gaps: Vec<[f64; 2]>,
    pub(super) taken: Taken,
}

/// What was taken of a curve.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Taken {
    At(Vec<f64>),
    Whole(Vec<(f64, f64)>),
}

impl Line {
    /// What a report needs of a trial's points.
    pub(super) fn of(index: u64, points: &CurvePoints, needed: &Needed) -> Self {
        let all = points.pairs();
        let trace = thin_stretches(&all, PARTS);
        Self {
            index,
            is_thinned: trace.len() < all.len(),
            trace,
            known: Known::of(points, needed),
        }
    }
}

impl Known {
    /// Rare gaps are bridged, as a summary bridges them; others stay gaps. A run without any value has no curve.
    pub(super) fn of(points: &CurvePoints, needed: &Needed) -> Option<Self> {
        let (curve, gaps) = match Curve::new(&points.steps, &points.values) {
            Ok(curve) => (curve, Vec::new()),
            Err(_) => without_gaps(points)?,
        };
        let taken = match needed {
            Needed::At(steps) => Taken::At(curve.at(steps)),
            Needed::Whole => {
                let all = curve
                    .steps()
                    .iter()
                    .copied()
                    .zip(curve.values().iter().copied());
                Taken::Whole(thin_stretches(&all.collect::<Vec<_>>(), PARTS))
            }
        };
        Some(Self {
            range: curve.range(),
            gaps,
            taken,
        })
    }

    pub(super) fn has_gap_at(&self, step: f64) -> bool {
        self.gaps
            .iter()
            .any(|[from, to]| *from < step && step < *to)
    }
}

/// The curve of the points that have a value, and the stretches between them that have none.
fn without_gaps(points: &CurvePoints) -> Option<(Curve, Vec<[f64; 2]>)> {
    let mut points = points.pairs();
    points.retain(|(step, _)| step.is_finite());
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
    Some((Curve::new(&steps, &values).ok()?, gaps))
}
