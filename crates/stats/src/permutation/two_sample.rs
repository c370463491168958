//! The two-sample permutation test of a difference in means.

use serde::Serialize;

use crate::rng::{Purpose, Source, Stream};
use crate::sample;
use crate::{Explain, Outcome, Side, Undefined};
use fairtrial_text::share::p_value;
use fairtrial_text::significant::short;

use super::sums::{pairs_at_least, pairs_at_most, subset_sums};
use super::{Extreme, Options, SLACK, tally};

/// Up to this many values in both arms all arrangements are counted.
const EXACT_LIMIT: usize = 36;

/// The two-sample permutation test.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TwoSample {
    /// What was computed.
    pub method: &'static str,
    /// Observations of the control.
    pub n_control: usize,
    /// Observations of the candidate.
    pub n_candidate: usize,
    /// Mean of candidate minus mean of control.
    pub estimate: f64,
    /// The p value of "the labels mean nothing"; two-sided, it counts absolute differences at least as large (SciPy
    /// doubles the smaller tail instead).
    pub p: f64,
    /// Which deviations count.
    pub side: Side,
    /// Arrangements looked at: all of them, or the random ones.
    pub arrangements: u64,
    /// Whether all arrangements were counted.
    pub exact: bool,
}

/// The permutation test of mean(candidate) - mean(control).
pub fn two_sample(control: &[f64], candidate: &[f64], options: Options) -> Outcome<TwoSample> {
    sample::finite("control", control)?;
    sample::finite("candidate", candidate)?;
    let scale = sample::max_abs(control).max(sample::max_abs(candidate));
    let pooled: Vec<f64> = candidate
        .iter()
        .chain(control)
        .map(|x| if scale > 0.0 { x / scale } else { 0.0 })
        .collect();
    let (n, total) = (candidate.len(), pooled.len());
    if pooled
        .iter()
        .all(|x| (x - pooled[0]).abs() <= 8.0 * f64::EPSILON)
    {
        return Err(Undefined::ZeroVariance {
            what: "the values of both arms".into(),
            value: control[0],
        });
    }
    // Around the overall mean the statistic is the candidate's sum; nothing else changes between arrangements.
    let centre = pooled.iter().sum::<f64>() / total as f64;
    let centred: Vec<f64> = pooled.iter().map(|x| x - centre).collect();
    let goal = Goal {
        sum: centred[..n].iter().sum(),
        slack: SLACK * centred.iter().map(|x| x.abs()).sum::<f64>(),
    };
    let exact = total <= EXACT_LIMIT;
    let (extreme, arrangements) = if exact {
        enumerate(&centred, n, &goal)
    } else {
        if options.draws == 0 {
            return Err(Undefined::BadArgument {
                name: "draws".into(),
                value: 0.0,
                expected: "at least 1".into(),
            });
        }
        (draw(&centred, n, &goal, options), u64::from(options.draws))
    };
    let hits = extreme.of(options.side) as f64;
    let all = arrangements as f64;
    let estimate = goal.sum * (1.0 / n as f64 + 1.0 / control.len() as f64) * scale;
    Ok(TwoSample {
        method: if exact {
            "permutation test (all arrangements)"
        } else {
            "permutation test (random arrangements)"
        },
        n_control: control.len(),
        n_candidate: n,
        estimate: sample::representable("the difference", estimate)?,
        p: if exact {
            hits / all
        } else {
            (hits + 1.0) / (all + 1.0)
        },
        side: options.side,
        arrangements,
        exact,
    })
}

struct Goal {
    sum: f64,
    slack: f64,
}

fn enumerate(centred: &[f64], n: usize, goal: &Goal) -> (Extreme, u64) {
    let (left, right) = centred.split_at(centred.len() / 2);
    let (left, right) = (subset_sums(left), subset_sums(right));
    let mut extreme = Extreme::default();
    let mut all = 0;
    for (k, a) in left.iter().enumerate() {
        let Some(b) = n.checked_sub(k).and_then(|rest| right.get(rest)) else {
            continue;
        };
        let pairs = a.len() as u64 * b.len() as u64;
        let size = goal.sum.abs() - goal.slack;
        all += pairs;
        extreme = extreme.add(Extreme {
            above: pairs_at_least(a, b, goal.sum - goal.slack),
            below: pairs_at_most(a, b, goal.sum + goal.slack),
            both: if size <= 0.0 {
                pairs
            } else {
                pairs_at_least(a, b, size) + pairs_at_most(a, b, -size)
            },
        });
    }
    (extreme, all)
}

fn draw(centred: &[f64], n: usize, goal: &Goal, options: Options) -> Extreme {
    let source = Source {
        seed: options.seed,
        purpose: Purpose::new("two-sample permutation test"),
    };
    // The smaller arm is drawn; the other's sum is its negative, because everything is centred.
    let size = n.min(centred.len() - n);
    let sign = if size == n { 1.0 } else { -1.0 };
    tally(
        source,
        options.draws,
        || centred.to_vec(),
        |values, stream| {
            Extreme::judge(
                sign * random_subset_sum(values, size, stream),
                goal.sum,
                goal.slack,
            )
        },
    )
}

/// The sum of a random subset; any starting order gives a uniform draw (partial Fisher-Yates).
fn random_subset_sum(values: &mut [f64], size: usize, stream: &mut Stream) -> f64 {
    for i in 0..size {
        let j = i + stream.below(values.len() - i);
        values.swap(i, j);
    }
    values[..size].iter().sum()
}

impl Explain for TwoSample {
    fn reading(&self) -> String {
        format!(
            "If the labels meant nothing, a difference of means as large as {} would come up with {} ({}, {} against {} \
             runs).",
            short(self.estimate),
            p_value(self.p),
            self.method,
            self.n_candidate,
            self.n_control
        )
    }
}
