//! The one number formatter: how many digits a reader can use, and the same for all numbers of a column.

/// How the numbers of one metric are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberFormat {
    /// So many decimals.
    Fixed(usize),
    /// So many digits and a power of ten.
    Scientific(usize),
}

/// Values at or above this have too many digits to be read.
const LARGE: f64 = 1e9;
/// Values below this begin with too many zeros to be read.
const SMALL: f64 = 1e-4;
/// Significant digits where no uncertainty says how many are sure.
const PLAIN_DIGITS: i32 = 4;

/// A column that would need more decimals gets powers of ten.
const MOST_DECIMALS: usize = 6;
/// Beside an uncertainty, values from this share of it and of the largest on show two digits.
const COMPARABLE: f64 = 0.1;

/// Below this share of a value, an uncertainty is what arithmetic left over and no measure of anything.
pub(crate) const ROUNDING: f64 = 1e-12;
/// Digits beyond which a power of ten hides more than it saves.
const MOST_DIGITS: usize = 6;
/// Decimals that are written at most.
const MOST_PLACES: usize = 12;
/// Up to here numbers count one by one.
const WHOLE: f64 = 1e15;

/// Whether an uncertainty is only what rounding left of zero.
pub fn is_rounding(uncertainty: f64, value: f64) -> bool {
    uncertainty.abs() < value.abs() * ROUNDING
}

impl NumberFormat {
    /// Decides for a column: the declared decimals, else two digits of the smallest uncertainty (`0.4123 ± 0.0031`),
    /// else four significant digits of the largest value. Whole numbers without uncertainty stay whole. Values show two
    /// digits at least; beside an uncertainty, those that are not small against it and the others.
    pub fn choose(values: &[f64], uncertainties: &[f64], precision: Option<u8>) -> Self {
        if let Some(decimals) = precision {
            return Self::Fixed(usize::from(decimals));
        }
        let usable = |x: &&f64| x.is_finite() && **x != 0.0;
        let largest = values
            .iter()
            .filter(usable)
            .fold(0.0_f64, |most, x| most.max(x.abs()));
        let smallest = uncertainties
            .iter()
            .filter(usable)
            .map(|x| x.abs())
            .filter(|uncertainty| !is_rounding(*uncertainty, largest))
            .reduce(f64::min);
        // Two digits of the smallest value that a reader would miss; whole ones are never cut.
        let least = |limit: f64| {
            let cut = values.iter().filter(usable).map(|x| x.abs());
            cut.filter(|x| x.fract() != 0.0 && *x >= limit)
                .reduce(f64::min)
                .map_or(0, |x| decimals(x, 2))
        };
        let out_of_range = largest >= LARGE || (largest > 0.0 && largest < SMALL);
        match smallest {
            // Large values that hardly differ are read to their last digit.
            Some(uncertainty)
                if (LARGE..WHOLE).contains(&largest)
                    && scientific_digits(largest, smallest) > MOST_DIGITS =>
            {
                Self::Fixed(decimals(uncertainty, 2))
            }
            _ if out_of_range => Self::Scientific(scientific_digits(largest, smallest)),
            Some(uncertainty) => {
                let limit = largest.max(uncertainty) * COMPARABLE;
                Self::Fixed(decimals(uncertainty, 2).max(least(limit)))
            }
            None if values.iter().all(|x| x.fract() == 0.0) => Self::Fixed(0),
            None if least(largest * ROUNDING) > MOST_DECIMALS => {
                Self::Scientific(scientific_digits(largest, None))
            }
            None => Self::Fixed(decimals(largest, PLAIN_DIGITS).max(least(largest * ROUNDING))),
        }
    }

    /// The same column for a difference and its interval. Declared decimals are those of values: a difference that they
    /// would show as 0, or whose interval they would cut, gets what it needs. `resolution` is what must be told apart.
    #[must_use]
    pub fn for_difference(self, (low, high): (f64, f64), resolution: f64) -> Self {
        let Self::Fixed(declared) = self else {
            return self;
        };
        let enough = Self::Fixed(declared.max(decimals(resolution, 2)));
        // An interval that excludes 0 must not be seen to begin there.
        if low > 0.0 || high < 0.0 {
            enough.apart(&[low, high], 0.0)
        } else {
            enough
        }
    }

    /// With as many more decimals as it takes to show every value on the side of `bound` that it is on: what is said about
    /// a value beside a level or a margin must be seen in its digits.
    #[must_use]
    pub fn apart(self, values: &[f64], bound: f64) -> Self {
        let Self::Fixed(decimals) = self else {
            return self;
        };
        let is_seen = |format: &Self| {
            let shown = |value: f64| format.number(value).parse::<f64>().unwrap_or(value);
            let seen = |value: &f64| shown(*value).partial_cmp(&bound) == value.partial_cmp(&bound);
            values.iter().all(seen)
        };
        let candidates = (decimals..=MOST_PLACES).map(Self::Fixed);
        candidates.into_iter().find(is_seen).unwrap_or(self)
    }

