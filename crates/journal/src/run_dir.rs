//! One run's folder: how it gets its stamp, and what its files are called.

use crate::archive::ArchivedRun;
use crate::atomic::{parent, sync_dir, write_once};
use crate::error::{At, JournalError};
use crate::kept::{
    Form, JOURNAL, archive_path, check_name, child_names, is_archived, kept_in, run_path, stamps_of,
};
use crate::root::DataRoot;
use fairtrial_model::Access;
use fairtrial_model::{Stamp, UtcTime};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// A run named by name and stamp, `rollouts/<name>/<stamp>/`, or the archive `rollouts/<name>/<stamp>.tar.zst`.
#[derive(Debug, Clone)]
pub struct RunDir {
    root: DataRoot,
    name: String,
    stamp: Stamp,
    path: PathBuf,
    archived: Option<Arc<ArchivedRun>>,
}

impl PartialEq for RunDir {
    fn eq(&self, other: &Self) -> bool {
        (&self.path, &self.root) == (&other.path, &other.root)
    }
}

impl Eq for RunDir {}

/// How far ahead of the clock the newest run of a name may be for a new run to line up behind it.
const CLOCK_STEP: Duration = Duration::from_hours(24);

/// What git is to leave alone in a data root: all that is made here. Tasks and baselines are for the repository.
const IGNORED: &[u8] = b"# Made by Fairtrial. Tasks and baselines may be committed; remove a line to commit runs, too.\n\
/.gitignore\n/index.sqlite*\n/rollouts/\n/runs/\n/checkpoints/\n/cache/\n";

impl RunDir {
    /// Makes a new run's folder under a stamp that no other run of the whole data root has: trials of all runs share
    /// one folder and are named by stamp. Where the clock was set back by less than a day, the new run still comes
    /// after the newest of its name.
    pub fn create(
        root: &DataRoot,
        name: &str,
        access: Access,
        now: UtcTime,
    ) -> Result<Self, JournalError> {
        check_name(name)?;
        if root.is_passing() {
            // Nobody else makes runs in it.
            let run = Self::kept_as(root, name, Stamp::of(now), Form::Folder);
            let mut maker = fs::DirBuilder::new();
            let made = maker.recursive(true).mode(access.folder_mode());
            made.create(&run.path).at("create", &run.path)?;
            return Ok(run);
        }
        let is_first = !root.rollouts_dir().exists();
        let folder = root.rollouts_dir().join(name);
        create_durably(&folder)?;
        if is_first {
            // Once: whoever removes it wants the runs in the repository.
            write_once(&root.path().join(".gitignore"), IGNORED)?;
        }
        let stamps = root.rollouts_dir().join(".stamps");
        create_durably(&stamps)?;
        let names = child_names(&root.rollouts_dir())?;
        let mut stamp = first_candidate(&folder, now)?;
        loop {
            let reserved = reserve(&stamps, stamp)?;
            let in_use = |other: &String| {
                run_path(root, other, stamp).exists() || archive_path(root, other, stamp).exists()
            };
            if reserved && !names.iter().any(in_use) {
                break;
            }
            stamp = stamp.next();
        }
        let run = Self::kept_as(root, name, stamp, Form::Folder);
        let mut maker = fs::DirBuilder::new();
        let made = maker.mode(access.folder_mode()).create(&run.path);
        made.at("create", &run.path)?;
        sync_dir(&folder)?;
        Ok(run)
    }

    /// The run whose folder this is, or absent where the path is not one: `rollouts/<name>/<stamp>`.
    pub fn at(path: &Path) -> Option<Self> {
        let path = std::path::absolute(path).ok()?;
        let stamp = path.file_name()?.to_str()?.parse().ok()?;
        let name = path.parent()?.file_name()?.to_str()?;
        let rollouts = path.parent()?.parent()?;
        let is_run = rollouts.file_name()? == "rollouts" && check_name(name).is_ok();
        let root = DataRoot::at(rollouts.parent()?);
        is_run.then(|| Self::named(&root, name, stamp))
    }

    pub(crate) fn named(root: &DataRoot, name: &str, stamp: Stamp) -> Self {
        let form = if is_archived(root, name, stamp) {
            Form::Archive
        } else {
            Form::Folder
        };
        Self::kept_as(root, name, stamp, form)
    }

    fn kept_as(root: &DataRoot, name: &str, stamp: Stamp, form: Form) -> Self {
        let archive = || ArchivedRun::new(archive_path(root, name, stamp), root.path(), stamp);
        Self {
            root: root.clone(),
            name: name.to_owned(),
            stamp,
            path: run_path(root, name, stamp),
            archived: (form == Form::Archive).then(|| Arc::new(archive())),
        }
    }

