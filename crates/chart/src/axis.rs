//! Axes: from values to places, with ticks at round numbers or at names.

use crate::text::{SIZE, fit_apart, width, without_common_start, wrap_name};
use fairtrial_text::tick::{self, Offset, TickFormat};
use std::borrow::Cow;

/// Most ticks that are aimed at.
const TICKS: f64 = 6.0;
/// Room between the labels of neighbouring ticks.
const BETWEEN: f64 = 10.0;

/// Room that the shortest name under an axis takes.
const SHORTEST: f64 = 30.0;
/// Room between neighbouring names under an axis, and the lines that one may take.
const NAME_GAP: f64 = 3.0;
const NAME_LINES: usize = 3;
/// What stands between the parts of a name.
const PARTS: &str = " · ";

/// What stands along an axis.
#[derive(Debug, Clone, PartialEq)]
enum Along {
    /// Numbers.
    Values(TickFormat),
    /// One name per whole number, from 0, and a note for each at the far side.
    Names {
        names: Vec<String>,
        notes: Vec<String>,
    },
    /// Nothing is drawn.
    Hidden,
}

/// One axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    label: String,
    low: f64,
    high: f64,
    along: Along,
}

/// A tick: where, and what it says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tick {
    pub(crate) at: f64,
    pub(crate) label: String,
}

