//! The charts: each is one kind of data and one function that makes a figure of it. Nothing is computed here but where
//! things stand.

mod curves;
mod distribution;
mod forest;
mod history;
mod power;
mod profile;
mod radial;
mod trajectory;

pub use curves::{Curve, Curves, curves};
pub use distribution::{Distribution, Group, distribution};
pub use forest::{Forest, ForestRow, forest};
pub use history::{History, HistoryPoint, Shift, history};
pub use power::{Power, PowerLine, power};
pub use profile::{Counted, Profile, ProfileLine, profile};
pub use radial::{Radial, RadialArm, radial};
pub use trajectory::{LookPoint, Trajectory, trajectory};

use crate::{Figure, Panel};

/// What stands around every chart.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Heading {
    /// The title.
    pub title: String,
    /// A sentence under it.
    pub subtitle: String,
    /// What is missing or cut, without which the chart would be read wrong.
    pub notes: Vec<String>,
}

impl Heading {
    /// The figure of one panel under this heading.
    fn over(&self, panel: Panel, description: String) -> Figure {
        let subtitle = Some(self.subtitle.clone()).filter(|text| !text.is_empty());
        Figure {
            title: self.title.clone(),
            subtitle: subtitle.into_iter().collect(),
            notes: self.notes.clone(),
            description,
            columns: 1,
            panels: vec![panel],
        }
    }
}

/// `reward (points)`: an axis carries its unit.
pub fn with_unit(name: &str, unit: Option<&str>) -> String {
    match unit {
        Some(unit) if !unit.is_empty() => format!("{name} ({unit})"),
        _ => name.to_owned(),
    }
}
