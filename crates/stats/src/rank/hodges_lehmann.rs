//! The Hodges-Lehmann estimates of location: medians of all pairwise averages or differences.

use serde::Serialize;

use crate::descriptive::sorted;
use crate::dist::normal;
use crate::sample::{self, representable};
use crate::{Explain, Interval, Level, Outcome};
use fairtrial_text::count::counted;
use fairtrial_text::significant::short;

use super::counting::{count_within, signed_sum_distribution, subset_sum_distribution};

/// Up to this many pairs (values in both arms) the interval rests on the exact distribution.
const EXACT_PAIRS: usize = 200;
const EXACT_VALUES: usize = 80;

/// A robust location or shift with its distribution-free interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Location {
    /// What was computed.
    pub method: &'static str,
    /// Observations of the control (pairs, in a paired design).
    pub n_control: usize,
    /// Observations of the candidate.
    pub n_candidate: usize,
    /// The estimate.
    pub estimate: f64,
    /// The interval; absent where so few values cannot give one at this level.
    pub interval: Option<Interval>,
}

/// The median of all averages of two differences: the centre that the signed-rank test tests.
pub fn paired_location(differences: &[f64], level: Level) -> Outcome<Location> {
    let level = level.checked()?;
    sample::finite("the differences", differences)?;
    let set = Pairwise::Walsh(sorted(differences));
    let n = differences.len();
    let cut = |tail: f64| {
        if n <= EXACT_PAIRS {
            let untied: Vec<u64> = (1..=n as u64).collect();
            return count_within(&signed_sum_distribution(&untied), tail);
        }
        let size = n as f64;
        normal_cut(
            size * (size + 1.0) / 4.0,
            size * (size + 1.0) * (2.0 * size + 1.0) / 24.0,
            tail,
        )
    };
    location(&set, "Hodges-Lehmann (paired)", (n, n), level, cut)
}

/// The median of all differences candidate - control.
pub fn unpaired_location(control: &[f64], candidate: &[f64], level: Level) -> Outcome<Location> {
    let level = level.checked()?;
    sample::finite("control", control)?;
    sample::finite("candidate", candidate)?;
    let (m, n) = (control.len(), candidate.len());
    let set = Pairwise::Shifts(sorted(control), sorted(candidate));
    let cut = |tail: f64| {
        if m + n <= EXACT_VALUES {
            let untied: Vec<u64> = (1..=(m + n) as u64).collect();
            let chance = subset_sum_distribution(&untied, n);
            return count_within(&chance[n * (n + 1) / 2..], tail);
        }
        let (a, b) = (m as f64, n as f64);
        normal_cut(a * b / 2.0, a * b * (a + b + 1.0) / 12.0, tail)
    };
    location(&set, "Hodges-Lehmann shift", (m, n), level, cut)
}

fn normal_cut(mean: f64, variance: f64, tail: f64) -> usize {
    (mean - normal::inverse_sf(tail) * variance.sqrt()).max(0.0) as usize
}

fn location(
    set: &Pairwise,
    method: &'static str,
    (n_control, n_candidate): (usize, usize),
    level: Level,
    cut: impl Fn(f64) -> usize,
) -> Outcome<Location> {
    let total = set.len();
    let estimate = 0.5 * set.smallest(total.div_ceil(2)) + 0.5 * set.smallest(total / 2 + 1);
    // With `cut` values outside on each side, the interval runs from the next one to its mirror image.
    let low = level.lower_tail().map(&cut);
    let high = level.upper_tail().map(&cut);
    let bounded = low.is_none_or(|c| c > 0) && high.is_none_or(|c| c > 0);
    let interval = bounded.then(|| Interval {
        low: low.map_or(f64::NEG_INFINITY, |c| set.smallest(c as u64)),
        high: high.map_or(f64::INFINITY, |c| set.smallest(total + 1 - c as u64)),
        level,
    });
    Ok(Location {
        method,
        n_control,
        n_candidate,
        estimate: representable("the Hodges-Lehmann estimate", estimate)?,
        interval: interval.map(Interval::representable).transpose()?,
    })
}

/// All pairwise averages or differences, never stored: the k-th smallest is found by counting.
enum Pairwise {
    /// Averages of `x_i` and `x_j`, `i <= j`, of ascending values.
    Walsh(Vec<f64>),
    /// Differences `y_j - x_i` of ascending values.
    Shifts(Vec<f64>, Vec<f64>),
}

impl Pairwise {
    fn len(&self) -> u64 {
        match self {
            Self::Walsh(x) => x.len() as u64 * (x.len() as u64 + 1) / 2,
            Self::Shifts(x, y) => x.len() as u64 * y.len() as u64,
        }
    }

    /// How many are at most `v`.
    fn at_most(&self, v: f64) -> u64 {
        match self {
            Self::Walsh(x) => {
                let mut end = x.len();
                let mut total = 0;
                for (i, a) in x.iter().enumerate() {
                    while end > i && 0.5 * a + 0.5 * x[end - 1] > v {
                        end -= 1;
                    }
                    total += end.saturating_sub(i) as u64;
                }
                total
            }
            Self::Shifts(x, y) => {
                let mut end = 0;
                let mut total = 0;
                for a in x {
                    while end < y.len() && y[end] - a <= v {
                        end += 1;
                    }
                    total += end as u64;
                }
                total
            }
        }
    }

    /// The k-th smallest (from 1), by bisection over the ordered bit patterns of numbers: exact, and O(n) memory.
    fn smallest(&self, k: u64) -> f64 {
        let (mut lo, mut hi) = (ordered(f64::MIN), ordered(f64::MAX));
        while lo < hi {
            let middle = lo + (hi - lo) / 2;
            if self.at_most(from_ordered(middle)) >= k {
                hi = middle;
            } else {
                lo = middle + 1;
            }
        }
        from_ordered(lo)
    }
}

/// A whole number that is ordered as the float is.
fn ordered(x: f64) -> u64 {
    let bits = x.to_bits();
    if bits >> 63 == 1 {
        !bits
    } else {
        bits | (1 << 63)
    }
}

fn from_ordered(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 1 {
        key & !(1 << 63)
    } else {
        !key
    })
}

impl Explain for Location {
    fn reading(&self) -> String {
        let interval = self
            .interval
            .map_or("too few values for an interval".into(), |i| i.words());
        let runs = if self.method.contains("paired") {
            counted(self.n_control, "pair")
        } else {
            format!("{} against {} runs", self.n_candidate, self.n_control)
        };
        format!(
            "The typical difference is {} ({interval}; {}, {runs}).",
            short(self.estimate),
            self.method
        )
    }
}