    /// Whether it is there, as a folder or as an archive.
    pub(crate) fn exists(&self) -> bool {
        self.archived.is_some() || self.path.is_dir()
    }

    /// The archive that it is, where it is one.
    pub(crate) fn archived(&self) -> Option<&ArchivedRun> {
        self.archived.as_deref()
    }

    /// Whether it is an archive and nothing else: it can be read, and nothing can be written into it.
    pub fn is_archived(&self) -> bool {
        self.archived.is_some()
    }

    /// Its archive, whether there is one or not.
    pub fn archive_file(&self) -> PathBuf {
        archive_path(&self.root, &self.name, self.stamp)
    }

    /// A file or folder in its folder. What is archived is unpacked for the time that it is read.
    pub fn file(&self, name: &str) -> PathBuf {
        let folder = match &self.archived {
            Some(archived) => archived
                .with_or_unreadable(&self.relative())
                .join(self.relative()),
            None => self.path.clone(),
        };
        folder.join(name)
    }

    /// The data root it lies in.
    pub fn root(&self) -> &DataRoot {
        &self.root
    }

    /// The benchmark's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The second that names it.
    pub fn stamp(&self) -> Stamp {
        self.stamp
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder relative to the data root.
    pub fn relative(&self) -> String {
        format!("rollouts/{}/{}", self.name, self.stamp)
    }

    /// The folder of one attempt at one of its trials.
    pub fn trial_dir(&self, index: u64, attempt: u32) -> PathBuf {
        self.folder_of(&DataRoot::trial_dir_relative(self.stamp, index, attempt))
    }

    /// The copy of the spec's text, byte for byte; `extension` as in the user's file.
    pub fn spec(&self, extension: &str) -> PathBuf {
        self.file(&format!("spec.{extension}"))
    }

    /// The spec with every default filled in.
    pub fn resolved_spec(&self) -> PathBuf {
        self.file("spec.resolved.json")
    }

    /// Every trial, with its hash and place in the order.
    pub fn plan(&self) -> PathBuf {
        self.file("plan.json")
    }

    /// The durable truth.
    pub fn journal(&self) -> PathBuf {
        self.file(JOURNAL)
    }

    /// The files of trials that left little.
    pub fn packed(&self) -> PathBuf {
        self.file("packed.jsonl")
    }

    /// The results as one JSON file.
    pub fn manifest(&self) -> PathBuf {
        self.file("manifest.json")
    }

    /// One trial directory per line.
    pub fn runs_txt(&self) -> PathBuf {
        self.file("runs.txt")
    }

    /// One JSON file per task.
    pub fn task_results(&self) -> PathBuf {
        self.file("task_results")
    }

    /// The registered plan that the run was started with (`registration.json`).
    pub fn registration(&self) -> PathBuf {
        self.file("registration.json")
    }

    /// Where it ran.
    pub fn environment(&self) -> PathBuf {
        self.file("environment.json")
    }

    /// Where its records come from, where another tool made them.
    pub fn import(&self) -> PathBuf {
        self.file("import.json")
    }

    /// The summary tables.
    pub fn summary(&self) -> PathBuf {
        self.file("summary.md")
    }

    /// Scores that people gave to its rollouts, where some did.
    pub fn human_scores(&self) -> PathBuf {
        self.file("human_scores.csv")
    }

    /// The controller's lock.
    pub fn lock(&self) -> PathBuf {
        self.file("lock")
    }

    /// The request to stop.
    pub fn cancel(&self) -> PathBuf {
        self.file("cancel")
    }

    /// The request to start nothing until it is taken back.
    pub fn pause(&self) -> PathBuf {
        self.file("pause")
    }

    /// Everything that passes between the controller and the nodes of a scheduler.
    pub fn chunks(&self) -> PathBuf {
        self.file("chunks")
    }

    /// The index of this run's trials in the form of the original tool.
    pub fn temp_index(&self) -> PathBuf {
        let file = format!("rollout_{}__{}.json", self.name, self.stamp);
        self.root.rollouts_dir().join("temp").join(file)
    }
}

/// Every run of a data root, by name, then stamp.
pub fn list_runs(root: &DataRoot) -> Result<Vec<RunDir>, JournalError> {
    let mut runs = Vec::new();
    for name in child_names(&root.rollouts_dir())? {
        let kept = kept_in(&root.rollouts_dir().join(&name))?;
        let kept = kept.into_iter();
        runs.extend(kept.map(|(stamp, form)| RunDir::kept_as(root, &name, stamp, form)));
    }
    runs.sort_by(|a, b| (&a.name, a.stamp).cmp(&(&b.name, b.stamp)));
    Ok(runs)
}

fn first_candidate(folder: &Path, now: UtcTime) -> Result<Stamp, JournalError> {
    let today = Stamp::of(now);
    let horizon = Stamp::of(now.after(CLOCK_STEP));
    let newest = stamps_of(folder)?
        .into_iter()
        .filter(|stamp| *stamp <= horizon)
        .max();
    Ok(newest.map_or(today, |newest| today.max(newest.next())))
}

/// Takes the stamp, or says that another run has it.
fn reserve(stamps: &Path, stamp: Stamp) -> Result<bool, JournalError> {
    let path = stamps.join(stamp.to_string());
    match File::create_new(&path) {
        Ok(_) => sync_dir(stamps).map(|()| true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error).at("create", &path),
    }
}

/// Creates a folder and those above it, each durable in the one that holds it.
fn create_durably(dir: &Path) -> Result<(), JournalError> {
    if dir.is_dir() {
        return Ok(());
    }
    let above = parent(dir);
    if above != dir {
        create_durably(above)?;
    }
    match fs::create_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        other => other.at("create", dir)?,
    }
    sync_dir(above)
}

