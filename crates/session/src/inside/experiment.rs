//! The driver of an experiment's trial.

use super::end::DriverEnd;
use super::log::{broken, complain, say};
use crate::caller::Caller;
use crate::version::VERSION;
use fairtrial_driver::{DriveTask, DriveTrial, Tools, drive};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Drives one trial.
pub(super) fn run(task: &DriveTask, trial: &DriveTrial) -> DriverEnd {
    let driven =
        tools().and_then(|tools| drive(task, trial, &tools).map_err(|error| error.to_string()));
    match driven {
        Ok(driven) if driven.succeeded => DriverEnd::Fine,
        Ok(driven) => {
            complain(&driven.trouble.unwrap_or_default());
            DriverEnd::Failed
        }
        Err(message) => broken(&message),
    }
}

fn tools() -> Result<Tools, String> {
    let stop = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGTERM, Arc::clone(&stop))
        .map_err(|error| format!("cannot listen for signals: {error}"))?;
    let process =
        Caller::this_process().map_err(|error| format!("cannot find this program: {error}"))?;
    Ok(Tools {
        program: process.program,
        version: VERSION.to_owned(),
        environment: process.environment,
        now: process.now,
        stop,
        say,
    })
}
