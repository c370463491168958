//! Units that numbers are converted between: a program logs seconds, the table wants minutes.
//!
//! A conversion multiplies by one whole number and divides by another, so that `0.14` of a share is exactly what
//! `0.14 * 100` is, and a minute is exactly a sixtieth of 60 seconds.

use serde::{Deserialize, Serialize};

/// A conversion, written `s to min`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Conversion {
    from: &'static Unit,
    to: &'static Unit,
}

/// Why a conversion is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConversionError {
    /// Not of the form `A to B`.
    #[error("a conversion has the form `s to min`, found `{0}`")]
    Form(String),
    /// A unit that is not known.
    #[error("`{0}` is not a known unit")]
    Unit(String),
    /// Units of different kinds.
    #[error("`{from}` is {from_kind} and `{to}` is {to_kind}: nothing converts one into the other")]
    Kind {
        /// The first unit.
        from: String,
        /// What it measures.
        from_kind: &'static str,
        /// The second unit.
        to: String,
        /// What it measures.
        to_kind: &'static str,
    },
}

/// A unit with its other names.
#[derive(Debug, PartialEq, Eq)]
struct Unit {
    names: &'static [&'static str],
    kind: Kind,
    /// How many of the kind's smallest unit it holds.
    size: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Time,
    Angle,
    Share,
    Bytes,
}

impl Kind {
    const fn words(self) -> &'static str {
        match self {
            Self::Time => "a time",
            Self::Angle => "an angle",
            Self::Share => "a share",
            Self::Bytes => "a size",
        }
    }
}

const fn unit(names: &'static [&'static str], kind: Kind, size: u64) -> Unit {
    Unit { names, kind, size }
}

/// Radians have no whole size; [`Conversion::apply`] knows them by this one.
const RADIANS: u64 = 0;

static UNITS: [Unit; 18] = [
    unit(&["ns"], Kind::Time, 1),
    unit(&["us", "µs"], Kind::Time, 1_000),
    unit(&["ms"], Kind::Time, 1_000_000),
    unit(
        &["s", "sec", "secs", "second", "seconds"],
        Kind::Time,
        1_000_000_000,
    ),
    unit(
        &["min", "mins", "minute", "minutes"],
        Kind::Time,
        60_000_000_000,
    ),
    unit(&["h", "hour", "hours"], Kind::Time, 3_600_000_000_000),
    unit(&["d", "day", "days"], Kind::Time, 86_400_000_000_000),
    unit(&["deg", "degrees", "°"], Kind::Angle, 1),
    unit(&["rad", "radians"], Kind::Angle, RADIANS),
    unit(&["%", "percent"], Kind::Share, 1),
    unit(&["share", "fraction"], Kind::Share, 100),
    unit(&["B", "bytes"], Kind::Bytes, 1),
    unit(&["kB"], Kind::Bytes, 1_000),
    unit(&["MB"], Kind::Bytes, 1_000_000),
    unit(&["GB"], Kind::Bytes, 1_000_000_000),
    unit(&["KiB"], Kind::Bytes, 1 << 10),
    unit(&["MiB"], Kind::Bytes, 1 << 20),
    unit(&["GiB"], Kind::Bytes, 1 << 30),
];

impl Conversion {
    /// The conversion from one unit to another.
    pub fn between(from: &str, to: &str) -> Result<Self, ConversionError> {
        let known = |name: &str| {
            let name = name.trim();
            UNITS
                .iter()
                .find(|unit| unit.names.contains(&name))
                .ok_or_else(|| ConversionError::Unit(name.to_owned()))
        };
        let (from, to) = (known(from)?, known(to)?);
        if from.kind != to.kind {
            return Err(ConversionError::Kind {
                from: from.names[0].to_owned(),
                from_kind: from.kind.words(),
                to: to.names[0].to_owned(),
                to_kind: to.kind.words(),
            });
        }
        Ok(Self { from, to })
    }

    /// The number in the other unit.
    pub fn apply(&self, value: f64) -> f64 {
        match (self.from.size, self.to.size) {
            (from, to) if from == to => value,
            (RADIANS, _) => value.to_degrees(),
            (_, RADIANS) => value.to_radians(),
            (from, to) => {
                let shared = common_divisor(from, to);
                value * (from / shared) as f64 / (to / shared) as f64
            }
        }
    }

    /// The short name of the unit that comes out.
    pub fn to_unit(&self) -> &'static str {
        self.to.names[0]
    }

    /// The short names of all units, for messages.
    pub fn unit_names() -> impl Iterator<Item = &'static str> {
        UNITS.iter().map(|unit| unit.names[0])
    }
}

fn common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

impl std::str::FromStr for Conversion {
    type Err = ConversionError;

    fn from_str(text: &str) -> Result<Self, ConversionError> {
        let (from, to) = text
            .split_once(" to ")
            .ok_or_else(|| ConversionError::Form(text.to_owned()))?;
        Self::between(from, to)
    }
}

impl TryFrom<String> for Conversion {
    type Error = ConversionError;

    fn try_from(text: String) -> Result<Self, ConversionError> {
        text.parse()
    }
}

impl From<Conversion> for String {
    fn from(conversion: Conversion) -> Self {
        format!("{} to {}", conversion.from.names[0], conversion.to.names[0])
    }
}

#[cfg(test)]
mod tests {
    use super::{Conversion, ConversionError};

    fn convert(text: &str, value: f64) -> f64 {
        text.parse::<Conversion>().unwrap().apply(value)
    }

    #[test]
    fn conversions_are_the_plain_arithmetic() {
        assert_eq!(convert("share to %", 0.14), 0.14 * 100.0);
        assert_eq!(convert("s to min", 660.2857), 660.2857 / 60.0);
        assert_eq!(convert("min to s", 2.5), 150.0);
        assert_eq!(convert("rad to deg", 1.0), 1f64.to_degrees());
        assert_eq!(convert("degrees to radians", 180.0), std::f64::consts::PI);
        assert_eq!(convert("B to MiB", 1_048_576.0), 1.0);
        assert_eq!(convert("s to seconds", 0.1), 0.1);
    }

    #[test]
    fn what_cannot_be_converted_is_refused() {
        let refused = |text: &str| text.parse::<Conversion>().unwrap_err().to_string();
        assert_eq!(
            refused("s"),
            "a conversion has the form `s to min`, found `s`"
        );
        assert_eq!(refused("s to week"), "`week` is not a known unit");
        assert!(matches!(
            "s to deg".parse::<Conversion>(),
            Err(ConversionError::Kind { .. })
        ));
    }

    #[test]
    fn the_written_form_is_read_back() {
        let conversion: Conversion = "seconds to minutes".parse().unwrap();
        let text = serde_json::to_string(&conversion).unwrap();
        assert_eq!(text, "\"s to min\"");
        assert_eq!(
            serde_json::from_str::<Conversion>(&text).unwrap(),
            conversion
        );
    }
}
