//! What is run when a run has ended: its reporters, and the commands that want to know. None of them can fail the run.

use crate::environment;
use crate::printer::Printer;
use fairtrial_analysis::report::ReportData;
use fairtrial_journal::RunDir;
use fairtrial_journal::redact::Redactor;
use fairtrial_process::{ProcessError, Program};
use fairtrial_spec::{Reporter, ReporterKind, Spec};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The module that calls a Python function; it is given to Python as it is, so that no package need be installed.
const PYTHON_REPORTER: &str = include_str!("../../../python/fairtrial/reporter.py");

/// Which of the two commands is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    /// `on_finish`.
    Finish,
    /// `on_failure`.
    Failure,
}

/// Tells the spec's command how the run ended.
pub(crate) fn tell(spec: &Spec, told: Told, summary: &Value, printer: Printer) {
    let (hook, key) = match told {
        Told::Finish => (&spec.on_finish, "on_finish"),
        Told::Failure => (&spec.on_failure, "on_failure"),
    };
    let Some(hook) = hook else { return };
    let program = Program::of_argv(&hook.argv, Duration::from_secs_f64(hook.timeout_s))
        .dir(Path::new(&spec.base_dir))
        .env("FAIRTRIAL_EVENT", key)
        .input(summary.to_string());
    let ended = program.run_quietly();
    if let Err(error) = ended {
        printer.warn(masked(&format!("{key}: {error}")));
    }
}

/// Runs one reporter; gives the folder of its files.
pub(crate) fn report(
    reporter: &Reporter,
    run_dir: &RunDir,
    spec: &Spec,
    data: &ReportData,
) -> Result<PathBuf, String> {
    let output = run_dir.path().join("reporters").join(&reporter.name);
    std::fs::create_dir_all(&output)
        .map_err(|error| format!("cannot make {}: {error}", output.display()))?;
    let argv = match &reporter.by {
        ReporterKind::Command(argv) => argv.clone(),
        ReporterKind::Python(function) => ["python3", "-c", PYTHON_REPORTER, function]
            .map(str::to_owned)
            .to_vec(),
    };
    let input = serde_json::to_vec(data).map_err(|error| error.to_string())?;
    let program = Program::of_argv(&argv, Duration::from_secs_f64(reporter.timeout_s))
        .dir(Path::new(&spec.base_dir))
        .env("FAIRTRIAL_OUTPUT", &output)
        .input(input);
    let ended = program.run_quietly();
    let words = |error: ProcessError| masked(&format!("reporter `{}`: {error}", reporter.name));
    ended.map(|()| output).map_err(words)
}

/// Runs all reporters of a spec and says what came of them.
pub(crate) fn report_all(run_dir: &RunDir, spec: &Spec, data: &ReportData, printer: Printer) {
    for reporter in &spec.reporters {
        match report(reporter, run_dir, spec, data) {
            Ok(folder) => printer.tell(format!(
                "reporter `{}`: {}",
                reporter.name,
                folder.display()
            )),
            Err(why) => printer.warn(why),
        }
    }
}

/// What a program says may hold what it was given.
fn masked(text: &str) -> String {
    Redactor::from_env(environment::read())
        .redact(text)
        .into_owned()
}
