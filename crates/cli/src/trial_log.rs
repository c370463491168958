//! How a driver inside of a trial speaks: what it prints goes into the trial's log.

use crate::exit::Exit;

#[allow(clippy::print_stdout, reason = "what a trial prints goes into its log")]
pub(crate) fn say(text: &str) {
    println!("{text}");
}

#[allow(clippy::print_stderr, reason = "what a trial prints goes into its log")]
pub(crate) fn complain(text: &str) {
    eprintln!("{text}");
}

/// Says why nothing could be done; the machine is to blame.
pub(crate) fn broken(message: &str) -> Exit {
    complain(message);
    Exit::Machine
}
