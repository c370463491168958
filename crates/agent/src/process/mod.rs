//! Runs one program of a rollout: its output into a log without secrets, its time watched, its whole group ended.

mod log;
mod orphans;

pub use orphans::{adopt_orphans, end_descendants};

use crate::error::{AgentError, At};
use fairtrial_episode::append_own;
use fairtrial_journal::redact::Redactor;
use fairtrial_process::cgroup::Group;
use fairtrial_process::{Follower, ProcessError, Program, Stopped, Stream};
use log::Log;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often a watcher looks at a running program.
const LOOK: Duration = Duration::from_millis(250);
/// Lines of what a program wrote in a message.
const SAID: usize = 15;

/// A program to run.
#[derive(Debug, Clone)]
pub struct LoggedProgram<'a> {
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
    /// The control group that it runs in.
    pub group: Option<Arc<Group>>,
}

/// What is done with a program that has just been started; a failure ends it.
pub type OnStart = Box<dyn FnOnce(&Child) -> io::Result<()>>;

/// The way of a program into a sandbox that is built around it as it starts.
pub struct Entrance {
    /// Makes the command go that way. Its name is looked up inside.
    pub adjust: Box<dyn FnOnce(&mut Command)>,
    /// What could not be built, where it did not start for that.
    pub trouble: Box<dyn FnOnce() -> Option<String>>,
}

/// What a program gets as it starts.
#[derive(Default)]
pub struct Start {
    /// Files that it has open, under their own numbers.
    pub files: Vec<OwnedFd>,
    /// What is done as soon as it is started.
    pub on_start: Option<OnStart>,
    /// Its way into a sandbox.
    pub entrance: Option<Entrance>,
}

/// How a program ended.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgramEnd {
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

impl ProgramEnd {
    /// How a shell ends that does not find a program.
    pub fn not_found(argv: &[String]) -> Self {
        let name = argv.first().map_or("", String::as_str);
        Self {
            code: 127,
            stopped: None,
            timed_out: false,
            seconds: 0.0,
            tail: format!("{name}: not found"),
        }
    }

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

    /// Looks now and then; an answer ends the program, for that reason.
    fn look(&mut self) -> Option<String>;
}

/// Runs a program to its end.
pub fn run<'a>(
    program: &LoggedProgram<'_>,
    start: Start,
    redactor: &'a Redactor,
    watcher: Option<&'a mut dyn Watcher>,
) -> Result<ProgramEnd, AgentError> {
    let Some(name) = program.argv.first() else {
        return Err(AgentError::Sandbox("the command is empty".to_owned()));
    };
    // What was run before may have put something else in its place.
    let log = append_own(program.log).at("open", program.log)?;
    let mut trouble = None;
    let command = match start.entrance {
        None => Program::with_only(program.env, program.argv, program.timeout),
        Some(entrance) => {
            trouble = Some(entrance.trouble);
            Program::with_only_unfound(program.env, program.argv, program.timeout)
                .adjusted(entrance.adjust)
        }
    };
    let mut command = command.dir(program.workdir).merged().with_its_group();
    if let Some(path) = program.stdin {
        command = command.input_file(File::open(path).at("open", path)?);
    }
    if let Some(group) = &program.group {
        command = command.in_group(Arc::clone(group));
    }
    for file in start.files {
        command = command.passing(file);
    }
    if let Some(act) = start.on_start {
        command = command.on_start(act);
    }
    let mut keeper = Keeper {
        log: Log::new(log, program.log_limit, redactor),
        watcher,
    };
    let began = Instant::now();
    let end = command.run_with(&mut keeper).map_err(|error| match error {
        ProcessError::Start { source, .. } => match trouble.and_then(|trouble| trouble()) {
            Some(what) => AgentError::Unbuilt(format!("{what}: {source}")),
            None => AgentError::Io {
                action: "start",
                path: name.into(),
                source,
            },
        },
        ProcessError::Follow { source, .. } => AgentError::Io {
            action: "write",
            path: program.log.to_owned(),
            source,
        },
        other => other.into(),
    })?;
    let tail = keeper.finish().at("write", program.log)?;
    let status = end.status;
    Ok(ProgramEnd {
        code: status
            .code()
            .unwrap_or_else(|| 128 + status.signal().unwrap_or(0)),
        timed_out: end.stopped == Some(Stopped::Late),
        stopped: end.stopped.map(|stopped| match stopped {
            Stopped::Late => "its time limit".to_owned(),
            Stopped::Wanted(reason) => reason,
        }),
        seconds: began.elapsed().as_secs_f64(),
        tail,
    })
}

/// Keeps the output in the log and gives it to whoever watches.
struct Keeper<'a> {
    log: Log<'a>,
    watcher: Option<&'a mut dyn Watcher>,
}

impl Keeper<'_> {
    fn finish(mut self) -> io::Result<String> {
        let watcher = &mut self.watcher;
        self.log.finish(&mut |text| tell(watcher, text))
    }
}

impl Follower for Keeper<'_> {
    fn hear(&mut self, _: Stream, bytes: &[u8]) -> io::Result<()> {
        let watcher = &mut self.watcher;
        self.log.take(bytes, &mut |text| tell(watcher, text))
    }

    fn look_every(&self) -> Option<Duration> {
        self.watcher.as_ref().map(|_| LOOK)
    }

    fn look(&mut self) -> Option<String> {
        self.watcher.as_mut()?.look()
    }
}

fn tell(watcher: &mut Option<&mut dyn Watcher>, text: &str) {
    if let Some(watcher) = watcher {
        watcher.hear(text);
    }
}

#[cfg(test)]
mod tests {
    use super::{LoggedProgram, ProgramEnd, Start, Watcher, run};
    use fairtrial_journal::redact::Redactor;
    use std::time::Duration;

    /// Hears everything.
    #[derive(Default)]
    struct Ear(String);

    impl Watcher for Ear {
        fn hear(&mut self, text: &str) {
            self.0.push_str(text);
        }

        fn look(&mut self) -> Option<String> {
            None
        }
    }

    fn shell(script: &str, timeout: Option<Duration>) -> (ProgramEnd, String) {
        let (ended, log, _) = heard(script, timeout);
        (ended, log)
    }

    fn heard(script: &str, timeout: Option<Duration>) -> (ProgramEnd, String, String) {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("log");
        let argv = ["sh", "-c", script].map(str::to_owned);
        let env = [("PATH".to_owned(), "/usr/bin:/bin".to_owned())];
        let program = LoggedProgram {
            argv: &argv,
            env: &env,
            workdir: dir.path(),
            stdin: None,
            log: &log,
            log_limit: 100,
            timeout,
            group: None,
        };
        let redactor = Redactor::from_values(&["hunter22".to_owned()]);
        let mut ear = Ear::default();
        let ended = run(&program, Start::default(), &redactor, Some(&mut ear)).unwrap();
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
