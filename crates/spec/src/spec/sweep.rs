//! A grid of parameter points.

use fairtrial_model::ParamValue;
use serde::{Deserialize, Serialize};

/// A grid of parameter points.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    /// Axes in the user's order, each with at least one value; empty means one point without parameters.
    pub axes: Vec<Axis>,
    /// How the axes are combined.
    pub strategy: Strategy,
}

impl Sweep {
    /// How many combinations the values of its axes have, whatever the strategy; one where it sweeps nothing.
    pub fn combinations(&self) -> u128 {
        self.axes.iter().fold(1, |product: u128, axis| {
            product.saturating_mul(axis.values.len() as u128)
        })
    }
}

/// One swept parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// The parameter.
    pub name: String,
    /// Its values.
    pub values: Vec<ParamValue>,
}

/// How axes are combined into points.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// Every combination, the last axis fastest.
    #[default]
    Cartesian,
    /// The first values together, the second values together, ...; all axes have one length.
    Zip,
    /// This many draws, each axis independently, with replacement.
    Random {
        /// How many.
        samples: usize,
    },
}
