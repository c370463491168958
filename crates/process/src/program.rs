//! A program to run: what it is given, how long it has, and how much of what it prints is kept.

use crate::cgroup::Group;
use crate::error::ProcessError;
use crate::find::find_program;
use crate::follow::{End, Follower, Running, Stopped, Stream};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, PipeReader};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

/// Bytes of standard output that are kept where nothing else is said.
const MOST: usize = 256 << 20;
/// Bytes kept of the end of what a program says for a message.
const SAID: usize = 4096;
/// How long `--version` may take.
const VERSION_LIMIT: Duration = Duration::from_secs(3);
/// The most that `--version` may print.
const VERSION_OUTPUT: usize = 1 << 20;
/// Longest version line that is kept.
const VERSION_LENGTH: usize = 200;

/// What is done with a program that has just been started; a failure ends it.
type OnStart = Box<dyn FnOnce(&Child) -> io::Result<()>>;
/// How often somebody who may want its end is asked.
const ASKED_EVERY: Duration = Duration::from_millis(50);

/// A program to run.
pub struct Program {
    name: String,
    command: Command,
    limit: Option<Duration>,
    input: Vec<u8>,
    most: usize,
    is_merged: bool,
    takes_group: bool,
    /// The control group that it is started in.
    group: Option<Arc<Group>>,
    /// Files that it has open besides the usual three, under their own numbers.
    passed: Vec<OwnedFd>,
    on_start: Option<OnStart>,
    /// Says whether it is to end early.
    until: Option<Box<dyn Fn() -> bool>>,
}

/// A program that ended by itself.
#[derive(Debug)]
pub struct Ended {
    /// The program.
    pub program: String,
    /// How it ended.
    pub status: ExitStatus,
    /// What it printed.
    pub stdout: Vec<u8>,
    /// The last of what it said on standard error; with [`Program::merged`], of all that it printed.
    pub said: String,
}

impl Ended {
    /// Itself where it ended well, and its failure otherwise.
    pub fn success(self) -> Result<Self, ProcessError> {
        if self.status.success() {
            return Ok(self);
        }
        Err(ProcessError::Failed {
            program: self.program,
            status: self.status,
            said: self.said,
        })
    }

    /// What it printed, as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }
}

impl std::fmt::Debug for Program {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_tuple("Program")
            .field(&self.command)
            .finish()
    }
}

impl Program {
    /// A program that has limited time; `None` is for those whose own limits are enforced elsewhere.
    pub fn new(program: impl AsRef<OsStr>, limit: impl Into<Option<Duration>>) -> Self {
        let program = program.as_ref();
        let mut command = Command::new(program);
        command.stdin(Stdio::null());
        Self {
            name: program.to_string_lossy().into_owned(),
            command,
            limit: limit.into(),
            input: Vec::new(),
            most: MOST,
            is_merged: false,
            takes_group: false,
            group: None,
            passed: Vec::new(),
            on_start: None,
            until: None,
        }
    }

    /// A command of program and arguments.
    pub fn of_argv(argv: &[impl AsRef<OsStr>], limit: impl Into<Option<Duration>>) -> Self {
        let name = argv.first().map_or(OsStr::new(""), AsRef::as_ref);
        Self::new(name, limit).args(argv.iter().skip(1))
    }

    /// A command with these variables and no others, found by the `PATH` among them.
    pub fn with_only(
        env: &[(String, String)],
        argv: &[String],
        limit: impl Into<Option<Duration>>,
    ) -> Self {
        let name = argv.first().map_or("", String::as_str);
        let path = env.iter().find(|(key, _)| key == "PATH");
        let path = path.filter(|_| !name.contains('/'));
        // The system starts a file quicker than a name that it must look for, because it need not copy this process.
        let found = path.and_then(|(_, path)| find_program(name, OsStr::new(path)));
        let place = found.filter(|place| place.is_absolute());
        let mut program = Self::new(place.unwrap_or_else(|| name.into()), limit);
        name.clone_into(&mut program.name);
        program.command.arg0(name);
        program.given(env, argv)
    }

