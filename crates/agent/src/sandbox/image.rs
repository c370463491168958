//! The image of a task with a `Dockerfile`: built once per content on this machine, however many rollouts need it at the
//! same time, kept for later runs, and found again by its labels.

use super::program::{CONTAINER_PROGRAMS, ContainerProgram};
use crate::baseline::Baseline;
use crate::error::{AgentError, At};
use crate::process::{self, LoggedProgram, Start};
use crate::sandbox::contract::Env;
use crate::task::AgentTask;
use fairtrial_journal::redact::Redactor;
use rustix::process::{Resource, getrlimit};
use serde::Serialize;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Seconds for a build whose spec does not say.
const BUILD_TIMEOUT: f64 = 1800.0;
/// Bytes kept of a build's log.
const LOG_LIMIT: u64 = 16 << 20;
/// The label by which images of ours are known; its value is the digest of what they are built from.
const LABEL: &str = "fairtrial.image";
/// The label with the cache on whose behalf an image was built.
const CACHE_LABEL: &str = "fairtrial.cache";
/// What podman asks for as root where nothing is said: more than a machine without that privilege allows.
const PODMANS_FILES: u64 = 1_048_576;
const PODMANS_PROCESSES: u64 = 4_194_304;
/// The most processes that the system numbers, to which podman lowers its own limit.
const MOST_PROCESSES: &str = "/proc/sys/kernel/pid_max";

/// How a task's image is made.
#[derive(Debug, Clone)]
pub struct Recipe {
    /// The task's id, for people.
    pub task: String,
    /// Hash of all that the image is built from.
    pub digest: String,
    /// The folder with what it is built from.
    pub files: PathBuf,
    /// The folder for logs and locks of builds.
    pub folder: PathBuf,
}

/// Who builds, and for how long at most.
pub(super) struct Builder<'a> {
    pub(super) program: &'a ContainerProgram,
    pub(super) env: &'a Env,
    pub(super) timeout_s: Option<f64>,
    pub(super) redactor: &'a Redactor,
}

impl Recipe {
    /// The recipe of a task with a baseline, where the task brings one.
    pub fn of(task: &AgentTask, baseline: &Baseline, folder: &Path) -> Option<Self> {
        let image = task.image.as_ref()?;
        Some(Self {
            task: task.id.clone(),
            digest: image.digest.clone(),
            files: baseline.image_files(),
            folder: folder.to_owned(),
        })
    }

    /// The image's name. The digest alone tells images apart; the task's id is for people.
    pub fn tag(&self) -> String {
        format!("localhost/fairtrial/{}:{}", slug(&self.task), self.digest)
    }

    fn file(&self, kind: &str) -> PathBuf {
        self.folder.join(format!("{}.{kind}", self.digest))
    }

    /// Builds the image unless it is there. Whoever comes while it is being built waits for that build; a build that
    /// failed is not repeated until [`forget_failures`].
    pub(super) fn ensure(&self, builder: &Builder<'_>) -> Result<(), AgentError> {
        if self.is_there(builder.program) {
            return Ok(());
        }
        fs::create_dir_all(&self.folder).at("create", &self.folder)?;
        let path = self.file("lock");
        let lock = File::create(&path).at("create", &path)?;
        lock.lock().at("lock", &path)?;
        if self.is_there(builder.program) {
            return Ok(());
        }
        let failed = self.file("failed");
        if let Ok(message) = fs::read_to_string(&failed) {
            return Err(AgentError::Image(message));
        }
        let Some(why) = self.build(builder)? else {
            return Ok(());
        };
        let message = format!(
            "the image of task `{}` could not be built ({}): {why}",
            self.task,
            self.file("log").display()
        );
        fs::write(&failed, &message).at("write", &failed)?;
        Err(AgentError::Image(message))
    }

    fn is_there(&self, program: &ContainerProgram) -> bool {
        program.ask(&["image", "inspect", &self.tag()]).is_ok()
    }

