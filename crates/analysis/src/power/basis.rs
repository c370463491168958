//! What a plan starts from: a pilot, or a spread that the user states.

use super::pilot::{Noise, Pilot};
use crate::error::AnalysisError;
use fairtrial_model::Margin;
use fairtrial_stats::planning::TDesign;
use serde::Serialize;

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
        /// The threshold that the whole interval must clear; 0 where it must leave out 0 alone.
        beyond: f64,
    },
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
pub(super) struct Known {
    pub(super) design: TDesign,
    pub(super) sd: f64,
    pub(super) df: Option<f64>,
    /// How many tasks of equal noise it is averaged over.
    pub(super) tasks: f64,
}

impl Basis {
    pub(super) fn pilot(&self) -> Option<&Pilot> {
        match self {
            Self::Pilot(pilot) => Some(pilot),
            Self::Stated { .. } => None,
        }
    }

    pub(super) fn threshold(&self) -> f64 {
        match self {
            Self::Pilot(pilot) => pilot.threshold,
            Self::Stated { beyond, .. } => *beyond,
        }
    }

    /// A size on the scale of the verdict.
    pub(super) fn on_scale(&self, size: Margin) -> Result<f64, AnalysisError> {
        match (self, size) {
            (Self::Pilot(pilot), size) => pilot.on_scale(size),
            (Self::Stated { .. }, Margin::Absolute(size)) => Ok(size),
            (Self::Stated { .. }, Margin::Relative(_)) => Err(AnalysisError::Question(
                "a relative effect needs a pilot whose control has a mean other than 0; give the effect in the metric's \
                 unit"
                    .to_owned(),
            )),
        }
    }

    /// The other way round.
    pub(super) fn in_unit(&self, size: f64) -> f64 {
        self.pilot().map_or(size, |pilot| pilot.in_unit(size))
    }

    /// What N counts.
    pub(super) fn counted(&self, design: TDesign) -> String {
        match (self, design) {
            (Self::Stated { .. }, design) => design.unit().to_owned(),
            (Self::Pilot(pilot), TDesign::Paired) => {
                format!("pairs by {}{}", pilot.unit.word(), pilot.in_tasks())
            }
            (Self::Pilot(pilot), TDesign::Unpaired) => {
                format!("{}s per arm{}", pilot.unit.word(), pilot.in_tasks())
            }
        }
    }

    pub(super) fn notes(&self) -> Vec<String> {
        match self {
            Self::Pilot(pilot) => pilot.notes.clone(),
            Self::Stated { beyond, .. } if *beyond > 0.0 => Vec::new(),
            Self::Stated { .. } => vec![
                "the interval has to leave out 0 alone; a timing has to clear its threshold too: give spread and effect as \
                 shares, with --beyond 0.01"
                    .to_owned(),
            ],
        }
    }
}

/// One run's spread, that of pairs where it is known, and what pairing saves.
pub(super) fn spreads(
    basis: &Basis,
) -> Result<(Known, Option<Known>, Option<PairingGain>), AnalysisError> {
    match basis {
        Basis::Stated {
            sd,
            correlation,
            beyond,
        } => {
            stated(*sd, *correlation, *beyond)?;
            let known = |design, sd| Known {
                design,
                sd,
                df: None,
                tasks: 1.0,
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
            let moments = pilot.moments()?;
            let known = |design, of: Noise| {
                Ok::<_, AnalysisError>(Known {
                    design,
                    sd: varying(of.sd)?,
                    df: Some(of.df),
                    tasks: of.tasks,
                })
            };
            let unpaired = known(TDesign::Unpaired, moments.one)?;
            let paired = moments
                .difference
                .map(|of| known(TDesign::Paired, of))
                .transpose()?;
            let gain = paired
                .zip(moments.correlation)
                .map(|(paired, correlation)| PairingGain {
                    correlation,
                    variance_saved: 1.0 - paired.sd.powi(2) / (2.0 * unpaired.sd.powi(2)),
                });
            Ok((unpaired, paired, gain))
        }
    }
}

fn stated(sd: f64, correlation: Option<f64>, beyond: f64) -> Result<(), AnalysisError> {
    if !(sd > 0.0 && sd.is_finite()) {
        return Err(AnalysisError::Option {
            name: "--sd",
            value: sd.to_string(),
            expected: "a standard deviation above 0",
        });
    }
    if !(beyond >= 0.0 && beyond.is_finite()) {
        return Err(AnalysisError::Option {
            name: "--beyond",
            value: beyond.to_string(),
            expected: "a threshold of 0 or more",
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
