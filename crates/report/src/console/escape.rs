//! Text that others wrote (causes, notes, names), made harmless for a terminal: its control characters are shown and not
//! obeyed.

use std::borrow::Cow;

/// The text with every control character but line ends and tabs written out: `\u{1b}[2J` clears no screen.
pub fn escaped(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_harmful) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_harmful(c) {
            safe.extend(c.escape_default());
        } else {
            safe.push(c);
        }
    }
    Cow::Owned(safe)
}

/// The same for text that we painted ourselves: the codes of colours stay.
pub fn escaped_but_colors(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_harmful) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        let (before, code) = rest.split_at(at);
        safe.push_str(&escaped(before));
        let end = color_end(code);
        let (code, after) = code.split_at(end.unwrap_or('\u{1b}'.len_utf8()));
        if end.is_some() {
            safe.push_str(code);
        } else {
            safe.push_str(&escaped(code));
        }
        rest = after;
    }
    safe.push_str(&escaped(rest));
    Cow::Owned(safe)
}

/// Where the code of a colour at the beginning of a text ends.
fn color_end(text: &str) -> Option<usize> {
    let numbers = text.strip_prefix("\u{1b}[")?;
    let length = numbers.find(|c: char| !c.is_ascii_digit() && c != ';')?;
    numbers[length..].starts_with('m').then_some(length + 3)
}

fn is_harmful(c: char) -> bool {
    c.is_control() && c != '\n' && c != '\t'
}

#[cfg(test)]
mod tests {
    use super::{escaped, escaped_but_colors};

    #[test]
    fn control_characters_are_shown_and_not_obeyed() {
        assert_eq!(
            escaped("a\u{1b}[31mb\u{7}\r\u{9b}2J\n\tc"),
            "a\\u{1b}[31mb\\u{7}\\r\\u{9b}2J\n\tc"
        );
        assert_eq!(escaped("plain ± 中"), "plain ± 中");
    }

    #[test]
    fn of_painted_text_only_colours_stay() {
        let painted = "\u{1b}[1;31mred\u{1b}[0m \u{1b}[2J\u{1b}]0;title\u{7} \u{1b}";
        assert_eq!(
            escaped_but_colors(painted),
            "\u{1b}[1;31mred\u{1b}[0m \\u{1b}[2J\\u{1b}]0;title\\u{7} \\u{1b}"
        );
    }
}
