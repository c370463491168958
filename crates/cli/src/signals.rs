//! Ctrl-C, a closed terminal and a polite kill all stop a run in good order.

use crate::exit::Failure;
use fairtrial_engine::ExecControls;
use fairtrial_session::Controls;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGXFSZ};
use signal_hook::iterator::Signals;
use std::sync::Arc;

/// Where the trials of a run are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Placed {
    /// On this machine: they end with their controller.
    Here,
    /// With a scheduler: they outlive their controller, and all signals only leave.
    Elsewhere,
    /// On this machine, to be timed: one that is cut short is no loss, and nobody waits for its end.
    Timed,
}

/// A file that may not grow any more (`ulimit -f`) is an error of whoever writes it, not the end of this process. As a handler,
/// which programs that are started do not inherit.
pub(crate) fn outlive_file_limits() {
    // Where it cannot be set, the system ends us as it would have.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
}

/// From now on the signals of this process reach these controls.
pub(crate) fn reach(controls: &Controls, placed: Placed) -> Result<(), Failure> {
    let reached = controls.clone();
    listen(&[SIGHUP, SIGINT, SIGTERM], move |signal| match placed {
        Placed::Timed => reached.end(),
        Placed::Here if signal != SIGINT => reached.cancel(),
        Placed::Here | Placed::Elsewhere => reached.interrupt(),
    })
}

/// The same for a job on a node: `TERM` ends what runs, and so does `USR2`, by which Grid Engine says that it will kill;
/// `USR1` says that time runs out.
pub(crate) fn job_controls() -> Result<ExecControls, Failure> {
    let controls = ExecControls::default();
    let reached = controls.clone();
    listen(&[SIGINT, SIGTERM, SIGUSR1, SIGUSR2], move |signal| {
        if signal == SIGUSR1 {
            reached.drain();
        } else {
            reached.end();
        }
    })?;
    Ok(controls)
}

fn listen(wanted: &[i32], hear: impl Fn(i32) + Send + 'static) -> Result<(), Failure> {
    let signals = Signals::new(wanted);
    let mut signals =
        signals.map_err(|error| Failure::machine(format!("cannot listen for signals: {error}")))?;
    let listener = std::thread::Builder::new().spawn(move || {
        for signal in signals.forever() {
            hear(signal);
        }
    });
    // A run that cannot be interrupted is not begun.
    listener.map(drop).map_err(|error| {
        Failure::machine(format!(
            "cannot listen for signals: no thread for it: {error}"
        ))
    })
}
