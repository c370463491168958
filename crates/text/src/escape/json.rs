//! JSON that is shown: a terminal would obey some characters that JSON leaves as they are, and a page cannot hold others.

use super::terminal::is_hidden;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::io;

/// The text of a JSON value with such characters written as `\u009b`; it stands for the same value.
pub fn json(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_written_out) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_written_out(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a string cannot fail.
                let _ = write!(safe, "\\u{unit:04x}");
            }
        } else {
            safe.push(c);
        }
    }
    Cow::Owned(safe)
}

/// Between strings there are line ends and blanks; within them JSON itself writes out what is below a blank.
fn is_written_out(c: char) -> bool {
    (is_hidden(c) && !c.is_ascii_control()) || matches!(c, '\u{7f}' | '\u{fffe}' | '\u{ffff}')
}

/// Writes such JSON on. It takes whole characters, as JSON writers give them.
#[derive(Debug)]
pub struct JsonWriter<W>(pub W);

impl<W: io::Write> io::Write for JsonWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match std::str::from_utf8(bytes) {
            Ok(text) => self.0.write_all(json(text).as_bytes())?,
            Err(_) => self.0.write_all(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::json;

    #[test]
    fn what_is_shown_is_the_same_value() {
        assert_eq!(
            json("\"a\u{9b}\u{202e}\u{fffe}\u{7f}\"\n"),
            "\"a\\u009b\\u202e\\ufffe\\u007f\"\n"
        );
        assert_eq!(json("{\n\t\"é\": 1\r\n}"), "{\n\t\"é\": 1\r\n}");
    }
}
