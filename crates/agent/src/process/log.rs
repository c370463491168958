//! The log of a program: without secrets, within its limit, and its last part kept for messages.

use fairtrial_journal::redact::Redactor;
use fairtrial_model::Capped;
use std::fs::File;
use std::io::Write;

/// A line is held this long for redaction, then written as it is cut.
const LONGEST_LINE: usize = 1 << 20;
/// Letters of the tail.
const TAIL: usize = 4000;

/// A log with a limit, written line by line so that a secret is never cut in two. Past the limit its beginning and its
/// end are kept: the end holds an agent's answer, or why it has none.
pub(super) struct Log<'a> {
    file: File,
    kept: Capped,
    line: Vec<u8>,
    tail: String,
    redactor: &'a Redactor,
}

impl<'a> Log<'a> {
    pub(super) fn new(file: File, limit: u64, redactor: &'a Redactor) -> Self {
        Self {
            file,
            kept: Capped::new(limit),
            line: Vec::new(),
            tail: String::new(),
            redactor,
        }
    }

    /// Takes output; `hear` is given what there is to log, also what the log has no room for.
    pub(super) fn take(&mut self, bytes: &[u8], hear: &mut dyn FnMut(&str)) -> std::io::Result<()> {
        self.line.extend_from_slice(bytes);
        let cut = match self.line.iter().rposition(|byte| *byte == b'\n') {
            Some(end) => end + 1,
            None if self.line.len() > LONGEST_LINE => self.line.len(),
            None => return Ok(()),
        };
        let rest = self.line.split_off(cut);
        let whole = std::mem::replace(&mut self.line, rest);
        self.write(&whole, hear)
    }

    fn write(&mut self, bytes: &[u8], hear: &mut dyn FnMut(&str)) -> std::io::Result<()> {
        let text = String::from_utf8_lossy(bytes);
        let clean = self.redactor.redact(&text);
        hear(&clean);
        self.tail.push_str(&clean);
        if self.tail.len() > 2 * TAIL {
            let mut from = self.tail.len() - TAIL;
            while !self.tail.is_char_boundary(from) {
                from += 1;
            }
            self.tail.drain(..from);
        }
        self.file.write_all(self.kept.take(clean.as_bytes()))
    }

    pub(super) fn finish(&mut self, hear: &mut dyn FnMut(&str)) -> std::io::Result<String> {
        let rest = std::mem::take(&mut self.line);
        self.write(&rest, hear)?;
        if let Some(gap) = self.kept.gap() {
            self.file.write_all(gap.as_bytes())?;
        }
        self.file.write_all(&self.kept.take_tail())?;
        Ok(std::mem::take(&mut self.tail))
    }
}
