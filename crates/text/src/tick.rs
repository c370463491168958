//! What ticks at numbers say: enough digits to tell neighbours apart, and not more.

use crate::number::NumberFormat;
use std::fmt;

/// So many times their spread from zero, values are written as what they are above a round number.
const FAR: f64 = 1e5;
/// Up to here numbers count one by one.
const WHOLE: f64 = 1e15;
/// Steps below this would begin with too many zeros.
const SMALL_STEP: f64 = 1e-5;
/// Largest values outside of this range are written with powers of ten.
const READABLE: std::ops::Range<f64> = 1e-4..1e6;

/// How tick labels are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TickFormat {
    /// As it is.
    #[default]
    Plain,
    /// A share as percent.
    Percent,
    /// A share as percent with its sign: changes.
    Change,
    /// Whole numbers only: counts.
    Count,
}

/// A round number from which ticks are counted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Offset {
    value: f64,
    unit: f64,
}

impl Offset {
    /// Values far from zero that hardly differ would all read alike, or not at all: they are counted from such a number.
    pub fn of(low: f64, high: f64) -> Option<Self> {
        let span = high - low;
        let largest = low.abs().max(high.abs());
        if !(FAR..WHOLE).contains(&(largest / span)) || largest > WHOLE {
            return None;
        }
        let unit = 10f64.powf(span.log10().ceil());
        let value = ((low + span / 2.0) / unit).round() * unit;
        Some(Self { value, unit })
    }
}

impl fmt::Display for Offset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = (-self.unit.log10().round()).clamp(0.0, 17.0) as usize;
        write!(f, "{:.decimals$}", self.value)
    }
}

/// The label of the tick at a value, on an axis over this range with a tick at every `step`.
pub fn label(value: f64, step: f64, format: TickFormat, (low, high): (f64, f64)) -> String {
    let largest = low.abs().max(high.abs());
    match format {
        TickFormat::Percent => decimal(100.0 * value, 100.0 * step, NumberFormat::number) + " %",
        TickFormat::Change => decimal(100.0 * value, 100.0 * step, NumberFormat::signed) + " %",
        TickFormat::Count => decimal(value, step, NumberFormat::number),
        TickFormat::Plain => match Offset::of(low, high) {
            Some(offset) => decimal(value - offset.value, step, NumberFormat::signed),
            None if READABLE.contains(&largest) => decimal(value, step, NumberFormat::number),
            None => power_of_ten(value, step, largest),
        },
    }
}

fn power_of_ten(value: f64, step: f64, largest: f64) -> String {
    // As many digits as it takes to tell neighbours apart.
    let digits = (largest / step).log10().ceil().clamp(1.0, 8.0) as usize;
    if value.abs() < step / 1e6 {
        "0".to_owned()
    } else {
        NumberFormat::Scientific(digits).number(value)
    }
}

/// A number with the decimals that tell neighbouring ticks apart.
fn decimal(shown: f64, step: f64, write: fn(NumberFormat, f64) -> String) -> String {
    let format = if step >= SMALL_STEP {
        NumberFormat::Fixed((-step.log10().floor()).clamp(0.0, 8.0) as usize)
    } else if shown.abs() < step / 1e6 {
        return "0".to_owned();
    } else {
        NumberFormat::Scientific((shown.abs() / step).log10().ceil().clamp(0.0, 8.0) as usize)
    };
    write(format, shown)
}

#[cfg(test)]
mod tests {
    use super::{Offset, TickFormat, label};

    #[test]
    fn the_number_that_ticks_are_counted_from_is_round() {
        let shown = |low, high| Offset::of(low, high).map(|offset| offset.to_string());
        assert_eq!(
            shown(999_999_998.5, 1_000_000_004.5).as_deref(),
            Some("1000000000")
        );
        assert_eq!(shown(0.300_001, 0.300_003).as_deref(), Some("0.30000"));
        assert_eq!(shown(1000.0, 1010.0), None);
    }

    #[test]
    fn tiny_steps_are_told_apart() {
        let shown = |value| label(value, 5e-10, TickFormat::Change, (-1e-10, 1.6e-9));
        assert_eq!(
            [0.0, 5e-10, 1e-9, 1.5e-9].map(shown),
            ["0 %", "+5e-8 %", "+1.0e-7 %", "+1.5e-7 %"]
        );
    }
}
