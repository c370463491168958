//! Removing runs. A run is put out of sight in one step, and only then are its folders removed: a removal that is cut off
//! leaves no half of a run among the others, and the next one goes on with it.

use crate::archive::ENDING;
use crate::error::{At, JournalError};
use crate::kept::{child_names, stamps_of};
use crate::lock::{RunLock, hold};
use crate::root::DataRoot;
use crate::run_dir::RunDir;
use fairtrial_model::{Stamp, UtcTime};
use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::Path;

/// Where runs wait for their removal; no run has a name that begins so.
const ASIDE: &str = ".removed";

/// Puts a run out of sight, unless somebody works on it. [`sweep_removed`] then removes its folders.
pub fn put_aside(run: &RunDir, now: UtcTime) -> Result<(), JournalError> {
    let archive = run.archive_file();
    if run.is_archived() {
        let held = hold(&archive)?;
        move_aside(run, &archive).at("move", &archive)?;
        drop(held);
        return Ok(());
    }
    let lock = RunLock::acquire(run, now)?;
    // First, or it would be the run when the folder is gone.
    gone(move_aside(run, &archive)).at("move", &archive)?;
    hide(run)?;
    drop(lock);
    Ok(())
}

/// Puts the folder of a run out of sight, for whoever holds its lock.
pub(crate) fn hide(run: &RunDir) -> Result<(), JournalError> {
    move_aside(run, run.path()).at("move", run.path())
}

/// Whether it is out of sight, and not all of it is removed yet.
pub(crate) fn is_hidden(run: &RunDir) -> bool {
    let aside = run.root().rollouts_dir().join(ASIDE).join(run.name());
    aside.join(run.stamp().to_string()).exists()
        || aside.join(format!("{}{ENDING}", run.stamp())).exists()
}

fn move_aside(run: &RunDir, path: &Path) -> io::Result<()> {
    let folder = run.root().rollouts_dir().join(ASIDE).join(run.name());
    fs::create_dir_all(&folder)?;
    fs::rename(path, folder.join(path.file_name().unwrap_or_default()))
}

/// Removes what was put out of sight, with the folders of its trials.
pub fn sweep_removed(root: &DataRoot) -> Result<(), JournalError> {
    let aside = root.rollouts_dir().join(ASIDE);
    let (mut removed, mut held) = (Vec::new(), Vec::new());
    for name in child_names(&aside)? {
        for stamp in stamps_of(&aside.join(&name))? {
            let run = RunDir::named(root, &name, stamp);
            // Folders of trials may be made again out of its archive; whoever does that holds it.
            let archive = run.archive_file();
            if archive.is_file() {
                let Ok(archive) = hold(&archive) else {
                    continue;
                };
                held.push(archive);
            }
            if is_hidden(&run) {
                removed.push((name.clone(), stamp));
            }
        }
    }
    if removed.is_empty() {
        return Ok(());
    }
    let stamps: HashSet<Stamp> = removed.iter().map(|(_, stamp)| *stamp).collect();
    for folder in [root.runs_dir(), root.checkpoints_dir()] {
        remove_trials(&folder, &stamps)?;
    }
    for (name, stamp) in removed {
        let run = RunDir::named(root, &name, stamp);
        let file = run.temp_index();
        gone(fs::remove_file(&file)).at("remove", &file)?;
        let folder = aside.join(&name).join(stamp.to_string());
        gone(fs::remove_dir_all(&folder)).at("remove", &folder)?;
        let archive = aside.join(&name).join(format!("{stamp}{ENDING}"));
        gone(fs::remove_file(&archive)).at("remove", &archive)?;
        // The last one takes the folder of the name along.
        let _ = fs::remove_dir(aside.join(&name));
        let _ = fs::remove_dir(root.rollouts_dir().join(&name));
    }
    let _ = fs::remove_dir(&aside);
    Ok(())
}

/// Removes the folders of trials of these runs, and what the trials saved to go on from.
fn remove_trials(runs: &Path, stamps: &HashSet<Stamp>) -> Result<(), JournalError> {
    let entries = match fs::read_dir(runs) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other.at("list", runs)?,
    };
    for entry in entries {
        let entry = entry.at("list", runs)?;
        let trial = DataRoot::trial_named(&entry.file_name().to_string_lossy());
        if trial.is_some_and(|(run, _)| stamps.contains(&run)) {
            let folder = entry.path();
            gone(fs::remove_dir_all(&folder)).at("remove", &folder)?;
        }
    }
    Ok(())
}

/// What is not there need not be removed.
fn gone(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::{put_aside, sweep_removed};
    use crate::lock::RunLock;
    use crate::root::DataRoot;
    use crate::run_dir::{RunDir, list_runs};
    use fairtrial_model::{Access, UtcTime};
    use std::fs;

    const NOON: UtcTime = UtcTime::from_micros(1_756_038_896_000_000);

    #[test]
    fn folders_of_trials_name_their_run() {
        let stamp = "20250824__12-34-56".parse().unwrap();
        for (index, attempt) in [(3, 1), (31, 2)] {
            let name = DataRoot::trial_name("20250824__12-34-56", index, attempt);
            assert_eq!(DataRoot::trial_named(&name), Some((stamp, index)));
        }
        assert_eq!(DataRoot::trial_named("20250824__12-34-56"), None);
        assert_eq!(DataRoot::trial_named("notes"), None);
    }

    #[test]
    fn a_removal_that_was_cut_off_is_gone_on_with_and_touches_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let root = DataRoot::at(dir.path().join("data"));
        let [old, new] = [(); 2].map(|()| RunDir::create(&root, "bench", Access::default(), NOON));
        let (old, new) = (old.unwrap(), new.unwrap());
        for (run, attempt) in [(&old, 1), (&old, 2), (&new, 1)] {
            fs::create_dir_all(run.trial_dir(0, attempt)).unwrap();
        }
        let saved = root.checkpoints_dir().join(format!("{}-0", old.stamp()));
        fs::create_dir_all(&saved).unwrap();
        let held = RunLock::acquire(&old, NOON).unwrap();
        assert!(put_aside(&old, NOON).is_err(), "somebody works on it");
        drop(held);
        put_aside(&old, NOON).unwrap();
        // Here the first process was killed: the run is out of sight, its trials are there.
        assert_eq!(list_runs(&root).unwrap(), std::slice::from_ref(&new));
        assert!(root.runs_dir().join(format!("{}-0", old.stamp())).is_dir());
        sweep_removed(&root).unwrap();
        let left = fs::read_dir(root.runs_dir()).unwrap();
        let left: Vec<_> = left.map(|entry| entry.unwrap().path()).collect();
        assert_eq!(left, [new.trial_dir(0, 1)]);
        assert!(new.path().is_dir() && !saved.exists());
        let names = fs::read_dir(root.rollouts_dir()).unwrap();
        assert!(
            !names
                .into_iter()
                .any(|name| name.unwrap().file_name() == ".removed")
        );
        sweep_removed(&root).unwrap();
    }
}