/// A name under an axis, in lines.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NameTick {
    pub(crate) at: f64,
    pub(crate) lines: Vec<String>,
    /// The whole name, where the lines do not have all of it.
    pub(crate) whole: Option<String>,
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
            along: Along::Values(TickFormat::Plain),
        }
    }

    /// An axis that shows all finite values, with a little room at both ends. Values that are all the same get room
    /// on both sides.
    pub fn around(label: impl Into<String>, values: impl IntoIterator<Item = f64>) -> Self {
        let mut range = None;
        for value in values.into_iter().filter(|value| value.is_finite()) {
            let (low, high) = range.unwrap_or((value, value));
            range = Some((value.min(low), value.max(high)));
        }
        let Some((low, high)) = range else {
            return Self::new(label, 0.0, 1.0);
        };
        let room = match high - low {
            span if span > 0.0 => 0.05 * span,
            _ if low == 0.0 => 1.0,
            _ => 0.5 * low.abs(),
        };
        Self::new(label, low - room, high + room)
    }

    /// An axis of names: the first stands at 0, the second at 1, and so on; a vertical one has the first on top.
    pub fn named(label: impl Into<String>, names: Vec<String>) -> Self {
        Self::noted(label, names, Vec::new())
    }

    /// The same with a note for each name at the far side.
    pub fn noted(label: impl Into<String>, names: Vec<String>, notes: Vec<String>) -> Self {
        Self {
            label: label.into(),
            low: -0.5,
            high: names.len().max(1) as f64 - 0.5,
            along: Along::Names { names, notes },
        }
    }

    /// An axis that only says where things are. Two of them make a panel whose units are as wide as high.
    pub fn hidden(low: f64, high: f64) -> Self {
        Self {
            along: Along::Hidden,
            ..Self::new("", low, high)
        }
    }

    /// The same with other tick labels.
    #[must_use]
    pub fn format(self, format: TickFormat) -> Self {
        Self {
            along: Along::Values(format),
            ..self
        }
    }

    /// What it is of, and what its ticks are counted from where that is not zero.
    pub(crate) fn label(&self) -> Cow<'_, str> {
        match self.offset() {
            Some(offset) => Cow::Owned(format!("{} − {offset}", self.label)),
            None => Cow::Borrowed(&self.label),
        }
    }

    fn offset(&self) -> Option<Offset> {
        let plain = self.along == Along::Values(TickFormat::Plain);
        plain.then(|| Offset::of(self.low, self.high)).flatten()
    }

    pub(crate) fn range(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    pub(crate) fn is_hidden(&self) -> bool {
        self.along == Along::Hidden
    }

    /// The names along it, where it has names.
    pub(crate) fn rows(&self) -> Option<&[String]> {
        match &self.along {
            Along::Names { names, .. } => Some(names),
            _ => None,
        }
    }

    /// The notes at the far side.
    pub(crate) fn notes(&self) -> &[String] {
        match &self.along {
            Along::Names { notes, .. } => notes,
            _ => &[],
        }
    }

    /// Where a value stands between 0 (low) and 1 (high); values outside lie outside.
    pub(crate) fn place(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }

    /// The names under an axis that is drawn across, `room` wide; none where it has numbers. What has no room in one
    /// line is broken between words and parts.
    pub(crate) fn names_across(&self, room: f64) -> Vec<NameTick> {
        let names = self.rows().unwrap_or(&[]);
        // Where there is no room for all, every second, third, ... name.
        let every = (names.len() as f64 * (SHORTEST + NAME_GAP) / room)
            .ceil()
            .max(1.0);
        let every = if every > 1.0 {
            every.max(self.every_readable(room))
        } else {
            every
        };
        let each = every * room / names.len().max(1) as f64 - NAME_GAP;
        // All in the same way, so that neighbours can be compared.
        let broken = names.iter().any(|name| width(name, SIZE) > each);
        let shown = self.shown_names(each);
        let lines = |name: &String| {
            let parts: Vec<&str> = name.split(PARTS).collect();
            match NAME_LINES.checked_sub(parts.len()) {
                _ if !broken => vec![name.clone()],
                Some(spare) => {
                    let parts = parts.iter();
                    parts
                        .flat_map(|part| wrap_name(part, each, 1 + spare))
                        .collect()
                }
                None => wrap_name(&parts.join(" "), each, NAME_LINES),
            }
        };
        let ticks = names
            .iter()
            .zip(shown.iter())
            .enumerate()
            .map(|(place, (name, shown))| {
                let lines = lines(shown);
                let is_cut = lines.iter().any(|line| line.contains('…'));
                NameTick {
                    at: place as f64,
                    lines,
                    whole: is_cut.then(|| name.clone()),
                }
            });
        ticks.step_by(every as usize).collect()
    }

    /// The names, without what all begin with where one cannot be broken into lines of this width.
    fn shown_names(&self, each: f64) -> Cow<'_, [String]> {
        let names = self.rows().unwrap_or(&[]);
        let is_cut = |name: &String| {
            let lines = wrap_name(name, each, NAME_LINES);
            lines.iter().any(|line| line.contains('…'))
        };
        if names.iter().any(is_cut) {
            Cow::Owned(without_common_start(names))
        } else {
            Cow::Borrowed(names)
        }
    }

    /// Of names that cannot all be there, those that are can be read: every so many, but three at least.
    fn every_readable(&self, room: f64) -> f64 {
        let names = self.rows().unwrap_or(&[]);
        let words = names.iter().flat_map(|name| name.split_whitespace());
        let widest = words.map(|word| width(word, SIZE)).fold(0.0, f64::max);
        let many = names.len() as f64;
        let needed = (many * (widest + NAME_GAP) / room).ceil();
        needed.min((many / 3.0).floor())
    }

    /// Ticks at numbers along an axis that is drawn across, `room` wide: as many as have room side by side.
    pub(crate) fn across(&self, room: f64) -> Vec<Tick> {
        let fits = |ticks: &[Tick]| {
            let widest = ticks
                .iter()
                .map(|tick| width(&tick.label, SIZE))
                .fold(0.0, f64::max);
            ticks.len() as f64 * (widest + BETWEEN) <= room + widest
        };
        let aims = [TICKS, 5.0, 4.0, 3.0, 2.0, 1.0];
        let candidates = aims.into_iter().map(|aim| self.numbers(aim));
        let mut last = Vec::new();
        for ticks in candidates {
            if fits(&ticks) {
                return ticks;
            }
            last = ticks;
        }
        last.truncate(1);
        last
    }

    /// Ticks along an axis that is drawn upwards; names take no more than `room`.
    pub(crate) fn upwards(&self, room: f64) -> Vec<Tick> {
        match self.rows() {
            Some(names) if names.iter().any(|name| width(name, SIZE) > room) => {
                named(fit_apart(&without_common_start(names), room))
            }
            Some(names) => named(names.to_vec()),
            None => self.numbers(TICKS),
        }
    }

    /// Ticks at round numbers.
    fn numbers(&self, aim: f64) -> Vec<Tick> {
        let Along::Values(format) = self.along else {
            return Vec::new();
        };
        let step = self.step(aim, format);
        let first = (self.low / step).ceil();
        let count = ((self.high / step).floor() - first).max(0.0) as usize;
        let values = (0..=count.min(100)).map(|place| (first + place as f64) * step);
        values
            .filter(|value| (self.low..=self.high).contains(value))
            .map(|value| Tick {
                at: value,
                label: tick::label(value, step, format, (self.low, self.high)),
            })
            .collect()
    }

    fn step(&self, aim: f64, format: TickFormat) -> f64 {
        let rough = (self.high - self.low) / aim;
        let power = 10f64.powf(rough.log10().floor());
        let round = [1.0, 2.0, 5.0, 10.0]
            .into_iter()
            .find(|round| round * power >= rough * 0.999);
        let step = round.unwrap_or(10.0) * power;
        if format == TickFormat::Count {
            step.round().max(1.0)
        } else {
            step
        }
    }
}

