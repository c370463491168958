//! Calls of `podman` and `docker`, none of which is waited for without end: a service that hangs must not hang us.

use crate::sandbox::contract::{Env, find_program};
use fairtrial_process::{Ended, ProcessError, Program};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;

/// The programs that run containers.
pub(super) const CONTAINER_PROGRAMS: [&str; 2] = ["podman", "docker"];
/// How long one call may take. Removing a large container takes seconds, on a busy machine many.
const LIMIT: Duration = Duration::from_mins(1);

/// What programs answered that does not change while we run.
static ANSWERS: LazyLock<Mutex<HashMap<String, String>>> = LazyLock::new(Mutex::default);

/// A program that runs containers.
#[derive(Debug, Clone)]
pub(super) struct ContainerProgram {
    path: PathBuf,
    limit: Duration,
}

impl ContainerProgram {
    /// The one of this name, where it is installed.
    pub(super) fn find(name: &str) -> Option<Self> {
        find_program(name).map(|path| Self { path, limit: LIMIT })
    }

    /// One at a place and with a time limit of one's own.
    #[cfg(test)]
    pub(super) fn at(path: PathBuf, limit: Duration) -> Self {
        Self { path, limit }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is the program of this name.
    pub(super) fn is(&self, name: &str) -> bool {
        self.path.file_name().is_some_and(|file| file == name)
    }

    /// What a call prints.
    pub(super) fn ask(&self, args: &[&str]) -> Result<String, ProcessError> {
        let ended = Program::new(&self.path, self.limit).args(args).run()?;
        Ok(ended.success()?.text())
    }

    /// A call that may take as long as this, with these variables and no others.
    pub(super) fn call(
        &self,
        args: &[String],
        env: &Env,
        limit: Duration,
    ) -> Result<Ended, ProcessError> {
        let argv = [&[self.path.display().to_string()], args].concat();
        let env: Vec<(String, String)> = env.clone().into_iter().collect();
        Program::with_only(&env, &argv, Some(limit)).run()
    }

    /// What a call prints; nothing where it fails.
    pub(super) fn said(&self, args: &[&str]) -> String {
        self.ask(args).unwrap_or_default()
    }

    /// What a call prints whose answer holds as long as we run: `podman info` alone takes a third of a second of CPU.
    pub(super) fn ask_once(&self, args: &[&str]) -> Result<String, ProcessError> {
        let key = format!("{} {}", self.path.display(), args.join(" "));
        let known = || ANSWERS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(answer) = known().get(&key) {
            return Ok(answer.clone());
        }
        let answer = self.ask(args)?;
        known().insert(key, answer.clone());
        Ok(answer)
    }

    /// Removes a container; says whether that worked.
    pub(super) fn remove(&self, name: &str) -> bool {
        let mut args = vec!["rm", "-f", "-v"];
        if self.is("podman") {
            // It would wait ten seconds for a program that does not heed a polite end; docker does not wait.
            args.extend(["-t", "0"]);
        }
        args.push(name);
        self.ask(&args).is_ok()
    }
}
