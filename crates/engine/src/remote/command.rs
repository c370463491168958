//! Commands of schedulers, run here or on a login node, and never waited for without end: a scheduler whose controller
//! is down blocks its commands for many seconds.

use fairtrial_process::{ProcessError, Program};
use fairtrial_text::shell_word::shell_word;
use std::time::Duration;

/// Longest time for one command.
const LIMIT: Duration = Duration::from_mins(1);
/// The same for commands that start machines.
const SLOW_LIMIT: Duration = Duration::from_mins(15);

/// A command that did not give its answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// It could not be started.
    #[error("cannot run `{program}`: {message}")]
    Start {
        /// The program.
        program: String,
        /// What the system said.
        message: String,
    },
    /// It ended with an error.
    #[error("`{program}` failed ({status}): {message}")]
    Failed {
        /// The program.
        program: String,
        /// How it ended.
        status: String,
        /// What it said.
        message: String,
    },
    /// The machine on which it should run is not reached.
    #[error(
        "cannot reach `{host}` through ssh: {message} (does `ssh {host} true` work without a question?)"
    )]
    Unreachable {
        /// The machine.
        host: String,
        /// What `ssh` said.
        message: String,
    },
    /// It did not end in time.
    #[error("`{program}` did not answer within {seconds} s")]
    Late {
        /// The program.
        program: String,
        /// The limit.
        seconds: u64,
    },
}

/// Runs commands.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shell {
    /// The machine on which they run; absent means this one.
    pub(crate) host: Option<String>,
    /// Variables that would change how answers look.
    pub(crate) unset: Vec<String>,
    limit: Option<Duration>,
}

impl Shell {
    /// Commands on this machine, or through `ssh`.
    pub(crate) fn on(host: Option<&str>) -> Self {
        Self {
            host: host.map(str::to_owned),
            unset: Vec::new(),
            limit: None,
        }
    }

    /// Leaves these variables out.
    #[must_use]
    pub(crate) fn without(mut self, names: &[&str]) -> Self {
        self.unset = names.iter().map(|name| (*name).to_owned()).collect();
        self
    }

    /// Runs a program and gives what it printed.
    pub(crate) fn run(&self, argv: &[&str]) -> Result<String, CommandError> {
        self.run_for(argv, &[])
    }

    /// The same for a program that also answers where it exits with one of these codes.
    fn run_for(&self, argv: &[&str], answers: &[i32]) -> Result<String, CommandError> {
        let program = argv.first().copied().unwrap_or_default().to_owned();
        let ended = self.program(argv).run();
        let ended = ended.map_err(|error| match error {
            ProcessError::Late { limit, .. } => CommandError::Late {
                program: program.clone(),
                seconds: limit.as_secs(),
            },
            ProcessError::Start { source, .. } => CommandError::Start {
                program: program.clone(),
                message: source.to_string(),
            },
            other => CommandError::Failed {
                program: program.clone(),
                status: "cut off".to_owned(),
                message: other.reason(),
            },
        })?;
        let status = ended.status;
        if status.success() || status.code().is_some_and(|code| answers.contains(&code)) {
            return Ok(ended.text());
        }
        let message = words_of(&ended.said);
        Err(match &self.host {
            Some(host) if status.code() == Some(SSH_FAILED) => CommandError::Unreachable {
                host: host.clone(),
                message,
            },
            _ => CommandError::Failed {
                program,
                status: status.to_string(),
                message,
            },
        })
    }

    /// Runs a line of shell and gives what it printed.
    pub(crate) fn line(&self, line: &str) -> Result<String, CommandError> {
        self.run(&["/bin/sh", "-c", line])
    }

    /// Whether there is such a program.
    pub(crate) fn has(&self, program: &str) -> bool {
        self.line(&format!("command -v {}", shell_word(program)))
            .is_ok()
    }

    /// Runs a program that may take minutes: it starts machines, or asks far ones.
    pub(crate) fn run_slow(&self, argv: &[&str]) -> Result<String, CommandError> {
        self.run_slow_for(argv, &[])
    }

