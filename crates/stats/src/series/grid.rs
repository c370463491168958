//! Curves of several seeds on one grid of steps: bands for a picture, and where two arms differ.
//!
//! Only the range that all curves share is used. Pointwise intervals hold at one step each; the band of differences is
//! simultaneous: sign-flips of whole curves give the largest |t| over the grid that chance alone produces.

use serde::Serialize;

use super::Curve;
use crate::bootstrap::{plain_mean, sample_variance};
use crate::dist::student_t;
use crate::rng::{Purpose, Source};
use crate::sample::{is_constant, max_abs};
use crate::{Dropped, Explain, Interval, Level, Outcome, Side, Undefined};
use fairtrial_text::significant::short;

/// The share of the longest curve that the common range must have.
const COMMON_SHARE: f64 = 0.8;
const FEWEST_GRID_POINTS: usize = 2;
const MOST_GRID_POINTS: usize = 1 << 20;
/// All sign patterns up to this many pairs, draws beyond.
const ENUMERATED_PAIRS: usize = 12;
const SIGN_DRAWS: usize = 10_000;
const PURPOSE: Purpose = Purpose::new("series/difference-band");

/// Curves read at the same steps.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CommonGrid {
    /// The steps.
    pub steps: Vec<f64>,
    /// One row of values per curve.
    pub rows: Vec<Vec<f64>>,
    /// The share of the longest curve's range that lies outside the grid.
    pub lost_share: f64,
    /// What was left out of the curves.
    pub dropped: Vec<Dropped>,
}

impl CommonGrid {
    /// Reads all curves at `points` steps spread evenly over the range they share, which must be most of the longest.
    pub fn new(curves: &[&Curve], points: usize) -> Outcome<Self> {
        let grid = Self::shared(curves, points)?;
        let share = 1.0 - grid.lost_share;
        if share < COMMON_SHARE {
            return Err(too_short(share));
        }
        Ok(grid)
    }

    /// The same over a shared range of any length: for a picture, in which the rest of each curve can be seen.
    pub fn shared(curves: &[&Curve], points: usize) -> Outcome<Self> {
        if curves.is_empty() {
            return Err(Undefined::Empty {
                what: "the curves".into(),
            });
        }
        if !(FEWEST_GRID_POINTS..=MOST_GRID_POINTS).contains(&points) {
            return Err(Undefined::BadArgument {
                name: "points".into(),
                value: points as f64,
                expected: format!("between {FEWEST_GRID_POINTS} and {MOST_GRID_POINTS}"),
            });
        }
        let ranges: Vec<[f64; 2]> = curves.iter().map(|c| c.range()).collect();
        let from = ranges
            .iter()
            .map(|r| r[0])
            .fold(f64::NEG_INFINITY, f64::max);
        let to = ranges.iter().map(|r| r[1]).fold(f64::INFINITY, f64::min);
        let longest = ranges.iter().map(|r| r[1] - r[0]).fold(0.0, f64::max);
        let share = (to - from) / longest;
        if !(share > 0.0 && share.is_finite()) {
            return Err(too_short(share));
        }
        let at = |i: usize| {
            let t = i as f64 / (points - 1) as f64;
            (from * (1.0 - t) + to * t).clamp(from, to)
        };
        let steps: Vec<f64> = (0..points).map(at).collect();
        let row = |curve: &&Curve| {
            steps
                .iter()
                .filter_map(|&s| curve.interpolated(s))
                .collect()
        };
        let dropped = curves
            .iter()
            .flat_map(|c| c.dropped().iter().cloned())
            .collect();
        Ok(Self {
            rows: curves.iter().map(row).collect(),
            lost_share: 1.0 - share,
            steps,
            dropped,
        })
    }

    fn column(&self, index: usize) -> Vec<f64> {
        self.rows.iter().map(|row| row[index]).collect()
    }

