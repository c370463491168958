//! One unit for numbers that stand beside each other.

use super::bench_answer::BenchNumbers;
use fairtrial_text::number::NumberFormat;

/// A unit of time, or so many of what is counted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Unit {
    name: &'static str,
    /// How many there are in a second, or in one of what is counted.
    per_one: f64,
}

impl Unit {
    /// The largest unit in which the smallest of these values is at least one.
    pub(super) fn of(numbers: BenchNumbers, values: impl Iterator<Item = f64>) -> Self {
        let least = values
            .filter(|value| *value > 0.0)
            .fold(f64::INFINITY, f64::min);
        let (name, per_one) = match least {
            _ if numbers == BenchNumbers::Times => return Self::of_time(least),
            least if least >= 1e9 => ("G", 1e-9),
            least if least >= 1e6 => ("M", 1e-6),
            least if least >= 1e3 => ("k", 1e-3),
            _ => ("", 1.0),
        };
        Self { name, per_one }
    }

    fn of_time(least: f64) -> Self {
        let (name, per_one) = match least {
            least if least >= 1.0 => ("s", 1.0),
            least if least >= 1e-3 => ("ms", 1e3),
            _ => ("µs", 1e6),
        };
        Self { name, per_one }
    }

    /// What it is called.
    pub(super) const fn name(self) -> &'static str {
        self.name
    }

    /// Seconds in this unit.
    pub(super) fn of_seconds(self, seconds: f64) -> f64 {
        seconds * self.per_one
    }

    /// Seconds in this unit, to the digits that a half width leaves, or to four.
    pub(super) fn show(self, seconds: f64, half_width: Option<f64>) -> String {
        let (value, half) = (
            seconds * self.per_one,
            half_width.map(|half| half * self.per_one),
        );
        let uncertainties: Vec<f64> = half.into_iter().collect();
        let format = NumberFormat::choose(&[value], &uncertainties, None);
        let shown = match half {
            Some(half) => format.plus_minus(value, half),
            None => format.number(value),
        };
        format!("{shown} {}", self.name).trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::{BenchNumbers::*, Unit};

    #[test]
    fn the_smallest_time_names_the_unit() {
        let ms = Unit::of(Times, [0.0123, 1.5].into_iter());
        assert_eq!(ms.show(0.0123, Some(0.0002)), "12.30 ± 0.20 ms");
        assert_eq!(ms.show(1.5, None), "1500 ms");
        assert_eq!(Unit::of(Times, [0.0].into_iter()).show(0.0, None), "0 s");
        assert_eq!(
            Unit::of(Times, [2.0, 3.0].into_iter()).show(2.5, None),
            "2.500 s"
        );
        let counts = Unit::of(Counts, [2_500_000.0, 7e9].into_iter());
        assert_eq!(counts.show(2_500_000.0, Some(1000.0)), "2.5000 ± 0.0010 M");
        assert_eq!(Unit::of(Counts, [7.0].into_iter()).show(7.0, None), "7");
    }
}