    /// Why there is no image, where there is none.
    fn build(&self, builder: &Builder<'_>) -> Result<Option<String>, AgentError> {
        let log = self.file("log");
        fs::write(&log, "").at("create", &log)?;
        let cache = self.folder.display().to_string();
        let mut argv = vec![
            builder.program.path().display().to_string(),
            "build".to_owned(),
        ];
        for (label, value) in [(LABEL, &self.digest), (CACHE_LABEL, &cache)] {
            argv.extend(["--label".to_owned(), format!("{label}={value}")]);
        }
        argv.extend(allowed_limits(builder.program));
        let files = self.files.display().to_string();
        argv.extend(["-t".to_owned(), self.tag(), files]);
        let env: Vec<(String, String)> = builder.env.clone().into_iter().collect();
        let timeout = builder.timeout_s.unwrap_or(BUILD_TIMEOUT);
        let program = LoggedProgram {
            argv: &argv,
            env: &env,
            workdir: &self.files,
            stdin: None,
            log: &log,
            log_limit: LOG_LIMIT,
            timeout: Some(Duration::from_secs_f64(timeout)),
            group: None,
        };
        let ended = process::run(&program, Start::default(), builder.redactor, None)?;
        if ended.timed_out {
            let message = format!("it took longer than {timeout} s (`sandbox.build_timeout`)");
            return Ok(Some(message));
        }
        let failed = || format!("exit code {}\n{}", ended.code, ended.last_lines());
        Ok((ended.code != 0).then(failed))
    }
}

/// Lets the next rollout try again to build what could not be built.
pub fn forget_failures(folder: &Path) -> Result<(), AgentError> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Ok(());
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|kind| kind == "failed") {
            fs::remove_file(&path).at("remove", &path)?;
        }
    }
    Ok(())
}

/// Limits for podman's containers that this process may set: those that it has itself, where they are lower than what
/// podman would ask for.
pub(super) fn allowed_limits(program: &ContainerProgram) -> Vec<String> {
    if !program.is("podman") {
        return Vec::new();
    }
    let numbered = fs::read_to_string(MOST_PROCESSES).ok();
    let numbered = numbered.and_then(|text| text.trim().parse::<u64>().ok());
    let limits = [
        ("nofile", Resource::Nofile, PODMANS_FILES, None),
        ("nproc", Resource::Nproc, PODMANS_PROCESSES, numbered),
    ];
    let mut words = Vec::new();
    for (name, which, asked, also) in limits {
        let own = getrlimit(which).maximum;
        if let Some(own) = own.filter(|own| *own < asked) {
            let most = also.map_or(own, |also| also.min(own));
            words.extend(["--ulimit".to_owned(), format!("{name}={most}:{most}")]);
        }
    }
    words
}

/// A task's id as a part of an image's name.
fn slug(id: &str) -> String {
    let mut slug = String::new();
    for letter in id.chars().map(|letter| letter.to_ascii_lowercase()) {
        if letter.is_ascii_alphanumeric() {
            slug.push(letter);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.truncate(100);
    match slug.trim_end_matches('-') {
        "" => "task".to_owned(),
        slug => slug.to_owned(),
    }
}

/// An image that was built for tasks of a cache.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BuiltImage {
    /// The program that knows it.
    pub program: &'static str,
    /// Its name.
    pub name: String,
}

/// Every image that was built on behalf of a cache, whose folder of builds this is.
pub fn list_images(folder: &Path) -> Vec<BuiltImage> {
    let mut found = Vec::new();
    for program in CONTAINER_PROGRAMS {
        let Some(caller) = ContainerProgram::find(program) else {
            continue;
        };
        let filter = format!("label={CACHE_LABEL}={}", folder.display());
        let format = "{{.Repository}}:{{.Tag}}";
        let names = caller.said(&["images", "--filter", &filter, "--format", format]);
        found.extend(
            names
                .lines()
                .filter(|name| name.contains("fairtrial/"))
                .map(|name| BuiltImage {
                    program,
                    name: name.trim().to_owned(),
                }),
        );
    }
    found
}

/// Removes an image that no container uses; says whether that worked.
pub fn remove_image(image: &BuiltImage) -> bool {
    let program = ContainerProgram::find(image.program);
    program.is_some_and(|program| program.ask(&["rmi", &image.name]).is_ok())
}

#[cfg(test)]
mod tests {
    use super::slug;

    #[test]
    fn any_id_gives_a_name_that_an_image_may_have() {
        assert_eq!(slug("Fix_the Parser!!"), "fix-the-parser");
        assert_eq!(slug("..--"), "task");
        assert_eq!(slug("später"), "sp-ter");
        assert_eq!(slug(&"x".repeat(300)).len(), 100);
    }
}
