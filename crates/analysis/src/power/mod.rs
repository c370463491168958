//! `power`: how many runs a difference needs, and what a number of runs can see; from a pilot run or a stated spread.
//!
//! A pilot with shared seeds answers twice: for pairs and for independent runs, so that a reader sees what pairing
//! saves here instead of trusting a rule of thumb. Units, scale and threshold are those of the verdict that `compare`
//! would give: what is promised here is what it finds.

mod basis;
mod pilot;
mod rates;

pub use basis::{Basis, PairingGain};
pub use pilot::{Pilot, PilotQuestion};
pub use rates::{Rates, RatesOptions, RatesPoint, RatesReport, parse_rates, plan_rates};

use crate::compare::data::unit::UnitKind;
use crate::compare::method::kind::Scale;
use crate::error::AnalysisError;
use basis::{Known, spreads};
use fairtrial_model::Margin;
use fairtrial_stats::dist::chi_square;
use fairtrial_stats::planning::{
    SampleSize, TDesign, power_over, sample_size_over, smallest_effect_over,
};
use fairtrial_stats::{Level, Side};
use serde::Serialize;

/// Version of the JSON form.
pub const POWER_SCHEMA: u32 = 1;

/// Sizes that a curve goes to at most.
const MOST_SHOWN: usize = 1_000_000;

/// What the plan is to bring.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PowerGoal {
    /// A difference is found.
    #[default]
    Difference,
    /// Arms that are the same are found equivalent: the whole interval lies inside the margin.
    Equivalence,
}

impl PowerGoal {
    /// The test that has to answer, and the chance that it needs. An interval inside of the margin rules out both edges, each
    /// by one tail: both are missed together at most as often as the two misses add up to.
    fn test(self, power: f64, alpha: f64) -> (f64, Level) {
        match self {
            Self::Difference => (power, Level::two_sided(alpha)),
            Self::Equivalence => (
                f64::midpoint(1.0, power),
                Level {
                    alpha: alpha / 2.0,
                    side: Side::Greater,
                },
            ),
        }
    }
}

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct PowerOptions {
    /// What the plan is to bring.
    pub goal: PowerGoal,
    /// The difference to find; relative ones are a share of the control's mean.
    pub effect: Option<Margin>,
    /// The chance to find it.
    pub power: f64,
    /// Two-sided error rate.
    pub alpha: f64,
    /// The numbers of pairs, or runs per arm, that the curve shows; empty means a useful set.
    pub sizes: Vec<usize>,
}

/// Everything that `power` found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PowerReport {
    /// [`POWER_SCHEMA`].
    pub schema: u32,
    /// What the plan is to bring.
    pub goal: PowerGoal,
    /// The difference to find, in the metric's unit; for equivalence, the margin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<f64>,
    /// The scale of the verdict that is planned for; standard deviations are on it.
    pub scale: Scale,
    /// What the whole interval must clear for a verdict (timings), in the metric's unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// What is one independent observation, where a pilot tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<UnitKind>,
    /// The control's mean, where a pilot knows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control_mean: Option<f64>,
    /// The chance to find it.
    pub power: f64,
    /// Two-sided error rate.
    pub alpha: f64,
    /// For pairs; absent where nothing is known about them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paired: Option<DesignPower>,
    /// For independent runs.
    pub unpaired: DesignPower,
    /// What pairing saves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairing: Option<PairingGain>,
    /// The metric, the arms and the run of the pilot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pilot: Option<String>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// The plan for one design.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DesignPower {
    /// The design.
    pub design: TDesign,
    /// What N counts, in words.
    pub counted: String,
    /// Standard deviation of the differences, or of one run.
    pub sd: f64,
    /// Pairs, or runs per arm, that the effect needs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required: Option<SampleSize>,
    /// The same at the two ends of the spread's 95 % interval, where a pilot knows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required_range: Option<[u64; 2]>,
    /// Why there is no number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_none: Option<String>,
    /// The curve.
    pub points: Vec<PowerPoint>,
}

/// One size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PowerPoint {
    /// Pairs, or runs per arm.
    pub n: usize,
    /// The chance to find the effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub power: Option<f64>,
    /// The smallest effect that is found with the chance asked for, in the metric's unit.
    pub detectable: f64,
}

/// What is planned for, on the scale of the verdict.
struct Target<'a> {
    effect: Option<f64>,
    threshold: f64,
    basis: &'a Basis,
}

/// Plans.
pub fn plan(basis: &Basis, options: &PowerOptions) -> Result<PowerReport, AnalysisError> {
    options.check()?;
    let (unpaired, paired, gain) = spreads(basis)?;
    let target = Target {
        effect: options
            .effect
            .map(|effect| basis.on_scale(effect))
            .transpose()?,
        threshold: match options.goal {
            PowerGoal::Difference => basis.threshold(),
            PowerGoal::Equivalence => 0.0,
        },
        basis,
    };
    let mut sizes = options.sizes(basis);
    if options.sizes.is_empty() {
        // A curve that ends before the answer shows nothing of it.
        let designs = [Some(&unpaired), paired.as_ref()];
        for needed in designs
            .into_iter()
            .flatten()
            .filter_map(|known| required(known, &target, options))
        {
            sizes.extend(up_to(needed, &sizes));
        }
        sizes.sort_unstable();
        sizes.dedup();
    }
    let design = |known: Known| design_power(known, &target, options, &sizes);
    let pilot = basis.pilot();
    Ok(PowerReport {
        schema: POWER_SCHEMA,
        goal: options.goal,
        effect: target.effect.map(|effect| basis.in_unit(effect)),
        scale: pilot.map_or(Scale::Difference, |pilot| pilot.scale),
        threshold: (target.threshold > 0.0).then(|| basis.in_unit(target.threshold)),
        unit: pilot.map(|pilot| pilot.unit),
        control_mean: pilot.map(|pilot| pilot.control_mean),
        power: options.power,
        alpha: options.alpha,
        paired: paired.map(design).transpose()?,
        unpaired: design(unpaired)?,
        pairing: gain,
        pilot: pilot.map(Pilot::words),
        notes: basis.notes(),
    })
}

