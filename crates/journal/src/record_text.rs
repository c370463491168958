//! A record as text, made once for the copy beside a trial's logs and for the journal's line.

use fairtrial_model::Record;

/// One JSON object with its newline. Whoever makes it has taken secrets out of the record's free text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordText(Vec<u8>);

/// A record with nothing but what nearly every one has takes about so much.
const USUAL: usize = 1024;

impl RecordText {
    /// The text of a record.
    pub fn of(record: &Record) -> Result<Self, serde_json::Error> {
        let mut text = Vec::with_capacity(USUAL);
        serde_json::to_writer(&mut text, record)?;
        text.push(b'\n');
        Ok(Self(text))
    }

    /// The whole text.
    pub(crate) fn with_newline(&self) -> &[u8] {
        &self.0
    }

    /// What stands between the braces.
    pub(crate) fn inside(&self) -> &[u8] {
        &self.0[1..self.0.len() - "}\n".len()]
    }
}
