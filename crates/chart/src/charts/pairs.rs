//! Paired differences: each pair as a point, the smallest difference first, with the line of no difference.

use super::heading::Heading;
use crate::{Axis, Figure, Mark, Panel, Series};

/// The differences of pairs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pairs {
    /// Title and subtitle.
    pub heading: Heading,
    /// What the pairs are.
    pub pair: String,
    /// What the differences are, with their unit.
    pub value: String,
    /// The pairs with their differences, in the order in which they are drawn.
    pub differences: Vec<(String, f64)>,
}

/// Draws paired differences.
pub fn pairs(data: &Pairs) -> Figure {
    let sides: [fn(f64) -> bool; 2] = [|value| value < 0.0, |value| value >= 0.0];
    let placed = || (0..).map(f64::from).zip(&data.differences);
    let mut marks = vec![Mark::Level {
        series: Series(0),
        y: 0.0,
        label: String::new(),
    }];
    marks.extend(sides.iter().enumerate().map(|(series, is_in)| {
        let points = placed().filter(|(_, (_, value))| is_in(*value));
        Mark::Points {
            series: Series(1 - series),
            points: points.map(|(place, (_, value))| (place, *value)).collect(),
            label: String::new(),
        }
    }));
    let names = data.differences.iter().map(|(name, _)| name.clone());
    let values = data.differences.iter().map(|(_, value)| *value);
    let panel = Panel {
        title: String::new(),
        x: Axis::named(&data.pair, names.collect()),
        y: Axis::around(&data.value, values.chain([0.0])),
        marks,
    };
    data.heading.over(panel, description(data))
}

fn description(data: &Pairs) -> String {
    let above = data.differences.iter().filter(|(_, value)| *value > 0.0);
    let below = data.differences.iter().filter(|(_, value)| *value < 0.0);
    format!(
        "{}: {} pairs, {} above 0, {} below 0.",
        data.value,
        data.differences.len(),
        above.count(),
        below.count()
    )
}
