//! Finds runs, and says whether one began. A disk that is full or a kill at the wrong moment leaves a folder without the journal's first
//! line, which says what the run is: nothing was run, and nobody who asks for the newest run means it.

use crate::error::{At, JournalError};
use crate::event::{Event, Opened};
use crate::kept::{check_name, stamps_of};
use crate::line::{self, MAX_LINE};
use crate::lock::is_live;
use crate::root::DataRoot;
use crate::run_dir::{RunDir, list_runs};
use fairtrial_model::Stamp;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};

/// Which of a name's runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selector {
    /// The newest that began; where none did, the newest.
    Latest,
    /// The newest, also one that was ended before it began.
    Newest,
    /// The one with this stamp.
    Stamp(Stamp),
}

impl RunDir {
    /// An existing run.
    pub fn open(root: &DataRoot, name: &str, which: Selector) -> Result<Self, JournalError> {
        check_name(name)?;
        let missing = |what: String| JournalError::NoSuchRun {
            what,
            rollouts: root.rollouts_dir(),
        };
        match which {
            Selector::Stamp(stamp) => {
                let run = Self::named(root, name, stamp);
                run.exists()
                    .then_some(run)
                    .ok_or_else(|| missing(format!("{name}/{stamp}")))
            }
            Selector::Latest | Selector::Newest => {
                let stamps = stamps_of(&root.rollouts_dir().join(name))?.into_iter();
                let runs = stamps.map(|stamp| Self::named(root, name, stamp));
                let newest = if which == Selector::Newest {
                    runs.max_by_key(Self::stamp)
                } else {
                    newest(runs.collect())?
                };
                newest.ok_or_else(|| missing(format!("named {name}")))
            }
        }
    }

    /// Whether it has its first line, or a controller that may be about to write it.
    pub fn is_begun(&self) -> Result<bool, JournalError> {
        // Only what began is archived. Damage is told by those who read it.
        Ok(self.is_archived() || self.first_line()?.is_some() || is_live(self)?.is_live())
    }

    /// What its first line says that it is; nothing where that line is not there or not whole.
    pub fn opened(&self) -> Result<Option<Opened>, JournalError> {
        let line = self.first_line()?;
        let line = line.as_deref().and_then(|line| line.strip_suffix(b"\n"));
        let event = line.filter(|line| line::check(line).is_ok());
        Ok(match event.map(line::decode) {
            Some(Ok(Event::Opened(opened))) => Some(opened),
            _ => None,
        })
    }

    /// The first line of its journal. One without its end is dropped by every reader.
    fn first_line(&self) -> Result<Option<Vec<u8>>, JournalError> {
        let path = self.journal();
        let file = match File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened.at("open", &path)?,
        };
        let mut first = Vec::new();
        let mut line = BufReader::new(file).take(MAX_LINE as u64 + 1);
        line.read_until(b'\n', &mut first).at("read", &path)?;
        let is_whole = first.len() > MAX_LINE || first.ends_with(b"\n");
        Ok(is_whole.then_some(first))
    }
}

/// The newest run of a data root that began; where none did, the newest.
pub fn newest_run(root: &DataRoot) -> Result<Option<RunDir>, JournalError> {
    newest(list_runs(root)?)
}

/// The newest of these that began; where none did, the newest.
fn newest(mut runs: Vec<RunDir>) -> Result<Option<RunDir>, JournalError> {
    runs.sort_by_key(RunDir::stamp);
    for run in runs.iter().rev() {
        if run.is_begun()? {
            return Ok(Some(run.clone()));
        }
    }
    Ok(runs.pop())
}
