//! What is kept of an agent's work: the diff, its notes, what it left in its out folder, its sessions.

use crate::baseline::Baseline;
use crate::bulk::{self, LARGEST, LeftOut};
use crate::error::{AgentError, At};
use crate::ignored::Ignored;
use crate::patch::Patch;
use crate::sandbox::contract::Room;
use crate::task::AgentTask;
use crate::tree::Difference;
use crate::usage::USAGE_FILE;
use fairtrial_episode::read_own;
use fairtrial_journal::redact::Redactor;
use fairtrial_journal::{Durability, write_atomic_bytes};
use serde_json::json;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Files kept of one folder.
const MOST: usize = 200;
/// The file with all that is not in the diff, where anything is.
const LEFT_OUT_FILE: &str = "left_out.txt";

/// What of the work is to be told.
pub(crate) struct Kept {
    /// Lines of the diff.
    pub(crate) diff_lines: usize,
    /// What the task's repository ignores.
    pub(crate) ignored: Ignored,
    /// What is not in the diff and should be, in words.
    pub(crate) left_out: Vec<String>,
}

impl Kept {
    /// Whether the agent changed nothing.
    pub(crate) fn is_nothing(&self) -> bool {
        self.diff_lines == 0 && self.left_out.is_empty()
    }
}

/// Writes `artifacts/`.
pub(crate) struct Collector<'a> {
    /// What the agent started from.
    pub(crate) start: &'a Baseline,
    /// What all rollouts of the task start from.
    pub(crate) baseline: &'a Baseline,
    pub(crate) task: &'a AgentTask,
    pub(crate) redactor: &'a Redactor,
}

impl Collector<'_> {
    pub(crate) fn collect(
        &self,
        dir: &Path,
        room: &Room,
        difference: Difference,
    ) -> Result<Kept, AgentError> {
        let artifacts = dir.join("artifacts");
        fs::create_dir_all(&artifacts).at("create", &artifacts)?;
        let patch = if difference == Difference::Files {
            self.start.diff(&room.workspace)?
        } else {
            Patch::default()
        };
        let diff = self.redactor.redact_bytes(patch.text);
        let path = artifacts.join("diff.patch");
        write_atomic_bytes(&path, Durability::Process, &diff)?;
        self.list_left_out(&artifacts, &patch.left_out)?;
        self.notes(&artifacts, room)?;
        self.repo_info(&artifacts)?;
        self.keep(&room.out, &artifacts, &["notes.md", USAGE_FILE])?;
        self.keep(
            &room.home.join(".codex/sessions"),
            &artifacts.join("sessions"),
            &[],
        )?;
        let lines = diff.split(|byte| *byte == b'\n').count();
        let diff_lines = if diff.is_empty() {
            0
        } else {
            lines.saturating_sub(1)
        };
        Ok(Kept {
            diff_lines,
            ignored: patch.ignored,
            left_out: bulk::told(&patch.left_out),
        })
    }

    fn list_left_out(&self, artifacts: &Path, left_out: &[LeftOut]) -> Result<(), AgentError> {
        if left_out.is_empty() {
            return Ok(());
        }
        let lines: String = left_out.iter().map(|file| file.words() + "\n").collect();
        let text = self.clean(lines.as_bytes());
        let path = artifacts.join(LEFT_OUT_FILE);
        write_atomic_bytes(&path, Durability::Process, text.as_bytes())?;
        Ok(())
    }

    fn notes(&self, artifacts: &Path, room: &Room) -> Result<(), AgentError> {
        let path = artifacts.join("notes.md");
        let own = read_own(&room.out.join("notes.md"), LARGEST);
        let text = own.map_or_else(
            |_| "The agent left no notes.\n".to_owned(),
            |bytes| self.clean(&bytes),
        );
        write_atomic_bytes(&path, Durability::Process, text.as_bytes())?;
        Ok(())
    }

    fn repo_info(&self, artifacts: &Path) -> Result<(), AgentError> {
        let path = artifacts.join("repo_info.json");
        let repo = self.task.repo.as_ref();
        let info = json!({
            "git_url": repo.map(|repo| repo.url.as_str()),
            "branch": repo.map(|repo| repo.branch.as_str()).filter(|branch| !branch.is_empty()),
            "start_commit_sha": repo.and_then(|repo| repo.start.as_deref()),
            "subdir": repo.and_then(|repo| repo.subdir.as_deref()),
            "baseline": self.baseline.dir().file_name().map(|name| name.to_string_lossy()),
        });
        let text = self.clean(info.to_string().as_bytes());
        write_atomic_bytes(&path, Durability::Process, text.as_bytes())?;
        Ok(())
    }

    /// Copies the files of a folder, without secrets, as far as they are of a reasonable number and size.
    pub(crate) fn keep(&self, from: &Path, to: &Path, but: &[&str]) -> Result<(), AgentError> {
        let mut kept = 0;
        let mut open = vec![PathBuf::new()];
        while let Some(below) = open.pop() {
            let Ok(entries) = fs::read_dir(from.join(&below)) else {
                continue;
            };
            for entry in entries.flatten() {
                let name = below.join(entry.file_name());
                let Ok(kind) = entry.file_type() else {
                    continue;
                };
                if kind.is_dir() {
                    open.push(name);
                } else if kept < MOST
                    && !but.iter().any(|other| name == Path::new(other))
                    && let Ok(bytes) = read_own(&from.join(&name), LARGEST)
                {
                    let path = to.join(&name);
                    let folder = path.parent().unwrap_or(to);
                    fs::create_dir_all(folder).at("create", folder)?;
                    // What we wrote ourselves is never replaced by what an agent left.
                    match fs::File::create_new(&path) {
                        Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
                        made => {
                            let clean = self.redactor.redact_bytes(bytes);
                            let written = made.and_then(|mut file| file.write_all(&clean));
                            written.at("write", &path)?;
                        }
                    }
                    kept += 1;
                }
            }
        }
        Ok(())
    }

    fn clean(&self, bytes: &[u8]) -> String {
        let text = String::from_utf8_lossy(bytes);
        self.redactor.redact(&text).into_owned()
    }
}
