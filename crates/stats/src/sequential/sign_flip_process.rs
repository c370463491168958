//! The robust twin of the t e-process: a bet on the signs, valid for any distribution that is symmetric when there is no
//! difference. Each bet is a tanh of the difference in units of the root mean square so far.

use serde::Serialize;

use crate::sample::open_chance;
use crate::{Dropped, Explain, Outcome};
use fairtrial_text::significant::short;

/// The strengths of the bets, each taken in both directions with the same weight.
const STRENGTHS: [f64; 6] = [0.25, 0.5, 0.75, 1.0, 1.5, 2.5];

/// An open-ended comparison by signs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SignFlipProcess {
    /// The method.
    pub method: &'static str,
    /// Values so far.
    pub n: usize,
    /// The error chance, whenever one stops.
    pub alpha: f64,
    /// The logarithm of E after each value.
    pub log_e: Vec<f64>,
    /// The first n at which "interchangeable" was rejected.
    pub rejected_at: Option<usize>,
    /// What was left out.
    pub dropped: Vec<Dropped>,
}

impl Explain for SignFlipProcess {
    fn reading(&self) -> String {
        match self.rejected_at {
            Some(n) => format!(
                "After {n} pairs the arms were shown not to be interchangeable, whatever the distribution."
            ),
            None => format!(
                "After {} pairs nothing speaks against interchangeable arms (E = {}; it takes {}).",
                self.n,
                short(self.log_e.last().map_or(1.0, |e| e.exp())),
                short(1.0 / self.alpha)
            ),
        }
    }
}

/// Runs the process over the differences in the order of the declared pairs.
pub fn sign_flip_process(differences: &[f64], alpha: f64) -> Outcome<SignFlipProcess> {
    crate::sample::finite("the differences", differences)?;
    open_chance("alpha", alpha)?;
    let mut logs = [0.0f64; 2 * STRENGTHS.len()];
    let scale = crate::sample::max_abs(differences);
    let mut squares = 0.0;
    let mut log_e = Vec::with_capacity(differences.len());
    for (index, &d) in differences.iter().enumerate() {
        // In units of the largest value, so that the squares cannot overflow.
        let unit = if scale > 0.0 { d / scale } else { 0.0 };
        squares += unit * unit;
        let rms = (squares / (index + 1) as f64).sqrt();
        let relative = if rms > 0.0 { unit / rms } else { 0.0 };
        for (place, strength) in STRENGTHS.iter().enumerate() {
            let bet = (strength * relative).tanh();
            logs[2 * place] += bet.ln_1p();
            logs[2 * place + 1] += (-bet).ln_1p();
        }
        log_e.push(log_mean_exp(&logs));
    }
    let rejected_at = log_e
        .iter()
        .position(|&e| e >= -alpha.ln())
        .map(|index| index + 1);
    let method = "sign-flip e-process";
    Ok(SignFlipProcess {
        method,
        n: differences.len(),
        alpha,
        log_e,
        rejected_at,
        dropped: Vec::new(),
    })
}

fn log_mean_exp(logs: &[f64]) -> f64 {
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = logs.iter().map(|l| (l - largest).exp()).sum();
    largest + (sum / logs.len() as f64).ln()
}
