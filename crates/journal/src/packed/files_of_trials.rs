//! The one way to a trial's files: in its folder, else where they were packed.

use super::packed_file::PackedFile;
use super::small::{FolderFiles, RECORD_NAME, put_back};
use crate::error::{At, JournalError};
use crate::home::run_with_stamp;
use crate::record_text::RecordText;
use crate::root::DataRoot;
use crate::run_dir::RunDir;
use fairtrial_episode::open_regular;
use fairtrial_model::{Access, Packed, Record, Stamp};
use std::collections::HashMap;
use std::fs::{DirBuilder, File};
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// Finds the files of the trials of a data root.
#[derive(Debug)]
pub struct FilesOfTrials {
    root: DataRoot,
    /// The runs that made trials, by their stamps; those that are gone are absent.
    runs: HashMap<Stamp, Option<RunDir>>,
    /// The files that were opened, by the stamp of their run.
    opened: HashMap<Stamp, PackedFile>,
}

/// The files of one trial.
#[derive(Debug)]
pub struct FilesOfTrial {
    dir: PathBuf,
    packed: FolderFiles,
}

/// A file of a trial, open for reading.
#[derive(Debug)]
pub enum TrialFile {
    /// In a folder.
    Plain(File),
    /// Out of the run's file of all trials.
    Packed(Cursor<Vec<u8>>),
}

impl FilesOfTrials {
    /// Of this data root.
    pub fn of(root: &DataRoot) -> Self {
        Self {
            root: root.clone(),
            runs: HashMap::new(),
            opened: HashMap::new(),
        }
    }

    /// The files of an attempt that has this record. What is packed and damaged is an error; a folder that is gone has none.
    pub fn files(&mut self, record: &Record) -> Result<FilesOfTrial, JournalError> {
        let packed = match &record.packed {
            Some(packed) => self.packed(record, packed)?,
            None => FolderFiles::new(),
        };
        let plain = self.root.path().join(&record.dir);
        let run = stamp_of(record).map(|stamp| self.run(stamp)).transpose()?;
        let dir = run
            .flatten()
            .map_or(plain, |run| run.folder_of(&record.dir));
        Ok(FilesOfTrial { dir, packed })
    }

    /// The run of a stamp.
    fn run(&mut self, stamp: Stamp) -> Result<Option<&RunDir>, JournalError> {
        if !self.runs.contains_key(&stamp) {
            self.runs.insert(stamp, run_with_stamp(&self.root, stamp)?);
        }
        Ok(self.runs.get(&stamp).and_then(Option::as_ref))
    }

    fn packed(&mut self, record: &Record, packed: &Packed) -> Result<FolderFiles, JournalError> {
        let mut files = match self.file_of(record)? {
            Some(file) => file.files(record, packed)?,
            // The run that a record was taken over from may have been removed by hand.
            None => return Ok(FolderFiles::new()),
        };
        if let Ok(text) = RecordText::of(record) {
            let text = String::from_utf8_lossy(text.with_newline());
            files.insert(RECORD_NAME.to_owned(), text.into_owned());
        }
        Ok(files)
    }

    /// The file of the run that ran a trial.
    fn file_of(&mut self, record: &Record) -> Result<Option<&mut PackedFile>, JournalError> {
        let Some(stamp) = stamp_of(record) else {
            return Ok(None);
        };
        if !self.opened.contains_key(&stamp) {
            let Some(run) = self.run(stamp)? else {
                return Ok(None);
            };
            run.readable()?;
            let file = PackedFile::open(run)?;
            self.opened.insert(stamp, file);
        }
        Ok(self.opened.get_mut(&stamp))
    }
}

/// The run that ran a trial: its stamp is in the name of the trial's folder.
fn stamp_of(record: &Record) -> Option<Stamp> {
    let name = record.dir.rsplit('/').next()?;
    DataRoot::trial_named(name).map(|(stamp, _)| stamp)
}

impl FilesOfTrial {
    /// Of a trial that has nothing packed.
    pub fn in_folder(dir: &Path) -> Self {
        Self {
            dir: dir.to_owned(),
            packed: FolderFiles::new(),
        }
    }

    /// Where its folder is, or would be.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Texts that stand elsewhere than in its folder, by name.
    pub fn packed(&self) -> &FolderFiles {
        &self.packed
    }

    /// Opens a file by its name inside of the folder.
    pub fn open(&self, name: &str) -> io::Result<TrialFile> {
        match open_regular(&self.dir.join(name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                TrialFile::packed(self.packed.get(name)).ok_or(error)
            }
            opened => opened.map(TrialFile::Plain),
        }
    }

    /// Makes the folder, with what was packed in it; what is there stays as it is.
    pub fn unpack(&self, access: Access) -> Result<(), JournalError> {
        let mut maker = DirBuilder::new();
        let maker = maker.recursive(true).mode(access.folder_mode());
        maker.create(&self.dir).at("create", &self.dir)?;
        self.unpack_into(&self.dir)
    }

    /// The same somewhere else.
    pub fn unpack_into(&self, dir: &Path) -> Result<(), JournalError> {
        if self.packed.is_empty() {
            return Ok(());
        }
        put_back(dir, &self.packed).at("write files into", dir)
    }
}

impl TrialFile {
    /// Of a text that was packed.
    pub fn packed(text: Option<&String>) -> Option<Self> {
        Some(Self::Packed(Cursor::new(text?.clone().into_bytes())))
    }

    /// How large it is.
    pub fn size(&self) -> io::Result<u64> {
        match self {
            Self::Plain(file) => Ok(file.metadata()?.len()),
            Self::Packed(text) => Ok(text.get_ref().len() as u64),
        }
    }
}

impl Read for TrialFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(file) => file.read(buffer),
            Self::Packed(text) => text.read(buffer),
        }
    }
}

impl Seek for TrialFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Self::Plain(file) => file.seek(to),
            Self::Packed(text) => text.seek(to),
        }
    }
}