#[cfg(test)]
mod tests {
    use super::{RunDir, list_runs};
    use crate::find_run::Selector;
    use crate::root::DataRoot;
    use fairtrial_model::Access;
    use fairtrial_model::UtcTime;

    const NOON: UtcTime = UtcTime::from_micros(1_756_038_896_000_000);

    fn root() -> (tempfile::TempDir, DataRoot) {
        let dir = tempfile::tempdir().unwrap();
        let root = DataRoot::at(dir.path().join("data"));
        (dir, root)
    }

    fn stamp_of_new(root: &DataRoot, name: &str, now: UtcTime) -> String {
        RunDir::create(root, name, Access::Owner, now)
            .unwrap()
            .stamp()
            .to_string()
    }

    #[test]
    fn stamps_are_unique_over_all_names() {
        let (_dir, root) = root();
        assert_eq!(stamp_of_new(&root, "a", NOON), "20250824__12-34-56");
        assert_eq!(stamp_of_new(&root, "b", NOON), "20250824__12-34-57");
        assert_eq!(stamp_of_new(&root, "a", NOON), "20250824__12-34-58");
        assert_eq!(list_runs(&root).unwrap().len(), 3);
    }

    #[test]
    fn a_data_root_that_goes_with_the_process_holds_its_run_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let root = DataRoot::passing(dir.path());
        assert_eq!(stamp_of_new(&root, "a", NOON), "20250824__12-34-56");
        let names = |dir: &std::path::Path| {
            let entries = std::fs::read_dir(dir).unwrap();
            let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
            names.collect::<Vec<_>>()
        };
        assert_eq!(names(dir.path()), ["rollouts"]);
        assert_eq!(names(&root.rollouts_dir()), ["a"]);
    }

    #[test]
    fn git_leaves_runs_alone_unless_the_user_wants_them() {
        let (_dir, root) = root();
        let file = root.path().join(".gitignore");
        stamp_of_new(&root, "a", NOON);
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.contains("\n/runs/\n"), "{text}");
        std::fs::remove_file(&file).unwrap();
        stamp_of_new(&root, "a", NOON);
        assert!(!file.exists());
    }

    #[test]
    fn a_run_that_was_copied_in_keeps_its_stamp() {
        let (_dir, root) = root();
        let copied = root.rollouts_dir().join("other/20250824__12-34-56");
        std::fs::create_dir_all(copied).unwrap();
        assert_eq!(stamp_of_new(&root, "a", NOON), "20250824__12-34-57");
    }

    #[test]
    fn a_clock_set_back_does_not_make_an_old_run_the_latest() {
        let (_dir, root) = root();
        RunDir::create(&root, "a", Access::Owner, NOON).unwrap();
        let earlier = UtcTime::from_micros(NOON.as_micros() - 3_600_000_000);
        let second = RunDir::create(&root, "a", Access::Owner, earlier).unwrap();
        assert_eq!(second.stamp().to_string(), "20250824__12-34-57");
        assert_eq!(RunDir::open(&root, "a", Selector::Latest).unwrap(), second);
        // A run from the far future (a dead battery) does not pull every later run along.
        let last_week = UtcTime::from_micros(NOON.as_micros() - 7 * 86_400_000_000);
        assert_eq!(stamp_of_new(&root, "a", last_week), "20250817__12-34-56");
    }

    #[test]
    fn open_says_what_is_missing() {
        let (_dir, root) = root();
        let message = RunDir::open(&root, "a", Selector::Latest)
            .unwrap_err()
            .to_string();
        assert!(
            message.starts_with("there is no run named a under"),
            "{message}"
        );
        assert!(RunDir::create(&root, "../a", Access::Owner, NOON).is_err());
        assert!(RunDir::create(&root, ".stamps", Access::Owner, NOON).is_err());
    }
}
