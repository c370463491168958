//! The threshold at which unchanged series rarely raise an alarm, by simulation at the length of the series.

use rayon::prelude::*;
use serde::Serialize;

use super::detect::{Options, search};
use crate::rng::{Purpose, Source};
use crate::sample::open_chance;
use crate::{Explain, Outcome, Undefined};

const PURPOSE: Purpose = Purpose::new("history/calibration");
/// The thresholds searched, as powers of ten.
const EXPONENTS: [f64; 2] = [-12.0, -1.5];
const STEPS: usize = 14;

/// A calibrated threshold; the caller keeps it, for it depends on the length and the options only.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Calibration {
    /// The length of the series.
    pub n: usize,
    /// The options with the threshold found.
    pub options: Options,
    /// The share of unchanged series that raised an alarm.
    pub false_alarms: f64,
    /// How many series were simulated.
    pub series: usize,
    /// Their seed.
    pub seed: u64,
}

impl Explain for Calibration {
    fn reading(&self) -> String {
        format!(
            "With a threshold of {:.2e}, {:.2} % of {} simulated unchanged series of {} points raised an alarm (normal noise, \
             seed {}).",
            self.options.max_p,
            100.0 * self.false_alarms,
            self.series,
            self.n,
            self.seed
        )
    }
}

/// What to simulate.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Plan {
    n: usize,
    series: usize,
    seed: u64,
}

/// The largest threshold at which at most `target` of unchanged series of length `n` raise an alarm.
/// 2000 series tell 1 % to within about a quarter of it.
pub fn calibrated_threshold(
    n: usize,
    options: &Options,
    target: f64,
    (series, seed): (usize, u64),
) -> Outcome<Calibration> {
    open_chance("target", target)?;
    if n < 2 * options.shortest.max(1) {
        return Err(Undefined::TooFew {
            method: "change points".into(),
            have: n,
            need: 2 * options.shortest,
        });
    }
    if n > 100_000 || !(100..=1_000_000).contains(&series) {
        return Err(Undefined::BadArgument {
            name: "series to simulate".into(),
            value: series as f64,
            expected: "between 100 and 1000000, of at most 100000 points".into(),
        });
    }
    let plan = Plan { n, series, seed };
    let allowed = (target * series as f64).floor() as usize;
    // A series that is quiet at a threshold is quiet at all smaller ones, so that only the loud ones are run again.
    let (mut low, mut high) = (EXPONENTS[0], EXPONENTS[1]);
    let mut loud: Vec<usize> = alarms(plan, options, high, &(0..series).collect::<Vec<_>>());
    let mut quiet_count = 0;
    for _ in 0..STEPS {
        let middle = 0.5 * (low + high);
        let now = alarms(plan, options, middle, &loud);
        if now.len() > allowed {
            high = middle;
            loud = now;
        } else {
            low = middle;
            quiet_count = now.len();
        }
    }
    let options = Options {
        max_p: 10f64.powf(low),
        ..*options
    };
    Ok(Calibration {
        n,
        options,
        false_alarms: quiet_count as f64 / series as f64,
        series,
        seed,
    })
}

/// Which of the numbered null series raise an alarm at the threshold 10^exponent.
fn alarms(plan: Plan, options: &Options, exponent: f64, numbers: &[usize]) -> Vec<usize> {
    let options = Options {
        max_p: 10f64.powf(exponent),
        ..*options
    };
    let source = Source {
        seed: plan.seed,
        purpose: PURPOSE,
    };
    let alarm = |&number: &usize| {
        let mut stream = source.block(number as u64);
        let series: Vec<f64> = (0..plan.n).map(|_| stream.normal()).collect();
        (!search(&series, &options).is_empty()).then_some(number)
    };
    numbers.par_iter().filter_map(alarm).collect()
}
