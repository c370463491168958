//! Confidence sequences for the mean of a metric with declared bounds: no assumption about the shape at all.
//!
//! Hedged betting (Waudby-Smith and Ramdas 2024) is the narrowest; the two closed forms are there to compare. They need
//! hundreds of values, so they are for rollouts, not for seeds.

use serde::Serialize;

use crate::sample::open_chance;
use crate::{Dropped, Explain, Interval, Level, Outcome, Undefined};

/// How the sequence is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BoundedMethod {
    /// Hedged betting on a grid of a thousand means.
    Betting,
    /// Predictable-mixture empirical Bernstein.
    EmpiricalBernstein,
    /// Predictable-mixture Hoeffding.
    Hoeffding,
}

/// A confidence sequence.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BoundedSequence {
    /// How it was made.
    pub method: BoundedMethod,
    /// Values so far.
    pub n: usize,
    /// The declared bounds.
    pub bounds: [f64; 2],
    /// The interval after each value.
    pub intervals: Vec<Interval>,
    /// What was left out.
    pub dropped: Vec<Dropped>,
}

impl Explain for BoundedSequence {
    fn reading(&self) -> String {
        let last = self
            .intervals
            .last()
            .map_or_else(String::new, Interval::words);
        format!(
            "The mean, after {} values between {} and {}: {last}, valid whenever one looks and whatever the distribution.",
            self.n, self.bounds[0], self.bounds[1]
        )
    }
}

/// The sequence for values that lie within the declared bounds.
pub fn bounded_sequence(
    values: &[f64],
    bounds: [f64; 2],
    method: BoundedMethod,
    alpha: f64,
) -> Outcome<BoundedSequence> {
    open_chance("alpha", alpha)?;
    crate::sample::finite("the values", values)?;
    let [low, high] = bounds;
    let width = high - low;
    if !(width.is_finite() && width > 0.0) {
        return Err(Undefined::BadArgument {
            name: "bounds".into(),
            value: high,
            expected: format!("above {low}"),
        });
    }
    if let Some(index) = values.iter().position(|&x| x < low || x > high) {
        return Err(Undefined::BadArgument {
            name: format!("value {index}"),
            value: values[index],
            expected: format!("within the declared bounds {low} to {high}"),
        });
    }
    let unit: Vec<f64> = values
        .iter()
        .map(|x| ((x - low) / width).clamp(0.0, 1.0))
        .collect();
    let ends = match method {
        BoundedMethod::Betting => betting(&unit, alpha),
        BoundedMethod::EmpiricalBernstein => mixture(&unit, alpha, bernstein_lower),
        BoundedMethod::Hoeffding => mixture(&unit, alpha, hoeffding_lower),
    };
    let back = |x: f64| (low + width * x).clamp(low, high);
    let level = Level::two_sided(alpha);
    let intervals = ends
        .into_iter()
        .map(|[l, u]| Interval {
            low: back(l),
            high: back(u),
            level,
        })
        .collect();
    Ok(BoundedSequence {
        method,
        n: values.len(),
        bounds,
        intervals,
        dropped: Vec::new(),
    })
}

/// Both ends from a lower bound and its mirror image, each at half of alpha.
fn mixture(x: &[f64], alpha: f64, lower: impl Fn(&[f64], f64) -> Vec<f64>) -> Vec<[f64; 2]> {
    let mirrored: Vec<f64> = x.iter().map(|v| 1.0 - v).collect();
    let low = lower(x, alpha / 2.0);
    let high = lower(&mirrored, alpha / 2.0);
    low.into_iter()
        .zip(high)
        .map(|(l, u)| [l.max(0.0), (1.0 - u).min(1.0)])
        .collect()
}

/// The sizes of the bets: sqrt(2 ln(1/alpha) / (t ln(1+t) variance)), from the values before t and one made-up one.
fn bets(x: &[f64], alpha: f64) -> Vec<f64> {
    let (mut sum, mut squares, mut variance) = (0.0, 0.0, 0.25);
    x.iter()
        .enumerate()
        .map(|(index, value)| {
            let t = (index + 1) as f64;
            let bet = (2.0 * -alpha.ln() / (t * t.ln_1p() * variance)).sqrt();
            sum += value;
            let mean = ((0.5 + sum) / (t + 1.0)).min(1.0);
            squares += (value - mean).powi(2);
            variance = (0.25 + squares) / (t + 1.0);
            bet
        })
        .collect()
}

/// The lower end of a predictable mixture with these bets, variance increments and cumulant function.
fn mixture_lower(x: &[f64], bets: &[f64], alpha: f64, cost: impl Fn(usize) -> f64) -> Vec<f64> {
    let (mut weighted, mut total, mut spent) = (0.0, 0.0, -alpha.ln());
    let mut out = Vec::with_capacity(x.len());
    for (index, (value, bet)) in x.iter().zip(bets).enumerate() {
        weighted += bet * value;
        total += bet;
        spent += cost(index);
        out.push(((weighted - spent) / total).min(1.0));
    }
    out
}

fn bernstein_lower(x: &[f64], alpha: f64) -> Vec<f64> {
    let bets: Vec<f64> = bets(x, alpha).into_iter().map(|bet| bet.min(0.5)).collect();
    let mut sum = 0.0;
    let means_before: Vec<f64> = x
        .iter()
        .enumerate()
        .map(|(index, value)| {
            let mean = if index == 0 { 0.0 } else { sum / index as f64 };
            sum += value;
            mean
        })
        .collect();
    let cost = |i: usize| (x[i] - means_before[i]).powi(2) * (-(-bets[i]).ln_1p() - bets[i]);
    mixture_lower(x, &bets, alpha, cost)
}

fn hoeffding_lower(x: &[f64], alpha: f64) -> Vec<f64> {
    let bet = |index: usize| {
        let t = (index + 1) as f64;
        (8.0 * -alpha.ln() / (t * t.ln_1p())).sqrt().min(1.0)
    };
    let bets: Vec<f64> = (0..x.len()).map(bet).collect();
    mixture_lower(x, &bets, alpha, |i| bets[i] * bets[i] / 8.0)
}

const CELLS: usize = 1000;

/// For every mean on a grid, one gambler who bets that the mean is larger and one that it is smaller, with half of the
/// capital each; a mean stays in the set while neither has multiplied the whole by 1/alpha.
fn betting(x: &[f64], alpha: f64) -> Vec<[f64; 2]> {
    // Each gambler's bets are sized for the half of alpha that is theirs.
    let bets = bets(x, alpha / 2.0);
    let threshold = -alpha.ln() + std::f64::consts::LN_2;
    let mut ends = vec![[f64::INFINITY, f64::NEG_INFINITY]; x.len()];
    for cell in 0..=CELLS {
        let m = cell as f64 / CELLS as f64;
        let (mut up, mut down) = (0.0, 0.0);
        for ((value, bet), end) in x.iter().zip(&bets).zip(&mut ends) {
            up += (bet.min(0.5 / m) * (value - m)).ln_1p();
            down += (-bet.min(0.5 / (1.0 - m)) * (value - m)).ln_1p();
            if up <= threshold && down <= threshold {
                end[0] = end[0].min(m);
                end[1] = end[1].max(m);
            }
        }
    }
    let cell = 1.0 / CELLS as f64;
    let widened = |[low, high]: [f64; 2]| {
        if low > high {
            [0.0, 1.0]
        } else {
            [(low - cell).max(0.0), (high + cell).min(1.0)]
        }
    };
    ends.into_iter().map(widened).collect()
}