fn named(labels: Vec<String>) -> Vec<Tick> {
    let ticks = labels.into_iter().enumerate();
    ticks
        .map(|(place, label)| Tick {
            at: place as f64,
            label,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Axis, TickFormat};

    fn labels(axis: &Axis) -> Vec<String> {
        let ticks = axis.upwards(100.0).into_iter();
        ticks.map(|tick| tick.label).collect()
    }

    #[test]
    fn ticks_stand_at_round_numbers() {
        assert_eq!(
            labels(&Axis::new("", 0.0, 1.0)),
            ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
        );
        let percent = Axis::new("", 0.0, 0.07).format(TickFormat::Percent);
        assert_eq!(labels(&percent), ["0 %", "2 %", "4 %", "6 %"]);
        let change = Axis::new("", -0.01, 0.02).format(TickFormat::Change);
        assert_eq!(
            labels(&change),
            [
                "-1.0 %", "-0.5 %", "0.0 %", "+0.5 %", "+1.0 %", "+1.5 %", "+2.0 %"
            ]
        );
        assert_eq!(
            labels(&Axis::new("", 1.0, 4.0).format(TickFormat::Count)),
            ["1", "2", "3", "4"]
        );
        assert_eq!(labels(&Axis::new("", -1e9, 1e9))[0], "-1.0e9");
    }

    #[test]
    fn neighbours_far_from_zero_can_be_told_apart() {
        let shown = labels(&Axis::new("", 10_000_000.0, 10_000_010.0));
        let mut distinct = shown.clone();
        distinct.dedup();
        assert_eq!(shown, distinct);
    }

    #[test]
    fn values_far_from_zero_are_counted_from_a_round_number() {
        let axis = Axis::new("score", 999_999_998.5, 1_000_000_004.5);
        assert_eq!(axis.label(), "score − 1000000000");
        assert_eq!(labels(&axis), ["-1", "0", "+1", "+2", "+3", "+4"]);
        let near = Axis::new("score", 1000.0, 1010.0);
        assert_eq!(
            (near.label().as_ref(), labels(&near)[0].as_str()),
            ("score", "1000")
        );
    }

    #[test]
    fn ticks_that_have_no_room_side_by_side_are_fewer() {
        let axis = Axis::new("", 0.0, 900_000.0);
        assert!(axis.across(500.0).len() > axis.across(120.0).len());
        assert!(axis.across(1.0).len() <= 1);
    }

    #[test]
    fn names_are_cut_to_their_room() {
        let names = vec!["a".repeat(90), "b".to_owned()];
        let axis = Axis::named("", names);
        assert!(axis.upwards(80.0)[0].label.contains('…'));
        assert_eq!(axis.upwards(80.0)[1].label, "b");
        assert_eq!((axis.place(-0.5), axis.place(1.5)), (0.0, 1.0));
        let many = Axis::named("", (0..100).map(|n| n.to_string()).collect());
        assert_eq!(many.names_across(400.0).len(), 12);
        let pairs = (0..24).map(|n| format!("lunar-lander · {}", 10_000 + n));
        let ticks = Axis::named("", pairs.collect()).names_across(330.0);
        assert_eq!(ticks.len(), 4);
        assert_eq!(ticks[1].lines, ["lunar-lander", "10006"]);
    }

    #[test]
    fn names_under_an_axis_are_broken_before_they_are_cut() {
        let names = ["easy", "medium", "hard"]
            .iter()
            .flat_map(|task| ["control", "better"].map(|arm| format!("{task} · {arm}")));
        let axis = Axis::named("", names.collect());
        let ticks = axis.names_across(320.0);
        assert_eq!(ticks[2].lines, ["medium", "control"]);
        assert_eq!(ticks[0].lines, ["easy", "control"]);
        assert_eq!(axis.names_across(900.0)[2].lines, ["medium · control"]);
        assert!(axis.across(320.0).is_empty());
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
            assert!(axis.upwards(50.0).len() <= 101);
        }
        assert_eq!(Axis::around("", []).range(), (0.0, 1.0));
        let same = Axis::around("", [2.0, f64::NAN, 2.0]).range();
        assert_eq!(same, (1.0, 3.0));
    }
}
