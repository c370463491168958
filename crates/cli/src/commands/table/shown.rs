//! What a column shows of its numbers, which decides what counts as the same where only its text is known.

use super::file::TableFile;
use fairtrial_analysis::tables::Side;
use fairtrial_model::{Conversion, Digits, MetricDeclaration};
use fairtrial_spec::TableColumn;

/// The digits of a line: as many decimals as are declared, else what the first of the files shows whose column has
/// numbers.
pub(super) fn digits(
    files: &[&TableFile],
    (column, metric): (&TableColumn, &MetricDeclaration),
    sides: [&Side; 2],
) -> Digits {
    let of = |file: &&TableFile| {
        let place = file.table.column(&column.title).ok()?;
        let in_unit = |file: &TableFile| of_duration(file, place, (column, metric), sides);
        in_unit(file).or_else(|| file.table.digits(place))
    };
    let shown = files.iter().find_map(of);
    let shown = shown.unwrap_or_else(|| Digits::decimals(metric.precision.unwrap_or(2)));
    Digits {
        decimals: column.decimals.unwrap_or(shown.decimals),
        ..shown
    }
}

/// As many decimals as tell two durations of the column apart in the unit of the numbers: `25m` and `26m` in hours.
fn of_duration(
    file: &TableFile,
    place: usize,
    (column, metric): (&TableColumn, &MetricDeclaration),
    sides: [&Side; 2],
) -> Option<Digits> {
    let unit = Conversion::between(unit(column, metric), "s").ok()?;
    let values = sides.into_iter().filter_map(|side| side.value);
    let least = values.map(f64::abs).reduce(f64::min).unwrap_or(0.0);
    let step = file.table.duration_step(place, unit.apply(least))? / unit.apply(1.0);
    let decimals = (-step.log10()).ceil().clamp(0.0, 17.0);
    Some(Digits::decimals(decimals as u8))
}

/// Seconds in the unit of a column.
pub(super) fn from_seconds(seconds: f64, column: &TableColumn, metric: &MetricDeclaration) -> f64 {
    let unit = unit(column, metric);
    Conversion::between("s", unit).map_or(seconds, |convert| convert.apply(seconds))
}

fn unit<'a>(column: &'a TableColumn, metric: &'a MetricDeclaration) -> &'a str {
    let converted = column.convert.as_ref().map(Conversion::to_unit);
    converted.or(metric.unit.as_deref()).unwrap_or("s")
}
