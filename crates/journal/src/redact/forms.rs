//! The forms in which a secret turns up: as it is, and as programs write it into headers, addresses and files.

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD};
use fairtrial_text::escape;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Fewer letters of base64 are too likely to occur by chance.
const LEAST_BASE64: usize = 6;

/// Every form of a secret that is looked for.
pub(super) fn forms(secret: &str) -> BTreeSet<String> {
    let mut forms = BTreeSet::from([secret.to_owned()]);
    forms.extend([percent(secret, Hex::Upper), percent(secret, Hex::Lower)]);
    forms.insert(percent(secret, Hex::Upper).replace("%20", "+"));
    forms.extend(in_json(secret));
    forms.extend(in_base64(secret));
    forms.extend([escape::markdown(secret), escape::xml(secret)]);
    forms
}

#[derive(Clone, Copy)]
enum Hex {
    Upper,
    Lower,
}

/// As it stands in an address: `a%2Fb`.
fn percent(secret: &str, hex: Hex) -> String {
    let mut text = String::new();
    for byte in secret.bytes() {
        // Writing to a string cannot fail.
        let _ = match (byte, hex) {
            (byte, _) if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => {
                write!(text, "{}", char::from(byte))
            }
            (byte, Hex::Upper) => write!(text, "%{byte:02X}"),
            (byte, Hex::Lower) => write!(text, "%{byte:02x}"),
        };
    }
    text
}

/// As it stands in JSON, with letters beyond ASCII as they are and as `\u00e9`, with slashes as they are and as `\/`.
fn in_json(secret: &str) -> Vec<String> {
    let quoted = serde_json::to_string(secret).unwrap_or_default();
    let plain = quoted
        .get(1..quoted.len() - 1)
        .unwrap_or_default()
        .to_owned();
    let mut ascii = String::new();
    for c in plain.chars() {
        if c.is_ascii() {
            ascii.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(ascii, "\\u{unit:04x}");
        }
    }
    vec![
        plain.replace('/', "\\/"),
        ascii.replace('/', "\\/"),
        ascii,
        plain,
    ]
}

/// As it stands in base64, alone or in the middle of something longer: by where its first byte falls in a group of three,
/// the letters that depend on it alone.
fn in_base64(secret: &str) -> Vec<String> {
    let mut found = Vec::new();
    for engine in [BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD] {
        found.push(engine.encode(secret));
        for before in 0..3_usize {
            let mut bytes = vec![0; before];
            bytes.extend_from_slice(secret.as_bytes());
            let whole = bytes.len() * 8 / 6;
            let letters = engine.encode(&bytes);
            let own = letters
                .get((before * 8).div_ceil(6)..whole)
                .unwrap_or_default();
            found.push(own.to_owned());
        }
    }
    found.retain(|form| form.len() >= LEAST_BASE64);
    found
}

#[cfg(test)]
mod tests {
    use crate::redact::Redactor;
    use base64::Engine as _;
    use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE};
    use proptest::prelude::*;

    fn redacted(secret: &str, text: &str) -> String {
        Redactor::from_values(&[secret.to_owned()])
            .redact(text)
            .into_owned()
    }

    #[test]
    fn a_secret_is_found_in_every_dress() {
        let secret = "pä/ss\"w_rd+1 x";
        for written in [
            "p%C3%A4%2Fss%22w_rd%2B1%20x",
            "p%c3%a4%2fss%22w_rd%2b1%20x",
            "p%C3%A4%2Fss%22w_rd%2B1+x",
            r#"pä/ss\"w_rd+1 x"#,
            r#"p\u00e4/ss\"w_rd+1 x"#,
            r#"pä\/ss\"w_rd+1 x"#,
            r#"pä/ss"w\_rd+1 x"#,
            "pä/ss&quot;w_rd+1 x",
        ] {
            assert_eq!(
                redacted(secret, &format!("<{written}>")),
                "<[redacted]>",
                "{written}"
            );
        }
    }

    proptest! {
        #[test]
        fn base64_of_anything_around_it_gives_it_away_nowhere(
            secret in "[ -~]{8,40}", before in "[ -~]{0,7}", after in "[ -~]{0,7}"
        ) {
            let around = [before.as_str(), &secret, &after].concat();
            for text in [BASE64_STANDARD.encode(&around), BASE64_URL_SAFE.encode(&around)] {
                let clean = redacted(&secret, &text);
                prop_assert!(clean.contains("[redacted]"), "{} in {}", secret, text);
                // What is left of it at its two ends is less than a byte each.
                let left = clean.replace("[redacted]", "").trim_end_matches('=').len() * 6 / 8;
                prop_assert!(left <= before.len() + after.len() + 4, "{}", clean);
            }
        }
    }
}
