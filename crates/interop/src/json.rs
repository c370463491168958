//! JSON as programs write it, read piece by piece.
//!
//! Result files grow to gigabytes (transcripts, raw samples), so that nothing here holds more than one value at a time;
//! what nobody asks for is passed over without being kept. Python and C++ write bare `NaN` and `Infinity`: they are
//! given on as words, which [`fairtrial_model::Number`] reads.

use crate::error::{FilePlace, InteropError};
use serde::de::DeserializeOwned;
use std::io::Read;
use std::ops::Range;

/// Bytes of one value that is kept; a file that claims more is refused before it fills the memory.
const MOST_VALUE: usize = 256 << 20;
/// Bytes that are read at once.
const BUFFER: usize = 64 << 10;

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JsonKind {
    Object,
    Array,
    Text,
    /// A number, `true`, `false`, `null`, `NaN`, ...
    Word,
}

/// A reader of JSON text.
pub(crate) struct Json<R> {
    source: R,
    buffer: Vec<u8>,
    at: usize,
    end: usize,
    line: u64,
    name: String,
    /// The value that is read at present.
    kept: Vec<u8>,
    /// Where in the buffer begins what is to be kept when other bytes take its place.
    mark: Option<usize>,
}

type Done<T> = Result<T, InteropError>;

impl<R: Read> Json<R> {
    /// A reader of a file that the user knows by this name.
    pub(crate) fn new(name: impl Into<String>, source: R) -> Self {
        Self {
            source,
            buffer: vec![0; BUFFER],
            at: 0,
            end: 0,
            line: 1,
            name: name.into(),
            kept: Vec::new(),
            mark: None,
        }
    }

    /// Where the reader stands.
    pub(crate) fn place(&self) -> FilePlace {
        FilePlace::of(&self.name).line(self.line)
    }

    /// An error about what stands here.
    pub(crate) fn wrong(&self, message: impl Into<String>) -> InteropError {
        InteropError::content(self.place(), message)
    }

    fn cut(&self) -> InteropError {
        InteropError::Cut {
            place: self.place(),
        }
    }

    /// Whether there is a byte at hand; reads on where the buffer is empty.
    fn fill(&mut self) -> Done<bool> {
        if self.at < self.end {
            return Ok(true);
        }
        self.spill()?;
        self.at = 0;
        loop {
            match self.source.read(&mut self.buffer) {
                Ok(read) => {
                    self.end = read;
                    return Ok(read > 0);
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.end = 0;
                    return Err(self.wrong(error.to_string()));
                }
            }
        }
    }

    /// Keeps what is marked, up to here.
    fn spill(&mut self) -> Done<()> {
        let Some(mark) = self.mark else {
            return Ok(());
        };
        self.mark = Some(0);
        let bytes = self.at - mark;
        self.at = mark;
        self.take::<true>(bytes)
    }

    /// The next byte that is no blank; absent at the end.
    fn token(&mut self) -> Done<Option<u8>> {
        while self.fill()? {
            let rest = &self.buffer[self.at..self.end];
            for (passed, byte) in rest.iter().enumerate() {
                match byte {
                    b'\n' => self.line += 1,
                    // The mark that some editors put before the first byte.
                    b' ' | b'\t' | b'\r' | 0xEF | 0xBB | 0xBF => {}
                    _ => {
                        self.at += passed;
                        return Ok(Some(*byte));
                    }
                }
            }
            self.at = self.end;
        }
        Ok(None)
    }

    fn expect(&mut self, wanted: u8, what: &str) -> Done<()> {
        match self.token()? {
            None => Err(self.cut()),
            Some(byte) if byte == wanted => {
                self.at += 1;
                Ok(())
            }
            Some(byte) => Err(self.wrong(format!("expected {what}, found {}", shown(byte)))),
        }
    }

    /// Whether another value follows; for texts that hold several.
    pub(crate) fn more(&mut self) -> Done<bool> {
        Ok(self.token()?.is_some())
    }

    /// What kind of value follows.
    pub(crate) fn kind(&mut self) -> Done<JsonKind> {
        match self.token()? {
            None => Err(self.cut()),
            Some(b'{') => Ok(JsonKind::Object),
            Some(b'[') => Ok(JsonKind::Array),
            Some(b'"') => Ok(JsonKind::Text),
            Some(b'}' | b']' | b',' | b':') => Err(self.wrong("a value is missing")),
            Some(_) => Ok(JsonKind::Word),
        }
    }

