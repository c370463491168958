//! The Shapiro-Wilk test of normality (Royston 1995, algorithm AS R94).

use std::f64::consts::PI;

use serde::Serialize;

use crate::descriptive::{Moments, sorted, sum};
use crate::dist::normal;
use crate::sample;
use crate::{Explain, Outcome, Undefined};
use fairtrial_text::count::counted;
use fairtrial_text::share::p_value;

/// The Shapiro-Wilk test.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShapiroWilk {
    /// What was computed.
    pub method: &'static str,
    /// Observations.
    pub n: usize,
    /// The statistic: 1 for perfectly normal spacing.
    pub w: f64,
    /// The p value of "normal".
    pub p: f64,
    /// Above 5000 observations the p value's approximation has not been checked.
    pub beyond_calibration: bool,
}

/// Tests whether a sample looks normal.
pub fn shapiro_wilk(xs: &[f64]) -> Outcome<ShapiroWilk> {
    sample::at_least("the Shapiro-Wilk test", "the sample", xs, 3)?;
    let moments = Moments::of(xs);
    if moments.is_constant() {
        return Err(Undefined::ZeroVariance {
            what: "the sample".into(),
            value: moments.mean,
        });
    }
    sample::representable("the variance", moments.squares)?;
    let w = statistic(&sorted(xs), moments.mean);
    let n = xs.len();
    let p = if n == 3 {
        p_of_three(w)
    } else {
        p_of(w, n as f64)
    };
    Ok(ShapiroWilk {
        method: "Shapiro-Wilk",
        n,
        w,
        p: p.clamp(0.0, 1.0),
        beyond_calibration: n > 5000,
    })
}

/// The weights of the lower half of the order statistics (the upper half mirrors them).
fn weights(n: usize) -> Vec<f64> {
    const FIRST: [f64; 6] = [0.0, 0.221157, -0.147981, -2.07119, 4.434685, -2.706056];
    const SECOND: [f64; 6] = [0.0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633];
    if n == 3 {
        return vec![0.5f64.sqrt()];
    }
    let size = n as f64;
    let scores: Vec<f64> = (1..=n / 2)
        .map(|i| normal::quantile((i as f64 - 0.375) / (size + 0.25)))
        .collect();
    let squares = 2.0 * sum(scores.iter().map(|m| m * m));
    let root = squares.sqrt();
    let inverse = 1.0 / size.sqrt();
    let first = polynomial(&FIRST, inverse) - scores[0] / root;
    let mut fixed = vec![first];
    if n > 5 {
        fixed.push(polynomial(&SECOND, inverse) - scores[1] / root);
    }
    let left = squares - 2.0 * sum(scores[..fixed.len()].iter().map(|m| m * m));
    let scale = (left / (1.0 - 2.0 * sum(fixed.iter().map(|a| a * a)))).sqrt();
    let rest = scores[fixed.len()..].iter().map(|m| -m / scale);
    fixed.iter().copied().chain(rest).collect()
}

fn statistic(ascending: &[f64], mean: f64) -> f64 {
    let n = ascending.len();
    let weights = weights(n);
    let weighted = sum(weights
        .iter()
        .enumerate()
        .map(|(i, a)| a * (ascending[n - 1 - i] - ascending[i])));
    let weight_squares = 2.0 * sum(weights.iter().map(|a| a * a));
    let squares = sum(ascending.iter().map(|x| (x - mean) * (x - mean)));
    // 1 - W from the difference, so that W near 1 keeps the digits that the p value is made of.
    let root = (weight_squares * squares).sqrt();
    1.0 - ((root - weighted) * (root + weighted) / (weight_squares * squares)).max(0.0)
}

fn p_of_three(w: f64) -> f64 {
    (6.0 / PI * (w.sqrt().asin() - 0.75f64.sqrt().asin())).max(0.0)
}

fn p_of(w: f64, n: f64) -> f64 {
    const SMALL_MEAN: [f64; 4] = [0.544, -0.39978, 0.025054, -6.714e-4];
    const SMALL_SD: [f64; 4] = [1.3822, -0.77857, 0.062767, -0.0020322];
    const LARGE_MEAN: [f64; 4] = [-1.5861, -0.31082, -0.083751, 0.0038915];
    const LARGE_SD: [f64; 3] = [-0.4803, -0.082676, 0.0030302];
    let y = (1.0 - w).ln();
    if n <= 11.0 {
        let gamma = -2.273 + 0.459 * n;
        if y >= gamma {
            return 0.0;
        }
        let z = (-(gamma - y).ln() - polynomial(&SMALL_MEAN, n)) / polynomial(&SMALL_SD, n).exp();
        return normal::sf(z);
    }
    let log_n = n.ln();
    normal::sf((y - polynomial(&LARGE_MEAN, log_n)) / polynomial(&LARGE_SD, log_n).exp())
}

/// Lowest power first.
fn polynomial(coefficients: &[f64], x: f64) -> f64 {
    coefficients
        .iter()
        .rev()
        .fold(0.0, |value, c| value * x + c)
}

impl Explain for ShapiroWilk {
    fn reading(&self) -> String {
        let verdict = if self.p < 0.05 {
            "does not look normal; the t interval is then approximate"
        } else {
            "shows no clear departure from normal"
        };
        format!(
            "The sample of {} {verdict} ({}, {}).",
            counted(self.n, "value"),
            self.method,
            p_value(self.p)
        )
    }
}
