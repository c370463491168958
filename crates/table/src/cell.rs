//! A cell's text and its bytes: quoting that stays, padding that stays.

/// The text of a cell from its bytes. What is not UTF-8 is shown with replacement characters, and never written back.
pub(crate) fn text_of(raw: &[u8], quoted: bool) -> String {
    let text = String::from_utf8_lossy(raw);
    if !quoted {
        return text.into_owned();
    }
    // What follows the closing mark belongs to the cell, as Python's reader has it.
    let inner = &text[1..];
    let mut found = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(mark) = rest.find('"') {
        found.push_str(&rest[..mark]);
        rest = &rest[mark + 1..];
        if let Some(after) = rest.strip_prefix('"') {
            found.push('"');
            rest = after;
        } else {
            break;
        }
    }
    found.push_str(rest);
    found
}

/// The bytes for a new text: quoted where the old cell was, or where the text needs it.
pub(crate) fn bytes_of(text: &str, was_quoted: bool) -> Vec<u8> {
    let needs = text.contains([',', '"', '\n', '\r']);
    if was_quoted || needs {
        format!("\"{}\"", text.replace('"', "\"\"")).into_bytes()
    } else {
        text.as_bytes().to_vec()
    }
}

/// Gives a new text the padding of an old one: blanks on the left are made more or fewer so that the right edge stays
/// where it was, blanks on the right stay.
pub(crate) fn pad_like(old: &str, new: &str) -> String {
    let left = old.len() - old.trim_start().len();
    let right = &old[old.trim_end().len().max(left)..];
    if left == 0 {
        return format!("{new}{right}");
    }
    let width = if old.trim().is_empty() {
        old.chars().count()
    } else {
        old.trim_end().chars().count()
    };
    let blanks = width.saturating_sub(new.chars().count());
    // A single blank after the comma is a habit, not an alignment.
    let blanks = if left == 1 { 1 } else { blanks.max(1) };
    format!("{}{new}{right}", " ".repeat(blanks))
}

#[cfg(test)]
mod tests {
    use super::{bytes_of, pad_like, text_of};

    #[test]
    fn quotes_come_off_and_go_on() {
        assert_eq!(text_of(b"\"a, \"\"b\"\"\"", true), "a, \"b\"");
        assert_eq!(text_of(b"a \"b\"", false), "a \"b\"");
        assert_eq!(text_of(b"\"a\"b", true), "ab");
        assert_eq!(bytes_of("a, \"b\"", false), b"\"a, \"\"b\"\"\"");
        assert_eq!(bytes_of("1", true), b"\"1\"");
        assert_eq!(bytes_of("1", false), b"1");
    }

    #[test]
    fn the_right_edge_stays() {
        assert_eq!(pad_like("     200", "1 000"), "   1 000");
        assert_eq!(pad_like("   5", "123456"), " 123456");
        assert_eq!(pad_like(" 5", "12"), " 12");
        assert_eq!(pad_like("5 ", "12"), "12 ");
        assert_eq!(pad_like("   ", "1"), "  1");
    }
}
