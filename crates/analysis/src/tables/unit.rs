//! A metric in the unit of a column: a table may show minutes of what was measured in seconds.

use fairtrial_model::{Conversion, ConversionError, Margin, MetricDeclaration};
use fairtrial_spec::TableColumn;

/// By what a number of the metric is multiplied to get the column's.
pub(super) fn scale(column: &TableColumn) -> f64 {
    let convert = column.convert.as_ref();
    convert.map_or(1.0, |convert| convert.apply(1.0))
}

/// By what a number of single episodes is multiplied to get the column's.
pub(super) fn share_scale(metric: &MetricDeclaration, column: &TableColumn) -> f64 {
    let own = metric
        .convert
        .as_ref()
        .map_or(1.0, |convert| convert.apply(1.0));
    own * scale(column)
}

/// The metric with unit and margin of the column.
pub(super) fn in_column_unit(
    mut metric: MetricDeclaration,
    column: &TableColumn,
) -> MetricDeclaration {
    if let Some(convert) = &column.convert {
        metric.unit = Some(convert.to_unit().to_owned());
        if let Some(Margin::Absolute(margin)) = metric.margin {
            metric.margin = Some(Margin::Absolute(margin * scale(column)));
        }
    }
    metric
}

/// Seconds in the unit of a column.
pub(super) fn from_seconds(
    seconds: f64,
    column: &TableColumn,
    metric: &MetricDeclaration,
) -> Result<f64, ConversionError> {
    Ok(Conversion::between("s", unit(column, metric))?.apply(seconds))
}

/// The unit of a column: what it is converted to there, what the metric says, or what that is converted to; seconds where
/// none is declared.
pub(super) fn unit<'a>(column: &'a TableColumn, metric: &'a MetricDeclaration) -> &'a str {
    let converted = column.convert.as_ref().map(Conversion::to_unit);
    let own = metric.convert.as_ref().map(Conversion::to_unit);
    converted.or(metric.unit.as_deref()).or(own).unwrap_or("s")
}

#[cfg(test)]
mod tests {
    use super::from_seconds;
    use fairtrial_model::{Conversion, MetricDeclaration};
    use fairtrial_spec::TableColumn;

    #[test]
    fn three_minutes_are_3_in_a_column_of_a_metric_that_is_converted_to_minutes() {
        let mut column = TableColumn {
            title: "Run Time".to_owned(),
            metric: "time".to_owned(),
            convert: None,
            decimals: None,
            missing: None,
        };
        let mut metric = MetricDeclaration::named("time");
        let shown = |column: &TableColumn, metric: &MetricDeclaration| {
            from_seconds(180.0, column, metric).unwrap()
        };
        assert_eq!(shown(&column, &metric), 180.0);
        metric.convert = Some(Conversion::between("s", "min").unwrap());
        assert_eq!(shown(&column, &metric), 3.0);
        column.convert = Some(Conversion::between("min", "h").unwrap());
        assert_eq!(shown(&column, &metric), 0.05);
    }
}
