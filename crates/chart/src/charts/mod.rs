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
pub use profile::{Profile, ProfileLine, profile};
pub use radial::{Radial, RadialArm, radial};
pub use trajectory::{LookPoint, Trajectory, trajectory};

/// What stands around every chart.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Heading {
    /// The title.
    pub title: String,
    /// A sentence under it.
    pub subtitle: String,
}

impl Heading {
    /// The lines under the title.
    fn lines(&self) -> Vec<String> {
        if self.subtitle.is_empty() {
            Vec::new()
        } else {
            vec![self.subtitle.clone()]
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
