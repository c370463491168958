//! One unit of time for numbers that stand beside each other.

use fairtrial_text::number::NumberFormat;

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TimeUnit {
    name: &'static str,
    /// How many there are in a second.
    in_second: f64,
}

impl TimeUnit {
    /// The largest unit in which the smallest of these seconds is at least one.
    pub(super) fn of(seconds: impl Iterator<Item = f64>) -> Self {
        let least = seconds
            .filter(|value| *value > 0.0)
            .fold(f64::INFINITY, f64::min);
        let (name, in_second) = match least {
            least if least >= 1.0 => ("s", 1.0),
            least if least >= 1e-3 => ("ms", 1e3),
            _ => ("µs", 1e6),
        };
        Self { name, in_second }
    }

    /// What it is called.
    pub(super) const fn name(self) -> &'static str {
        self.name
    }

    /// Seconds in this unit.
    pub(super) fn of_seconds(self, seconds: f64) -> f64 {
        seconds * self.in_second
    }

    /// Seconds in this unit, to the digits that a half width leaves, or to four.
    pub(super) fn show(self, seconds: f64, half_width: Option<f64>) -> String {
        let (value, half) = (
            seconds * self.in_second,
            half_width.map(|half| half * self.in_second),
        );
        let uncertainties: Vec<f64> = half.into_iter().collect();
        let format = NumberFormat::choose(&[value], &uncertainties, None);
        match half {
            Some(half) => format!("{} {}", format.plus_minus(value, half), self.name),
            None => format!("{} {}", format.number(value), self.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::TimeUnit;

    #[test]
    fn the_smallest_time_names_the_unit() {
        let ms = TimeUnit::of([0.0123, 1.5].into_iter());
        assert_eq!(ms.show(0.0123, Some(0.0002)), "12.30 ± 0.20 ms");
        assert_eq!(ms.show(1.5, None), "1500 ms");
        assert_eq!(TimeUnit::of([0.0].into_iter()).show(0.0, None), "0 s");
        assert_eq!(
            TimeUnit::of([2.0, 3.0].into_iter()).show(2.5, None),
            "2.500 s"
        );
    }
}
