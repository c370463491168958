//! Enough of a text of others to recognise it in a message.

use crate::escape::terminal_line;

/// The beginning of a text, within one line and harmless; `…` where something was cut off.
pub fn excerpt(text: &str, letters: usize) -> String {
    let end = text.char_indices().nth(letters).map(|(at, _)| at);
    let start = terminal_line(&text[..end.unwrap_or(text.len())]);
    let dots = if end.is_some() { "…" } else { "" };
    format!("{start}{dots}")
}

#[cfg(test)]
mod tests {
    use super::excerpt;

    #[test]
    fn long_texts_are_cut_and_line_ends_are_written_out() {
        assert_eq!(excerpt("short", 5), "short");
        assert_eq!(excerpt("größer", 4), "größ…");
        assert_eq!(excerpt("a\nb\u{1b}c", 80), "a\\nb\\u{1b}c");
        assert_eq!(excerpt("", 0), "");
    }
}
