//! Numbers as tables write them (`98.27`, `99.06%`, `2h56m`, `33s`, `50 000`, `1e-3`), and how a column writes its own.

mod cell;
mod clock;
mod decimals;
mod exponent;

use crate::count::grouped;
use crate::digits::Digits;
use crate::number::without_negative_zero;
pub use cell::{CellNumber, NumberStyle};
use clock::{clock, join_durations, read_duration, step};
pub use decimals::Decimals;
pub use exponent::Exponent;
use exponent::Scientific;

/// How a column writes its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColumnStyle {
    /// How its numbers look.
    pub style: NumberStyle,
    /// How many decimals they have.
    pub decimals: Decimals,
    /// In a column of plain numbers where some have an exponent: how those are written that its decimals would lose.
    beyond: Option<Scientific>,
}

const PLAIN: NumberStyle = NumberStyle::Plain {
    percent: false,
    thousands: None,
};

/// Reads a cell; nothing where it holds no number.
pub fn read_number(text: &str) -> Option<CellNumber> {
    let text = text.trim();
    read_plain(text).or_else(|| read_duration(text))
}

fn read_plain(text: &str) -> Option<CellNumber> {
    let (bare, percent) = match text.strip_suffix('%') {
        Some(bare) => (bare.trim_end(), true),
        None => (text, false),
    };
    let starts_well =
        bare.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'));
    if !starts_well {
        return None;
    }
    let thousands = [' ', ',', '\u{a0}', '\u{202f}', '_', '\'']
        .into_iter()
        .find(|mark| are_thousands(bare, *mark));
    let digits: String = match thousands {
        Some(mark) => bare.replace(mark, ""),
        None => bare.to_owned(),
    };
    let value: f64 = digits.parse().ok()?;
    let fraction = digits.split_once('.').map_or("", |(_, fraction)| fraction);
    let decimals = fraction.bytes().take_while(u8::is_ascii_digit).count();
    Some(CellNumber {
        value,
        style: match Exponent::of(&digits) {
            Some(exponent) => NumberStyle::Scientific { percent, exponent },
            None => NumberStyle::Plain { percent, thousands },
        },
        decimals: u8::try_from(decimals).unwrap_or(u8::MAX),
    })
}

/// Whether a mark stands between groups of three digits, and only there.
fn are_thousands(text: &str, mark: char) -> bool {
    let whole = text.split('.').next().unwrap_or_default();
    let whole = whole.trim_start_matches(['-', '+']);
    let mut groups = whole.split(mark);
    let digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    let first = groups.next().unwrap_or_default();
    let mut later = groups.peekable();
    later.peek().is_some()
        && (1..=3).contains(&first.len())
        && digits(first)
        && later.all(|group| group.len() == 3 && digits(group))
}

/// What a column's cells have in common; nothing where none holds a number.
pub fn style_of<'a>(cells: impl Iterator<Item = &'a str>) -> Option<ColumnStyle> {
    let mut cells: Vec<(&str, CellNumber)> = cells
        .filter_map(|text| Some((text.trim(), read_number(text)?)))
        .collect();
    let exponent = join_exponents(&mut cells);
    join_durations(&mut cells);
    let style = most_common(cells.iter().map(|(_, number)| number.style))?;
    let decimals = decimals_of(&cells, style)?;
    let scientific = exponent.and_then(|(style, look)| {
        let decimals = decimals_of(&cells, style)?;
        Some(Scientific::new(look, decimals))
    });
    Some(match (style, scientific) {
        (NumberStyle::Scientific { .. }, Some(scientific)) => ColumnStyle {
            style,
            decimals: scientific.decimals,
            beyond: None,
        },
        (_, beyond) => ColumnStyle {
            style,
            decimals,
            beyond,
        },
    })
}

/// Gives all numbers with an exponent the look that they have in common.
fn join_exponents(cells: &mut [(&str, CellNumber)]) -> Option<(NumberStyle, Exponent)> {
    let of = |(_, number): &(&str, CellNumber)| match number.style {
        NumberStyle::Scientific { percent, exponent } => Some((percent, exponent)),
        _ => None,
    };
    let (percent, _) = cells.iter().find_map(of)?;
    let exponent = Exponent::common(cells.iter().filter_map(|cell| Some(of(cell)?.1)))?;
    let style = NumberStyle::Scientific { percent, exponent };
    for cell in cells.iter_mut().filter(|cell| of(cell).is_some()) {
        cell.1.style = style;
    }
    Some((style, exponent))
}

