//! The commands of a bench: what was typed, made into programs with arguments, through a shell where one is needed.

use super::counter::{Counter, VALGRIND};
use crate::caller::Caller;
use crate::error::SessionError;
use fairtrial_process::find_program;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// A command to be timed.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct BenchCommand {
    /// Its name in the answer; absent for the command itself.
    pub name: Option<String>,
    /// As it was typed.
    pub text: String,
    /// The parameters whose values stand in it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<(String, String)>,
}

impl BenchCommand {
    /// A command without parameters.
    pub fn new(name: Option<String>, text: impl Into<String>) -> Self {
        Self {
            name,
            text: text.into(),
            parameters: Vec::new(),
        }
    }

    /// One command whose words stand by themselves, as they do after `--`; one word alone is the whole command.
    pub fn of_words(words: &[String]) -> Self {
        let text = match words {
            [text] => text.clone(),
            words => shell_words::join(words),
        };
        Self::new(None, text)
    }
}

/// When a shell runs the commands.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ShellChoice {
    /// Where one of them needs it.
    #[default]
    WhenNeeded,
    /// Never: each is split into words.
    Never,
    /// Always, this one, which may have arguments.
    Named(String),
}

/// The shell where none is named.
const SHELL: &str = "/bin/sh";
/// What only a shell understands.
const SHELL_SIGNS: &str = "|&;<>()$`*?[]#!\n";
/// Commands that only a shell has.
const BUILTINS: [&str; 22] = [
    ".", ":", "alias", "cd", "command", "eval", "exec", "exit", "export", "read", "return", "set",
    "shift", "source", "times", "trap", "type", "ulimit", "umask", "unset", "wait", "until",
];

/// One command as it is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ArmProgram {
    /// Its name in the answer.
    pub(super) name: String,
    /// Program and arguments.
    pub(super) argv: Vec<String>,
    /// The folder that it runs in.
    pub(super) folder: PathBuf,
    /// The parameters whose values stand in it.
    pub(super) parameters: Vec<(String, String)>,
}

/// Programs and arguments that a bench runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Programs {
    /// By command.
    pub(super) arms: Vec<ArmProgram>,
    /// The words before a script, where a shell runs the commands.
    pub(super) shell: Option<Vec<String>>,
}

impl Programs {
    /// Takes commands apart. Where one needs a shell all get one, so that they are timed alike.
    pub(super) fn of(
        commands: &[BenchCommand],
        choice: &ShellChoice,
        caller: &Caller,
    ) -> Result<Self, SessionError> {
        let needs = commands
            .iter()
            .any(|command| needs_shell(&command.text, caller));
        let shell = match choice {
            ShellChoice::Never => None,
            ShellChoice::Named(shell) => Some(split(shell)?),
            ShellChoice::WhenNeeded => needs.then(|| vec![SHELL.to_owned()]),
        };
        let mut arms: Vec<ArmProgram> = Vec::new();
        for command in commands {
            let BenchCommand { name, text, .. } = command;
            let argv = match &shell {
                Some(shell) => script(shell, text),
                None => split(text)?,
            };
            check_program(&argv, caller)?;
            let name = name.as_ref().filter(|name| !name.trim().is_empty());
            let name = unused(name.unwrap_or(text), &arms);
            let folder = caller.folder.clone();
            arms.push(ArmProgram {
                name,
                argv,
                folder,
                parameters: command.parameters.clone(),
            });
        }
        Ok(Self { arms, shell })
    }

    /// One command in each of several folders, by their names.
    pub(super) fn in_folders(
        command: &BenchCommand,
        choice: &ShellChoice,
        (folders, caller): (&[(String, PathBuf)], &Caller),
    ) -> Result<Self, SessionError> {
        let mut all: Option<Self> = None;
        for (name, folder) in folders {
            let there = Caller {
                folder: folder.clone(),
                ..caller.clone()
            };
            let mut found = Self::of(std::slice::from_ref(command), choice, &there)?;
            found.arms[0].name = unused(name, all.as_ref().map_or(&[], |all| &all.arms));
            match &mut all {
                Some(all) => all.arms.append(&mut found.arms),
                None => all = Some(found),
            }
        }
        all.ok_or_else(|| SessionError::Input("there is no revision".to_owned()))
    }

    /// The same under what counts the instructions of each, where something does.
    pub(super) fn counted_by(
        mut self,
        counter: Option<Counter>,
        caller: &Caller,
    ) -> Result<Self, SessionError> {
        let Some(Counter::Callgrind) = counter else {
            return Ok(self);
        };
        let refuse = |why: &str| Err(SessionError::Input(format!("{why}; nothing was run")));
        if self.shell.is_some() {
            return refuse(
                "callgrind counts one program and not what a shell starts: time a plain command, or give -N",
            );
        }
        if find(VALGRIND[0], caller).is_none() {
            return refuse("callgrind is a part of valgrind, which is not installed");
        }
        for arm in &mut self.arms {
            let valgrind = VALGRIND.map(str::to_owned);
            arm.argv = valgrind
                .into_iter()
                .chain(std::mem::take(&mut arm.argv))
                .collect();
        }
        Ok(self)
    }

    /// A command of the user that is not timed; a shell reads it, as everywhere such commands are written.
    pub(super) fn helper(&self, text: &str) -> Vec<String> {
        let shell = self.shell.clone();
        script(&shell.unwrap_or_else(|| vec![SHELL.to_owned()]), text)
    }
}