    /// Shows every key of an object; `each` has to read or pass over the value.
    pub(crate) fn object(&mut self, mut each: impl FnMut(&str, &mut Self) -> Done<()>) -> Done<()> {
        self.expect(b'{', "a table (`{`)")?;
        if self.token()? == Some(b'}') {
            self.at += 1;
            return Ok(());
        }
        loop {
            let key = self.text("a key")?;
            self.expect(b':', "`:`")?;
            each(&key, self)?;
            if self.is_last(b'}')? {
                return Ok(());
            }
        }
    }

    /// Shows every element of an array; `each` has to read or pass over it.
    pub(crate) fn array(&mut self, mut each: impl FnMut(&mut Self) -> Done<()>) -> Done<()> {
        let mut place = 0;
        while self.element(place)? {
            each(self)?;
            place += 1;
        }
        Ok(())
    }

    /// Goes to the element of an array at this place, from the one before it; whether there is one.
    fn element(&mut self, place: usize) -> Done<bool> {
        if place > 0 {
            return Ok(!self.is_last(b']')?);
        }
        self.expect(b'[', "a list (`[`)")?;
        let is_empty = self.token()? == Some(b']');
        self.at += usize::from(is_empty);
        Ok(!is_empty)
    }

    fn is_last(&mut self, close: u8) -> Done<bool> {
        match self.token()? {
            None => Err(self.cut()),
            Some(b',') => {
                self.at += 1;
                Ok(false)
            }
            Some(byte) if byte == close => {
                self.at += 1;
                Ok(true)
            }
            Some(byte) => Err(self.wrong(format!(
                "expected `,` or `{}`, found {}",
                char::from(close),
                shown(byte)
            ))),
        }
    }

    /// Reads a string.
    pub(crate) fn text(&mut self, what: &str) -> Done<String> {
        if self.token()?.is_some_and(|byte| byte != b'"') {
            return Err(self.wrong(format!("expected {what} in quotes")));
        }
        self.kept.clear();
        self.string::<true>()?;
        let inner = &self.kept[1..self.kept.len() - 1];
        let is_plain = |byte: &u8| *byte >= b' ' && *byte != b'\\';
        if inner.iter().all(is_plain) {
            return Ok(String::from_utf8_lossy(inner).into_owned());
        }
        // Half of a surrogate pair is no text for Rust, but Python writes it.
        Ok(serde_json::from_slice(&self.kept)
            .unwrap_or_else(|_| String::from_utf8_lossy(inner).into_owned()))
    }

    /// Reads a value; `field` is its name in messages.
    pub(crate) fn value<T: DeserializeOwned>(&mut self, field: &str) -> Done<T> {
        self.token()?;
        let line = self.line;
        let whole = self.marked()?;
        let text = whole.map_or(&self.kept[..], |range| &self.buffer[range]);
        if let Ok(value) = serde_json::from_slice(text) {
            return Ok(value);
        }
        // Wrong, or with numbers that JSON does not have.
        let mut plain = Json::new(&*self.name, text);
        plain.line = line;
        plain.pass::<true>()?;
        serde_json::from_slice(&plain.kept).map_err(|error| {
            let line = line + (error.line() as u64).saturating_sub(1);
            // The place is told by us: the one in the message counts from the value.
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or(&message);
            InteropError::content(
                FilePlace::of(&self.name).line(line).field(field),
                message.to_owned(),
            )
        })
    }

    /// Appends the text of a value to others; gives the line on which it begins.
    fn copy(&mut self, into: &mut Vec<u8>) -> Done<u64> {
        self.token()?;
        let line = self.line;
        let whole = self.marked()?;
        into.extend_from_slice(whole.map_or(&self.kept[..], |range| &self.buffer[range]));
        Ok(line)
    }

    /// Passes over the value that begins here: where it stands in the buffer, or nothing for what did not fit and is kept.
    fn marked(&mut self) -> Done<Option<Range<usize>>> {
        self.kept.clear();
        self.mark = Some(self.at);
        let passed = self.pass::<false>();
        let mark = self.mark.take().unwrap_or_default();
        passed?;
        if self.kept.is_empty() {
            return Ok(Some(mark..self.at));
        }
        self.kept.extend_from_slice(&self.buffer[mark..self.at]);
        Ok(None)
    }

    /// Passes over a value.
    pub(crate) fn skip(&mut self) -> Done<()> {
        self.pass::<false>()
    }

