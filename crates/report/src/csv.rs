//! A comparison as CSV: one row per contrast and metric, every number in full.

use crate::comparison::centres;
use fairtrial_analysis::Comparison;
use fairtrial_analysis::compare::{Contrast, MetricComparison, Role};
use fairtrial_text::escape;
use serde_json::Value;

/// The columns, in order.
const COLUMNS: [&str; 26] = [
    "control",
    "candidate",
    "point",
    "metric",
    "role",
    "verdict",
    "reason",
    "control_mean",
    "candidate_mean",
    "delta",
    "delta_low",
    "delta_high",
    "relative",
    "relative_low",
    "relative_high",
    "alpha",
    "p",
    "adjusted_p",
    "margin",
    "n_control",
    "n_candidate",
    "unit",
    "paired",
    "dropped",
    "detectable",
    "method",
];

/// Rows of any columns as CSV text with a header; what is not known is empty.
pub fn rows(columns: &[String], rows: &[Vec<Value>]) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(columns)?;
    for row in rows {
        writer.write_record(
            row.iter()
                .map(|value| escape::csv(&cell_text(value)).into_owned()),
        )?;
    }
    let bytes = writer
        .into_inner()
        .map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A value as the text of a cell.
pub(crate) fn cell_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The comparison as CSV text with a header.
pub fn comparison(comparison: &Comparison) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    for contrast in &comparison.contrasts {
        for metric in &contrast.metrics {
            let cells = row(contrast, metric);
            writer.write_record(cells.iter().map(|cell| escape::csv(cell).into_owned()))?;
        }
    }
    let bytes = writer
        .into_inner()
        .map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn row(contrast: &Contrast, metric: &MetricComparison) -> Vec<String> {
    let effect = metric.effect.as_ref();
    let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    let relative = effect.and_then(|effect| effect.relative);
    let [control, candidate] = centres(metric);
    let role = match metric.role {
        Role::Primary => "primary",
        Role::Secondary => "secondary",
    };
    vec![
        side(&contrast.control),
        side(&contrast.candidate),
        contrast.point.to_string(),
        metric.metric.clone(),
        role.to_owned(),
        metric.verdict.word.to_string(),
        crate::comparison::why(metric),
        number(control),
        number(candidate),
        number(effect.map(|effect| effect.absolute.value)),
        number(effect.map(|effect| effect.absolute.low)),
        number(effect.map(|effect| effect.absolute.high)),
        number(relative.map(|relative| relative.value)),
        number(relative.map(|relative| relative.low)),
        number(relative.map(|relative| relative.high)),
        number(effect.map(|effect| effect.alpha)),
        number(effect.and_then(|effect| effect.p)),
        number(metric.family.adjusted_p),
        number(effect.and_then(|effect| effect.margin)),
        metric.count.control.to_string(),
        metric.count.candidate.to_string(),
        metric.count.unit.word().to_owned(),
        metric.count.paired.to_string(),
        metric.dropped.len().to_string(),
        number(
            metric
                .second_opinions
                .detectable
                .map(|detectable| detectable.absolute),
        ),
        crate::words::method(metric).unwrap_or_else(|| "none".to_owned()),
    ]
}

fn side(side: &fairtrial_analysis::compare::SideName) -> String {
    match &side.arm {
        Some(arm) => format!("{} · {arm}", side.source),
        None => side.source.clone(),
    }
}
