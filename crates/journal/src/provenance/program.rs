//! Asking another program, with a time limit: a hanging tool must not hold up a run.

use rustix::process::{Pid, Signal, kill_process_group};
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// How long `--version` may take.
const VERSION_LIMIT: Duration = Duration::from_secs(3);
/// Longest version line that is kept.
const VERSION_LENGTH: usize = 200;

/// Why a program gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum NoAnswer {
    /// It is not installed or cannot be started.
    #[error("cannot be started")]
    NotThere,
    /// It ended with an error.
    #[error("ended with an error")]
    Failed,
    /// It took too long and was killed.
    #[error("took longer than {0} s")]
    TooSlow(u64),
}

/// The first line that `tool --version` prints; `None` where there is no answer.
pub(super) fn version(tool: &str) -> Option<String> {
    let output = ask(Command::new(tool).arg("--version"), VERSION_LIMIT, read_all).ok()?;
    let text = String::from_utf8_lossy(&output);
    let line = text.lines().next()?.trim();
    (!line.is_empty()).then(|| line.chars().take(VERSION_LENGTH).collect())
}

/// Standard output of `git` in a folder.
pub(super) fn git<T: Send + 'static>(
    dir: &Path,
    args: &[&str],
    limit: Duration,
    read: fn(ChildStdout) -> T,
) -> Result<T, NoAnswer> {
    let mut command = Command::new("git");
    // Looking must not take git's locks nor start its helpers.
    command
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("LC_ALL", "C")
        .arg("-C")
        .arg(dir);
    ask(
        command.args(["-c", "core.fsmonitor=false"]).args(args),
        limit,
        read,
    )
}

/// Everything the program prints.
pub(super) fn read_all(mut output: ChildStdout) -> Vec<u8> {
    let mut bytes = Vec::new();
    // What came before an error is as good as it gets.
    let _ = output.read_to_end(&mut bytes);
    bytes
}

/// Runs the program and gives what `read` makes of its standard output.
pub(super) fn ask<T: Send + 'static>(
    command: &mut Command,
    limit: Duration,
    read: fn(ChildStdout) -> T,
) -> Result<T, NoAnswer> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        // Its own group: a tool that is a script is ended with what it started.
        .process_group(0);
    let mut child = command.spawn().map_err(|_| NoAnswer::NotThere)?;
    let output = child.stdout.take().ok_or(NoAnswer::NotThere)?;
    let (sender, answer) = mpsc::channel();
    // Not joined: a grandchild that keeps the pipe open would keep it from ending.
    thread::spawn(move || sender.send(read(output)));
    match answer.recv_timeout(limit) {
        Ok(answer) => finish(&mut child, answer),
        Err(RecvTimeoutError::Disconnected) => Err(NoAnswer::Failed),
        Err(RecvTimeoutError::Timeout) => {
            end(&mut child);
            Err(NoAnswer::TooSlow(limit.as_secs()))
        }
    }
}

/// Ends a program and whatever it started.
fn end(child: &mut Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.wait();
}

fn finish<T>(child: &mut Child, answer: T) -> Result<T, NoAnswer> {
    match child.wait() {
        Ok(status) if status.success() => Ok(answer),
        _ => Err(NoAnswer::Failed),
    }
}

#[cfg(test)]
mod tests {
    use super::{NoAnswer, ask, read_all, version};
    use std::process::Command;
    use std::time::Duration;

    #[test]
    fn a_program_that_hangs_is_killed() {
        let answer = ask(
            Command::new("sleep").arg("1000"),
            Duration::from_millis(50),
            read_all,
        );
        assert_eq!(answer, Err(NoAnswer::TooSlow(0)));
    }

    #[test]
    fn a_script_that_hangs_is_killed_with_what_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let pid = folder.path().join("pid");
        let script = format!("sleep 1000 & echo $! > {}; wait", pid.display());
        let answer = ask(
            Command::new("sh").args(["-c", &script]),
            Duration::from_secs(2),
            read_all,
        );
        assert_eq!(answer, Err(NoAnswer::TooSlow(2)));
        let pid = std::fs::read_to_string(pid).unwrap();
        let stat = format!("/proc/{}/stat", pid.trim());
        // A kill is on its way when it returns, not at its end: the test hangs here if it never arrives.
        while std::fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z ")) {
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    #[test]
    fn a_program_that_fails_or_is_not_there_says_so() {
        let limit = Duration::from_mins(1);
        assert_eq!(
            ask(&mut Command::new("false"), limit, read_all),
            Err(NoAnswer::Failed)
        );
        assert_eq!(version("no-such-program-here"), None);
    }
}
