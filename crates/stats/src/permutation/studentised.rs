//! The studentised permutation test of two groups: Welch's t, held against what it is when the labels are exchanged.
//!
//! Welch's t alone gives 14.7 % false verdicts of 5 % for 50 log-normal values against 5. Exchanging the labels is exact
//! where both groups have one distribution, whatever its shape, and dividing by the standard error keeps the level right
//! for many values where only the means are alike (Janssen 1997; Chung and Romano 2013).

use serde::Serialize;

use super::options::Options;
use super::tally::{Extreme, tally};
use crate::dist::ln_binomial;
use crate::rng::{Purpose, Source};
use crate::sample;
use crate::{Outcome, Side, Undefined};

/// Arrangements up to which all of them are counted.
const COUNTED: f64 = 20_000.0;
/// t values closer than this are equal: the order of summation must not decide.
const SLACK: f64 = 1e-9;

/// The studentised permutation test.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Studentised {
    /// Welch's t.
    pub t: f64,
    /// The p value of "the labels mean nothing".
    pub p: f64,
    /// Arrangements looked at: all of them, or the drawn ones.
    pub arrangements: u64,
    /// Whether all arrangements were counted.
    pub exact: bool,
}

/// How many arrangements there are for groups of these sizes.
fn arrangements(control: usize, candidate: usize) -> f64 {
    ln_binomial((control + candidate) as f64, control as f64).exp()
}

/// The test of mean(candidate) - mean(control) against 0.
///
/// # Errors
/// With fewer than two values in a group, with one that is not finite, and where nothing varies.
pub fn studentised(control: &[f64], candidate: &[f64], options: Options) -> Outcome<Studentised> {
    sample::at_least("the permutation test", "control", control, 2)?;
    sample::at_least("the permutation test", "candidate", candidate, 2)?;
    let scale = sample::max_abs(control).max(sample::max_abs(candidate));
    let pooled: Vec<f64> = candidate
        .iter()
        .chain(control)
        .map(|x| if scale > 0.0 { x / scale } else { 0.0 })
        .collect();
    // Around the overall mean, so that squares lose no digits.
    let centre = pooled.iter().sum::<f64>() / pooled.len() as f64;
    let centred: Vec<f64> = pooled.iter().map(|x| x - centre).collect();
    let of = Groups::new(&centred, candidate.len());
    let observed = of.t_of_first(&centred);
    if !observed.is_finite() {
        return Err(Undefined::ZeroVariance {
            what: "the values of both arms".into(),
            value: control[0],
        });
    }
    let slack = SLACK * observed.abs().max(1.0);
    let exact = arrangements(control.len(), candidate.len()) <= COUNTED;
    let (extreme, all) = if exact {
        let mut found = Extreme::default();
        let mut all = 0;
        of.each(&centred, |t| {
            found = found.add(Extreme::judge(t, observed, slack));
            all += 1;
        });
        (found, all)
    } else {
        (
            of.draw(&centred, observed, slack, options),
            u64::from(options.draws) + 1,
        )
    };
    let hits = extreme.of(options.side) + u64::from(!exact);
    Ok(Studentised {
        t: observed,
        p: hits as f64 / all as f64,
        arrangements: all,
        exact,
    })
}

/// Sizes and totals that no arrangement changes.
struct Groups {
    first: usize,
    total: usize,
    sum: f64,
    squares: f64,
}

impl Groups {
    fn new(values: &[f64], first: usize) -> Self {
        Self {
            first,
            total: values.len(),
            sum: values.iter().sum(),
            squares: values.iter().map(|x| x * x).sum(),
        }
    }

    fn t_of_first(&self, values: &[f64]) -> f64 {
        let first = values[..self.first].iter();
        let (sum, squares) = first.fold((0.0, 0.0), |(sum, squares), x| (sum + x, squares + x * x));
        self.t(sum, squares)
    }

    /// Welch's t where the first group has this sum and this sum of squares; infinite where neither group varies.
    fn t(&self, sum: f64, squares: f64) -> f64 {
        let part = |n: usize, sum: f64, squares: f64| {
            let n = n as f64;
            let mean = sum / n;
            (mean, ((squares - n * mean * mean) / (n - 1.0)).max(0.0) / n)
        };
        let rest = self.total - self.first;
        let (first, a) = part(self.first, sum, squares);
        let (second, b) = part(rest, self.sum - sum, self.squares - squares);
        let error = (a + b).sqrt();
        let difference = first - second;
        if error > 1e-12 * (self.squares / self.total as f64).sqrt() {
            difference / error
        } else {
            // Nothing varies within the groups: as extreme as can be.
            f64::INFINITY.copysign(difference)
        }
    }

    /// Every arrangement, by the places of the first group in ascending order.
    fn each(&self, values: &[f64], mut see: impl FnMut(f64)) {
        let mut chosen: Vec<usize> = (0..self.first).collect();
        loop {
            let of = chosen.iter().map(|place| values[*place]);
            let (sum, squares) =
                of.fold((0.0, 0.0), |(sum, squares), x| (sum + x, squares + x * x));
            see(self.t(sum, squares));
            let last = |place: usize| self.total - self.first + place;
            let Some(place) = (0..self.first)
                .rev()
                .find(|place| chosen[*place] < last(*place))
            else {
                return;
            };
            chosen[place] += 1;
            for next in place + 1..self.first {
                chosen[next] = chosen[next - 1] + 1;
            }
        }
    }

    /// Random arrangements.
    fn draw(&self, values: &[f64], observed: f64, slack: f64, options: Options) -> Extreme {
        let source = Source {
            seed: options.seed,
            purpose: Purpose::new("studentised permutation test"),
        };
        // The smaller group is drawn; of the larger one, the rest is known.
        let small = self.first.min(self.total - self.first);
        let sign = if small == self.first { 1.0 } else { -1.0 };
        let of_small = Self {
            first: small,
            ..*self
        };
        tally(
            source,
            options.draws,
            || values.to_vec(),
            |values, stream| {
                for place in 0..small {
                    let other = place + stream.below(values.len() - place);
                    values.swap(place, other);
                }
                Extreme::judge(sign * of_small.t_of_first(values), observed, slack)
            },
        )
    }
}

impl Studentised {
    /// Two-sided, 9,999 draws where there are too many arrangements to count: a p value of 5 % has a standard error of
    /// 0.002.
    pub const TWO_SIDED: Options = Options {
        side: Side::TwoSided,
        draws: 9_999,
        seed: 0,
    };

    /// How many arrangements these choices look at for groups of these sizes.
    pub fn looked_at(control: usize, candidate: usize) -> f64 {
        let all = arrangements(control, candidate);
        if all <= COUNTED {
            all
        } else {
            f64::from(Self::TWO_SIDED.draws) + 1.0
        }
    }
}
