//! What each tool claims about two commands: ours, hyperfine's printed line, and Welch's test of what hyperfine exports.

use crate::bench::measure::json;
use serde_json::Value;
use std::io;
use std::path::Path;
use std::process::Command;

/// What was claimed about the second command.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Claim {
    Slower,
    Faster,
    /// No difference that matters.
    Equivalent,
    Nothing,
}

/// The finding of `fairtrial bench --json`.
pub(super) fn ours(command: &mut Command) -> io::Result<Claim> {
    let answer = json(command)?;
    Ok(match answer["answers"][0]["finding"].as_str() {
        Some("slower") => Claim::Slower,
        Some("faster") => Claim::Faster,
        Some("equivalent") => Claim::Equivalent,
        _ => Claim::Nothing,
    })
}

/// What hyperfine prints, which is a claim where the factor is further from 1 than its ±, and Welch's test of its times.
pub(super) fn theirs(exported: &Path) -> io::Result<[Claim; 2]> {
    let found: Value = serde_json::from_slice(&std::fs::read(exported)?)?;
    let times = |place: usize| -> Vec<f64> {
        let times = found["results"][place]["times"].as_array();
        times
            .into_iter()
            .flatten()
            .filter_map(Value::as_f64)
            .collect()
    };
    let [first, second] = [times(0), times(1)].map(|times| Moments::of(&times));
    let ratio = second.mean / first.mean;
    let printed = ratio * (first.sd / first.mean).hypot(second.sd / second.mean);
    let error = (first.sd.powi(2) / first.n + second.sd.powi(2) / second.n).sqrt();
    // Over a hundred runs of each: the t distribution is a normal one here.
    let t = (second.mean - first.mean) / error;
    Ok([claim(ratio - 1.0, printed), claim(t, 1.96)])
}

fn claim(difference: f64, bound: f64) -> Claim {
    match difference {
        above if above > bound => Claim::Slower,
        below if below < -bound => Claim::Faster,
        _ => Claim::Nothing,
    }
}

struct Moments {
    n: f64,
    mean: f64,
    sd: f64,
}

impl Moments {
    fn of(values: &[f64]) -> Self {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let sd = (squares / (n - 1.0)).sqrt();
        Self { n, mean, sd }
    }
}
