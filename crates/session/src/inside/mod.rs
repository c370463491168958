//! What the calling program is inside of a trial: a launcher, a driver, or the worker of a built-in experiment.
//!
//! Trials are started by small processes that are the same program as the caller's. A program that runs trials calls
//! [`enter`] before anything else.

mod end;
mod experiment;
mod log;
mod rollout;

use crate::feature::suite;
use end::DriverEnd;
use fairtrial_agent::sandbox::listen_inside;
use fairtrial_trial::{Inner, serve_launcher};
use log::broken;
use serde::de::DeserializeOwned;
use std::ffi::OsString;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

/// What this program is inside of a trial, by the first argument.
const DRIVERS: &[Inner] = &[
    Inner {
        name: "__experiment",
        main: |arguments| asked(arguments, experiment::run),
    },
    Inner {
        name: "__rollout",
        main: |arguments| asked(arguments, rollout::roll_out),
    },
    Inner {
        name: "__score",
        main: |arguments| asked(arguments, rollout::rescore),
    },
    Inner {
        name: "__listen",
        main: |arguments| match listen_inside(arguments) {
            Ok(()) => DriverEnd::Fine.code(),
            Err(message) => broken(&message).code(),
        },
    },
];

/// Does the work of a trial's own process, where this one was started as one: `arguments` are those of the process, its
/// program first. Gives the code to exit with; nothing where this is an ordinary process.
///
/// Call it before anything else: a launcher must stay as small as it can.
pub fn enter(arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    let mut arguments = arguments.peekable();
    let program = arguments.next()?;
    let first = arguments.peek()?;
    if first == "__launch" {
        return Some(launch());
    }
    if first == "__worker" {
        return Some(fairtrial_experiment::main(&suite()));
    }
    if !DRIVERS.iter().any(|driver| first == driver.name) {
        return None;
    }
    let command: Vec<String> = std::iter::once(program)
        .chain(arguments)
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    let (driver, arguments) = Inner::called(DRIVERS, &command)?;
    Some((driver.main)(arguments).into())
}

fn launch() -> ExitCode {
    let socket = std::io::stdin()
        .as_fd()
        .try_clone_to_owned()
        .map(UnixStream::from);
    match socket.and_then(|socket| serve_launcher(socket, DRIVERS)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => DriverEnd::Machine.code().into(),
    }
}

/// A driver, asked by the file with what all trials of a task share, and the argument with what is the trial's own.
fn asked<T: DeserializeOwned, O: DeserializeOwned>(
    arguments: &[String],
    drive: fn(&T, &O) -> DriverEnd,
) -> u8 {
    let end = match requests(arguments) {
        Ok((task, trial)) => drive(&task, &trial),
        Err(message) => broken(&message),
    };
    end.code()
}

fn requests<T: DeserializeOwned, O: DeserializeOwned>(
    arguments: &[String],
) -> Result<(T, O), String> {
    let [task, trial] = arguments else {
        return Err("a driver takes the file of its task and its trial".to_owned());
    };
    let text = std::fs::read(task).map_err(|error| format!("{task}: {error}"))?;
    let task = serde_json::from_slice(&text).map_err(|error| format!("{task}: {error}"))?;
    let trial = serde_json::from_str(trial).map_err(|error| format!("the trial: {error}"))?;
    Ok((task, trial))
}