    /// The same for a program that also answers where it exits with one of these codes.
    pub(crate) fn run_slow_for(
        &self,
        argv: &[&str],
        answers: &[i32],
    ) -> Result<String, CommandError> {
        let patient = Self {
            limit: Some(SLOW_LIMIT),
            ..self.clone()
        };
        patient.run_for(argv, answers)
    }

    fn program(&self, argv: &[&str]) -> Program {
        let limit = self.limit.unwrap_or(LIMIT);
        let program = match &self.host {
            None => Program::of_argv(argv, limit),
            Some(host) => Program::new("ssh", limit)
                .args(["-o", "BatchMode=yes", "-o", "ConnectTimeout=15", host, "--"])
                .args([self.far_line(argv)]),
        };
        program.without(&self.unset)
    }

    /// The line for the shell on the other machine, which has variables of its own. Every word is quoted for it.
    fn far_line(&self, argv: &[&str]) -> String {
        let unset = self.unset.iter().flat_map(|name| ["-u", name]);
        let words = ["env"].into_iter().chain(unset).chain(argv.iter().copied());
        words.map(shell_word).collect::<Vec<_>>().join(" ")
    }
}

/// How `ssh` itself ends when it cannot do its work.
const SSH_FAILED: i32 = 255;

fn words_of(complaint: &str) -> String {
    match complaint.trim() {
        "" => "it said nothing".to_owned(),
        message => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{CommandError, Shell};
    use fairtrial_text::shell_word::shell_word;
    use std::time::Duration;

    #[test]
    fn answers_failures_and_silence_are_told_apart() {
        let shell = Shell {
            limit: Some(Duration::from_millis(100)),
            ..Shell::default()
        };
        assert_eq!(shell.line("echo a; echo b >&2").unwrap(), "a\n");
        let Err(CommandError::Failed { message, .. }) = shell.line("echo no >&2; exit 3") else {
            panic!("a failure");
        };
        assert_eq!(message, "no");
        let late = shell.line("sleep 5").unwrap_err();
        assert!(matches!(late, CommandError::Late { .. }), "{late}");
        let none = shell.run(&["/no/such/program"]).unwrap_err();
        assert!(matches!(none, CommandError::Start { .. }), "{none}");
    }

    #[test]
    fn a_late_command_is_ended_with_all_that_it_started() {
        let shell = Shell {
            limit: Some(Duration::from_millis(500)),
            ..Shell::default()
        };
        let folder = tempfile::tempdir().unwrap();
        let pid = folder.path().join("pid");
        // As a `submit` that is a script around the real program.
        let line = format!("sh -c 'echo $$ > {}; exec sleep 1000'; true", pid.display());
        let late = shell.line(&line).unwrap_err();
        assert!(matches!(late, CommandError::Late { .. }), "{late}");
        let pid = std::fs::read_to_string(pid).unwrap();
        let stat = format!("/proc/{}/stat", pid.trim());
        // A kill is on its way when it returns: the test hangs here if it never arrives.
        while std::fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z ")) {
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    #[test]
    fn a_terminals_signals_do_not_reach_commands() {
        // The fifth word is the process group, to which a terminal sends them.
        let group = |stat: &str| stat.split(' ').nth(4).map(str::to_owned);
        let own = group(&std::fs::read_to_string("/proc/self/stat").unwrap());
        let theirs = group(&Shell::default().line("cat /proc/self/stat").unwrap());
        assert!(own.is_some() && own != theirs, "{own:?} {theirs:?}");
    }

    #[test]
    fn the_far_shell_gets_words_and_its_own_variables_out_of_the_way() {
        let shell = Shell::on(Some("login")).without(&["SQUEUE_FORMAT"]);
        assert_eq!(
            shell.far_line(&["squeue", "-o", "%F|%K"]),
            "env -u SQUEUE_FORMAT squeue -o '%F|%K'"
        );
    }

    #[test]
    fn words_survive_a_shell() {
        for word in ["plain", "two words", "it's", "$HOME", "a\nb", ""] {
            let line = format!("printf %s {}", shell_word(word));
            assert_eq!(Shell::default().line(&line).unwrap(), word);
        }
    }
}
