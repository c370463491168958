//! The form of one line: compact JSON whose last keys are the hash of the line before and a checksum of everything
//! before that.
//!
//! The checksum stands inside the object, so that the file stays plain JSON lines for `jq`, pandas and people. The
//! writer always puts `event` first and `crc` last, which lets a reader check and classify a line before parsing it.

use crate::chain::LineHash;
use crate::event::{Event, JOURNAL_SCHEMA};
use crate::record_text::RecordText;
use fairtrial_model::{RECORD_SCHEMA, Record, UtcTime};
use serde::Deserialize;
use std::io::Write;

/// Longest line that is read; a file without line ends must not fill the memory.
pub(crate) const MAX_LINE: usize = 64 << 20;

/// `,"crc":"` + 8 digits + `"}`.
const TRAILER: usize = 18;
const TRAILER_HEAD: &[u8] = b",\"crc\":\"";
pub(crate) const FINISHED: &[u8] = b"{\"event\":\"finished\",";
pub(crate) const STARTED: &[u8] = b"{\"event\":\"started\",";
const OPENED: &[u8] = b"{\"event\":\"opened\",";
const SCHEMA: &[u8] = b"\"schema\":";

/// Appends the event to `out` as one line with its newline. On an error `out` is as before.
pub(crate) fn encode(
    event: &Event,
    before: Option<LineHash>,
    out: &mut Vec<u8>,
) -> Result<(), serde_json::Error> {
    let start = out.len();
    if let Err(error) = serde_json::to_writer(&mut *out, event) {
        out.truncate(start);
        return Err(error);
    }
    // The closing brace makes room for the last key.
    out.pop();
    seal(start, before, out);
    Ok(())
}

/// Appends a record as the line that [`encode`] makes of its event.
pub(crate) fn encode_record(text: &RecordText, before: Option<LineHash>, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(FINISHED);
    out.extend_from_slice(text.inside());
    seal(start, before, out);
}

/// Ends the line that begins at `start` with the hash of the line before it, where there is one, and its checksum.
fn seal(start: usize, before: Option<LineHash>, out: &mut Vec<u8>) {
    if let Some(before) = before {
        let written = write!(out, ",\"prev\":\"{before}\"");
        debug_assert!(written.is_ok(), "a Vec takes every write");
    }
    let crc = crc32fast::hash(&out[start..]);
    let written = writeln!(out, ",\"crc\":\"{crc:08x}\"}}");
    debug_assert!(written.is_ok(), "a Vec takes every write");
}

/// A record as the line that the journal would hold of it, checksum included: the form in which it travels from a node.
pub fn record_line(record: &Record) -> Result<Vec<u8>, serde_json::Error> {
    let mut line = Vec::new();
    encode(&Event::Finished(Box::new(record.clone())), None, &mut line)?;
    Ok(line)
}

/// The record of such a line, where it arrived whole.
pub fn record_from_line(line: &[u8]) -> Result<Record, Flaw> {
    let line = line.trim_ascii_end();
    check(line)?;
    decode_record(line)
}

/// Why a line is not one of ours.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// It does not end with a checksum.
    #[error("no checksum at its end")]
    NoChecksum,
    /// The checksum is of other content.
    #[error("checksum does not match")]
    Checksum,
    /// The checksum is right, but this version cannot read the content.
    #[error("not a known form: {0}")]
    Form(String),
    /// Of a form that a later version writes: this one would misread it.
    #[error("made by a newer fairtrial (form {form}; this one knows {knows}): use that version")]
    Newer {
        /// Its form.
        form: u64,
        /// The latest form that is known here.
        knows: u32,
    },
    /// Longer than any line we write.
    #[error("longer than {} MiB", MAX_LINE >> 20)]
    TooLong,
}

/// Checks that a line (without its newline) is whole and of a form that is known.
pub(crate) fn check(line: &[u8]) -> Result<(), Flaw> {
    check_sum(line)?;
    check_form(line)
}

/// Refuses the lines of later versions by their first bytes: what comes after `schema` may mean something else there.
fn check_form(line: &[u8]) -> Result<(), Flaw> {
    for (start, knows) in [(FINISHED, RECORD_SCHEMA), (OPENED, JOURNAL_SCHEMA)] {
        let after = line.strip_prefix(start);
        let Some(after) = after.and_then(|after| after.strip_prefix(SCHEMA)) else {
            continue;
        };
        let digits = after.iter().take_while(|byte| byte.is_ascii_digit());
        let form = digits.fold(0_u64, |form, digit| {
            form.saturating_mul(10)
                .saturating_add(u64::from(digit - b'0'))
        });
        if form > u64::from(knows) {
            return Err(Flaw::Newer { form, knows });
        }
    }
    Ok(())
}

/// All of a checked line before its checksum.
pub(crate) fn body(line: &[u8]) -> &[u8] {
    &line[..line.len().saturating_sub(TRAILER)]
}

/// Checks the checksum of a line.
fn check_sum(line: &[u8]) -> Result<(), Flaw> {
    let at = line.len().checked_sub(TRAILER).ok_or(Flaw::NoChecksum)?;
    let (body, trailer) = line.split_at(at);
    let digits = trailer
        .strip_prefix(TRAILER_HEAD)
        .and_then(|rest| rest.strip_suffix(b"\"}"))
        .and_then(|digits| std::str::from_utf8(digits).ok())
        .filter(|digits| {
            digits
                .bytes()
                .all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
        })
        .ok_or(Flaw::NoChecksum)?;
    let said = u32::from_str_radix(digits, 16).map_err(|_| Flaw::NoChecksum)?;
    if crc32fast::hash(body) == said {
        Ok(())
    } else {
        Err(Flaw::Checksum)
    }
}

/// Reads a checked line in full.
pub(crate) fn decode(line: &[u8]) -> Result<Event, Flaw> {
    // A tagged enum is read through a buffered copy; the two events that are nearly every line are read straight.
    if line.starts_with(FINISHED) {
        decode_record(line).map(|record| Event::Finished(Box::new(record)))
    } else if line.starts_with(STARTED) {
        decode_started(line)
    } else {
        parse(line)
    }
}

fn decode_started(line: &[u8]) -> Result<Event, Flaw> {
    #[derive(Deserialize)]
    struct Started {
        index: u64,
        attempt: u32,
        at: UtcTime,
        dir: String,
    }
    parse(line).map(|line: Started| Event::Started {
        index: line.index,
        attempt: line.attempt,
        at: line.at,
        dir: line.dir,
    })
}

/// Reads the record of a checked `finished` line.
pub(crate) fn decode_record(line: &[u8]) -> Result<Record, Flaw> {
    parse(line)
}

pub(crate) fn parse<'a, T: Deserialize<'a>>(line: &'a [u8]) -> Result<T, Flaw> {
    // Checked as text once, and not again for each word in it.
    let text = str::from_utf8(line).map_err(|error| Flaw::Form(error.to_string()))?;
    serde_json::from_str(text).map_err(|error| Flaw::Form(error.to_string()))
}
