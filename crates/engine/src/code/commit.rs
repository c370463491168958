//! The commit that is checked out: git is asked when a session begins, and again when its files say that it moved.

use super::observed::{Seen, all_seen, seen};
use fairtrial_journal::provenance::{Vcs, VcsLook};
use fairtrial_model::{Record, UtcTime};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Looks at the commit, each from when it was begun.
#[derive(Debug)]
pub(super) struct Commits {
    head: Vec<(PathBuf, Option<Seen>)>,
    looks: Vec<(UtcTime, Arc<VcsLook>)>,
    next_look: Instant,
}

/// How often the files are looked at.
const PAUSE: Duration = Duration::from_millis(20);

impl Commits {
    /// Of the work tree with this top; nobody looked yet.
    pub(super) fn of(project: &Path) -> Self {
        Self {
            head: all_seen(head_files(project)),
            looks: Vec::new(),
            next_look: Instant::now(),
        }
    }

    /// Takes in a look.
    pub(super) fn add(&mut self, at: UtcTime, look: &Arc<VcsLook>) {
        self.looks.push((at, Arc::clone(look)));
    }

    /// Whether another commit was checked out since this was asked last.
    pub(super) fn moved(&mut self) -> bool {
        let now = Instant::now();
        if now < self.next_look {
            return false;
        }
        self.next_look = now + PAUSE;
        let mut moved = false;
        for (path, before) in &mut self.head {
            let after = seen(path);
            moved |= after != *before;
            *before = after;
        }
        moved
    }

    /// The look that holds for a trial that was started then.
    pub(super) fn at(&self, started: UtcTime) -> Option<Arc<VcsLook>> {
        let before = self.looks.iter().rev().find(|(at, _)| *at <= started);
        let found = before.or(self.looks.first());
        found.map(|(_, look)| Arc::clone(look))
    }
}

/// Adds what a look saw to the code of a record.
pub(super) fn add_to(record: &mut Record, look: Option<&VcsLook>) {
    let Some(code) = &mut record.code else { return };
    if let Some(Vcs::Git(state)) = look.map(VcsLook::get) {
        code.commit.clone_from(&state.commit);
        code.patch = state.changes_name();
    }
    if code.is_unknown() {
        record.code = None;
    }
}

/// The files of a work tree that change when another commit is checked out.
fn head_files(project: &Path) -> Vec<PathBuf> {
    let git = project.join(".git");
    let pointer = std::fs::read_to_string(&git).ok();
    let elsewhere = pointer
        .as_deref()
        .and_then(|text| text.strip_prefix("gitdir:"));
    let git = elsewhere.map_or(git, |place| project.join(place.trim()));
    if git.is_dir() {
        vec![git.join("HEAD"), git.join("logs/HEAD")]
    } else {
        Vec::new()
    }
}
