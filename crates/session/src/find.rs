//! Which run is meant: the newest, the newest of a name, one with a stamp, or the one in a folder.

use crate::absent::no_source;
use crate::data_root::absolute;
use crate::error::SessionError;
use crate::export::ExportQuestion;
use crate::foreign::Curves;
use crate::notice::Notice;
use crate::session::Session;
use fairtrial_interop::Scope;
use fairtrial_journal::{
    ARCHIVE_ENDING, DataRoot, JournalError, RunDir, Selector, list_runs, newest_run, run_with_stamp,
};
use fairtrial_model::Stamp;
use std::path::Path;

/// Which run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunChoice {
    /// Name of the benchmark; absent for the newest run of all.
    pub name: Option<String>,
    /// Its stamp; absent for the newest.
    pub stamp: Option<Stamp>,
}

/// Among which runs a newer one would be passed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Among {
    All,
    SameName,
}

impl Session {
    /// Finds a run.
    pub fn find_run(&self, which: &RunChoice) -> Result<RunDir, SessionError> {
        match (&which.name, which.stamp) {
            (None, _) => self.newest_run(),
            (Some(name), Some(stamp)) => Ok(RunDir::open(
                &self.data_root(),
                name,
                Selector::Stamp(stamp),
            )?),
            (Some(name), None) => self.named_or_foreign(name, Curves::Ends),
        }
    }

    /// Finds a run, where a trial may stand for it: by its own name (`20250824__12-34-56-7`), or by its number alone in
    /// the newest run. Gives that trial, too.
    pub fn find_trial(&self, which: &RunChoice) -> Result<(RunDir, Option<u64>), SessionError> {
        let named = which.name.as_deref().filter(|_| which.stamp.is_none());
        let is_run = |name: &str| self.data_root().rollouts_dir().join(name).is_dir();
        let Some(word) = named.filter(|name| !is_run(name)) else {
            return Ok((self.find_run(which)?, None));
        };
        if let Ok(number) = word.parse() {
            return Ok((self.newest_run()?, Some(number)));
        }
        let Some((stamp, index)) = DataRoot::trial_named(word) else {
            return Ok((self.find_run(which)?, None));
        };
        match run_with_stamp(&self.data_root(), stamp)? {
            Some(run) => Ok((run, Some(index))),
            None => Ok((self.find_run(which)?, None)),
        }
    }

    /// The newest run of a name, or what another tool left under that path.
    fn named_or_foreign(&self, name: &str, curves: Curves) -> Result<RunDir, SessionError> {
        if let Some(run) = self.run_named(name)? {
            return Ok(run);
        }
        match self.foreign_run(name, Scope::Alone, curves)? {
            Some(run) => Ok(run),
            None if name.contains('/') || Path::new(name).exists() => Err(self.names_nothing(name)),
            None => self.latest_run(name),
        }
    }

    /// Finds a run whose curves are of use.
    pub fn find_run_with_curves(&self, which: &RunChoice) -> Result<RunDir, SessionError> {
        match (&which.name, which.stamp) {
            (Some(name), None) => self.named_or_foreign(name, Curves::Points),
            _ => self.find_run(which),
        }
    }

    /// Finds a run to export, with its curves where they are asked for.
    pub fn find_run_to_export(
        &self,
        which: &RunChoice,
        question: &ExportQuestion,
    ) -> Result<RunDir, SessionError> {
        if question.is_about_curves()? {
            return self.find_run_with_curves(which);
        }
        self.find_run(which)
    }

    /// The newest run of all that began.
    pub fn newest_run(&self) -> Result<RunDir, SessionError> {
        let root = self.data_root();
        let run = newest_run(&root)?.ok_or_else(|| SessionError::NoRuns(root.path().to_owned()))?;
        self.tell_passed_over(&run, Among::All)?;
        Ok(run)
    }

    /// The newest run of a name that began.
    pub fn latest_run(&self, name: &str) -> Result<RunDir, SessionError> {
        let run = RunDir::open(&self.data_root(), name, Selector::Latest)?;
        self.tell_passed_over(&run, Among::SameName)?;
        Ok(run)
    }

    /// The run that a word names, which must be there.
    pub fn known_run(&self, word: &str) -> Result<RunDir, SessionError> {
        let found = self.run_named(word)?;
        found.ok_or_else(|| self.names_nothing(word))
    }

    /// Why a word names no source of trials.
    pub(crate) fn names_nothing(&self, word: &str) -> SessionError {
        let path = Path::new(word);
        if path.exists() {
            return SessionError::NoKnownKind(path.to_owned());
        }
        no_source(word, &self.data_root()).into()
    }

    /// The run that a word names: `NAME`, `NAME/STAMP`, or the path of a run's folder.
    pub fn run_named(&self, word: &str) -> Result<Option<RunDir>, SessionError> {
        let Some((run, selector)) = self.search(word)? else {
            return Ok(None);
        };
        if selector == Selector::Latest {
            self.tell_passed_over(&run, Among::SameName)?;
        }
        Ok(Some(run))
    }

    /// The same without a word about what was passed over; and how it was found.
    pub(crate) fn search(&self, word: &str) -> Result<Option<(RunDir, Selector)>, SessionError> {
        let path = absolute(Path::new(word));
        if path.join("journal.jsonl").is_file() {
            let run = in_folder(word, &path)?;
            let stamp = Selector::Stamp(run.stamp());
            return Ok(Some((run, stamp)));
        }
        // The path of an archive, or of the folder that it stands for.
        let folder = path.to_string_lossy();
        let folder = folder.strip_suffix(ARCHIVE_ENDING).unwrap_or(&folder);
        if let Some(run) = RunDir::at(Path::new(folder)).filter(RunDir::is_archived) {
            let stamp = Selector::Stamp(run.stamp());
            return Ok(Some((run, stamp)));
        }
        let (benchmark, selector) = match word.rsplit_once('/') {
            Some((benchmark, stamp)) => match stamp.parse() {
                Ok(stamp) => (benchmark, Selector::Stamp(stamp)),
                Err(_) => return Ok(None),
            },
            None => (word, Selector::Latest),
        };
        match RunDir::open(&self.data_root(), benchmark, selector) {
            Err(JournalError::NoSuchRun { .. } | JournalError::Name(_)) => Ok(None),
            found => Ok(Some((found?, selector))),
        }
    }

    /// Says so where the newest run (of this name, or of all) is not the one that was taken.
    pub(crate) fn tell_passed_over(
        &self,
        taken: &RunDir,
        among: Among,
    ) -> Result<(), SessionError> {
        for run in list_runs(taken.root())? {
            let newer = run.stamp() > taken.stamp();
            if newer && (among == Among::All || run.name() == taken.name()) {
                self.tell(Notice::PassedOver(run));
            }
        }
        Ok(())
    }
}

/// The run whose folder this is.
fn in_folder(word: &str, path: &Path) -> Result<RunDir, SessionError> {
    let parent = |path: &Path| path.parent().map(Path::to_owned);
    let named = || {
        let stamp: Stamp = path.file_name()?.to_str()?.parse().ok()?;
        let of = parent(path)?;
        let root = DataRoot::at(parent(&parent(&of)?)?);
        Some((root, of.file_name()?.to_str()?.to_owned(), stamp))
    };
    let (root, benchmark, stamp) = named().ok_or_else(|| {
        SessionError::Input(format!(
            "{word} is not a run's folder (rollouts/NAME/STAMP)"
        ))
    })?;
    Ok(RunDir::open(&root, &benchmark, Selector::Stamp(stamp))?)
}