fn script(shell: &[String], text: &str) -> Vec<String> {
    let rest = ["-c".to_owned(), text.to_owned()];
    shell.iter().cloned().chain(rest).collect()
}

fn split(text: &str) -> Result<Vec<String>, SessionError> {
    let words = shell_words::split(text)
        .map_err(|_| SessionError::Input(format!("a quotation mark is not closed in `{text}`")))?;
    if words.first().is_none_or(String::is_empty) {
        return Err(SessionError::Input("a command is empty".to_owned()));
    }
    Ok(words)
}

/// Whether only a shell understands a command. What stands in single quotes is plain text.
fn needs_shell(text: &str, caller: &Caller) -> bool {
    let mut quoted = false;
    let signs = text.chars().any(|c| {
        quoted ^= c == '\'';
        !quoted && SHELL_SIGNS.contains(c)
    });
    let Ok(words) = shell_words::split(text) else {
        return true;
    };
    let first = words.first().map_or("", String::as_str);
    let assigns = first.contains('=') && !first.contains('/');
    let home = text.split_whitespace().any(|word| word.starts_with('~'));
    let builtin = BUILTINS.contains(&first) && find(first, caller).is_none();
    signs || assigns || home || builtin
}

fn find(program: &str, caller: &Caller) -> Option<PathBuf> {
    if program.contains('/') {
        let place = caller.folder.join(program);
        return find_program(&place.to_string_lossy(), OsStr::new(""));
    }
    find_program(
        program,
        OsStr::new(caller.variable("PATH").unwrap_or_default()),
    )
}

/// Says that a program is missing before anything runs.
fn check_program(argv: &[String], caller: &Caller) -> Result<(), SessionError> {
    let program = argv.first().map_or("", String::as_str);
    if find(program, caller).is_some() {
        return Ok(());
    }
    let there = program.contains('/') && caller.folder.join(Path::new(program)).exists();
    let why = if there {
        "is not a program that can be run".to_owned()
    } else if program.contains('/') {
        format!("is not there (looked from {})", caller.folder.display())
    } else {
        "is not in any folder of PATH".to_owned()
    };
    Err(SessionError::Input(format!(
        "the program `{program}` {why}; nothing was run"
    )))
}

/// The name, or where another command has it already, the name with a number.
fn unused(name: &str, arms: &[ArmProgram]) -> String {
    let taken = |name: &str| arms.iter().any(|arm| arm.name == name);
    let mut unused = name.to_owned();
    let mut number = 2;
    while taken(&unused) {
        unused = format!("{name} ({number})");
        number += 1;
    }
    unused
}

#[cfg(test)]
mod tests {
    use super::{BenchCommand, Programs, ShellChoice, needs_shell};
    use crate::caller::Caller;

    fn caller() -> Caller {
        Caller::this_process().unwrap()
    }

    fn programs(texts: &[&str], choice: &ShellChoice) -> Result<Programs, String> {
        let commands: Vec<BenchCommand> = texts
            .iter()
            .map(|text| BenchCommand::new(None, *text))
            .collect();
        Programs::of(&commands, choice, &caller()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_shell_is_taken_only_where_it_is_needed() {
        for plain in ["sleep 0.1", "grep 'a|b' file", "true", "awk '{print $1}' x"] {
            assert!(!needs_shell(plain, &caller()), "{plain}");
        }
        for shell in [
            "a | b",
            "ls *.rs",
            "X=1 true",
            "exit 1",
            "true > out",
            "ls ~/x",
            "echo \"$HOME\"",
            "echo 'open",
        ] {
            assert!(needs_shell(shell, &caller()), "{shell}");
        }
    }

    #[test]
    fn where_one_command_needs_a_shell_all_get_one() {
        let found = programs(&["true", "true | true"], &ShellChoice::WhenNeeded).unwrap();
        assert_eq!(found.arms[0].argv, ["/bin/sh", "-c", "true"]);
        let found = programs(&["true", "sleep 1"], &ShellChoice::WhenNeeded).unwrap();
        assert_eq!(found.shell, None);
        assert_eq!(found.arms[1].argv, ["sleep", "1"]);
        let bash = ShellChoice::Named("sh -e".to_owned());
        assert_eq!(
            programs(&["true"], &bash).unwrap().arms[0].argv,
            ["sh", "-e", "-c", "true"]
        );
    }

    #[test]
    fn the_same_command_twice_has_two_names() {
        let found = programs(&["true", "true", "true"], &ShellChoice::Never).unwrap();
        let names: Vec<&str> = found.arms.iter().map(|arm| arm.name.as_str()).collect();
        assert_eq!(names, ["true", "true (2)", "true (3)"]);
        let unnamed = BenchCommand::new(Some(" ".to_owned()), "true");
        let found = Programs::of(&[unnamed], &ShellChoice::Never, &caller()).unwrap();
        assert_eq!(found.arms[0].name, "true");
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let error = programs(&["no-such-program-here 1"], &ShellChoice::WhenNeeded).unwrap_err();
        assert_eq!(
            error,
            "the program `no-such-program-here` is not in any folder of PATH; nothing was run"
        );
        let error = programs(&["./no-such-program-here"], &ShellChoice::Never).unwrap_err();
        assert!(
            error.starts_with("the program `./no-such-program-here` is not there"),
            "{error}"
        );
        let error = programs(&["  "], &ShellChoice::Never).unwrap_err();
        assert_eq!(error, "a command is empty");
    }
}
