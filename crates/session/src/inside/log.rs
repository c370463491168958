//! How a driver inside of a trial speaks: what it prints goes into the trial's log.

use super::end::DriverEnd;

#[allow(clippy::print_stdout, reason = "what a trial prints goes into its log")]
pub(super) fn say(text: &str) {
    println!("{text}");
}

#[allow(clippy::print_stderr, reason = "what a trial prints goes into its log")]
pub(super) fn complain(text: &str) {
    eprintln!("{text}");
}

/// Says why nothing could be done; the machine is to blame.
pub(super) fn broken(message: &str) -> DriverEnd {
    complain(message);
    DriverEnd::Machine
}
