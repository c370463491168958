//! What is run when a run has ended: its reporters, and the commands that want to know. None of them can fail the run.

use crate::error::SessionError;
use crate::notice::Notice;
use crate::session::Session;
use fairtrial_analysis::report::ReportData;
use fairtrial_journal::RunDir;
use fairtrial_process::{ProcessError, Program};
use fairtrial_spec::{Reporter, ReporterKind, Spec};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The module that calls a Python function; it is given to Python as it is, so that no package need be installed.
const PYTHON_REPORTER: &str = include_str!("../../assets/reporter.py");

/// Which of the spec's two commands is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToldWhen {
    /// `on_finish`.
    Finished,
    /// `on_failure`.
    Failed,
}

impl Session {
    /// Tells the spec's command how the run ended.
    pub(super) fn run_hook(&self, spec: &Spec, when: ToldWhen, summary: &Value) {
        let (hook, key) = match when {
            ToldWhen::Finished => (&spec.on_finish, "on_finish"),
            ToldWhen::Failed => (&spec.on_failure, "on_failure"),
        };
        let Some(hook) = hook else { return };
        let program = Program::of_argv(&hook.argv, Duration::from_secs_f64(hook.timeout_s))
            .dir(Path::new(&spec.base_dir))
            .env("FAIRTRIAL_EVENT", key)
            .input(summary.to_string());
        let ended = program.run_quietly();
        if let Err(error) = ended {
            self.warn(self.masked(&format!("{key}: {error}")));
        }
    }

    /// Runs one reporter; gives the folder of its files.
    pub(crate) fn run_reporter(
        &self,
        reporter: &Reporter,
        run_dir: &RunDir,
        spec: &Spec,
        data: &ReportData,
    ) -> Result<PathBuf, SessionError> {
        run_dir.open_to_changes()?;
        let output = run_dir.path().join("reporters").join(&reporter.name);
        std::fs::create_dir_all(&output).map_err(|error| {
            SessionError::Machine(format!("cannot make {}: {error}", output.display()))
        })?;
        let argv = match &reporter.by {
            ReporterKind::Command(argv) => argv.clone(),
            ReporterKind::Python(function) => ["python3", "-c", PYTHON_REPORTER, function]
                .map(str::to_owned)
                .to_vec(),
        };
        let input =
            serde_json::to_vec(data).map_err(|error| SessionError::Machine(error.to_string()))?;
        let program = Program::of_argv(&argv, Duration::from_secs_f64(reporter.timeout_s))
            .dir(Path::new(&spec.base_dir))
            .env("FAIRTRIAL_OUTPUT", &output)
            .input(input);
        let ended = program.run_quietly();
        let words = |error: ProcessError| {
            let words = format!("reporter `{}`: {error}", reporter.name);
            SessionError::Machine(self.masked(&words))
        };
        ended.map(|()| output).map_err(words)
    }

    /// Runs all reporters of a spec and tells what came of them.
    pub(super) fn run_reporters(&self, run_dir: &RunDir, spec: &Spec, data: &ReportData) {
        for reporter in &spec.reporters {
            match self.run_reporter(reporter, run_dir, spec, data) {
                Ok(folder) => self.tell(Notice::Reported {
                    reporter: reporter.name.clone(),
                    folder,
                }),
                Err(error) => self.warn(error.to_string()),
            }
        }
    }

    /// What a program says may hold what it was given.
    fn masked(&self, text: &str) -> String {
        self.caller().redactor().redact(text).into_owned()
    }
}
