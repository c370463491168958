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
    names: Vec<String>,
}

/// Letters of a name under an axis before it is cut; more names leave less room for each.
const NAME_LETTERS: usize = 60;

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
            names: Vec::new(),
        }
    }

    /// An axis of names: the first stands at 0, the second at 1, and so on.
    pub fn named(label: impl Into<String>, names: Vec<String>) -> Self {
        let last = names.len() as f64 - 1.0;
        Self {
            names,
            ..Self::new(label, -0.5, last.max(0.0) + 0.5)
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
        if !self.names.is_empty() {
            return self.named_ticks();
        }
        let step = self.step();
        let first = (self.low / step).ceil();
        let count = ((self.high / step).floor() - first).max(0.0) as usize;
        let values = (0..=count.min(100)).map(|place| (first + place as f64) * step);
        values
            .map(|value| (value, self.tick_label(value, step)))
            .collect()
    }

    /// Every name, cut to the room that there is; where even that is not enough, every second, third, ... name.
    fn named_ticks(&self) -> Vec<(f64, String)> {
        let room = (NAME_LETTERS / self.names.len()).max(6);
        let every = (self.names.len() * 6).div_ceil(NAME_LETTERS).max(1);
        let named = self.names.iter().enumerate().step_by(every);
        named
            .map(|(place, name)| (place as f64, cut(name, room)))
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

fn cut(name: &str, letters: usize) -> String {
    if name.chars().count() <= letters {
        return name.to_owned();
    }
    let start: String = name.chars().take(letters - 1).collect();
    format!("{start}…")
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
    fn names_stand_at_whole_numbers_and_are_cut_where_they_are_long() {
        let axis = Axis::named("", vec!["a".into(), "b".repeat(50)]);
        assert_eq!(labels(&axis)[0], "a");
        assert_eq!(labels(&axis)[1].chars().count(), 30);
        assert_eq!(axis.place(0.5), 0.5);
        let many = Axis::named("", (0..100).map(|n| n.to_string()).collect());
        assert_eq!(many.ticks().len(), 10);
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
