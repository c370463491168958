//! Reads what was packed, by the places that records name.

use super::packer::hash;
use super::script::SharedScript;
use super::small::{FolderFiles, LOG_NAMES, PutAwayFiles, SCRIPT_NAME};
use crate::error::{At, JournalError};
use crate::line::MAX_LINE;
use crate::run_dir::RunDir;
use fairtrial_model::{Packed, PackedLine, Record};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

/// A run's `packed.jsonl`, open for reading.
#[derive(Debug)]
pub(super) struct PackedFile {
    path: PathBuf,
    file: File,
    /// The script that was read last: most trials share it.
    script: Option<(PackedLine, Vec<u8>)>,
}

impl PackedFile {
    /// Opens that of a run.
    pub(super) fn open(run: &RunDir) -> Result<Self, JournalError> {
        let path = run.packed();
        Ok(Self {
            file: File::open(&path).at("open", &path)?,
            path,
            script: None,
        })
    }

    /// The files of a trial by name, with the empty logs that were not worth a line.
    pub(super) fn files(
        &mut self,
        record: &Record,
        packed: &Packed,
    ) -> Result<FolderFiles, JournalError> {
        let script = packed.script.map(|place| self.script(place)).transpose()?;
        let files = packed.files.map(|place| self.line(place)).transpose()?;
        let lines = [script.as_deref(), files.as_deref()];
        if hash(
            &lines
                .into_iter()
                .flatten()
                .flatten()
                .copied()
                .collect::<Vec<u8>>(),
        ) != packed.sha256
        {
            return Err(self.damaged("the lines of a trial are not those that its record names"));
        }
        let name = record.dir.rsplit('/').next().unwrap_or_default();
        let mut found: FolderFiles = LOG_NAMES.map(|log| (log.to_owned(), String::new())).into();
        if let Some(text) = files {
            let files: PutAwayFiles = self.parsed(&text)?;
            found.extend(files.files);
        }
        if let Some(text) = script {
            let shared: SharedScript = self.parsed(&text)?;
            let script = shared.filled(name, record.trial.own_seed());
            found.insert(SCRIPT_NAME.to_owned(), script);
        }
        Ok(found)
    }

    fn script(&mut self, place: PackedLine) -> Result<Vec<u8>, JournalError> {
        if let Some((known, text)) = &self.script
            && *known == place
        {
            return Ok(text.clone());
        }
        let text = self.line(place)?;
        self.script = Some((place, text.clone()));
        Ok(text)
    }

    fn line(&self, (start, bytes): PackedLine) -> Result<Vec<u8>, JournalError> {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        if bytes > MAX_LINE {
            return Err(self.damaged("a record names a line that is too long to be one"));
        }
        let mut text = vec![0; bytes];
        match self.file.read_exact_at(&mut text, start) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                Err(self.damaged("lines of a trial are missing at its end"))
            }
            read => read.at("read", &self.path).map(|()| text),
        }
    }

    fn parsed<T: serde::de::DeserializeOwned>(&self, text: &[u8]) -> Result<T, JournalError> {
        serde_json::from_slice(text).map_err(|error| self.damaged(&error.to_string()))
    }

    fn damaged(&self, message: &str) -> JournalError {
        JournalError::Content {
            path: self.path.clone(),
            message: message.to_owned(),
        }
    }
}
