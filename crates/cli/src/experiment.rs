//! Registered experiments on the command line's side: the catalogue for specs, and the two processes inside a trial.

use crate::exit::Exit;
use crate::{environment, time, trial_log};
use fairtrial_driver::{DriveTask, DriveTrial, Experiments, Tools, drive};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What specs are checked against.
pub(crate) fn catalogue() -> Experiments {
    Experiments::new(fairtrial_suite::registry().descriptions())
}

/// Becomes the worker of a built-in experiment (`__worker`), where this process was started as one.
pub(crate) fn inside_a_trial() -> Option<ExitCode> {
    let first = std::env::args_os().nth(1)?;
    (first == "__worker").then(|| fairtrial_experiment::main(&fairtrial_suite::registry()))
}

/// The driver of an experiment's trial.
pub(crate) fn run(task: &DriveTask, trial: &DriveTrial) -> Exit {
    let driven =
        tools().and_then(|tools| drive(task, trial, &tools).map_err(|error| error.to_string()));
    match driven {
        Ok(driven) if driven.succeeded => Exit::Fine,
        Ok(driven) => {
            trial_log::complain(&driven.trouble.unwrap_or_default());
            Exit::Failed
        }
        Err(message) => trial_log::broken(&message),
    }
}

fn tools() -> Result<Tools, String> {
    let stop = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGTERM, Arc::clone(&stop))
        .map_err(|error| format!("cannot listen for signals: {error}"))?;
    Ok(Tools {
        program: std::env::current_exe()
            .map_err(|error| format!("cannot find this program: {error}"))?,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        environment: environment::read(),
        now: time::now,
        stop,
        say: trial_log::say,
    })
}
