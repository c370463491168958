//! Effective records, read from the journal one at a time.

use crate::error::{At, JournalError};
use crate::line;
use crate::observation::Observation;
use crate::state::RunState;
use crate::trial_states::TrialState;
use fairtrial_model::Record;
use serde::Deserialize;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Reads effective records one by one, wherever they stand.
#[derive(Debug)]
pub struct RecordFile {
    path: PathBuf,
    file: File,
    window: Vec<u8>,
    window_at: u64,
}

/// Bytes that are read at once: records of neighbours mostly stand close together.
const WINDOW: usize = 1 << 18;

impl RecordFile {
    /// Opens a journal whose [`RunState`] is at hand.
    pub fn open(path: &Path) -> Result<Self, JournalError> {
        Ok(Self {
            path: path.to_owned(),
            file: File::open(path).at("open", path)?,
            window: Vec::new(),
            window_at: 0,
        })
    }

    /// The effective record of a trial, where it has one.
    pub fn record(&mut self, trial: &TrialState) -> Result<Option<Record>, JournalError> {
        self.read_as(trial)
    }

    /// The same as a type of the caller's that holds less of a record and may borrow its text.
    pub fn read_as<'a, T: Deserialize<'a>>(
        &'a mut self,
        trial: &TrialState,
    ) -> Result<Option<T>, JournalError> {
        if trial.outcome.is_none() {
            return Ok(None);
        }
        let path = self.path.clone();
        let line = self
            .line(trial.offset, trial.len as usize)
            .at("read", &path)?;
        parse(line, &path, trial.offset).map(Some)
    }

    /// Copies the effective records of several trials, so that they can be read beside each other. Trials without one
    /// are left out.
    pub fn copy<'t>(
        &mut self,
        trials: impl IntoIterator<Item = &'t TrialState>,
    ) -> Result<CopiedRecords, JournalError> {
        let path = self.path.clone();
        let mut copied = CopiedRecords {
            path: path.clone(),
            text: Vec::new(),
            lines: Vec::new(),
        };
        for trial in trials {
            if trial.outcome.is_some() {
                let start = copied.text.len();
                let line = self.line(trial.offset, trial.len as usize);
                copied.text.extend_from_slice(line.at("read", &path)?);
                copied.lines.push((trial.offset, start..copied.text.len()));
            }
        }
        Ok(copied)
    }

    fn line(&mut self, offset: u64, len: usize) -> io::Result<&[u8]> {
        let end = offset + len as u64;
        let held = self.window_at + self.window.len() as u64;
        if offset < self.window_at || end > held {
            self.fill(offset, len)?;
        }
        let start = (offset - self.window_at) as usize;
        self.window
            .get(start..start + len)
            .ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }

    fn fill(&mut self, offset: u64, len: usize) -> io::Result<()> {
        self.window.resize(len.max(WINDOW), 0);
        let mut filled = 0;
        while filled < self.window.len() {
            match self
                .file
                .read_at(&mut self.window[filled..], offset + filled as u64)
            {
                Ok(0) => break,
                Ok(more) => filled += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.window.truncate(filled);
        self.window_at = offset;
        Ok(())
    }
}

/// Records of several trials, not read yet.
#[derive(Debug)]
pub struct CopiedRecords {
    path: PathBuf,
    text: Vec<u8>,
    /// Where each stands in the journal, and in the text.
    lines: Vec<(u64, Range<usize>)>,
}

impl CopiedRecords {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.lines.len()
    }

    /// What there is to judge of one of them.
    pub fn observation(&self, place: usize) -> Result<Observation<'_>, JournalError> {
        let (offset, range) = &self.lines[place];
        parse(&self.text[range.clone()], &self.path, *offset)
    }
}

fn parse<'a, T: Deserialize<'a>>(
    line: &'a [u8],
    path: &Path,
    offset: u64,
) -> Result<T, JournalError> {
    let record = line::check(line).and_then(|()| line::parse(line));
    record.map_err(|flaw| JournalError::Content {
        path: path.to_owned(),
        message: format!("byte {offset}: {flaw}"),
    })
}

/// Hands every effective record to `each`, in index order, holding one at a time. Stops at the first error, also of
/// `each`.
pub fn effective_records<E: From<JournalError>>(
    path: &Path,
    state: &RunState,
    mut each: impl FnMut(Record) -> Result<(), E>,
) -> Result<(), E> {
    let mut file = RecordFile::open(path)?;
    for (_, trial) in state.trials() {
        if let Some(record) = file.record(trial)? {
            each(record)?;
        }
    }
    Ok(())
}