    fn pass<const KEEP: bool>(&mut self) -> Done<()> {
        let mut depth = 0_usize;
        loop {
            let line = self.line;
            let Some(byte) = self.token()? else {
                return Err(self.cut());
            };
            if KEEP && depth > 0 {
                // Messages about what is kept count its lines.
                let passed = (self.line - line) as usize;
                self.kept.extend(std::iter::repeat_n(b'\n', passed));
            }
            match byte {
                b'{' | b'[' => {
                    depth += 1;
                    self.take::<KEEP>(1)?;
                }
                b'}' | b']' if depth > 0 => {
                    depth -= 1;
                    self.take::<KEEP>(1)?;
                }
                b',' | b':' if depth > 0 => {
                    self.take::<KEEP>(1)?;
                    continue;
                }
                b'}' | b']' | b',' | b':' => return Err(self.wrong("a value is missing")),
                b'"' => self.string::<KEEP>()?,
                _ => self.word::<KEEP>()?,
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// Goes on by so many bytes of the buffer.
    fn take<const KEEP: bool>(&mut self, bytes: usize) -> Done<()> {
        if KEEP {
            if self.kept.len() + bytes > MOST_VALUE {
                return Err(self.wrong(format!(
                    "one value takes more than {} MiB",
                    MOST_VALUE >> 20
                )));
            }
            self.kept
                .extend_from_slice(&self.buffer[self.at..self.at + bytes]);
        }
        self.at += bytes;
        Ok(())
    }

    /// Passes over a string, quotes included.
    fn string<const KEEP: bool>(&mut self) -> Done<()> {
        let start = self.line;
        self.take::<KEEP>(1)?;
        let mut escaped = false;
        while self.fill()? {
            if escaped {
                escaped = false;
                self.take::<KEEP>(1)?;
                continue;
            }
            let rest = &self.buffer[self.at..self.end];
            let found = memchr::memchr3(b'"', b'\\', b'\n', rest);
            let Some(place) = found else {
                self.take::<KEEP>(rest.len())?;
                continue;
            };
            let byte = rest[place];
            self.take::<KEEP>(place + 1)?;
            match byte {
                b'"' => return Ok(()),
                b'\\' => escaped = true,
                _ => self.line += 1,
            }
        }
        self.line = start;
        Err(self.cut())
    }

    /// Passes over a number or a word; what JSON has no number for is kept as a word in quotes.
    fn word<const KEEP: bool>(&mut self) -> Done<()> {
        let start = self.kept.len();
        while self.fill()? {
            let rest = &self.buffer[self.at..self.end];
            let length = rest.iter().position(|byte| ends_word(*byte));
            let taken = length.unwrap_or(rest.len());
            if KEEP {
                self.kept.extend_from_slice(&rest[..taken]);
                if self.kept.len() - start > MOST_WORD {
                    return Err(self.wrong("a number of many digits, or no JSON"));
                }
            }
            self.at += taken;
            if length.is_some() {
                break;
            }
        }
        if KEEP && let Some(spelled) = not_finite(&self.kept[start..]) {
            self.kept.truncate(start);
            self.kept.extend_from_slice(spelled);
        }
        Ok(())
    }
}

/// Digits that a number may have.
const MOST_WORD: usize = 4096;

fn ends_word(byte: u8) -> bool {
    matches!(
        byte,
        b',' | b']' | b'}' | b':' | b'"' | b'{' | b'[' | b' ' | b'\t' | b'\r' | b'\n'
    )
}

/// The word in quotes for a number that JSON does not have; a number that is too large is infinite, as for Python.
fn not_finite(word: &[u8]) -> Option<&'static [u8]> {
    match word {
        b"NaN" | b"nan" => return Some(b"\"NaN\""),
        b"Infinity" | b"inf" | b"+Infinity" => return Some(b"\"Infinity\""),
        b"-Infinity" | b"-inf" => return Some(b"\"-Infinity\""),
        _ => {}
    }
    let large = word.len() > 300 || word.iter().any(|byte| matches!(byte, b'e' | b'E'));
    if !large {
        return None;
    }
    let value: f64 = std::str::from_utf8(word).ok()?.parse().ok()?;
    match value {
        f64::INFINITY => Some(b"\"Infinity\""),
        f64::NEG_INFINITY => Some(b"\"-Infinity\""),
        _ => None,
    }
}

/// A byte as a message shows it.
fn shown(byte: u8) -> String {
    if byte.is_ascii_graphic() {
        format!("`{}`", char::from(byte))
    } else {
        format!("the byte {byte:#04x}")
    }
}

/// Reads one value from a text at hand, such as a line.
pub(crate) fn parse<T: DeserializeOwned>(name: &str, text: &[u8]) -> Done<T> {
    if let Ok(value) = serde_json::from_slice(text) {
        return Ok(value);
    }
    let mut json = Json::new(name, text);
    let value = json.value("value")?;
    if json.more()? {
        return Err(json.wrong("more than one value stands here"));
    }
    Ok(value)
}

mod together;

#[cfg(test)]
mod tests;
