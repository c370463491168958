//! What rollouts left behind when their owner died: containers, workspaces, images.

use crate::agent_tasks::workspaces;
use crate::error::SessionError;
use crate::session::Session;
use fairtrial_agent::baseline;
use fairtrial_agent::sandbox::{
    BuiltImage, Leftover, Monitor, end_monitor, list_images, list_leftovers, list_monitors,
    remove_image, remove_leftover, sweep_probes,
};
use fairtrial_engine::{image_cache, task_cache};
use fairtrial_journal::{DataRoot, RunState, is_live, list_runs, sweep_removed};
use fairtrial_model::{Outcome, Stamp};
use serde::Serialize;
use std::path::PathBuf;

/// What was found, and removed where that was asked for.
#[derive(Debug, Serialize)]
pub struct Leftovers {
    /// Whether it was removed.
    pub removed: bool,
    /// Containers whose owner is dead.
    pub containers: Vec<Leftover>,
    /// Monitors of containers that are gone.
    pub monitors: Vec<Monitor>,
    /// Workspaces of runs that nobody works on.
    pub workspaces: Vec<PathBuf>,
    /// Images that were built for tasks of this data root.
    pub images: Vec<BuiltImage>,
    /// What trials saved that ended well, or whose run is gone.
    pub checkpoints: Vec<PathBuf>,
    /// What could not be removed.
    pub failed: Vec<String>,
    #[serde(skip)]
    root: DataRoot,
}

/// Whether what trials saved to go on from counts as left over, once they ended well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checkpoints {
    /// It stays.
    Keep,
    /// It is left over.
    Include,
}

/// Whether images count as leftovers, too; the next run builds them again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Images {
    /// They stay.
    Keep,
    /// They are leftovers.
    Include,
}

impl Session {
    /// Finds what rollouts left behind.
    pub fn leftovers(
        &self,
        images: Images,
        checkpoints: Checkpoints,
    ) -> Result<Leftovers, SessionError> {
        let root = self.data_root();
        let with_images = images == Images::Include;
        if with_images && !live_runs(&root)?.is_empty() {
            return Err(SessionError::RunAtWork);
        }
        let leftovers = list_leftovers();
        Ok(Leftovers {
            removed: false,
            containers: leftovers.found,
            monitors: list_monitors(),
            workspaces: dead_workspaces(&root)?,
            images: if with_images {
                list_images(&image_cache(&root))
            } else {
                Vec::new()
            },
            checkpoints: match checkpoints {
                Checkpoints::Keep => Vec::new(),
                Checkpoints::Include => used_checkpoints(&root)?,
            },
            failed: leftovers
                .silent
                .iter()
                .map(|silent| format!("containers of {silent}"))
                .collect(),
            root,
        })
    }
}

impl Leftovers {
    /// Removes them; what stays is in [`Leftovers::failed`].
    pub fn remove(&mut self) {
        self.removed = true;
        sweep_probes();
        for container in &self.containers {
            if !remove_leftover(container) {
                self.failed.push(format!("container {}", container.name));
            }
        }
        // Podman may have forgotten one just now.
        self.monitors = list_monitors();
        for monitor in &self.monitors {
            if !end_monitor(monitor) {
                self.failed.push(format!("process {}", monitor.pid));
            }
        }
        for folder in self.workspaces.iter().chain(&self.checkpoints) {
            if let Err(error) = std::fs::remove_dir_all(folder) {
                self.failed.push(format!("{}: {error}", folder.display()));
            }
        }
        // Old runs whose removal was cut off.
        let swept = sweep_removed(&self.root);
        self.failed
            .extend(swept.err().map(|error| error.to_string()));
        for image in &self.images {
            if !remove_image(image) {
                self.failed
                    .push(format!("image {}: a container may use it", image.name));
            }
        }
    }
}

/// What trials saved that ended well, or whose run is gone. What others may go on from stays.
fn used_checkpoints(root: &DataRoot) -> Result<Vec<PathBuf>, SessionError> {
    let folders = std::fs::read_dir(root.checkpoints_dir());
    let folders = folders.into_iter().flatten().flatten();
    // What has another name is not of a trial.
    let mut found: Vec<(Stamp, u64, PathBuf)> = folders
        .filter_map(|entry| {
            let (run, index) = DataRoot::trial_named(entry.file_name().to_str()?)?;
            Some((run, index, entry.path()))
        })
        .collect();
    found.sort();
    if found.is_empty() {
        return Ok(Vec::new());
    }
    for run in list_runs(root)? {
        let is_its = |of: &Stamp| *of == run.stamp();
        if !found.iter().any(|(of, ..)| is_its(of)) {
            continue;
        }
        let live = is_live(&run)?.is_live();
        let state = RunState::read(&run.journal())?;
        let ended_well = |index: u64| state.trial(index).outcome == Some(Outcome::Ok);
        found.retain(|(of, index, _)| !is_its(of) || (!live && ended_well(*index)));
    }
    Ok(found.into_iter().map(|(.., folder)| folder).collect())
}

/// How the names of trials begin whose run somebody works on.
fn live_runs(root: &DataRoot) -> Result<Vec<String>, SessionError> {
    let mut live = Vec::new();
    for run in list_runs(root)? {
        if is_live(&run)?.is_live() {
            live.push(format!("{}-", run.stamp()));
        }
    }
    Ok(live)
}

/// Workspaces of runs that nobody works on, and baselines that nobody will finish.
fn dead_workspaces(root: &DataRoot) -> Result<Vec<PathBuf>, SessionError> {
    // A run is live before it has workspaces, so they are listed first: one that starts meanwhile has none in the list.
    let mut found = workspaces(root, |_| true);
    let live = live_runs(root)?;
    found.retain(|work| {
        let trial = work.parent().and_then(|dir| dir.file_name());
        let trial = trial.unwrap_or_default().to_string_lossy();
        !live.iter().any(|stamp| trial.starts_with(stamp))
    });
    found.extend(baseline::abandoned(&task_cache(root)));
    found.sort();
    Ok(found)
}
