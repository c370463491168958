//! Axes: from values to places, with ticks at round numbers.

/// Fewest and most ticks that are aimed at.
const TICKS: f64 = 6.0;

/// How tick labels are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TickFormat {
    /// As it is.
    #[default]
    Plain,
    /// A share as percent.
    Percent,
    /// Whole numbers only: counts.
    Count,
}

/// One axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    label: String,
    low: f64,
    high: f64,
    format: TickFormat,
}

impl Axis {
    /// An axis over a range of values; a range that is empty or not finite becomes one around it that can be drawn.
    pub fn new(label: impl Into<String>, low: f64, high: f64) -> Self {
        let (low, high) = match (low.is_finite(), high.is_finite()) {
            (true, true) if low < high => (low, high),
            (true, _) => (low, low + low.abs().max(1.0)),
            (false, true) => (high - high.abs().max(1.0), high),
            (false, false) => (0.0, 1.0),
        };
        Self {
            label: label.into(),
            low,
            high,
            format: TickFormat::Plain,
        }
    }

    /// The same with other tick labels.
    #[must_use]
    pub fn format(self, format: TickFormat) -> Self {
        Self { format, ..self }
    }

    pub(crate) fn label(&self) -> &str {
        &self.label
    }

    /// Where a value stands between 0 (low) and 1 (high); values outside lie outside.
    pub(crate) fn place(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }

    /// Ticks with their labels.
    pub(crate) fn ticks(&self) -> Vec<(f64, String)> {
        let step = self.step();
        let first = (self.low / step).ceil();
        let count = ((self.high / step).floor() - first).max(0.0) as usize;
        let values = (0..=count.min(100)).map(|place| (first + place as f64) * step);
        values
            .map(|value| (value, self.tick_label(value, step)))
            .collect()
    }

    fn step(&self) -> f64 {
        let rough = (self.high - self.low) / TICKS;
        let power = 10f64.powf(rough.log10().floor());
        let round = [1.0, 2.0, 5.0, 10.0]
            .into_iter()
            .find(|round| round * power >= rough * 0.999);
        let step = round.unwrap_or(10.0) * power;
        if self.format == TickFormat::Count {
            step.round().max(1.0)
        } else {
            step
        }
    }

    fn tick_label(&self, value: f64, step: f64) -> String {
        let (shown, step, unit) = match self.format {
            TickFormat::Percent => (100.0 * value, 100.0 * step, " %"),
            TickFormat::Plain | TickFormat::Count => (value, step, ""),
        };
        let largest = self.low.abs().max(self.high.abs());
        if self.format == TickFormat::Plain && !(1e-4..1e6).contains(&largest) {
            return format!("{shown:.1e}");
        }
        let decimals = (-step.log10().floor()).clamp(0.0, 8.0) as usize;
        // Rounding must not leave a minus before zero.
        let shown = if shown.abs() < step / 1e6 { 0.0 } else { shown };
        format!("{shown:.decimals$}{unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::{Axis, TickFormat};

    fn labels(axis: &Axis) -> Vec<String> {
        axis.ticks().into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn ticks_stand_at_round_numbers() {
        assert_eq!(
            labels(&Axis::new("", 0.0, 1.0)),
            ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
        );
        let percent = Axis::new("", 0.0, 0.07).format(TickFormat::Percent);
        assert_eq!(labels(&percent), ["0 %", "2 %", "4 %", "6 %"]);
        assert_eq!(
            labels(&Axis::new("", 1.0, 4.0).format(TickFormat::Count)),
            ["1", "2", "3", "4"]
        );
        assert_eq!(labels(&Axis::new("", -1e9, 1e9))[0], "-1.0e9");
    }

    #[test]
    fn impossible_ranges_can_still_be_drawn() {
        for (low, high) in [
            (1.0, 1.0),
            (f64::NAN, 2.0),
            (0.0, f64::INFINITY),
            (f64::NAN, f64::NAN),
            (3.0, -3.0),
        ] {
            let axis = Axis::new("", low, high);
            assert!(axis.place(axis.low) == 0.0 && axis.place(axis.high) == 1.0);
            assert!(axis.ticks().len() <= 101);
        }
    }
}
