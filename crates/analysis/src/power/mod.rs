//! `power`: how many runs a difference needs, and what a number of runs can see; from a pilot run or a stated spread.
//!
//! A pilot with shared seeds answers twice: for pairs and for independent runs, so that a reader sees what pairing
//! saves here instead of trusting a rule of thumb.

mod pilot;

pub use pilot::{Pilot, PilotQuestion};

use crate::AnalysisError;
use fairtrial_model::Margin;
use fairtrial_stats::dist::chi_square;
use fairtrial_stats::planning::{SampleSize, TDesign, power, sample_size, smallest_effect};
use fairtrial_stats::two_arm::paired_effect;
use fairtrial_stats::{Level, descriptive};
use serde::Serialize;

/// Version of the JSON form.
pub const POWER_SCHEMA: u32 = 1;

/// Where the spread comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum Basis {
    /// Runs that were made.
    Pilot(Pilot),
    /// What the user says.
    Stated {
        /// Standard deviation of one run.
        sd: f64,
        /// Correlation of the two arms over shared seeds, where pairs are planned.
        correlation: Option<f64>,
    },
}

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct PowerOptions {
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
    /// The difference to find, in the metric's unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<f64>,
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

/// What shared seeds save.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PairingGain {
    /// Correlation of the arms over the seeds.
    pub correlation: f64,
    /// The share of the variance of an unpaired difference that pairing takes away; negative where it adds.
    pub variance_saved: f64,
}

/// One design's spread, and from how many values it is known.
#[derive(Clone, Copy)]
struct Known {
    design: TDesign,
    sd: f64,
    df: Option<f64>,
}

/// Plans.
pub fn plan(basis: &Basis, options: &PowerOptions) -> Result<PowerReport, AnalysisError> {
    options.check()?;
    let (unpaired, paired, gain) = spreads(basis)?;
    let control_mean = match basis {
        Basis::Pilot(pilot) => descriptive::mean(&pilot.control).ok(),
        Basis::Stated { .. } => None,
    };
    let effect = effect(options.effect, control_mean)?;
    let sizes = options.sizes(basis);
    let design = |known: Known| design_power(known, effect, options, &sizes);
    Ok(PowerReport {
        schema: POWER_SCHEMA,
        effect,
        control_mean,
        power: options.power,
        alpha: options.alpha,
        paired: paired.map(design).transpose()?,
        unpaired: design(unpaired)?,
        pairing: gain,
        pilot: match basis {
            Basis::Pilot(pilot) => Some(pilot.words()),
            Basis::Stated { .. } => None,
        },
        notes: notes(basis),
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
            sizes.push(pilot.control.len().max(2));
        }
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }
}

/// The effect in the metric's unit.
fn effect(asked: Option<Margin>, control_mean: Option<f64>) -> Result<Option<f64>, AnalysisError> {
    match (asked, control_mean) {
        (None, _) => Ok(None),
        (Some(Margin::Absolute(size)), _) => Ok(Some(size)),
        (Some(Margin::Relative(share)), Some(mean)) if mean != 0.0 => Ok(Some(share * mean.abs())),
        (Some(Margin::Relative(_)), _) => Err(AnalysisError::Question(
            "a relative effect needs a pilot whose control has a mean other than 0; give the effect in the metric's unit"
                .to_owned(),
        )),
    }
}