    /// The mean over the curves at every step, with pointwise t intervals.
    pub fn band(&self, level: Level) -> Outcome<Band> {
        level.checked()?;
        if self.rows.len() < 2 {
            return Err(Undefined::TooFew {
                method: "a band".into(),
                have: self.rows.len(),
                need: 2,
            });
        }
        let critical = |tail| student_t::inverse_sf(tail, self.rows.len() as f64 - 1.0);
        let points = (0..self.steps.len())
            .map(|i| BandPoint::new(self.steps[i], &self.column(i), level, critical));
        Ok(Band {
            n: self.rows.len(),
            points: points.collect::<Outcome<_>>()?,
            dropped: self.dropped.clone(),
        })
    }
}

fn too_short(share: f64) -> Undefined {
    Undefined::NoSolution(format!(
        "the curves share only {} % of the steps of the longest one; at least 80 % are needed",
        short((100.0 * share).max(0.0))
    ))
}

/// The mean and its interval at one step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct BandPoint {
    /// The step.
    pub step: f64,
    /// The mean over the curves.
    pub mean: f64,
    /// Its interval; a single point where the curves agree exactly.
    pub interval: Interval,
}

impl BandPoint {
    fn new(
        step: f64,
        column: &[f64],
        level: Level,
        critical: impl Fn(f64) -> f64,
    ) -> Outcome<Self> {
        let column = Column::of(column);
        let mean = crate::sample::representable("the band", column.mean)?;
        let error = crate::sample::representable("the band", column.error)?;
        Ok(Self {
            step,
            mean,
            interval: Interval::around(mean, error, level, critical),
        })
    }
}

/// Curves of one arm: a mean with pointwise intervals.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Band {
    /// How many curves.
    pub n: usize,
    /// The band, step by step.
    pub points: Vec<BandPoint>,
    /// What was left out of the curves.
    pub dropped: Vec<Dropped>,
}

impl Explain for Band {
    fn reading(&self) -> String {
        format!(
            "The mean of {} curves at {} steps; each interval holds at its own step only (pointwise).",
            self.n,
            self.points.len()
        )
    }
}

/// Paired curves of two arms: the mean difference with a band that holds at all steps together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DifferenceBand {
    /// How many pairs of curves.
    pub n: usize,
    /// The critical |t| of the simultaneous band.
    pub critical: f64,
    /// The chance of a largest |t| as extreme as this under "no difference anywhere".
    pub p: f64,
    /// The band, step by step.
    pub points: Vec<BandPoint>,
    /// The first and last step of each stretch where the band leaves zero outside.
    pub differs: Vec<[f64; 2]>,
    /// The seed, where sign patterns were drawn and not enumerated.
    pub seed: Option<u64>,
    /// What was left out of the curves.
    pub dropped: Vec<Dropped>,
}

impl Explain for DifferenceBand {
    fn reading(&self) -> String {
        let stretches: Vec<String> = self
            .differs
            .iter()
            .map(|[from, to]| format!("{} to {}", short(*from), short(*to)))
            .collect();
        let found = if stretches.is_empty() {
            "The arms are not separated at any step".into()
        } else {
            format!("The arms differ at steps {}", stretches.join(", "))
        };
        format!(
            "{found} (simultaneous band from {} pairs of curves, {}).",
            self.n,
            fairtrial_text::share::p_value(self.p)
        )
    }
}

