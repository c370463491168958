//! Two arms of timings: the ratio of geometric means decides, the other ratios are shown beside it.

use serde::Serialize;

use crate::descriptive::median;
use crate::rank::{MannWhitney, RankMethod, mann_whitney, unpaired_location};
use crate::sample::representable;
use crate::two_arm::{
    Design, RatioInterval, fieller_ratio, geometric_ratio, paired_geometric_ratio,
};
use crate::{Explain, Level, Outcome, Side, Undefined};
use fairtrial_text::significant::short;

/// Choices of a timing comparison. The unit is the process (or the build): iterations are averaged before.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TimingOptions {
    /// Interleaved blocks are pairs; else the arms are independent.
    pub design: Design,
    /// Ratios within `1 ± threshold` are noise.
    pub threshold: f64,
    /// The level of the interval; two-sided.
    pub level: Level,
}

impl Default for TimingOptions {
    fn default() -> Self {
        Self {
            design: Design::Unpaired,
            threshold: 0.01,
            level: Level::TWO_SIDED_95,
        }
    }
}

/// What the interval of the ratio says against the threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimingVerdict {
    /// The whole interval lies above `1 + threshold`.
    Slower,
    /// The whole interval lies below `1 - threshold`.
    Faster,
    /// The whole interval lies within the threshold.
    Equivalent,
    /// Anything else.
    Inconclusive,
}

/// A comparison of two arms of timings; every ratio is candidate / control, below 1 is faster.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TimingComparison {
    /// What decided.
    pub method: &'static str,
    /// Observations of the control.
    pub n_control: usize,
    /// Observations of the candidate.
    pub n_candidate: usize,
    /// The ratio of geometric means: the one that decides.
    pub geometric: RatioInterval,
    /// The ratio of means with Fieller's interval, where that is bounded.
    pub means: Option<RatioInterval>,
    /// Ratio of the medians.
    pub median_ratio: f64,
    /// Ratio of the minima: shown, never tested.
    pub min_ratio: f64,
    /// The Hodges-Lehmann shift of the logarithms, as a ratio.
    pub hodges_lehmann_ratio: f64,
    /// The rank test beside it.
    pub rank: MannWhitney,
    /// The noise threshold.
    pub threshold: f64,
    /// What it comes to.
    pub verdict: TimingVerdict,
}

/// Compares timings (or any positive costs) of two arms.
pub fn compare_times(
    control: &[f64],
    candidate: &[f64],
    options: TimingOptions,
) -> Outcome<TimingComparison> {
    if options.level.side != Side::TwoSided {
        return Err(Undefined::NoSolution(
            "a timing verdict needs a two-sided interval".into(),
        ));
    }
    if !(0.0..1.0).contains(&options.threshold) {
        return Err(Undefined::BadArgument {
            name: "threshold".into(),
            value: options.threshold,
            expected: "a share from 0 to below 1".into(),
        });
    }
    let geometric = match options.design {
        Design::Paired => paired_geometric_ratio(control, candidate, options.level)?,
        Design::Unpaired | Design::UnpairedEqualVariances => {
            geometric_ratio(control, candidate, options.level)?
        }
    };
    let logs = |xs: &[f64]| xs.iter().map(|x| x.ln()).collect::<Vec<f64>>();
    let shift = unpaired_location(&logs(control), &logs(candidate), options.level)?.estimate;
    Ok(TimingComparison {
        method: geometric.method,
        n_control: control.len(),
        n_candidate: candidate.len(),
        verdict: judge(&geometric, options.threshold),
        geometric,
        means: fieller_ratio(control, candidate, options.level).ok(),
        median_ratio: representable(
            "the ratio of medians",
            median(candidate)? / median(control)?,
        )?,
        min_ratio: representable(
            "the ratio of minima",
            smallest(candidate) / smallest(control),
        )?,
        hodges_lehmann_ratio: representable("the Hodges-Lehmann ratio", shift.exp())?,
        rank: mann_whitney(control, candidate, RankMethod::Auto, Side::TwoSided)?,
        threshold: options.threshold,
    })
}

fn smallest(xs: &[f64]) -> f64 {
    xs.iter().copied().fold(f64::INFINITY, f64::min)
}

fn judge(ratio: &RatioInterval, threshold: f64) -> TimingVerdict {
    let (low, high) = (ratio.interval.low, ratio.interval.high);
    let (floor, ceiling) = (1.0 - threshold, 1.0 + threshold);
    if low > ceiling {
        TimingVerdict::Slower
    } else if high < floor {
        TimingVerdict::Faster
    } else if low >= floor && high <= ceiling {
        TimingVerdict::Equivalent
    } else {
        TimingVerdict::Inconclusive
    }
}

impl Explain for TimingComparison {
    fn reading(&self) -> String {
        let noise = short(100.0 * self.threshold);
        let verdict = match self.verdict {
            TimingVerdict::Slower => {
                format!("slower by more than the noise threshold of {noise} %")
            }
            TimingVerdict::Faster => {
                format!("faster by more than the noise threshold of {noise} %")
            }
            TimingVerdict::Equivalent => format!("the same within {noise} %"),
            TimingVerdict::Inconclusive => {
                format!("not decided against a noise threshold of {noise} %")
            }
        };
        format!("The candidate is {verdict}. {}", self.geometric.reading())
    }
}
