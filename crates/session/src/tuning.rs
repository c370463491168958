//! Settings of the machine that make times steadier: changed only when asked for, and put back. What a setting was is written
//! down before it is changed, so that it can be put back also after a crash.

use crate::error::SessionError;
use crate::session::Session;
use fairtrial_journal::{Durability, write_atomic_bytes};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Where the machine's settings are found, instead of at the root: for tests.
const ROOT_VARIABLE: &str = "FAIRTRIAL_MACHINE_ROOT";
/// What settings were. The folder is emptied when the machine starts, which puts settings back itself.
const JOURNAL: &str = "run/fairtrial-tuning.json";

/// The settings of this machine.
#[derive(Debug, Clone)]
pub struct Tuning {
    root: PathBuf,
}

/// One setting that was changed, or was about to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TunedSetting {
    /// Its file, below the root.
    pub file: PathBuf,
    /// What it was.
    pub before: String,
    /// What it was set to.
    pub set: String,
}

/// What the journal holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tuned {
    /// Whether all changes were made: without it something ended in between.
    pub complete: bool,
    /// In the order of the changes.
    pub settings: Vec<TunedSetting>,
}

/// What putting back came to.
#[derive(Debug, Default)]
pub struct Restored {
    /// Settings that are again what they were.
    pub back: Vec<TunedSetting>,
    /// Settings that somebody else has changed since, or that are gone, which are left alone.
    pub left: Vec<TunedSetting>,
}

impl Session {
    /// The settings of this machine.
    pub fn tuning(&self) -> Tuning {
        let root = self.caller().variable(ROOT_VARIABLE).unwrap_or("/");
        Tuning { root: root.into() }
    }
}

impl Tuning {
    /// What is changed now, by an earlier call.
    pub fn tuned(&self) -> Result<Option<Tuned>, SessionError> {
        match fs::read(self.journal()) {
            Ok(bytes) => {
                let tuned = serde_json::from_slice(&bytes);
                tuned.map_err(|error| refused("read", &self.journal(), error))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(refused("read", &self.journal(), error)),
        }
    }

    /// Makes times steadier: every CPU at its full speed, and no speed that heat may take away. What cannot be changed
    /// undoes what was.
    pub fn tune(&self) -> Result<Tuned, SessionError> {
        if self.tuned()?.is_some() {
            let why =
                "the machine is tuned already; `fairtrial doctor --tune off` puts it back first";
            return Err(SessionError::Input(why.to_owned()));
        }
        let mut tuned = Tuned::default();
        for (file, set) in self.wanted() {
            let before = self.read(&file)?;
            if before == set {
                continue;
            }
            let path = self.root.join(&file);
            let set = set.to_owned();
            tuned.settings.push(TunedSetting { file, before, set });
            self.write_down(&tuned)?;
            let set = &tuned.settings[tuned.settings.len() - 1].set;
            if let Err(error) = fs::write(&path, set) {
                let refused = refused("change", &path, error);
                return Err(match self.restore() {
                    Ok(_) => refused,
                    Err(undoing) => SessionError::Machine(format!(
                        "{refused}; what was changed before is not all put back: {undoing}"
                    )),
                });
            }
        }
        if !tuned.settings.is_empty() {
            tuned.complete = true;
            self.write_down(&tuned)?;
        }
        Ok(tuned)
    }

    /// Puts back what was changed, the last change first. What cannot be put back stays written down for the next call,
    /// and keeps nothing else from it.
    pub fn restore(&self) -> Result<Restored, SessionError> {
        let tuned = self.tuned()?.unwrap_or_default();
        let mut restored = Restored::default();
        let (mut kept, mut errors) = (Vec::new(), Vec::new());
        for setting in tuned.settings.into_iter().rev() {
            match self.put_back(&setting) {
                Ok(true) => restored.back.push(setting),
                Ok(false) => restored.left.push(setting),
                Err(error) => {
                    kept.push(setting);
                    errors.push(error.to_string());
                }
            }
        }
        if !kept.is_empty() {
            kept.reverse();
            let written = self.write_down(&Tuned {
                complete: tuned.complete,
                settings: kept,
            });
            errors.extend(written.err().map(|error| error.to_string()));
            return Err(SessionError::Machine(errors.join("; ")));
        }
        match fs::remove_file(self.journal()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(refused("remove", &self.journal(), error))
            }
            _ => Ok(restored),
        }
    }

