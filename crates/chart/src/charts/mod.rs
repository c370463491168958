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

/// What an arrow at the end of an interval means.
const GOES_ON: &str = "An arrow says that an interval goes on beyond the edge.";

/// What an axis must show of a value with its interval: the value, and each end as far as `reach` from it. An end that
/// is NaN is none, and takes no room.
fn within([low, value, high]: [f64; 3], reach: f64) -> impl Iterator<Item = f64> {
    let low = (!low.is_nan()).then(|| low.max(value - reach));
    let high = (!high.is_nan()).then(|| high.min(value + reach));
    [low, Some(value), high].into_iter().flatten()
}

/// `reward (points)`: an axis carries its unit.
pub fn with_unit(name: &str, unit: Option<&str>) -> String {
    match unit {
        Some(unit) if !unit.is_empty() => format!("{name} ({unit})"),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Forest, ForestRow, History, HistoryPoint, forest, history};

    #[test]
    fn runs_without_an_interval_do_not_flatten_a_history() {
        let point = |value: f64| HistoryPoint {
            name: String::new(),
            range: [f64::NAN, value, f64::NAN],
        };
        let drawn = history(&History {
            points: [99.0, 102.0, 100.0].map(point).to_vec(),
            ..History::default()
        });
        let (low, high) = drawn.panels[0].y.range();
        assert!(low > 98.0 && high < 103.0, "{low} to {high}");
    }

    #[test]
    fn rows_without_an_interval_do_not_flatten_a_forest() {
        let row = |range: [f64; 3]| ForestRow {
            range,
            ..ForestRow::default()
        };
        let drawn = forest(&Forest {
            rows: vec![row([-1.0, 0.0, 1.0]), row([f64::NAN, 0.5, f64::NAN])],
            ..Forest::default()
        });
        let (low, high) = drawn.panels[0].x.range();
        assert!(low > -1.2 && high < 1.2, "{low} to {high}");
    }
}