impl PowerOptions {
    fn check(&self) -> Result<(), AnalysisError> {
        for (name, value) in [("--alpha", self.alpha), ("--power", self.power)] {
            if !(value > 0.0 && value < 1.0) {
                return Err(AnalysisError::Option {
                    name,
                    value: value.to_string(),
                    expected: "a chance between 0 and 1, both excluded",
                });
            }
        }
        if let Some(small) = self.sizes.iter().find(|n| **n < 2) {
            return Err(AnalysisError::Option {
                name: "--n",
                value: small.to_string(),
                expected: "at least 2",
            });
        }
        Ok(())
    }

    /// The sizes asked for, or a set around what people run.
    fn sizes(&self, basis: &Basis) -> Vec<usize> {
        if !self.sizes.is_empty() {
            return self.sizes.clone();
        }
        let mut sizes = vec![3, 5, 10, 15, 20, 30, 50, 100];
        if let Basis::Pilot(pilot) = basis {
            sizes.push(pilot.size().max(2));
        }
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }
}

/// The number that a design needs, where there is one.
fn required(known: &Known, target: &Target<'_>, options: &PowerOptions) -> Option<u64> {
    let found = sample_size(known.sd, known, target, options)?;
    found.ok().map(|required| required.n)
}

/// Sizes beyond the last one that lead up to a number, and a little past it.
fn up_to(needed: u64, sizes: &[usize]) -> Vec<usize> {
    let last = sizes.iter().copied().max().unwrap_or(0);
    let needed = usize::try_from(needed)
        .unwrap_or(usize::MAX)
        .min(MOST_SHOWN);
    let parts = [needed / 4, needed / 2, needed, needed + needed / 4];
    parts
        .into_iter()
        .filter(|size| *size > last && needed > last)
        .collect()
}

/// How many a spread needs; nothing where there is no effect to find, or it lies within the threshold.
fn sample_size(
    sd: f64,
    known: &Known,
    target: &Target<'_>,
    options: &PowerOptions,
) -> Option<fairtrial_stats::Outcome<SampleSize>> {
    // What the threshold takes of an effect, chance cannot use.
    let beyond = target.effect?.abs() - target.threshold;
    let found = beyond > 0.0 || target.threshold == 0.0;
    let over = (known.design, known.tasks);
    let (power, level) = options.goal.test(options.power, options.alpha);
    found.then(|| sample_size_over(over, beyond / sd, power, level))
}

fn design_power(
    known: Known,
    target: &Target<'_>,
    options: &PowerOptions,
    sizes: &[usize],
) -> Result<DesignPower, AnalysisError> {
    let (power, level) = options.goal.test(options.power, options.alpha);
    let question = |why: fairtrial_stats::Undefined| AnalysisError::Question(why.to_string());
    let beyond = target.effect.map(|effect| effect.abs() - target.threshold);
    let needed = |sd: f64| sample_size(sd, &known, target, options);
    let (required, why_none) = match (needed(known.sd), target.effect) {
        (Some(Ok(required)), _) => (Some(required), None),
        (Some(Err(why)), _) => (None, Some(why.to_string())),
        (None, Some(_)) => (
            None,
            Some("it does not go beyond the threshold that a verdict has to clear".to_owned()),
        ),
        (None, None) => (
            None,
            Some("no effect was named: say which difference matters".to_owned()),
        ),
    };
    let points = sizes.iter().map(|&n| {
        let over = (known.design, known.tasks);
        let detectable = smallest_effect_over(over, n, power, level)
            .map_err(question)?
            .effect
            * known.sd;
        Ok(PowerPoint {
            n,
            power: beyond
                .and_then(|beyond| chance(known, (beyond, target.threshold), n, level))
                .map(|found| match options.goal {
                    PowerGoal::Difference => found,
                    PowerGoal::Equivalence => (2.0 * found - 1.0).max(0.0),
                }),
            detectable: target.basis.in_unit(target.threshold + detectable),
        })
    });
    Ok(DesignPower {
        design: known.design,
        counted: target.basis.counted(known.design),
        sd: known.sd,
        required_range: known.df.and_then(|df| {
            let [low, high] = sd_ends(known.sd, df)?;
            Some([needed(low)?.ok()?.n, needed(high)?.ok()?.n])
        }),
        required,
        why_none,
        points: points.collect::<Result<_, AnalysisError>>()?,
    })
}

/// The chance to find what goes beyond the threshold; nothing where that is not known.
fn chance(known: Known, (beyond, threshold): (f64, f64), n: usize, level: Level) -> Option<f64> {
    // A true effect inside of the threshold is found by one tail alone, and more rarely than chance.
    let level = if threshold > 0.0 {
        Level {
            alpha: level.alpha / 2.0,
            side: Side::Greater,
        }
    } else {
        level
    };
    let over = (known.design, known.tasks);
    let found = power_over(over, beyond / known.sd, n, level).ok()?;
    Some(found.power)
}

/// The 95 % interval of a standard deviation, for normal values.
fn sd_ends(sd: f64, df: f64) -> Option<[f64; 2]> {
    let end = |p: f64| sd * (df / chi_square::quantile(p, df)).sqrt();
    let ends = [end(0.975), end(0.025)];
    ends.iter()
        .all(|end| end.is_finite() && *end > 0.0)
        .then_some(ends)
}
