//! What a column shows of its numbers, which decides what counts as the same where only its text is known.

use super::post_line::Side;
use super::post_table::PostTable;
use super::unit::unit;
use fairtrial_model::{Conversion, MetricDeclaration};
use fairtrial_spec::TableColumn;
use fairtrial_text::digits::Digits;

/// The digits of a line: as many decimals as are declared, else what the first of the tables shows whose column has
/// numbers.
pub(super) fn digits<'a>(
    mut tables: impl Iterator<Item = PostTable<'a>>,
    (column, metric): (&TableColumn, &MetricDeclaration),
    sides: [&Side; 2],
) -> Digits {
    let shown = tables.find_map(|table| {
        let place = table.place(column)?;
        let in_unit = of_duration(table, place, (column, metric), sides);
        in_unit.or_else(|| table.table.digits(place))
    });
    let shown = shown.unwrap_or_else(|| Digits::decimals(metric.precision.unwrap_or(2)));
    Digits {
        decimals: column.decimals.unwrap_or(shown.decimals),
        ..shown
    }
}

/// As many decimals as tell two durations of the column apart in the unit of the numbers: `25m` and `26m` in hours.
fn of_duration(
    table: PostTable<'_>,
    place: usize,
    (column, metric): (&TableColumn, &MetricDeclaration),
    sides: [&Side; 2],
) -> Option<Digits> {
    let unit = Conversion::between(unit(column, metric), "s").ok()?;
    let values = sides.into_iter().filter_map(|side| side.value);
    let least = values.map(f64::abs).reduce(f64::min).unwrap_or(0.0);
    let step = table.table.duration_step(place, unit.apply(least))? / unit.apply(1.0);
    let decimals = (-step.log10()).ceil().clamp(0.0, 17.0);
    Some(Digits::decimals(decimals as u8))
}
