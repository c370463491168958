//! The data root: the folder under which every run and every trial of a project lie.

use crate::atomic::Durability;
use fairtrial_model::Stamp;
use fairtrial_spec::Spec;
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A `data/` folder.
#[derive(Debug, Clone)]
pub struct DataRoot {
    path: PathBuf,
    /// What is kept in memory of one that goes with this process.
    passing: Option<Arc<Passing>>,
}

/// What is kept in memory instead of in files: nobody else reads it, and it goes when they would.
#[derive(Debug, Default)]
struct Passing {
    /// The specs of runs, by their folders.
    specs: Mutex<BTreeMap<PathBuf, Spec>>,
}

impl PartialEq for DataRoot {
    fn eq(&self, other: &Self) -> bool {
        self.path == other.path && self.is_passing() == other.is_passing()
    }
}

impl Eq for DataRoot {}

impl Passing {
    fn specs(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Spec>> {
        self.specs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The folder with what trials save to go on from.
const CHECKPOINTS: &str = "checkpoints";

impl DataRoot {
    /// The data root at this path, which need not exist yet. A relative path is taken from the working directory now,
    /// so that later changes of it do not matter.
    pub fn at(path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        Self {
            path: std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
            passing: None,
        }
    }

    /// A data root that goes with this process: nothing in it is flushed to the disk, and nothing is made that only those who
    /// come later look at.
    pub fn passing(path: impl AsRef<Path>) -> Self {
        Self {
            passing: Some(Arc::default()),
            ..Self::at(path)
        }
    }

    /// Whether it goes with this process.
    pub fn is_passing(&self) -> bool {
        self.passing.is_some()
    }

    /// Keeps the spec of a run in memory; says whether this is a root where that is enough.
    pub(crate) fn hold_spec(&self, run: &Path, spec: &Spec) -> bool {
        if let Some(passing) = &self.passing {
            passing.specs().insert(run.to_owned(), spec.clone());
        }
        self.passing.is_some()
    }

    /// The spec of a run that is kept in memory.
    pub(crate) fn held_spec(&self, run: &Path) -> Option<Spec> {
        self.passing.as_ref()?.specs().get(run).cloned()
    }

    /// How durable its files are made, where those of one that stays are made so.
    pub fn durability(&self, of_one_that_stays: Durability) -> Durability {
        if self.is_passing() {
            Durability::Process
        } else {
            of_one_that_stays
        }
    }

    /// The data root of the project in which `start` lies: the nearest folder upwards with `data/rollouts` or
    /// `data/runs` in it.
    pub fn find(start: &Path) -> Option<Self> {
        let start = std::path::absolute(start).ok()?;
        let data = start.ancestors().map(|folder| folder.join("data"));
        let mut used =
            data.filter(|data| data.join("rollouts").is_dir() || data.join("runs").is_dir());
        used.next().map(Self::at)
    }

    /// Whom the folder belongs to, where that is none of `owners`: whoever can put a folder above the user's own would have
    /// their runs resumed, and their programs run, by the user.
    pub fn other_owner(&self, owners: &[u32]) -> Option<u32> {
        let stats = [self.path.symlink_metadata(), self.path.metadata()];
        let mut found = stats.into_iter().flatten().map(|stat| stat.uid());
        found.find(|owner| !owners.contains(owner))
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where runs lie, by name and stamp.
    pub fn rollouts_dir(&self) -> PathBuf {
        self.path.join("rollouts")
    }

    /// Where trials lie.
    pub fn runs_dir(&self) -> PathBuf {
        self.path.join("runs")
    }

    /// Where trials save what they go on from, by the name of their first attempt.
    pub fn checkpoints_dir(&self) -> PathBuf {
        self.path.join(CHECKPOINTS)
    }

    /// The folder that all attempts at a trial share, relative to the data root.
    pub fn checkpoint_relative(stamp: &str, index: u64) -> String {
        format!("{CHECKPOINTS}/{}", Self::trial_name(stamp, index, 1))
    }

    /// The folder of one attempt at one trial.
    pub fn trial_dir(&self, stamp: Stamp, index: u64, attempt: u32) -> PathBuf {
        self.path
            .join(Self::trial_dir_relative(stamp, index, attempt))
    }

    /// The same, relative to the data root; this is what records hold.
    pub fn trial_dir_relative(stamp: Stamp, index: u64, attempt: u32) -> String {
        format!(
            "runs/{}",
            Self::trial_name(&stamp.to_string(), index, attempt)
        )
    }

    /// The run and the place of a trial, by the name of one of its folders.
    pub fn trial_named(name: &str) -> Option<(Stamp, u64)> {
        let name = name.split_once("-attempt").map_or(name, |(name, _)| name);
        let (stamp, index) = name.rsplit_once('-')?;
        Some((stamp.parse().ok()?, index.parse().ok()?))
    }

    /// The name of an attempt: the last part of its folder. `stamp` is the run's, as text.
    pub fn trial_name(stamp: &str, index: u64, attempt: u32) -> String {
        if attempt <= 1 {
            format!("{stamp}-{index}")
        } else {
            format!("{stamp}-{index}-attempt{attempt}")
        }
    }

    /// The project that the data belongs to: the folder above, where the root is called `data`.
    pub fn project_dir(&self) -> Option<&Path> {
        let called_data = self.path.file_name().is_some_and(|name| name == "data");
        called_data.then(|| self.path.parent()).flatten()
    }

    /// A path below the data root (given relative to it) as files for other tools name it: relative to the project,
    /// else absolute.
    pub fn outward(&self, relative: &str) -> String {
        let path = match self.project_dir() {
            Some(_) => Path::new("data").join(relative),
            None => self.path.join(relative),
        };
        path.display().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::DataRoot;
    use fairtrial_model::Stamp;

    #[test]
    fn is_found_from_any_folder_below() {
        let project = tempfile::tempdir().unwrap();
        let deep = project.path().join("a/b");
        std::fs::create_dir_all(&deep).unwrap();
        assert_eq!(DataRoot::find(&deep), None);
        std::fs::create_dir_all(project.path().join("data/runs")).unwrap();
        let found = DataRoot::find(&deep).unwrap();
        assert_eq!(found.path(), project.path().join("data"));
        assert_eq!(found.project_dir(), Some(project.path()));
        let me = rustix::process::geteuid().as_raw();
        assert_eq!(found.other_owner(&[me]), None);
        assert_eq!(found.other_owner(&[me + 1]), Some(me));
    }

    #[test]
    fn trials_are_named_by_stamp_index_and_attempt() {
        let stamp: Stamp = "20250824__12-34-56".parse().unwrap();
        let root = DataRoot::at("/p/data");
        assert_eq!(
            root.trial_dir(stamp, 3, 1).to_str(),
            Some("/p/data/runs/20250824__12-34-56-3")
        );
        let second = DataRoot::trial_dir_relative(stamp, 3, 2);
        assert_eq!(second, "runs/20250824__12-34-56-3-attempt2");
        assert_eq!(root.outward(&second), format!("data/{second}"));
        assert_eq!(
            DataRoot::at("/results").outward("runs/x"),
            "/results/runs/x"
        );
    }
}
