//! Runs one program of a rollout: its output into a log without secrets, its time watched, its whole group ended.

mod exit;
mod log;
mod orphans;

pub use orphans::{adopt_orphans, end_descendants};

use crate::error::{AgentError, At};
use exit::Exit;
use fairtrial_episode::append_own;
use fairtrial_journal::redact::Redactor;
use log::Log;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, Signal, kill_process_group};
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Time between the polite and the forced end.
const GRACE: Duration = Duration::from_secs(2);
/// How often a watcher looks at a running program.
const LOOK: Duration = Duration::from_millis(500);
/// Lines of what a program wrote in a message.
const SAID: usize = 15;

/// A program to run.
#[derive(Debug, Clone)]
pub struct Program<'a> {
    /// Program and arguments.
    pub argv: &'a [String],
    /// All its variables.
    pub env: &'a [(String, String)],
    /// Where it starts.
    pub workdir: &'a Path,
    /// What it reads; absent means nothing.
    pub stdin: Option<&'a Path>,
    /// Where its output goes, appended.
    pub log: &'a Path,
    /// Bytes of output kept.
    pub log_limit: u64,
    /// When it is ended.
    pub timeout: Option<Duration>,
}

/// How a program ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Ended {
    /// Exit code; 128 and the signal's number where a signal ended it.
    pub code: i32,
    /// Why we ended it, where we did.
    pub stopped: Option<String>,
    /// Whether that was for its time.
    pub timed_out: bool,
    /// Wall seconds.
    pub seconds: f64,
    /// The last of what it wrote, without secrets.
    pub tail: String,
}

impl Ended {
    /// The last thing that it said, cut to what fits a message.
    pub fn last_line(&self) -> String {
        let mut lines = self.tail.lines().rev().map(str::trim);
        match lines.find(|line| !line.is_empty()) {
            Some(line) => line.chars().take(300).collect(),
            None => "it said nothing".to_owned(),
        }
    }

    /// The last lines that it wrote, as many as a message bears.
    pub fn last_lines(&self) -> String {
        let lines = self.tail.lines().filter(|line| !line.trim().is_empty());
        let lines: Vec<&str> = lines.collect();
        lines[lines.len().saturating_sub(SAID)..].join("\n")
    }
}

/// Follows a running program.
pub trait Watcher {
    /// Hears what it writes, without secrets, also what its log has no room for. A line may come in pieces.
    fn hear(&mut self, text: &str);

    /// Whether it looks at all.
    fn looks(&self) -> bool;

    /// Looks now and then; an answer ends the program, for that reason.
    fn look(&mut self) -> Option<String>;
}

/// Runs a program to its end.
pub fn run<'a>(
    program: &Program<'_>,
    redactor: &'a Redactor,
    watcher: Option<&'a mut dyn Watcher>,
) -> Result<Ended, AgentError> {
    let Some(name) = program.argv.first() else {
        return Err(AgentError::Sandbox("the command is empty".to_owned()));
    };
    let failed = |source| AgentError::Io {
        action: "start",
        path: name.into(),
        source,
    };
    // What was run before may have put something else in its place.
    let log = append_own(program.log).at("open", program.log)?;
    let (read, write) = std::io::pipe().map_err(failed)?;
    let mut command = Command::new(locate(name, program.env));
    command
        .arg0(name)
        .args(&program.argv[1..])
        .env_clear()
        .envs(program.env.iter().map(|(name, value)| (name, value)))
        .current_dir(program.workdir)
        .stdout(write.try_clone().map_err(failed)?)
        .stderr(write)
        .process_group(0);
    match program.stdin {
        Some(path) => command.stdin(File::open(path).at("open", path)?),
        None => command.stdin(Stdio::null()),
    };
    let began = Instant::now();
    let child = command.spawn().map_err(failed)?;
    // The command holds the other end of the pipe.
    drop(command);
    let mut watch = Watch {
        child,
        out: Some(read),
        log: Log::new(log, program.log_limit, redactor),
        watcher,
        deadline: program.timeout.map(|timeout| began + timeout),
        timed_out: false,
        stopped: None,
        force_at: None,
    };
    let status = watch.until_exit().at("wait for", program.log)?;
    watch.end_group();
    let tail = watch.finish_log().at("write", program.log)?;
    Ok(Ended {
        code: status
            .code()
            .unwrap_or_else(|| 128 + status.signal().unwrap_or(0)),
        stopped: watch.stopped,
        timed_out: watch.timed_out,
        seconds: began.elapsed().as_secs_f64(),
        tail,
    })
}

