//! The charts: each is one kind of data and one function that makes a figure of it. Nothing is computed here but where
//! things stand.

mod curves;
mod density;
mod distribution;
mod forest;
mod frontier;
mod heading;
mod heat_map;
mod history;
mod intervals;
mod pairs;
mod power;
mod profile;
mod radial;
mod trajectory;

pub use curves::{Curve, Curves, curves};
pub use density::{Densities, DensityLine, density};
pub use distribution::{Distribution, DistributionGroup, distribution};
pub use forest::{Forest, ForestRow, forest};
pub use frontier::{Frontier, FrontierArm, frontier};
pub use heading::Heading;
pub use heat_map::{HeatCell, HeatMap, HeatRow, heat_map};
pub use history::{History, HistoryPoint, Shift, history};
pub use intervals::{IntervalRow, Intervals, intervals};
pub use pairs::{Pairs, pairs};
pub use power::{Power, PowerLine, power};
pub use profile::{Counted, Profile, ProfileLine, profile};
pub use radial::{Radial, RadialArm, radial};
pub use trajectory::{LookPoint, Trajectory, trajectory};

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
