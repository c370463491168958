//! Units of other tools in the ones that all numbers have here: seconds and bytes.

use crate::execution::Metric;
use fairtrial_model::{Conversion, Direction};

/// How numbers of a unit become numbers here.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scale {
    conversion: Option<Conversion>,
    unit: Option<String>,
    original: Option<String>,
}

impl Scale {
    /// The scale of a unit as a file writes it; numbers in units that nobody knows stay as they are.
    pub(crate) fn of(unit: &str) -> Self {
        let unit = unit.trim();
        if unit.is_empty() {
            return Self::default();
        }
        let (one, per) = unit
            .split_once('/')
            .map_or((unit, ""), |(one, per)| (one, per));
        let word = match one {
            "nanosecond" | "nanoseconds" => "ns",
            "microsecond" | "microseconds" | "μs" | "usec" => "us",
            "millisecond" | "milliseconds" | "msec" => "ms",
            "byte" => "B",
            other => other,
        };
        let to = |wanted| Conversion::between(word, wanted).ok();
        // One of something per second is a rate, and `B/s` is as good as any.
        let found = if per.is_empty() || per == "op" || per == "iter" {
            to("s").or_else(|| to("B"))
        } else {
            None
        };
        let Some(conversion) = found else {
            return Self {
                unit: Some(unit.to_owned()),
                ..Self::default()
            };
        };
        // A time per operation is the time of what is measured, and judged as any other.
        let here = conversion.to_unit().to_owned();
        let same = here == unit || conversion.apply(1.0) == 1.0;
        Self {
            conversion: Some(conversion),
            unit: Some(here),
            original: (!same).then(|| unit.to_owned()),
        }
    }

    /// The number in the unit that is used here.
    pub(crate) fn apply(&self, value: f64) -> f64 {
        self.conversion
            .as_ref()
            .map_or(value, |conversion| conversion.apply(value))
    }

    /// A metric in this unit.
    pub(crate) fn metric(&self, name: impl Into<String>) -> Metric {
        Metric {
            unit: self.unit.clone(),
            original_unit: self.original.clone(),
            ..Metric::named(name)
        }
    }

    /// The wall time that a tool of timings is asked for.
    pub(crate) fn time(&self) -> Metric {
        self.metric("time").better(Direction::Down).headline()
    }
}

#[cfg(test)]
mod tests {
    use super::Scale;

    #[test]
    fn times_and_sizes_have_one_unit_and_the_rest_stays() {
        for (unit, value, here, original) in [
            ("ns", 1e-9, "s", Some("ns")),
            ("second", 1.0, "s", None),
            ("us/op", 1e-6, "s", Some("us/op")),
            ("B/op", 1.0, "B", None),
            ("KiB", 1024.0, "B", Some("KiB")),
            ("byte", 1.0, "B", None),
            ("MB/s", 1.0, "MB/s", None),
            ("acc", 1.0, "acc", None),
        ] {
            let scale = Scale::of(unit);
            assert_eq!(scale.apply(1.0), value, "{unit}");
            let metric = scale.metric("m");
            assert_eq!(metric.unit.as_deref(), Some(here), "{unit}");
            assert_eq!(metric.original_unit.as_deref(), original, "{unit}");
        }
        assert_eq!(Scale::of("").metric("m").unit, None);
    }
}