    /// The same for one that is looked for only when it is started: it sees another system then.
    pub fn with_only_unfound(
        env: &[(String, String)],
        argv: &[String],
        limit: impl Into<Option<Duration>>,
    ) -> Self {
        let name = argv.first().map_or("", String::as_str);
        Self::new(name, limit).given(env, argv)
    }

    fn given(mut self, env: &[(String, String)], argv: &[String]) -> Self {
        self.command.env_clear();
        self.args(argv.iter().skip(1))
            .envs(env.iter().map(|(name, value)| (name, value)))
    }

    /// With its command changed in a way that is not foreseen here.
    #[must_use]
    pub fn adjusted(mut self, adjust: impl FnOnce(&mut Command)) -> Self {
        adjust(&mut self.command);
        self
    }

    /// The name that messages use.
    #[must_use]
    pub fn called(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// With further arguments.
    #[must_use]
    pub fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.command.args(args);
        self
    }

    /// With a variable besides ours.
    #[must_use]
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// With variables besides ours.
    #[must_use]
    pub fn envs<N: AsRef<OsStr>, V: AsRef<OsStr>>(
        mut self,
        variables: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        self.command.envs(variables);
        self
    }

    /// Without variables of ours.
    #[must_use]
    pub fn without<N: AsRef<OsStr>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        for name in names {
            self.command.env_remove(name);
        }
        self
    }

    /// Where it starts.
    #[must_use]
    pub fn dir(mut self, dir: &Path) -> Self {
        self.command.current_dir(dir);
        self
    }

    /// What it reads. It may read late, or not at all.
    #[must_use]
    pub fn input(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.input = bytes.into();
        self
    }

    /// The file that it reads.
    #[must_use]
    pub fn input_file(mut self, file: File) -> Self {
        self.command.stdin(file);
        self
    }

    /// Standard output and standard error become one stream.
    #[must_use]
    pub fn merged(mut self) -> Self {
        self.is_merged = true;
        self
    }

    /// What it leaves running in its group ends with it.
    #[must_use]
    pub fn with_its_group(mut self) -> Self {
        self.takes_group = true;
        self
    }

    /// In this control group, and so is all that it starts.
    #[must_use]
    pub fn in_group(mut self, group: Arc<Group>) -> Self {
        self.group = Some(group);
        self
    }

    /// With a further file open, under the number that it has here. Whatever else this process starts at the same
    /// moment may have it too: this is for processes with one thread that starts programs.
    #[must_use]
    pub fn passing(mut self, file: OwnedFd) -> Self {
        self.passed.push(file);
        self
    }

    /// Does something as soon as it is started; a failure ends the program.
    #[must_use]
    pub fn on_start(mut self, act: impl FnOnce(&Child) -> io::Result<()> + 'static) -> Self {
        self.on_start = Some(Box::new(act));
        self
    }

    /// It is ended as soon as this says so.
    #[must_use]
    pub fn until(mut self, ended: impl Fn() -> bool + 'static) -> Self {
        self.until = Some(Box::new(ended));
        self
    }

    /// With another time limit.
    #[must_use]
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = Some(limit);
        self
    }

    /// The most that it may print on standard output.
    #[must_use]
    pub fn at_most(mut self, bytes: usize) -> Self {
        self.most = bytes;
        self
    }

    /// Runs it for what it does; of what it prints, the end is kept for a message.
    pub fn run_quietly(self) -> Result<(), ProcessError> {
        let ended = self.merged().run_into(&mut |_| Ok(()))?;
        ended.success().map(drop)
    }

    /// Runs it and keeps what it prints.
    pub fn run(self) -> Result<Ended, ProcessError> {
        let mut stdout = Vec::new();
        let most = self.most;
        let mut take = |bytes: &[u8]| {
            stdout.extend_from_slice(bytes);
            if stdout.len() > most {
                return Err(io::ErrorKind::FileTooLarge.into());
            }
            Ok(())
        };
        let mut ended = self.run_into(&mut take)?;
        ended.stdout = stdout;
        Ok(ended)
    }

    /// Runs it and gives away what it prints on standard output, piece by piece. A piece that is refused ends it.
    pub fn run_into(
        mut self,
        take: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<Ended, ProcessError> {
        let (program, limit, most) = (self.name.clone(), self.limit, self.most);
        let mut listener = Listener {
            take,
            is_merged: self.is_merged,
            until: self.until.take(),
            last: Vec::new(),
        };
        let end = self.run_with(&mut listener);
        let said = listener.said();
        match end {
            Ok(End {
                status,
                stopped: None,
            }) => Ok(Ended {
                program,
                status,
                stdout: Vec::new(),
                said,
            }),
            Ok(End {
                stopped: Some(Stopped::Wanted(_)),
                ..
            }) => Err(ProcessError::Stopped { program }),
            Ok(_) => Err(ProcessError::Late {
                program,
                limit: limit.unwrap_or_default(),
                said,
            }),
            Err(ProcessError::Follow { source, .. })
                if source.kind() == io::ErrorKind::FileTooLarge =>
            {
                Err(ProcessError::TooLong { program, most })
            }
            Err(error) => Err(error),
        }
    }

    /// Runs it with somebody who follows it.
    pub fn run_with(self, follower: &mut dyn Follower) -> Result<End, ProcessError> {
        let program = self.name.clone();
        let running = match self.start() {
            Ok(running) => running,
            Err(source) => return Err(ProcessError::Start { program, source }),
        };
        let end = running.follow(follower);
        end.map_err(|source| ProcessError::Follow { program, source })
    }

    fn start(mut self) -> io::Result<Running> {
        let (out, write) = io::pipe()?;
        let err: Option<PipeReader> = if self.is_merged {
            self.command.stderr(write.try_clone()?);
            None
        } else {
            let (err, write) = io::pipe()?;
            self.command.stderr(write);
            Some(err)
        };
        self.command.stdout(write).process_group(0);
        if !self.input.is_empty() {
            self.command.stdin(Stdio::piped());
        }
        for file in &self.passed {
            rustix::io::fcntl_setfd(file, rustix::io::FdFlags::empty())?;
        }
        let mut child = match &self.group {
            Some(group) => group.within(|| self.command.spawn())??,
            None => self.command.spawn()?,
        };
        // What only the program is to have goes now, and with the command the other ends of the pipes.
        self.passed.clear();
        if let Some(Err(error)) = self.on_start.take().map(|act| act(&child)) {
            let _ = child.kill();
            let _ = child.wait();
            return Err(error);
        }
        Ok(Running {
            input: child.stdin.take().map(|stdin| (stdin, self.input)),
            child,
            out: Some(out),
            err,
            limit: self.limit,
            takes_group: self.takes_group,
        })
    }
}