/// Where two arms differ: a simultaneous band for the mean of paired curve differences, by sign-flips of whole curves.
/// The grid holds the control's curves first, then the candidate's in the same order; the level must be two-sided.
pub fn difference_band(grid: &CommonGrid, level: Level, seed: u64) -> Outcome<DifferenceBand> {
    level.checked()?;
    let pairs = grid.rows.len() / 2;
    if level.side != Side::TwoSided {
        return Err(Undefined::NoSolution(
            "a simultaneous band is two-sided".into(),
        ));
    }
    if !grid.rows.len().is_multiple_of(2) {
        return Err(Undefined::UnequalLengths {
            left: pairs + 1,
            right: pairs,
        });
    }
    if pairs < 6 {
        return Err(Undefined::TooFew {
            method: "a band by sign-flips".into(),
            have: pairs,
            need: 6,
        });
    }
    let (control, candidate) = grid.rows.split_at(pairs);
    let rows: Vec<Vec<f64>> = control
        .iter()
        .zip(candidate)
        .map(|(a, b)| crate::sample::differences(a, b))
        .collect();
    let differences = CommonGrid {
        rows,
        ..grid.clone()
    };
    let (mut largest, drawn) = null_maxima(&differences, seed);
    let observed = maximal_t(&differences, &vec![1.0; pairs]);
    let extreme = largest
        .iter()
        .filter(|&&t| t >= observed * (1.0 - 1e-12))
        .count();
    let p = (extreme + usize::from(drawn)) as f64 / (largest.len() + usize::from(drawn)) as f64;
    let critical = crate::bootstrap::quantile_type7(&mut largest, 1.0 - level.alpha);
    if !critical.is_finite() {
        return Err(Undefined::ZeroVariance {
            what: "the difference at some step".into(),
            value: 0.0,
        });
    }
    let point =
        |i: usize| BandPoint::new(grid.steps[i], &differences.column(i), level, |_| critical);
    let points = (0..grid.steps.len())
        .map(point)
        .collect::<Outcome<Vec<_>>>()?;
    Ok(DifferenceBand {
        n: pairs,
        critical,
        p,
        differs: stretches(&points),
        points,
        seed: drawn.then_some(seed),
        dropped: grid.dropped.clone(),
    })
}

fn stretches(points: &[BandPoint]) -> Vec<[f64; 2]> {
    let mut found: Vec<[f64; 2]> = Vec::new();
    let mut open = false;
    for point in points {
        let outside = !point.interval.contains(0.0);
        match found.last_mut() {
            Some(last) if outside && open => last[1] = point.step,
            _ if outside => found.push([point.step, point.step]),
            _ => {}
        }
        open = outside;
    }
    found
}

/// The largest |t| over the grid for sign patterns of the pairs: all of them (by symmetry half), or draws.
fn null_maxima(differences: &CommonGrid, seed: u64) -> (Vec<f64>, bool) {
    let pairs = differences.rows.len();
    if pairs <= ENUMERATED_PAIRS {
        let patterns = 0..1u32 << (pairs - 1);
        let signs = |bits: u32| {
            (0..pairs)
                .map(|i| if bits >> i & 1 == 1 { -1.0 } else { 1.0 })
                .collect::<Vec<f64>>()
        };
        return (
            patterns
                .map(|bits| maximal_t(differences, &signs(bits)))
                .collect(),
            false,
        );
    }
    let mut out = vec![0.0; SIGN_DRAWS];
    let source = Source {
        seed,
        purpose: PURPOSE,
    };
    source.fill(
        &mut out,
        pairs * differences.steps.len(),
        |stream, block| {
            let mut signs = vec![1.0; pairs];
            for value in block {
                signs.fill_with(|| {
                    if stream.next_u64() >> 63 == 1 {
                        -1.0
                    } else {
                        1.0
                    }
                });
                *value = maximal_t(differences, &signs);
            }
        },
    );
    (out, true)
}

fn maximal_t(differences: &CommonGrid, signs: &[f64]) -> f64 {
    let mut flipped = vec![0.0; signs.len()];
    let mut largest = 0.0f64;
    for index in 0..differences.steps.len() {
        for ((value, row), sign) in flipped.iter_mut().zip(&differences.rows).zip(signs) {
            *value = sign * row[index];
        }
        largest = largest.max(Column::of(&flipped).t());
    }
    largest
}

/// The mean of one step's values and its standard error, zero where they differ by rounding only.
struct Column {
    mean: f64,
    error: f64,
}

impl Column {
    fn of(values: &[f64]) -> Self {
        let n = values.len() as f64;
        let (mean, sd) = (plain_mean(values), sample_variance(values).sqrt());
        let error = if is_constant(sd, max_abs(values)) {
            0.0
        } else {
            sd / n.sqrt()
        };
        Self { mean, error }
    }

    /// |t|, and none where nothing varies: such a step can decide nothing.
    fn t(&self) -> f64 {
        if self.error == 0.0 {
            0.0
        } else {
            (self.mean / self.error).abs()
        }
    }
}