/// The decimals that the cells of a style have in common.
fn decimals_of(cells: &[(&str, CellNumber)], style: NumberStyle) -> Option<Decimals> {
    let alike: Vec<&(&str, CellNumber)> = cells
        .iter()
        .filter(|(_, number)| number.style == style)
        .collect();
    let most = alike.iter().map(|(_, number)| number.decimals).max()?;
    let same = alike.iter().all(|(_, number)| number.decimals == most);
    let padded = |(text, number): &(&str, CellNumber)| {
        let digits = text.split(['e', 'E']).next().unwrap_or_default();
        let digits = digits.trim_end_matches(['%', 's']).trim_end();
        number.decimals == most && digits.ends_with('0')
    };
    Some(if same || alike.iter().any(|cell| padded(cell)) {
        Decimals::Fixed(most)
    } else {
        Decimals::Trimmed(most)
    })
}

/// The first of the most frequent; thousands apart count as the plain style that small numbers have.
fn most_common(styles: impl Iterator<Item = NumberStyle>) -> Option<NumberStyle> {
    let mut counts: Vec<(NumberStyle, usize)> = Vec::new();
    for style in styles {
        match counts.iter_mut().find(|(known, _)| *known == style) {
            Some((_, count)) => *count += 1,
            None => counts.push((style, 1)),
        }
    }
    let apart = counts.iter().find_map(|(style, _)| match style {
        NumberStyle::Plain {
            thousands: Some(_), ..
        } => Some(*style),
        _ => None,
    });
    let best = counts.iter().map(|(_, count)| *count).max()?;
    let common = counts.iter().find(|(_, count)| *count == best)?.0;
    match common {
        NumberStyle::Plain { percent: false, .. } => Some(apart.unwrap_or(common)),
        other => Some(other),
    }
}

impl ColumnStyle {
    /// For a column that has no number yet.
    pub fn plain(decimals: Option<u8>) -> Self {
        Self {
            style: PLAIN,
            decimals: decimals.map_or(Decimals::Shortest, Decimals::Fixed),
            beyond: None,
        }
    }

    /// Whether its numbers are durations, which are given in seconds.
    pub fn is_duration(&self) -> bool {
        self.style.is_duration()
    }

    /// Whether decimals count those before an exponent.
    pub fn is_scientific(&self) -> bool {
        matches!(self.style, NumberStyle::Scientific { .. })
    }

    /// What it shows of its numbers; nothing where that is as much as there is.
    pub fn shown(&self) -> Option<Digits> {
        if let Some(beyond) = self.beyond {
            return Some(beyond.digits());
        }
        match self.decimals {
            Decimals::Fixed(decimals) | Decimals::Trimmed(decimals) => Some(Digits {
                decimals,
                scientific: self.is_scientific(),
            }),
            Decimals::Shortest => None,
        }
    }

    /// What the last digit of a duration stands for, in seconds; nothing where it holds none.
    pub fn duration_step(&self, seconds: f64) -> Option<f64> {
        match self.style {
            NumberStyle::Seconds => Some(self.shown()?.last(seconds)),
            NumberStyle::Clock { seconds: shown } => Some(step(seconds, shown)),
            _ => None,
        }
    }

    /// Writes a number as this column does.
    pub fn write(&self, value: f64) -> String {
        match self.style {
            NumberStyle::Scientific { percent, exponent } => {
                let decimals = self.decimals;
                let look = exponent;
                let text = Scientific { look, decimals }.write(value);
                text + if percent { "%" } else { "" }
            }
            NumberStyle::Seconds => format!("{}s", self.digits(value)),
            NumberStyle::Clock { seconds } => clock(value, seconds),
            NumberStyle::Plain { percent, thousands } => {
                let mut text = self.digits(value);
                let beyond = self.beyond.filter(|it| it.says_more_than(&text, value));
                if let Some(scientific) = beyond {
                    text = scientific.write(value);
                } else if let Some(mark) = thousands {
                    text = grouped(&text, mark);
                }
                if percent {
                    text.push('%');
                }
                text
            }
        }
    }

