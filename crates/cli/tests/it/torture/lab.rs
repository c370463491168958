//! A folder with a spec and a data root of its own, and the built binary at work in it.

use super::journal::Journal;
use super::processes::{self, MARK, Process, wait_for};
use rustix::process::Signal;
use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use tempfile::TempDir;

/// The spec's name in every lab.
const NAME: &str = "torture";

/// A place for one run.
pub(crate) struct Lab {
    folder: TempDir,
    data: PathBuf,
    variables: Vec<(String, String)>,
}

/// A controller at work.
pub(crate) struct Controller {
    child: Child,
    out: PathBuf,
    err: PathBuf,
}

/// A command that ended.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A line that a trial wrote about itself: it started, or it came to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Witness {
    pub(crate) word: String,
    pub(crate) index: u64,
    pub(crate) attempt: u64,
}

impl Lab {
    /// A lab for a spec, whose `name` is set here.
    pub(crate) fn new(spec: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let text = format!("name = \"{NAME}\"\n{spec}");
        fs::write(folder.path().join("spec.toml"), text).unwrap();
        let data = folder.path().join("data");
        Self {
            folder,
            data,
            variables: Vec::new(),
        }
    }

    /// The same with its data root elsewhere.
    pub(crate) fn with_data(mut self, data: PathBuf) -> Self {
        self.data = data;
        self
    }

    /// Sets a variable for every command from now on.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.variables.push((name.to_owned(), value.to_owned()));
    }

    /// Its folder.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Its data root.
    pub(crate) fn data(&self) -> &Path {
        &self.data
    }

    /// A command of the binary in this lab.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fairtrial"));
        command
            .args(arguments)
            .arg("--data-dir")
            .arg(&self.data)
            .current_dir(self.path())
            .env(MARK, self.path())
            // Tools of the system alone: a shim of a language manager can take longer than a whole run here.
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env_remove("FAIRTRIAL_DATA")
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null());
        command
    }

    /// Starts a command. Its output goes to files: a pipe would stay open as long as any process of the lab lives.
    pub(crate) fn start(&self, arguments: &[&str]) -> Controller {
        self.start_with(arguments, &[])
    }

    /// Starts a command with variables of its own.
    pub(crate) fn start_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Controller {
        let mut command = self.command(arguments);
        command.envs(variables.iter().copied());
        self.started(command)
    }

    /// Starts a command in a shell that was told something before, as a limit.
    pub(crate) fn start_under(&self, told: &str, arguments: &[&str]) -> Controller {
        let direct = self.command(arguments);
        let mut command = Command::new("sh");
        command
            .args(["-c", &format!("{told}; exec \"$0\" \"$@\"")])
            .arg(direct.get_program())
            .args(direct.get_args())
            .current_dir(self.path());
        for (name, value) in direct.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        self.started(command)
    }

    fn started(&self, mut command: Command) -> Controller {
        let number = fs::read_dir(self.path()).unwrap().count();
        let [out, err] = ["out", "err"].map(|end| self.path().join(format!("{number}.{end}")));
        let child = command
            .stdin(Stdio::null())
            .stdout(File::create(&out).unwrap())
            .stderr(File::create(&err).unwrap())
            .spawn()
            .unwrap();
        Controller { child, out, err }
    }

    /// Runs a command to its end.
    pub(crate) fn call(&self, arguments: &[&str]) -> Done {
        self.start(arguments).wait()
    }

    /// The arguments that begin the run, or go on with it where there is one.
    pub(crate) fn arguments(&self) -> &'static [&'static str] {
        if self.run_dir().is_some() {
            &["run", "spec.toml", "--resume"]
        } else {
            &["run", "spec.toml"]
        }
    }

    /// Begins the run or goes on with it, to its end.
    pub(crate) fn finish(&self) -> Done {
        self.call(self.arguments())
    }

    /// Folders of the runs, oldest first.
    pub(crate) fn run_dirs(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.data.join("rollouts").join(NAME));
        let mut runs: Vec<PathBuf> = entries
            .map(|entries| entries.map(|entry| entry.unwrap().path()).collect())
            .unwrap_or_default();
        runs.sort();
        runs
    }

    /// The folder of the newest run.
    pub(crate) fn run_dir(&self) -> Option<PathBuf> {
        self.run_dirs().pop()
    }

    /// The journal of the newest run, as it stands now.
    pub(crate) fn journal(&self) -> Journal {
        let run = self.run_dir();
        run.map_or_else(Journal::default, |run| {
            Journal::read(&run.join("journal.jsonl"))
        })
    }

    /// What the trials wrote about themselves so far.
    pub(crate) fn witnesses(&self) -> Vec<Witness> {
        let text = fs::read_to_string(self.path().join("witness")).unwrap_or_default();
        let parse = |line: &str| {
            let mut words = line.split(' ');
            Witness {
                word: words.next().unwrap().to_owned(),
                index: words.next().unwrap().parse().unwrap(),
                attempt: words.next().unwrap().parse().unwrap(),
            }
        };
        text.lines().map(parse).collect()
    }

    /// Waits until so many lines of this kind were written.
    pub(crate) fn wait_for_witnesses(&self, word: &str, count: usize) {
        wait_for(&format!("{count} times `{word}`"), || {
            let seen = self.witnesses();
            let seen = seen.iter().filter(|witness| witness.word == word).count();
            (seen >= count).then_some(())
        });
    }

    /// Living processes of this lab.
    pub(crate) fn processes(&self) -> Vec<Process> {
        processes::marked(self.path())
    }

    /// Living launchers of this lab.
    pub(crate) fn launchers(&self) -> Vec<i32> {
        let launchers = self.processes().into_iter().filter(Process::is_launcher);
        launchers.map(|launcher| launcher.pid).collect()
    }

    /// Waits until no process of this lab is left.
    pub(crate) fn wait_until_deserted(&self) {
        wait_for("the end of every process", || {
            self.processes().is_empty().then_some(())
        });
    }

    /// Fails if a process of this lab is left now that its controller has ended in good order.
    pub(crate) fn assert_deserted(&self) {
        let left = self.processes();
        assert!(left.is_empty(), "processes were left behind: {left:?}");
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        // After a failure nothing may go on working in a folder that is about to go away.
        for process in self.processes() {
            processes::signal(process.pid, Signal::KILL);
        }
    }
}

