//! Another tool's results where they lie: a run in a folder that lasts as long as the session.

use super::keep::Keeping;
use super::points::{PointFiles, PointsWritten};
use crate::error::SessionError;
use crate::notice::Notice;
use crate::session::Session;
use fairtrial_interop::{Collected, Foreign, InteropError, Keep, Online, Scope, Source};
use fairtrial_journal::{Durability, RunDir};
use fairtrial_model::Access;
use std::path::Path;

/// Whether the curves are of use, which can be most of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Curves {
    /// Only what they end in.
    Ends,
    /// Every point.
    Points,
}

/// Another tool's results that were read, and the run that they become.
pub(crate) struct FoundInPlace {
    run: RunDir,
    /// What was found.
    pub(crate) foreign: Foreign,
    points: Option<PointsWritten>,
}

impl Session {
    /// Where another tool's results lie, if a word names some.
    pub(crate) fn foreign_source(&self, word: &str) -> Result<Option<Source>, SessionError> {
        if Online::parse(word).is_none() && !Path::new(word).exists() {
            return Ok(None);
        }
        let mapping = self.in_place().mapping();
        match Source::of(&[word.to_owned()], mapping) {
            Err(InteropError::Unknown(_)) if mapping.format.is_none() => Ok(None),
            found => Ok(Some(found?)),
        }
    }

    /// Another tool's results as a run, if a word names some.
    pub(crate) fn foreign_run(
        &self,
        word: &str,
        scope: Scope,
        curves: Curves,
    ) -> Result<Option<RunDir>, SessionError> {
        let Some(found) = self.read_in_place(word, scope, curves)? else {
            return Ok(None);
        };
        self.tell(Notice::Recognised(found.foreign.recognised()?));
        self.keep_in_place(found).map(Some)
    }

    /// Reads another tool's results, if a word names some, and says nothing of it yet.
    pub(crate) fn read_in_place(
        &self,
        word: &str,
        scope: Scope,
        curves: Curves,
    ) -> Result<Option<FoundInPlace>, SessionError> {
        let Some(source) = self.foreign_source(word)? else {
            return Ok(None);
        };
        let name = name_of(word);
        let root = self.in_place().folder()?;
        let now = (self.caller().now)();
        let run = RunDir::create(&root, &name, Access::Owner, now)?;
        let (files, written) = PointFiles::new(run.path().join("curves"));
        let into = match curves {
            Curves::Ends => Collected::keeping(Keep::Ends),
            Curves::Points => Collected::handing_on(Box::new(files)),
        };
        let mapping = self.in_place().mapping();
        let foreign = self.read_source((word, source), into, (mapping, scope))?;
        written
            .check()
            .map_err(|error| SessionError::Machine(format!("curves of {word}: {error}")))?;
        Ok(Some(FoundInPlace {
            run,
            foreign,
            points: (curves == Curves::Points).then_some(written),
        }))
    }

    /// Makes a run of what was read.
    pub(crate) fn keep_in_place(&self, found: FoundInPlace) -> Result<RunDir, SessionError> {
        let FoundInPlace {
            run,
            foreign,
            points,
        } = found;
        let keeping = Keeping {
            foreign: &foreign,
            points: points.as_ref(),
            sources: Vec::new(),
            durability: Durability::Process,
        };
        self.keep(&run, &keeping)?;
        // Many small parts, which nobody needs to wait for.
        rayon::spawn(move || drop(foreign));
        Ok(run)
    }
}

/// A name for a run: the last part of a path, or of an address.
pub(super) fn name_of(word: &str) -> String {
    let last = word.trim_end_matches('/').rsplit(['/', ':']).next();
    let last = last.unwrap_or(word);
    let stem = Path::new(last).file_stem().and_then(|stem| stem.to_str());
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') {
            c
        } else {
            '-'
        }
    };
    let name: String = stem.unwrap_or(last).chars().map(plain).collect();
    let name = name.trim_start_matches(['.', '-']).to_owned();
    if name.is_empty() {
        return "results".to_owned();
    }
    name
}
