//! The `fairtrial` command: arguments as typed, a request, a call of `fairtrial-session`, words, an exit code.
//!
//! Nothing is decided here. Each command is one file under [`commands`] with its arguments on top.
#![forbid(unsafe_code)]

mod app;
mod bench_display;
mod candidates;
mod closing_words;
mod commands;
mod console;
mod exit;
mod global;
mod locale;
mod overview;
mod printer;
mod progress;
mod resume_words;
mod run_display;
mod signals;
mod spec_args;
mod watch;
mod words;
mod written;

use std::process::ExitCode;

/// The command line as it is typed, for whoever describes it: man pages are made from it.
pub fn command() -> clap::Command {
    app::command()
}

/// The whole program. A launcher, a driver or a worker of a trial is dealt with first: it must stay small.
pub fn main() -> ExitCode {
    signals::outlive_file_limits();
    fairtrial_session::inside::enter(std::env::args_os()).unwrap_or_else(app::main)
}
