//! Terminals: what would be obeyed is written out, so that `\u{1b}[2J` clears no screen.

use std::borrow::Cow;

/// The text with everything written out that a terminal would obey; line ends and tabs stay.
pub fn terminal(text: &str) -> Cow<'_, str> {
    written_out(text, |c| is_hidden(c) && c != '\n' && c != '\t')
}

/// The same for what must not leave its line: a name with a line end in it would forge the next one.
pub fn terminal_line(text: &str) -> Cow<'_, str> {
    written_out(text, is_hidden)
}

fn written_out(text: &str, harmful: fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(harmful) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if harmful(c) {
            safe.extend(c.escape_default());
        } else {
            safe.push(c);
        }
    }
    Cow::Owned(safe)
}

/// The same as [`terminal`] for text that we painted ourselves: the codes of colours stay.
pub fn terminal_painted(text: &str) -> Cow<'_, str> {
    painted(text, terminal)
}

/// The same as [`terminal_line`] for text that we painted ourselves.
pub fn terminal_line_painted(text: &str) -> Cow<'_, str> {
    painted(text, terminal_line)
}

fn painted(text: &str, escape: fn(&str) -> Cow<'_, str>) -> Cow<'_, str> {
    if !text.contains('\u{1b}') {
        return escape(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        let (before, code) = rest.split_at(at);
        safe.push_str(&escape(before));
        let end = color_end(code);
        let (code, after) = code.split_at(end.unwrap_or('\u{1b}'.len_utf8()));
        if end.is_some() {
            safe.push_str(code);
        } else {
            safe.push_str(&escape(code));
        }
        rest = after;
    }
    safe.push_str(&escape(rest));
    Cow::Owned(safe)
}

/// The text without the escape codes and control characters of terminals: lines of a log, where they say nothing.
pub fn terminal_removed(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        if c == '\u{1b}' && letters.peek() == Some(&'[') {
            // The code ends with a letter.
            letters.by_ref().skip(1).find(char::is_ascii_alphabetic);
        } else if c == '\t' {
            clean.push_str("    ");
        } else if !is_hidden(c) {
            clean.push(c);
        }
    }
    clean
}

/// Where the code of a colour at the beginning of a text ends.
fn color_end(text: &str) -> Option<usize> {
    let numbers = text.strip_prefix("\u{1b}[")?;
    let length = numbers.find(|c: char| !c.is_ascii_digit() && c != ';')?;
    let harmless = numbers[..length].split(';').all(is_plain_color);
    (harmless && numbers[length..].starts_with('m')).then_some(length + 3)
}

/// Whether a code only makes letters bold, faint or coloured; others hide them.
fn is_plain_color(code: &str) -> bool {
    matches!(code.parse(), Ok(0 | 1 | 2 | 31..=37 | 39 | 90..=97))
}

/// Whether a character changes how the text around it is shown instead of being shown: control characters, line
/// separators, and those that turn the direction of reading round.
pub(super) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::{terminal, terminal_line, terminal_painted, terminal_removed};
    use proptest::prelude::*;

    #[test]
    fn control_characters_are_shown_and_not_obeyed() {
        assert_eq!(
            terminal("a\u{1b}[31mb\u{7}\r\u{9b}2J\n\tc\u{202e}"),
            "a\\u{1b}[31mb\\u{7}\\r\\u{9b}2J\n\tc\\u{202e}"
        );
        assert_eq!(terminal_line("a\nb"), "a\\nb");
        assert_eq!(terminal("plain ± 中"), "plain ± 中");
    }

    #[test]
    fn of_painted_text_only_colours_stay() {
        assert_eq!(terminal_painted("\u{1b}[8mhidden"), "\\u{1b}[8mhidden");
        let painted = "\u{1b}[1;31mred\u{1b}[0m \u{1b}[2J\u{1b}]0;title\u{7} \u{1b}";
        assert_eq!(
            terminal_painted(painted),
            "\u{1b}[1;31mred\u{1b}[0m \\u{1b}[2J\\u{1b}]0;title\\u{7} \\u{1b}"
        );
    }

    #[test]
    fn colours_and_control_characters_go_from_logs() {
        assert_eq!(
            terminal_removed("\u{1b}[31;1mred\u{1b}[0m\ta\u{7}b"),
            "red    ab"
        );
        assert_eq!(terminal_removed("\u{1b}["), "");
    }

    proptest! {
        #[test]
        fn nothing_is_left_that_a_terminal_obeys(text in any::<String>()) {
            prop_assert!(!terminal_line(&text).chars().any(char::is_control));
            let obeyed = terminal(&text).chars().any(|c| c.is_control() && c != '\n' && c != '\t');
            prop_assert!(!obeyed);
            prop_assert!(!terminal_removed(&text).chars().any(char::is_control));
        }
    }
}
