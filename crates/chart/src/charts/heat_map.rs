//! The heat map: a value for each task and arm, the better the darker, with the number in it.

use super::heading::Heading;
use crate::{Axis, Figure, Mark, Panel};

/// Values by row and column.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HeatMap {
    /// Title and subtitle.
    pub heading: Heading,
    /// The columns.
    pub columns: Vec<String>,
    /// The rows, from the top down.
    pub rows: Vec<HeatRow>,
}

/// One row.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HeatRow {
    /// Its name.
    pub name: String,
    /// One per column.
    pub cells: Vec<HeatCell>,
}

/// One value.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HeatCell {
    /// How good it is among the others: from 0 to 1. NaN where there is no value.
    pub level: f64,
    /// What it says.
    pub text: String,
}

/// Draws a heat map.
pub fn heat_map(data: &HeatMap) -> Figure {
    let tiles = data.rows.iter().enumerate().flat_map(|(row, of)| {
        let cells = of.cells.iter().enumerate();
        cells.map(move |(column, cell)| Mark::Tile {
            x: column as f64,
            y: row as f64,
            level: cell.level,
            text: cell.text.clone(),
        })
    });
    let panel = Panel {
        title: String::new(),
        x: Axis::named("", data.columns.clone()),
        y: Axis::named("", data.rows.iter().map(|row| row.name.clone()).collect()),
        marks: tiles.collect(),
    };
    data.heading.over(panel, description(data))
}

fn description(data: &HeatMap) -> String {
    let rows = data.rows.iter().map(|row| {
        let cells = data.columns.iter().zip(&row.cells);
        let cells = cells.map(|(column, cell)| match cell.text.as_str() {
            "" => format!("{column} no value"),
            text => format!("{column} {text}"),
        });
        format!("{}: {}", row.name, cells.collect::<Vec<_>>().join(", "))
    });
    format!("{}.", rows.collect::<Vec<_>>().join("; "))
}