    /// For one number on its own.
    pub fn alone(value: f64) -> Self {
        Self::choose(&[value], &[], None)
    }

    /// The number.
    pub fn number(self, x: f64) -> String {
        let text = match self {
            _ if x.is_nan() => return "NaN".to_owned(),
            _ if x.is_infinite() => return if x > 0.0 { "inf" } else { "-inf" }.to_owned(),
            Self::Fixed(decimals) => format!("{x:.decimals$}"),
            Self::Scientific(digits) => format!("{x:.digits$e}"),
        };
        without_negative_zero(text)
    }

    /// The number with its sign, also where it is positive.
    pub fn signed(self, x: f64) -> String {
        let text = self.number(x);
        if is_zero(&text) || text.starts_with('-') || x.is_nan() {
            text
        } else {
            format!("+{text}")
        }
    }

    /// `0.4123 ± 0.0031`.
    pub fn plus_minus(self, x: f64, half_width: f64) -> String {
        format!("{} ± {}", self.number(x), self.number(half_width))
    }

    /// `[0.41, 0.42]`.
    pub fn range(self, low: f64, high: f64) -> String {
        format!("[{}, {}]", self.number(low), self.number(high))
    }

    /// `[-0.01, +0.02]`: the range of a difference, in words where an end is open.
    pub fn signed_range(self, low: f64, high: f64) -> String {
        match (low == f64::NEG_INFINITY, high == f64::INFINITY) {
            (false, false) => format!("[{}, {}]", self.signed(low), self.signed(high)),
            (false, true) => format!("at least {}", self.signed(low)),
            (true, false) => format!("at most {}", self.signed(high)),
            (true, true) => "any value".to_owned(),
        }
    }
}

/// Decimals that show `digits` significant digits of `x`.
pub(crate) fn decimals(x: f64, digits: i32) -> usize {
    if x == 0.0 || !x.is_finite() {
        return 0;
    }
    // Rounding can add a digit (0.0996 to 0.10); the format is asked how the number really looks.
    let shown = format!("{x:.*e}", (digits - 1).max(0) as usize);
    let exponent = shown
        .rsplit('e')
        .next()
        .and_then(|text| text.parse::<i32>().ok());
    (digits - 1 - exponent.unwrap_or(0)).clamp(0, MOST_PLACES as i32) as usize
}

fn scientific_digits(largest: f64, uncertainty: Option<f64>) -> usize {
    let digits = uncertainty.map_or(PLAIN_DIGITS - 1, |uncertainty| {
        (largest.log10().floor() - uncertainty.log10().floor()) as i32 + 1
    });
    digits.clamp(2, 12) as usize
}

/// Whether a written number has no other digit than 0.
pub fn is_zero(text: &str) -> bool {
    text.bytes()
        .all(|byte| !byte.is_ascii_digit() || byte == b'0')
}

