//! Reading a spec as every call does: all its problems at once, then a plan.

use crate::error::SessionError;
use crate::feature::suite;
use crate::notice::Notice;
use crate::run::stopping_rule;
use crate::session::Session;
use fairtrial_driver::Experiments;
use fairtrial_plan::Plan;
use fairtrial_spec::{Diagnostic, FileCheck, LoadOptions, Loaded, Spec, load_with};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A spec, and what of it is replaced.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpecFile {
    /// The file: TOML, YAML or JSON.
    pub path: PathBuf,
    /// Values that replace those of the file, as `seeds=5`.
    pub set: Vec<String>,
}

impl SpecFile {
    /// A spec as it stands.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            set: Vec::new(),
        }
    }

    /// Reads it; its problems are in what comes back.
    pub fn load(&self, files: FileCheck) -> Loaded {
        let options = LoadOptions {
            set: self.set.clone(),
            files,
        };
        load_with(&self.path, &options, &catalogue())
    }
}

/// The registered experiments that specs are checked against.
pub fn catalogue() -> Experiments {
    Experiments::new(suite().descriptions())
}

impl Session {
    /// Reads a spec that must be valid; its problems are told.
    pub fn spec(&self, file: &SpecFile, files: FileCheck) -> Result<Arc<Spec>, SessionError> {
        let loaded = file.load(files);
        let errors = count_errors(&loaded.diagnostics);
        let spec = loaded.spec.clone();
        self.tell(Notice::Spec(Box::new(loaded)));
        match spec {
            Some(mut spec) if errors == 0 => {
                self.take_in_agent_tasks(&mut spec)?;
                Ok(Arc::new(spec))
            }
            _ => Err(SessionError::InvalidSpec {
                path: file.path.clone(),
                errors,
            }),
        }
    }

    /// Reads a spec and expands it; `only` selects trials.
    pub fn plan(
        &self,
        file: &SpecFile,
        files: FileCheck,
        only: Option<&str>,
    ) -> Result<Plan, SessionError> {
        let spec = stopping_rule::with_seeds(self.spec(file, files)?)?;
        let plan = Plan::new(spec, only)?;
        for shortage in plan.shortages() {
            self.tell(Notice::FewerPoints(shortage));
        }
        Ok(plan)
    }
}

/// How many of the problems are errors.
pub(crate) fn count_errors(diagnostics: &[Diagnostic]) -> usize {
    diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.is_error())
        .count()
}

/// The file that a run was started with: its name is kept as typed, its folder as it was found.
pub(crate) fn recorded_path(recorded: &Spec) -> PathBuf {
    let typed = Path::new(&recorded.source);
    let name = typed.file_name().unwrap_or(typed.as_os_str());
    Path::new(&recorded.base_dir).join(name)
}