fn spreads(basis: &Basis) -> Result<(Known, Option<Known>, Option<PairingGain>), AnalysisError> {
    let question = |why: fairtrial_stats::Undefined| AnalysisError::Question(why.to_string());
    match basis {
        Basis::Stated { sd, correlation } => {
            stated(*sd, *correlation)?;
            let known = |design, sd| Known {
                design,
                sd,
                df: None,
            };
            let paired =
                correlation.map(|rho| known(TDesign::Paired, sd * (2.0 * (1.0 - rho)).sqrt()));
            let gain = correlation.map(|rho| PairingGain {
                correlation: rho,
                variance_saved: rho,
            });
            Ok((known(TDesign::Unpaired, *sd), paired, gain))
        }
        Basis::Pilot(pilot) => {
            let n = pilot.control.len() as f64;
            let control = descriptive::variance(&pilot.control).map_err(question)?;
            let Some(candidate) = &pilot.candidate else {
                let known = Known {
                    design: TDesign::Unpaired,
                    sd: varying(control.sqrt())?,
                    df: Some(n - 1.0),
                };
                return Ok((known, None, None));
            };
            let pooled =
                f64::midpoint(control, descriptive::variance(candidate).map_err(question)?);
            let unpaired = Known {
                design: TDesign::Unpaired,
                sd: varying(pooled.sqrt())?,
                df: Some(n + candidate.len() as f64 - 2.0),
            };
            if !pilot.paired {
                return Ok((unpaired, None, None));
            }
            let pairs = paired_effect(&pilot.control, candidate).map_err(question)?;
            let paired = Known {
                design: TDesign::Paired,
                sd: varying(pairs.sd_difference)?,
                df: Some(n - 1.0),
            };
            let gain = pairs
                .correlation
                .zip(pairs.variance_ratio)
                .map(|(correlation, ratio)| PairingGain {
                    correlation,
                    variance_saved: 1.0 - ratio,
                });
            Ok((unpaired, Some(paired), gain))
        }
    }
}

fn stated(sd: f64, correlation: Option<f64>) -> Result<(), AnalysisError> {
    if !(sd > 0.0 && sd.is_finite()) {
        return Err(AnalysisError::Option {
            name: "--sd",
            value: sd.to_string(),
            expected: "a standard deviation above 0",
        });
    }
    match correlation {
        Some(rho) if !(-1.0..1.0).contains(&rho) => Err(AnalysisError::Option {
            name: "--correlation",
            value: rho.to_string(),
            expected: "a correlation from -1 to below 1",
        }),
        _ => Ok(()),
    }
}

fn varying(sd: f64) -> Result<f64, AnalysisError> {
    if sd > 0.0 && sd.is_finite() {
        return Ok(sd);
    }
    Err(AnalysisError::Question(
        "the pilot does not vary, so that there is nothing to plan: is the metric deterministic?"
            .to_owned(),
    ))
}

fn design_power(
    known: Known,
    effect: Option<f64>,
    options: &PowerOptions,
    sizes: &[usize],
) -> Result<DesignPower, AnalysisError> {
    let level = Level::two_sided(options.alpha);
    let question = |why: fairtrial_stats::Undefined| AnalysisError::Question(why.to_string());
    let needed =
        |sd: f64| effect.map(|effect| sample_size(known.design, effect / sd, options.power, level));
    let (required, why_none) = match needed(known.sd) {
        Some(Ok(required)) => (Some(required), None),
        Some(Err(why)) => (None, Some(why.to_string())),
        None => (
            None,
            Some("no effect was named: say which difference matters".to_owned()),
        ),
    };
    let points = sizes.iter().map(|&n| {
        let detectable = smallest_effect(known.design, n, options.power, level)
            .map_err(question)?
            .effect
            * known.sd;
        let power = effect.and_then(|effect| power(known.design, effect / known.sd, n, level).ok());
        Ok(PowerPoint {
            n,
            power: power.map(|power| power.power),
            detectable,
        })
    });
    Ok(DesignPower {
        design: known.design,
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

/// The 95 % interval of a standard deviation, for normal values.
fn sd_ends(sd: f64, df: f64) -> Option<[f64; 2]> {
    let end = |p: f64| sd * (df / chi_square::quantile(p, df)).sqrt();
    let ends = [end(0.975), end(0.025)];
    ends.iter()
        .all(|end| end.is_finite() && *end > 0.0)
        .then_some(ends)
}

fn notes(basis: &Basis) -> Vec<String> {
    match basis {
        Basis::Pilot(pilot) => pilot.notes.clone(),
        Basis::Stated { .. } => Vec::new(),
    }
}
