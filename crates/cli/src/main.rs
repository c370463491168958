//! The `fairtrial` command: arguments in, calls to the crates, an exit code out.

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
mod global;
mod hooks;
mod picture;
mod printer;
mod progress;
mod report_of;
mod revision;
mod sequential;
mod sources;
mod spec_file;
mod time;

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
    // A trial's own processes: the driver of an experiment, and the worker of a built-in one.
    if let Some(exit) = experiment::inside_a_trial() {
        return exit;
    }
    if let Some(exit) = agents::inside_a_rollout() {
        return exit;
    }
    app::main()
}

fn launch() -> ExitCode {
    let socket = std::io::stdin()
        .as_fd()
        .try_clone_to_owned()
        .map(UnixStream::from);
    match socket.and_then(fairtrial_trial::serve_launcher) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => exit::Exit::Machine.into(),
    }
}
