//! Calls of git, always with our own settings: what a task or an agent left in a repository's configuration never
//! decides what we do.

use crate::error::{AgentError, At};
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};

/// Where the token for private repositories is one.
const TOKEN_SITE: &str = "https://github.com/";

/// A call of git.
pub(crate) struct Git<'a> {
    command: Command,
    name: &'a str,
}

impl<'a> Git<'a> {
    /// A call without the user's settings: for repositories of our own.
    pub(crate) fn own(name: &'a str) -> Self {
        let mut git = Self::users(name);
        git.command
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null");
        git
    }

    /// A call with the user's settings: for repositories elsewhere, which may need their credentials.
    pub(crate) fn users(name: &'a str) -> Self {
        let mut command = Command::new("git");
        let author = |command: &mut Command, who: &str| {
            command
                .env(format!("GIT_{who}_NAME"), "fairtrial")
                .env(format!("GIT_{who}_EMAIL"), "fairtrial@localhost")
                .env(format!("GIT_{who}_DATE"), "2000-01-01T00:00:00Z");
        };
        author(&mut command, "AUTHOR");
        author(&mut command, "COMMITTER");
        for stale in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
            command.env_remove(stale);
        }
        command
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_ALLOW_PROTOCOL", "file:git:http:https:ssh")
            .args(["-c", "safe.directory=*", "-c", "core.hooksPath=/dev/null"])
            .args(["-c", "pack.writeReverseIndex=false"])
            .arg(name)
            .stdin(Stdio::null());
        Self { command, name }
    }

    pub(crate) fn dir(mut self, git_dir: &Path) -> Self {
        self.command.env("GIT_DIR", git_dir);
        self
    }

    pub(crate) fn work_tree(mut self, tree: &Path) -> Self {
        self.command.env("GIT_WORK_TREE", tree).current_dir(tree);
        self
    }

    pub(crate) fn index(mut self, file: &Path) -> Self {
        self.command.env("GIT_INDEX_FILE", file);
        self
    }

    /// With a token for private repositories, where it is one for this URL. It must not stand in the arguments, where
    /// every process could read it.
    pub(crate) fn authorised(mut self, url: &str, token: Option<&str>) -> Self {
        if let Some(token) = token.filter(|_| url.starts_with(TOKEN_SITE)) {
            self.command
                .env("GIT_CONFIG_COUNT", "1")
                .env("GIT_CONFIG_KEY_0", format!("http.{TOKEN_SITE}.extraHeader"))
                .env(
                    "GIT_CONFIG_VALUE_0",
                    format!("Authorization: Bearer {token}"),
                );
        }
        self
    }

    pub(crate) fn args<S: AsRef<std::ffi::OsStr>>(
        mut self,
        args: impl IntoIterator<Item = S>,
    ) -> Self {
        self.command.args(args);
        self
    }

    /// With names to read, more than arguments may be.
    pub(crate) fn reading(mut self, file: File) -> Self {
        self.command.stdin(file);
        self
    }

    /// What it prints.
    pub(crate) fn output(mut self) -> Result<Vec<u8>, AgentError> {
        let failed = |message: String| AgentError::Program {
            program: format!("git {}", self.name),
            message,
        };
        let output = self.command.output().map_err(|error| {
            let hint = if error.kind() == std::io::ErrorKind::NotFound {
                " (agent tasks need git)"
            } else {
                ""
            };
            failed(format!("{error}{hint}"))
        })?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let said = String::from_utf8_lossy(&output.stderr);
        Err(failed(said.trim().to_owned()))
    }

    /// Only that it worked.
    pub(crate) fn run(self) -> Result<(), AgentError> {
        self.output().map(drop)
    }

    /// What it prints, as one line.
    pub(crate) fn line(self) -> Result<String, AgentError> {
        let out = self.output()?;
        Ok(String::from_utf8_lossy(&out).trim().to_owned())
    }
}

/// Puts a patch on a workspace with a repository of its own.
pub(crate) fn apply(patch: &Path, workspace: &Path) -> Result<(), AgentError> {
    let patch = std::path::absolute(patch).at("find", patch)?;
    Git::own("apply")
        .work_tree(workspace)
        .dir(&workspace.join(".git"))
        .args(["--whitespace=nowarn", "--binary"])
        .args([patch])
        .run()
}
