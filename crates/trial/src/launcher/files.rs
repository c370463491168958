//! What stands on disk before a program starts: its directory and its logs; and the pipes between.

use super::Launcher;
use super::child::StepError;
use super::output::Log;
use crate::wire::{Launch, LaunchFailure};
use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

/// Directory, logs and pipes of one program.
pub(super) struct Ready {
    pub(super) logs: [Log; 2],
    /// Our ends, not blocking.
    pub(super) read: [File; 2],
    /// The child's ends.
    pub(super) write: [OwnedFd; 2],
}

/// Makes them. The directory must be new: an attempt never writes over another's evidence.
pub(super) fn prepare(launch: &Launch, launcher: &mut Launcher) -> Result<Ready, LaunchFailure> {
    let dir = Path::new(&launch.dir);
    fs::create_dir(dir).map_err(|error| failure("make the trial's directory", &error))?;
    let logs = dir.join("logs");
    fs::create_dir(&logs).map_err(|error| failure("make the trial's logs directory", &error))?;
    let Some(empty) = launcher.empty.as_mut() else {
        return Err(failure(
            "find the trial's directory",
            &io::Error::from(io::ErrorKind::NotFound),
        ));
    };
    let mut begin = |name: &str| {
        Log::begin(logs.join(name), launch.log_limit, empty)
            .map_err(|error| failure("make a log file", &error))
    };
    let logs = [begin("stdout.log")?, begin("stderr.log")?];
    let (out_read, out_write) = pipe()?;
    let (err_read, err_write) = pipe()?;
    Ok(Ready {
        logs,
        read: [out_read, err_read],
        write: [out_write, err_write],
    })
}

fn pipe() -> Result<(File, OwnedFd), LaunchFailure> {
    let make = || -> io::Result<(File, OwnedFd)> {
        let (read, write) = io::pipe()?;
        // A program that opens /dev/stdout can take from a pipe what we were told is there.
        rustix::io::ioctl_fionbio(&read, true)?;
        Ok((File::from(OwnedFd::from(read)), OwnedFd::from(write)))
    };
    make().map_err(|error| failure("make a pipe", &error))
}

fn failure(stage: &str, error: &io::Error) -> LaunchFailure {
    let taken =
        stage.ends_with("trial's directory") && error.kind() == io::ErrorKind::AlreadyExists;
    LaunchFailure {
        stage: stage.to_owned(),
        errno: error.raw_os_error().unwrap_or(0),
        taken,
    }
}

impl From<StepError> for LaunchFailure {
    fn from(error: StepError) -> Self {
        Self {
            stage: error.step.into_owned(),
            errno: error.errno,
            taken: false,
        }
    }
}
