//! Boundaries for a normal statistic by recursive integration (Armitage, McPherson and Rowe 1969).
//!
//! For large samples, and as the cross-check of the exact t boundaries against published tables.

use serde::Serialize;

use super::Spending;
use crate::dist::normal;
use crate::sample::open_chance;
use crate::{Explain, Outcome, Undefined};

/// Nodes of Simpson's rule over the region in which a trial goes on.
const NODES: usize = 801;

/// Two-sided boundaries on the z scale.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NormalBoundaries {
    /// The share of the information at each look.
    pub fractions: Vec<f64>,
    /// The error chance spent by each look.
    pub cumulative_alpha: Vec<f64>,
    /// Reject at the look when |z| reaches this.
    pub critical: Vec<f64>,
}

impl Explain for NormalBoundaries {
    fn reading(&self) -> String {
        format!(
            "At {} looks, a difference is declared when |z| reaches the boundary of that look; over all looks the chance \
             of a false alarm is {}.",
            self.critical.len(),
            self.cumulative_alpha.last().copied().unwrap_or(0.0)
        )
    }
}

/// The boundaries that spend alpha at these shares of the information.
pub fn normal_boundaries(
    fractions: &[f64],
    alpha: f64,
    spending: Spending,
) -> Outcome<NormalBoundaries> {
    open_chance("alpha", alpha)?;
    check_fractions(fractions)?;
    let cumulative: Vec<f64> = fractions
        .iter()
        .map(|&f| spending.cumulative(alpha, f))
        .collect();
    let mut critical = Vec::with_capacity(fractions.len());
    let mut state = State::start();
    let mut spent = 0.0;
    for (&fraction, &total) in fractions.iter().zip(&cumulative) {
        let bound = state.solve(fraction, total - spent);
        state = state.advance(fraction, bound);
        spent = total;
        critical.push(bound);
    }
    Ok(NormalBoundaries {
        fractions: fractions.to_vec(),
        cumulative_alpha: cumulative,
        critical,
    })
}

/// The chance that |z| reaches one of these boundaries when there is no difference.
pub fn crossing_probability(fractions: &[f64], critical: &[f64]) -> Outcome<f64> {
    check_fractions(fractions)?;
    if fractions.len() != critical.len() {
        return Err(Undefined::UnequalLengths {
            left: fractions.len(),
            right: critical.len(),
        });
    }
    for &bound in critical {
        crate::sample::positive("critical value", bound)?;
    }
    let mut state = State::start();
    let mut total = 0.0;
    for (&fraction, &bound) in fractions.iter().zip(critical) {
        total += state.exit(fraction, bound);
        state = state.advance(fraction, bound);
    }
    Ok(total)
}

fn check_fractions(fractions: &[f64]) -> Outcome<()> {
    crate::sample::finite("the looks' shares of the information", fractions)?;
    let increasing = fractions.windows(2).all(|pair| pair[0] < pair[1]);
    if increasing && fractions[0] > 0.0 && fractions[fractions.len() - 1] <= 1.0 {
        return Ok(());
    }
    Err(Undefined::BadArgument {
        name: "fractions".into(),
        value: fractions[fractions.len() - 1],
        expected: "increasing shares above 0 and at most 1".into(),
    })
}

/// The density of the running sum (variance = fraction) among the paths that have not stopped, as weights at nodes.
struct State {
    fraction: f64,
    nodes: Vec<f64>,
    weights: Vec<f64>,
}

impl State {
    /// All of the chance at zero.
    fn start() -> Self {
        Self {
            fraction: 0.0,
            nodes: vec![0.0],
            weights: vec![1.0],
        }
    }

    /// The chance to be outside |z| < bound at the next look.
    fn exit(&self, fraction: f64, bound: f64) -> f64 {
        let (edge, step) = (bound * fraction.sqrt(), (fraction - self.fraction).sqrt());
        let outside = |s: f64| normal::sf((edge - s) / step) + normal::sf((edge + s) / step);
        self.nodes
            .iter()
            .zip(&self.weights)
            .map(|(&s, w)| w * outside(s))
            .sum()
    }

    /// The boundary at which the next look spends `spend`.
    fn solve(&self, fraction: f64, spend: f64) -> f64 {
        let (mut low, mut high) = (0.0, 40.0);
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            if self.exit(fraction, middle) > spend {
                low = middle;
            } else {
                high = middle;
            }
        }
        0.5 * (low + high)
    }

    /// The density after the next look, inside its boundary.
    fn advance(&self, fraction: f64, bound: f64) -> Self {
        let step = (fraction - self.fraction).sqrt();
        // Far outside nothing is left; cutting there keeps the nodes where the density is.
        let edge = bound.min(9.0) * fraction.sqrt();
        let width = 2.0 * edge / (NODES - 1) as f64;
        let nodes: Vec<f64> = (0..NODES).map(|i| -edge + width * i as f64).collect();
        let density = |x: f64| -> f64 {
            self.nodes
                .iter()
                .zip(&self.weights)
                .map(|(&s, w)| w * normal::pdf((x - s) / step))
                .sum::<f64>()
                / step
        };
        let simpson = |i: usize| match i {
            0 => 1.0,
            _ if i == NODES - 1 => 1.0,
            _ if i % 2 == 1 => 4.0,
            _ => 2.0,
        };
        let weights = nodes
            .iter()
            .enumerate()
            .map(|(i, &x)| density(x) * simpson(i) * width / 3.0)
            .collect();
        Self {
            fraction,
            nodes,
            weights,
        }
    }
}
