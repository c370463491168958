//! Sizes in bytes, read and written: `512MB` (powers of 1000), `2GiB` (powers of 1024), or a plain number of bytes.

/// Why a text is not a size.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BytesError {
    /// Where the number should stand there is something else.
    #[error("`{0}` does not start with a number")]
    Number(String),
    /// A unit that is not known.
    #[error("`{0}` is not a unit of size (B, kB, MB, GB, TB, KiB, MiB, GiB, TiB)")]
    Unit(String),
    /// Larger than 2^63 bytes.
    #[error("the size is too large")]
    Range,
}

/// How sizes are written, for messages.
pub const BYTES_FORM: &str = "a size like \"512MB\", \"2GiB\" or a number of bytes";

/// Bytes from a text such as `2GiB`; a text without a unit is a number of bytes.
pub fn parse_bytes(text: &str) -> Result<u64, BytesError> {
    let text = text.trim();
    let digits = text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_'));
    let (number, unit) = text.split_at(digits.unwrap_or(text.len()));
    let number: f64 = number
        .replace('_', "")
        .parse()
        .map_err(|_| BytesError::Number(text.to_owned()))?;
    let unit = unit.trim();
    let scale = unit_bytes(unit).ok_or_else(|| BytesError::Unit(unit.to_owned()))?;
    let bytes = (number * scale).round();
    if bytes < 9.2e18 {
        Ok(bytes as u64)
    } else {
        Err(BytesError::Range)
    }
}

fn unit_bytes(unit: &str) -> Option<f64> {
    Some(match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        "t" | "tb" => 1e12,
        "kib" => 1024.0,
        "mib" => 1_048_576.0,
        "gib" => 1_073_741_824.0,
        "tib" => 1_099_511_627_776.0,
        _ => return None,
    })
}

/// A size for people: `1.5 KiB`, `17 MiB`.
pub fn size(bytes: u64) -> String {
    let units = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")];
    match units.into_iter().find(|(shift, _)| bytes >> shift > 0) {
        Some((shift, word)) if bytes >> shift < 10 => {
            let tenths = (u128::from(bytes) * 10) >> shift;
            format!("{}.{} {word}", tenths / 10, tenths % 10)
        }
        Some((shift, word)) => format!("{} {word}", bytes >> shift),
        None => format!("{bytes} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::{BytesError, parse_bytes, size};
    use proptest::prelude::*;

    #[test]
    fn every_documented_form() {
        for (text, bytes) in [
            ("512MB", 512_000_000),
            ("2GiB", 2 << 30),
            ("1.5 KiB", 1536),
            ("0", 0),
            ("1_000", 1000),
            ("16MiB", 16 << 20),
        ] {
            assert_eq!(parse_bytes(text), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert_eq!(parse_bytes("big"), Err(BytesError::Number("big".into())));
        assert_eq!(parse_bytes("-1"), Err(BytesError::Number("-1".into())));
        assert_eq!(parse_bytes("2 gibi"), Err(BytesError::Unit("gibi".into())));
        assert_eq!(parse_bytes("99999999TiB"), Err(BytesError::Range));
    }

    #[test]
    fn people_are_told_few_digits() {
        let sizes = [0, 1023, 1536, 17 << 20, u64::MAX].map(size);
        assert_eq!(
            sizes,
            ["0 B", "1023 B", "1.5 KiB", "17 MiB", "16777215 TiB"]
        );
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back_to_a_tenth(bytes in 0u64..1 << 60) {
            let read = parse_bytes(&size(bytes)).unwrap();
            prop_assert!(read <= bytes && bytes - read <= bytes / 10);
        }
    }
}