    /// Puts one setting back; says whether it is again what it was. One that somebody else has changed, or whose file is
    /// gone with its CPU or driver, is left alone.
    fn put_back(&self, setting: &TunedSetting) -> Result<bool, SessionError> {
        let path = self.root.join(&setting.file);
        let now = match fs::read_to_string(&path) {
            Ok(text) => text.trim().to_owned(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(refused("read", &path, error)),
        };
        if now == setting.set && now != setting.before {
            fs::write(&path, &setting.before).map_err(|error| refused("put back", &path, error))?;
        }
        Ok(now == setting.set || now == setting.before)
    }

    /// The settings that this machine has, below the root, and what they should be.
    fn wanted(&self) -> Vec<(PathBuf, &'static str)> {
        let cpus = Path::new("sys/devices/system/cpu");
        let entries = fs::read_dir(self.root.join(cpus)).into_iter().flatten();
        let names = entries.flatten().map(|entry| entry.file_name());
        let governors = names.map(|cpu| cpus.join(cpu).join("cpufreq/scaling_governor"));
        let mut files: Vec<_> = governors.map(|file| (file, "performance")).collect();
        files.sort();
        // Intel's driver and the others have the switch the other way round.
        files.push((cpus.join("intel_pstate/no_turbo"), "1"));
        files.push((cpus.join("cpufreq/boost"), "0"));
        files.retain(|(file, _)| self.root.join(file).exists());
        files
    }

    /// Every setting that could be changed, as it is now, and whether that is steady.
    pub(crate) fn settings(&self) -> Vec<(PathBuf, String, bool)> {
        let now = |(file, set): (PathBuf, &str)| {
            let now = self.read(&file).ok()?;
            let steady = now == set;
            Some((file, now, steady))
        };
        self.wanted().into_iter().filter_map(now).collect()
    }

    /// A setting as it is now.
    pub(crate) fn read(&self, file: &Path) -> Result<String, SessionError> {
        let path = self.root.join(file);
        let text = fs::read_to_string(&path);
        let text = text.map_err(|error| refused("read", &path, error))?;
        Ok(text.trim().to_owned())
    }

    fn journal(&self) -> PathBuf {
        self.root.join(JOURNAL)
    }

    fn write_down(&self, tuned: &Tuned) -> Result<(), SessionError> {
        let bytes = serde_json::to_vec_pretty(tuned)
            .map_err(|error| SessionError::Machine(error.to_string()))?;
        write_atomic_bytes(&self.journal(), Durability::Full, &bytes)
            .map_err(|error| refused("write", &self.journal(), error))
    }
}

fn refused(what: &str, path: &Path, why: impl std::fmt::Display) -> SessionError {
    SessionError::Machine(format!(
        "cannot {what} {}: {why} (settings of the machine are changed by root only)",
        path.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::{JOURNAL, Tuned, TunedSetting, Tuning};
    use std::fs;
    use std::path::Path;

    const BOOST: &str = "sys/devices/system/cpu/cpufreq/boost";

    fn governor(cpu: u32) -> String {
        format!("sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor")
    }

    /// A machine with two CPUs and a turbo.
    fn machine() -> (tempfile::TempDir, Tuning) {
        let home = tempfile::tempdir().unwrap();
        for (file, now) in [
            (governor(0), "powersave"),
            (governor(1), "schedutil"),
            (BOOST.to_owned(), "1"),
        ] {
            let path = home.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, format!("{now}\n")).unwrap();
        }
        fs::create_dir(home.path().join("run")).unwrap();
        let root = home.path().to_owned();
        (home, Tuning { root })
    }

    fn now(tuning: &Tuning) -> [String; 3] {
        [governor(0), governor(1), BOOST.to_owned()]
            .map(|file| tuning.read(Path::new(&file)).unwrap())
    }

    #[test]
    fn settings_are_changed_once_and_put_back() {
        let (home, tuning) = machine();
        assert_eq!(tuning.tune().unwrap().settings.len(), 3);
        assert_eq!(now(&tuning), ["performance", "performance", "0"]);
        assert!(tuning.tuned().unwrap().unwrap().complete);
        assert!(
            tuning
                .tune()
                .unwrap_err()
                .to_string()
                .contains("tuned already")
        );
        // What somebody else has set since is theirs.
        fs::write(home.path().join(governor(1)), "ondemand").unwrap();
        let restored = tuning.restore().unwrap();
        assert_eq!((restored.back.len(), restored.left.len()), (2, 1));
        assert_eq!(now(&tuning), ["powersave", "ondemand", "1"]);
        assert_eq!(tuning.tuned().unwrap(), None);
    }

    #[test]
    fn a_change_that_is_refused_undoes_those_before_it() {
        let (home, tuning) = machine();
        let boost = home.path().join(BOOST);
        // Reading it works, writing does not, whoever one is.
        fs::remove_file(&boost).unwrap();
        std::os::unix::fs::symlink("/proc/version", &boost).unwrap();
        assert!(
            tuning
                .tune()
                .unwrap_err()
                .to_string()
                .contains("cannot change")
        );
        assert_eq!(now(&tuning)[..2], ["powersave", "schedutil"]);
        assert_eq!(tuning.tuned().unwrap(), None);
    }

    #[test]
    fn what_cannot_be_put_back_keeps_nothing_else_from_it() {
        let (home, tuning) = machine();
        tuning.tune().unwrap();
        let boost = home.path().join(BOOST);
        // It can be neither read nor written, and the first CPU is gone.
        fs::remove_file(&boost).unwrap();
        fs::create_dir(&boost).unwrap();
        fs::remove_file(home.path().join(governor(0))).unwrap();
        let error = tuning.restore().unwrap_err().to_string();
        assert!(error.contains("boost"), "{error}");
        assert_eq!(
            tuning.read(Path::new(&governor(1))).unwrap(),
            "schedutil",
            "the rest is put back"
        );
        let files: Vec<_> = tuning.tuned().unwrap().unwrap().settings;
        assert_eq!(files.len(), 1, "{files:?}");
        assert_eq!(files[0].file, Path::new(BOOST));
        // Once it is gone too, there is nothing to put back.
        fs::remove_dir(&boost).unwrap();
        let restored = tuning.restore().unwrap();
        assert_eq!((restored.back.len(), restored.left.len()), (0, 1));
        assert_eq!(tuning.tuned().unwrap(), None);
    }

    #[test]
    fn what_was_written_down_and_not_changed_is_put_back_too() {
        let (home, tuning) = machine();
        let setting = |cpu, before: &str| TunedSetting {
            file: governor(cpu).into(),
            before: before.to_owned(),
            set: "performance".to_owned(),
        };
        // The first was changed, the second was about to be.
        let cut_off = Tuned {
            complete: false,
            settings: vec![setting(0, "powersave"), setting(1, "schedutil")],
        };
        let journal = serde_json::to_vec(&cut_off).unwrap();
        fs::write(home.path().join(JOURNAL), journal).unwrap();
        fs::write(home.path().join(governor(0)), "performance").unwrap();
        assert_eq!(tuning.tuned().unwrap(), Some(cut_off));
        assert_eq!(tuning.restore().unwrap().back.len(), 2);
        assert_eq!(now(&tuning)[..2], ["powersave", "schedutil"]);
    }
}
