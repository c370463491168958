//! Trials that are timed as whole programs: what runs around each, and how little of ours runs beside them.

use crate::controls::{Asked, Controls};
use crate::error::EngineError;
use fairtrial_model::Timed;
use fairtrial_process::Program;
use fairtrial_spec::Spec;
use fairtrial_trial::TrialJob;
use std::time::Duration;

/// Least time between two writes of the journal.
pub(crate) const WRITTEN_EVERY: Duration = Duration::from_millis(100);
/// Least time between two flushes of it to the disk.
pub(crate) const SYNCED_EVERY: Duration = Duration::from_secs(10);

/// Whether all that a run does is to time programs.
pub(crate) fn is_timed(spec: &Spec) -> bool {
    spec.tasks.iter().all(|task| task.timed.is_some())
}

/// Whether a launcher may be handed several of them at once: nothing has to run between two.
pub(crate) fn in_batches(spec: &Spec) -> bool {
    let nothing_between = |timed: &Timed| timed.prepare.is_empty() && timed.conclude.is_empty();
    let mut tasks = spec.tasks.iter();
    tasks.all(|task| task.timed.as_ref().is_some_and(nothing_between))
}

/// Runs what belongs before a trial.
pub(crate) fn prepare(job: &TrialJob, controls: &Controls) -> Result<(), EngineError> {
    around(job, "prepare", controls, |timed| &timed.prepare)
}

/// Runs what belongs after it.
pub(crate) fn conclude(job: &TrialJob, controls: &Controls) -> Result<(), EngineError> {
    around(job, "conclude", controls, |timed| &timed.conclude)
}

fn around(
    job: &TrialJob,
    what: &'static str,
    controls: &Controls,
    command: impl FnOnce(&Timed) -> &[String],
) -> Result<(), EngineError> {
    let argv = match job.timed.as_deref().map(command) {
        Some(argv) if !argv.is_empty() => argv,
        _ => return Ok(()),
    };
    let variables = job.inherited.iter().chain(&job.env);
    let variables: Vec<(String, String)> = variables
        .filter_map(|entry| entry.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let program = Program::with_only(&variables, argv, None).dir(&job.workdir);
    run_beside(what, program, controls)
}

/// Runs a command of the user beside the timed ones. It is ended when more is asked for than was when it began: what cleans
/// up after Ctrl-C ends with the next one only.
pub fn run_beside(
    what: &'static str,
    program: Program,
    controls: &Controls,
) -> Result<(), EngineError> {
    let (before, controls) = (controls.asked(), controls.clone());
    let wanted = move || controls.asked() > before.max(Asked::Drain);
    let done = program.until(wanted).run_quietly();
    done.map_err(|error| EngineError::Around {
        what,
        message: error.to_string(),
    })
}