/// Gives standard output away and keeps the end of what is said for a message.
struct Listener<'a> {
    take: &'a mut dyn FnMut(&[u8]) -> io::Result<()>,
    is_merged: bool,
    until: Option<Box<dyn Fn() -> bool>>,
    last: Vec<u8>,
}

impl Listener<'_> {
    fn said(&self) -> String {
        let from = self.last.len().saturating_sub(SAID);
        String::from_utf8_lossy(&self.last[from..]).into_owned()
    }
}

impl Follower for Listener<'_> {
    fn hear(&mut self, from: Stream, bytes: &[u8]) -> io::Result<()> {
        if from == Stream::Err || self.is_merged {
            self.last.extend_from_slice(bytes);
            if self.last.len() > 2 * SAID {
                self.last.drain(..self.last.len() - SAID);
            }
        }
        match from {
            Stream::Out => (self.take)(bytes),
            Stream::Err => Ok(()),
        }
    }

    fn look_every(&self) -> Option<Duration> {
        self.until.as_ref().map(|_| ASKED_EVERY)
    }

    fn look(&mut self) -> Option<String> {
        let ended = self.until.as_ref().is_some_and(|ended| ended());
        ended.then(String::new)
    }
}

/// The first line that `tool --version` prints.
pub fn version(tool: &str) -> Result<String, ProcessError> {
    let program = Program::new(tool, VERSION_LIMIT).args(["--version"]);
    let text = program.at_most(VERSION_OUTPUT).run()?.success()?.text();
    let line = text.lines().next().unwrap_or_default().trim();
    Ok(line.chars().take(VERSION_LENGTH).collect())
}