impl Controller {
    /// Its process id.
    pub(crate) fn pid(&self) -> i32 {
        self.child.id() as i32
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        processes::signal(self.pid(), signal);
    }

    /// Ends it as `kill -9` does.
    pub(crate) fn kill(mut self) -> Done {
        let _ = self.child.kill();
        self.wait()
    }

    /// What it said so far.
    pub(crate) fn said(&self) -> String {
        fs::read_to_string(&self.err).unwrap_or_default()
    }

    /// Waits for its end, which must come.
    pub(crate) fn ends(mut self) -> Done {
        wait_for("the end of a command", || self.child.try_wait().unwrap());
        self.wait()
    }

    /// Waits for its end.
    pub(crate) fn wait(mut self) -> Done {
        let status = self.child.wait().unwrap();
        let read = |path: &Path| String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
        let done = Done {
            status,
            stdout: read(&self.out),
            stderr: read(&self.err),
        };
        assert!(!done.stderr.contains("panicked"), "a panic: {done:?}");
        done
    }
}

impl Done {
    /// Whether it was ended by a signal.
    pub(crate) fn was_killed(&self) -> bool {
        self.status.signal().is_some()
    }

    /// Fails unless it ended with this code.
    pub(crate) fn assert_code(self, code: i32) -> Self {
        assert_eq!(
            self.status.code(),
            Some(code),
            "another exit code was due: {self:?}"
        );
        self
    }

    /// Fails unless it said this.
    pub(crate) fn assert_said(self, text: &str) -> Self {
        assert!(self.stderr.contains(text), "`{text}` was due: {self:?}");
        self
    }
}
