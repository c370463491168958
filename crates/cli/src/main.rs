//! The `fairtrial` command: arguments in, calls to the crates, an exit code out.

mod absent;
mod agents;
mod app;
mod commands;
mod confirm;
mod data_dir;
mod driver;
mod ending;
mod environment;
mod exit;
mod experiment;
mod experiment_files;
mod explain;
mod global;
mod hooks;
mod live;
mod looked_at;
mod newest;
mod picture;
mod printer;
mod progress;
mod report_of;
mod revision;
mod run_names;
mod sequential;
mod sources;
mod spec_file;
mod time;
mod trial_log;
mod typed;

use driver::DRIVERS;
use fairtrial_trial::Inner;
use std::ffi::OsString;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

fn main() -> ExitCode {
    // A launcher must stay as small as it can: nothing else of this program is touched.
    if std::env::args_os()
        .nth(1)
        .is_some_and(|argument| argument == "__launch")
    {
        return launch();
    }
    // A trial's own processes: its driver, and the worker of a built-in experiment.
    if let Some(exit) = inside_a_trial().or_else(experiment::inside_a_trial) {
        return exit;
    }
    app::main()
}

/// Becomes a driver, where this process was started as one.
fn inside_a_trial() -> Option<ExitCode> {
    let mut arguments = std::env::args_os();
    let known = |name: &OsString| DRIVERS.iter().any(|driver| name == driver.name);
    if !arguments.nth(1).as_ref().is_some_and(known) {
        return None;
    }
    let command: Vec<String> = std::env::args_os()
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
    match socket.and_then(|socket| fairtrial_trial::serve_launcher(socket, DRIVERS)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => exit::Exit::Machine.into(),
    }
}