pub(crate) fn without_negative_zero(text: String) -> String {
    match text.strip_prefix('-') {
        Some(rest) if is_zero(rest) => rest.to_owned(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::NumberFormat;
    use proptest::prelude::*;

    #[test]
    fn uncertainty_decides_the_digits() {
        let format = NumberFormat::choose(&[0.412_345], &[0.003_1], None);
        assert_eq!(format.plus_minus(0.412_345, 0.003_1), "0.4123 ± 0.0031");
        // Rounding up to the next power of ten keeps two digits.
        let format = NumberFormat::choose(&[1.0], &[0.0996], None);
        assert_eq!(format.plus_minus(1.0, 0.0996), "1.00 ± 0.10");
        // Values that do not vary leave an interval of rounding errors.
        let format = NumberFormat::choose(&[0.1 + 0.2], &[1e-17], None);
        assert_eq!(format.number(0.1 + 0.2), "0.3000");
        assert_eq!(
            NumberFormat::choose(&[1234.5], &[250.0], None).number(1234.5),
            "1234"
        );
    }

    #[test]
    fn small_values_beside_large_ones_show_two_digits() {
        let times = [0.000_020_4, 0.000_5, 0.03, 0.8];
        let format = NumberFormat::choose(&times, &[], None);
        assert_eq!(format.number(times[0]), "0.000020");
        assert_eq!(format.number(times[3]), "0.800000");
        let format = NumberFormat::choose(&[1.5, 2.0e-8], &[], None);
        assert_eq!(format.number(2.0e-8), "2.000e-8");
        // A proportion with an interval wider than itself.
        let format = NumberFormat::choose(&[0.25, 1.0], &[1.03], None);
        assert_eq!(
            (format.number(0.25), format.signed(0.75)),
            ("0.25".into(), "+0.75".into())
        );
        let format = NumberFormat::choose(&[3.0, 12.0], &[14.0], None);
        assert_eq!(format.plus_minus(3.0, 14.0), "3 ± 14");
        // What is far below an uncertainty may look like zero, and what rounding left always does.
        let format = NumberFormat::choose(&[0.001, 1.0], &[0.12], None);
        assert_eq!(format.number(0.001), "0.00");
        let format = NumberFormat::choose(&[-0.039], &[0.67], None);
        assert_eq!(format.number(-0.039), "-0.04");
        let format = NumberFormat::choose(&[1e-17, 0.3], &[], None);
        assert_eq!(format.number(1e-17), "0.0000");
    }

    #[test]
    fn declared_decimals_win() {
        assert_eq!(
            NumberFormat::choose(&[0.5], &[0.001], Some(1)).number(0.512),
            "0.5"
        );
    }

    #[test]
    fn declared_decimals_do_not_hide_a_difference() {
        let format = NumberFormat::choose(&[10.0], &[], Some(1)).for_difference((0.01, 0.03), 0.01);
        assert_eq!(format.signed_range(0.01, 0.03), "[+0.010, +0.030]");
        let format = NumberFormat::Fixed(3).for_difference((-20.0, 30.0), 25.0);
        assert_eq!(format.signed(5.0), "+5.000");
        // An end that is not 0 does not look like it.
        let format = NumberFormat::Fixed(1).for_difference((0.0004, 4.0), 2.0);
        assert_eq!(format.signed_range(0.0004, 4.0), "[+0.0004, +4.0000]");
        let format = NumberFormat::Fixed(1).for_difference((-0.0004, 4.0), 2.0);
        assert_eq!(format.signed_range(-0.0004, 4.0), "[0.0, +4.0]");
        let open = [f64::NEG_INFINITY, f64::INFINITY];
        assert_eq!(format.signed_range(open[0], 4.0), "at most +4.0");
        assert_eq!(format.signed_range(4.0, open[1]), "at least +4.0");
        assert_eq!(format.signed_range(open[0], open[1]), "any value");
    }

    #[test]
    fn whole_numbers_stay_whole_and_others_get_four_digits() {
        assert_eq!(
            NumberFormat::choose(&[3.0, 12.0], &[], None).number(3.0),
            "3"
        );
        assert_eq!(
            NumberFormat::choose(&[3.25, 12.0], &[], None).number(3.25),
            "3.25"
        );
        assert_eq!(NumberFormat::alone(0.012_345).number(0.012_345), "0.01235");
    }

    #[test]
    fn very_large_and_very_small_numbers_get_a_power_of_ten() {
        assert_eq!(NumberFormat::alone(5.0e12).number(5.0e12), "5.000e12");
        assert_eq!(
            NumberFormat::choose(&[2.5e-7], &[1.0e-9], None).number(2.5e-7),
            "2.500e-7"
        );
    }

    #[test]
    fn large_values_that_hardly_differ_are_read_to_their_last_digit() {
        let format = NumberFormat::choose(&[1e9, 1_000_000_001.5], &[0.47], None);
        assert_eq!(
            format.plus_minus(1_000_000_001.5, 0.47),
            "1000000001.50 ± 0.47"
        );
        let format = NumberFormat::choose(&[5.0e12], &[1.0e10], None);
        assert_eq!(format.number(5.0e12), "5.000e12");
    }

    #[test]
    fn zero_has_no_sign_and_other_values_have_their_name() {
        assert_eq!(NumberFormat::Fixed(2).number(-0.001), "0.00");
        assert_eq!(NumberFormat::Fixed(2).signed(0.001), "0.00");
        assert_eq!(NumberFormat::Fixed(2).signed(0.011), "+0.01");
        assert_eq!(NumberFormat::Fixed(2).signed(f64::INFINITY), "inf");
        assert_eq!(NumberFormat::Fixed(2).number(f64::NAN), "NaN");
    }

    #[test]
    fn a_value_beside_a_margin_is_seen_to_be_within_it() {
        let format = NumberFormat::Fixed(2).apart(&[-0.5, 1.9996], 2.0);
        assert_eq!(format.signed(1.9996), "+1.9996");
        assert_eq!(
            NumberFormat::Fixed(2).apart(&[2.0, 2.5], 2.0),
            NumberFormat::Fixed(2)
        );
        assert_eq!(
            NumberFormat::Fixed(2).apart(&[f64::NAN], 2.0),
            NumberFormat::Fixed(2)
        );
    }

    proptest! {
        #[test]
        fn an_interval_that_excludes_zero_is_seen_to(low in 1e-9..1e6f64, width in 0.0..1e6f64, declared in 0usize..4) {
            for (low, high) in [(low, low + width), (-low - width, -low)] {
                let format = NumberFormat::Fixed(declared).for_difference((low, high), width / 2.0);
                for end in [low, high] {
                    prop_assert!(!super::is_zero(&format.number(end)), "{low} {high} {format:?}");
                }
            }
        }
    }
}