/// Where a program is by its own `PATH`. The system starts a file quicker than a name that it must look for, because it
/// need not copy this process to do so.
fn locate(name: &str, env: &[(String, String)]) -> PathBuf {
    let is_program = |path: &PathBuf| {
        let data = std::fs::metadata(path);
        data.is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
    };
    let path = env.iter().find(|(key, _)| key == "PATH");
    let folders = path.filter(|_| !name.contains('/'));
    folders
        .and_then(|(_, path)| {
            let mut places = std::env::split_paths(path).map(|folder| folder.join(name));
            places.find(|place| place.is_absolute() && is_program(place))
        })
        .unwrap_or_else(|| name.into())
}

struct Watch<'a> {
    child: Child,
    out: Option<std::io::PipeReader>,
    log: Log<'a>,
    watcher: Option<&'a mut dyn Watcher>,
    deadline: Option<Instant>,
    timed_out: bool,
    stopped: Option<String>,
    force_at: Option<Instant>,
}

impl Watch<'_> {
    fn until_exit(&mut self) -> std::io::Result<std::process::ExitStatus> {
        let exit = Exit::of(&self.child)?;
        let looks = self.watcher.as_ref().is_some_and(|it| it.looks());
        let mut next_look = Instant::now() + LOOK;
        loop {
            let due = [
                self.force_at,
                self.deadline.filter(|_| self.stopped.is_none()),
                looks.then_some(next_look),
            ];
            let due = due.into_iter().flatten().min();
            let due = due.map(|at| at.saturating_duration_since(Instant::now()));
            let (mut polled, timeout) = exit.poll(due);
            let of_exit = polled.len();
            polled.extend(self.out.as_ref().map(|out| PollFd::new(out, PollFlags::IN)));
            match poll(&mut polled, timeout.as_ref()) {
                Err(rustix::io::Errno::INTR) => continue,
                other => other?,
            };
            let exited = Exit::was_seen(&polled, &mut self.child);
            let readable = polled
                .get(of_exit)
                .is_some_and(|fd| !fd.revents().is_empty());
            drop(polled);
            if readable {
                self.read()?;
            }
            if exited {
                self.drain()?;
                return self.child.wait();
            }
            let now = Instant::now();
            if self.deadline.is_some_and(|at| now >= at) && self.stopped.is_none() {
                self.timed_out = true;
                self.stop("its time limit".to_owned(), now);
            }
            if looks && now >= next_look && self.stopped.is_none() {
                next_look = now + LOOK;
                let seen = self.watcher.as_mut().and_then(|watcher| watcher.look());
                if let Some(reason) = seen {
                    self.stop(reason, now);
                }
            }
            if self.force_at.is_some_and(|at| now >= at) {
                self.signal(Signal::KILL);
                self.force_at = Some(now + GRACE);
            }
        }
    }

    fn stop(&mut self, reason: String, now: Instant) {
        self.stopped = Some(reason);
        self.signal(Signal::TERM);
        self.force_at = Some(now + GRACE);
    }

    fn signal(&self, signal: Signal) {
        // A group that is gone has ended.
        let _ = kill_process_group(Pid::from_child(&self.child), signal);
    }

    /// What the program left running in its group ends with it.
    fn end_group(&self) {
        self.signal(Signal::KILL);
    }

    fn read(&mut self) -> std::io::Result<()> {
        let Some(out) = &mut self.out else {
            return Ok(());
        };
        let mut buffer = [0; 1 << 14];
        match out.read(&mut buffer) {
            Ok(0) => self.out = None,
            Ok(read) => {
                let watcher = &mut self.watcher;
                let mut hear = |text: &str| tell(watcher, text);
                self.log.take(&buffer[..read], &mut hear)?;
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn finish_log(&mut self) -> std::io::Result<String> {
        let watcher = &mut self.watcher;
        self.log.finish(&mut |text| tell(watcher, text))
    }

    /// Takes what is in the pipe now; what left the group may hold it open for ever.
    fn drain(&mut self) -> std::io::Result<()> {
        while let Some(out) = &self.out {
            match rustix::io::ioctl_fionread(out) {
                Ok(left) if left > 0 => self.read()?,
                _ => break,
            }
        }
        Ok(())
    }
}

fn tell(watcher: &mut Option<&mut dyn Watcher>, text: &str) {
    if let Some(watcher) = watcher {
        watcher.hear(text);
    }
}

#[cfg(test)]
mod tests {
    use super::{Program, Watcher, run};
    use fairtrial_journal::redact::Redactor;
    use std::time::Duration;

    /// Hears everything.
    #[derive(Default)]
    struct Ear(String);

    impl Watcher for Ear {
        fn hear(&mut self, text: &str) {
            self.0.push_str(text);
        }

        fn looks(&self) -> bool {
            false
        }

        fn look(&mut self) -> Option<String> {
            None
        }
    }

    fn shell(script: &str, timeout: Option<Duration>) -> (super::Ended, String) {
        let (ended, log, _) = heard(script, timeout);
        (ended, log)
    }

    fn heard(script: &str, timeout: Option<Duration>) -> (super::Ended, String, String) {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("log");
        let argv = ["sh", "-c", script].map(str::to_owned);
        let env = [("PATH".to_owned(), "/usr/bin:/bin".to_owned())];
        let program = Program {
            argv: &argv,
            env: &env,
            workdir: dir.path(),
            stdin: None,
            log: &log,
            log_limit: 100,
            timeout,
        };
        let redactor = Redactor::from_values(&["hunter22".to_owned()]);
        let mut ear = Ear::default();
        let ended = run(&program, &redactor, Some(&mut ear)).unwrap();
        (ended, std::fs::read_to_string(log).unwrap(), ear.0)
    }

    #[test]
    fn what_the_log_has_no_room_for_is_heard_all_the_same() {
        let script =
            "for i in 1 2 3 4 5 6 7 8 9; do echo 0123456789012345678; done; printf 'my hunter22'";
        let (_, log, heard) = heard(script, None);
        let end = "\n[fairtrial: 93 bytes left out here]\n";
        assert!(log.contains(end) && log.ends_with("my [redacted]"), "{log}");
        let lines = "0123456789012345678\n".repeat(9);
        assert_eq!(heard, format!("{lines}my [redacted]"));
    }

    #[test]
    fn output_is_kept_without_secrets_and_within_its_limit() {
        let (ended, log) = shell("printf 'key hunt'; sleep 0.05; echo er22; exit 3", None);
        assert_eq!((ended.code, log.as_str()), (3, "key [redacted]\n"));
        let (_, log) = shell(
            "for i in 1 2 3 4 5 6 7 8 9; do echo 0123456789012345678; done",
            None,
        );
        let line = "0123456789012345678\n";
        let (head, tail) = (
            format!("{line}{line}0123456789"),
            format!("012345678\n{line}{line}"),
        );
        let gap = "\n[fairtrial: 80 bytes left out here]\n";
        assert_eq!(log, format!("{head}{gap}{tail}"));
    }

    #[test]
    fn time_ends_the_whole_group() {
        let (ended, log) = shell(
            "sleep 100 & echo $!; wait",
            Some(Duration::from_millis(200)),
        );
        assert!(ended.timed_out && ended.stopped.is_some(), "{ended:?}");
        let stat = format!("/proc/{}/stat", log.trim());
        // A kill is on its way when it returns: the test hangs here if it never arrives.
        while std::fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z ")) {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}