    fn digits(&self, value: f64) -> String {
        let text = match self.decimals {
            Decimals::Fixed(decimals) => format!("{value:.*}", usize::from(decimals)),
            Decimals::Shortest => format!("{value}"),
            Decimals::Trimmed(decimals) => {
                let text = format!("{value:.*}", usize::from(decimals));
                match text.split_once('.') {
                    Some((whole, fraction)) => {
                        let rest = fraction.trim_end_matches('0');
                        format!("{whole}.{}", if rest.is_empty() { "0" } else { rest })
                    }
                    None => text,
                }
            }
        };
        without_negative_zero(text)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    use super::{NumberStyle, read_number, style_of};

    #[test]
    fn every_way_of_writing_a_number() {
        let value = |text: &str| read_number(text).map(|number| number.value);
        assert_eq!(value("98.27"), Some(98.27));
        assert_eq!(value(" 99.06% "), Some(99.06));
        assert_eq!(value("2h56m"), Some(10_560.0));
        assert_eq!(value("25m"), Some(1500.0));
        assert_eq!(value("139s"), Some(139.0));
        assert_eq!(value("50 000"), Some(50_000.0));
        assert_eq!(value("-1,234.5"), Some(-1234.5));
        assert_eq!(value("1e-3"), Some(0.001));
        for text in ["", "fast", "1 2", "5m3h", "m", "1,23", "nan", "inf", "-"] {
            assert_eq!(value(text), None, "{text}");
        }
    }

    fn written(cells: &[&str], value: f64) -> String {
        style_of(cells.iter().copied()).unwrap().write(value)
    }

    #[test]
    fn columns_keep_their_way() {
        assert_eq!(written(&["100.00", "98.27", "0.0"], 5.0), "5.00");
        assert_eq!(written(&["8.66", "0.0"], 0.0), "0.0");
        assert_eq!(written(&["1.1", "1.44", "1.5"], 1.2), "1.2");
        assert_eq!(written(&["1.1", "1.44", "1.5"], 2.0), "2.0");
        assert_eq!(written(&["28", "172"], 28.5), "28");
        assert_eq!(written(&["28", "172"], 29.5), "30");
        assert_eq!(written(&["99.06%", "4.38%"], 100.0), "100.00%");
        assert_eq!(written(&["25m", "2h56m"], 4000.0), "1h7m");
        assert_eq!(written(&["33s", "139s"], 98.6), "99s");
        assert_eq!(written(&["25m", "2h56m"], 20.4), "20s");
        assert_eq!(written(&["25m", "2h56m"], 59.7), "1m");
        assert_eq!(written(&["25m", "2h56m"], 0.0437), "0.044s");
        assert_eq!(written(&["25m", "2h56m"], 0.0), "0s");
        assert_eq!(written(&["25m", "20s", "30s"], 4000.0), "1h7m");
        assert_eq!(written(&["1h6m20s", "25m"], 3980.4), "1h6m20s");
        assert_eq!(written(&["1h6m20s", "25m"], 7200.0), "2h0m0s");
        assert_eq!(written(&["6m20s"], 61.0), "1m1s");
        assert_eq!(written(&["50 000", "500"], 1_234_567.0), "1 234 567");
        assert_eq!(written(&["1.00"], -0.001), "0.00");
        assert!(style_of(["x", ""].into_iter()).is_none());
        let percent = style_of(["5%"].into_iter()).unwrap().style;
        assert!(matches!(percent, NumberStyle::Plain { percent: true, .. }));
    }

    #[test]
    fn exponents_keep_their_digits_and_their_look() {
        let rates = ["1e-3", "2e-4", "3e-4"];
        assert_eq!(written(&rates, 0.0005), "5e-4");
        assert_eq!(written(&rates, 3e-7), "3e-7");
        assert_eq!(written(&rates, 12.0), "1.2e1");
        assert_eq!(written(&rates, 0.000_123_456), "1.23e-4");
        assert_eq!(written(&rates, 0.0), "0");
        assert_eq!(written(&["1.50e-03", "2.25e-04"], 0.5), "5.00e-01");
        assert_eq!(written(&["1.50e-03", "2.25e-04"], 1e5), "1.00e+05");
        assert_eq!(written(&["1.50e-03", "2.25e-04"], 0.0), "0.00e+00");
        assert_eq!(written(&["1E-3", "2.5E-4"], 0.000_26), "2.6E-4");
        assert_eq!(written(&["1e-3%"], 0.02), "2e-2%");
        // Most are plain: so is the new one, unless the column's decimals would lose it.
        let mixed = ["0.10", "0.01", "1e-5"];
        assert_eq!(written(&mixed, 0.2), "0.20");
        assert_eq!(written(&mixed, 3e-7), "3e-7");
        assert_eq!(written(&mixed, 0.0), "0.00");
        let shown = style_of(mixed.into_iter()).unwrap().shown().unwrap();
        assert!(shown.scientific);
    }
}
