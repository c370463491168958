//! Small files of trials that ended well on a node, put away in one file of their chunk: a shared disk has room for
//! bytes, and counts files. `logs` brings them back.

use crate::chunk::{ChunkDir, Owner};
use fairtrial_journal::{DataRoot, PutAwayFiles, list_runs, put_back, small_files};
use fairtrial_model::{Outcome, Record};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Where a runner puts them.
pub(crate) struct PutAway {
    path: PathBuf,
    file: Option<File>,
}

impl PutAway {
    /// A file of this runner alone: two of them may meet over a chunk.
    pub(crate) fn new(chunk: &ChunkDir, owner: &Owner) -> Self {
        Self {
            path: chunk.files(&format!("{}-{}", owner.host, owner.pid)),
            file: None,
        }
    }

    /// Puts the files of a trial away that ended well, left little, and is not asked for its curves.
    pub(crate) fn take(&mut self, dir: &Path, record: &Record) -> io::Result<()> {
        if record.outcome != Outcome::Ok || !record.series.is_empty() {
            return Ok(());
        }
        let (Some(files), Some(name)) = (small_files(dir)?, dir.file_name()) else {
            return Ok(());
        };
        let names: Vec<String> = files.keys().cloned().collect();
        let kept = PutAwayFiles {
            dir: name.to_string_lossy().into_owned(),
            files,
        };
        let mut line = serde_json::to_vec(&kept).map_err(io::Error::other)?;
        line.push(b'\n');
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(File::options().create(true).append(true).open(&self.path)?),
        };
        file.write_all(&line)?;
        file.sync_data()?;
        for name in names {
            fs::remove_file(dir.join(name))?;
        }
        fs::remove_dir(dir.join("logs"))
    }
}

/// Brings the files of trials back that were put away, where they were; does nothing for others.
pub fn bring_back(root: &DataRoot, dirs: impl IntoIterator<Item = PathBuf>) -> io::Result<()> {
    let missed = dirs.into_iter().filter(|dir| !dir.join("logs").exists());
    let mut missed: BTreeMap<String, PathBuf> = missed
        .filter_map(|dir| Some((dir.file_name()?.to_str()?.to_owned(), dir)))
        .collect();
    if missed.is_empty() {
        return Ok(());
    }
    for run in list_runs(root).map_err(io::Error::other)? {
        let stamp = run.stamp().to_string();
        if !missed.keys().any(|name| name.starts_with(&stamp)) {
            continue;
        }
        for file in kept_files(&run.chunks()) {
            for line in fs::read_to_string(file)?.lines() {
                // A line that was cut off was followed by no removal.
                let Ok(kept) = serde_json::from_str::<PutAwayFiles>(line) else {
                    continue;
                };
                if let Some(dir) = missed.remove(&kept.dir) {
                    put_back(&dir, &kept.files)?;
                }
            }
        }
    }
    Ok(())
}

/// The files with what was put away, of all chunks.
fn kept_files(chunks: &Path) -> Vec<PathBuf> {
    let inside = |folder: &Path| {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect::<Vec<_>>()
    };
    let all = inside(chunks).into_iter().flat_map(|chunk| inside(&chunk));
    all.filter(|path| ChunkDir::is_files(path)).collect()
}

#[cfg(test)]
mod tests {
    use super::{ChunkDir, PutAway, bring_back};
    use crate::chunk::Owner;
    use fairtrial_journal::DataRoot;
    use fairtrial_model::{Outcome, Record};
    use std::fs;
    use std::path::Path;

    const FILES: [&str; 4] = [
        "command.sh",
        "metrics.jsonl",
        "logs/stdout.log",
        "logs/stderr.log",
    ];

    fn record(outcome: Outcome) -> Record {
        let text = r#"{"schema":1,"id":"0123456789abcdef0123456789abcdef","attempt":1,"outcome":"ok",
            "trial":{"index":0,"task":"t","arm":"a","seed":1},"ended_at":"2025-08-24T12:34:56Z","dir":"",
            "resources":{},"metrics":{}}"#;
        let mut record: Record = serde_json::from_str(text).unwrap();
        record.outcome = outcome;
        record
    }

    fn trial(dir: &Path) {
        fs::create_dir_all(dir.join("logs")).unwrap();
        fs::write(dir.join("record.json"), "{}").unwrap();
        for name in FILES {
            fs::write(dir.join(name), format!("of {name}\n")).unwrap();
        }
    }

    #[test]
    fn what_was_put_away_comes_back() {
        let home = tempfile::tempdir().unwrap();
        let root = DataRoot::at(home.path());
        let chunk = home
            .path()
            .join("rollouts/bench/20250824__12-34-56/chunks/7");
        fs::create_dir_all(&chunk).unwrap();
        let owner = Owner {
            host: "n1".to_owned(),
            pid: 7,
            job: None,
        };
        let mut away = PutAway::new(&ChunkDir::at(chunk), &owner);
        let dirs = ["20250824__12-34-56-0", "20250824__12-34-56-1"];
        let dirs = dirs.map(|name| home.path().join("runs").join(name));
        for dir in &dirs {
            trial(dir);
            away.take(dir, &record(Outcome::Ok)).unwrap();
            let left = fs::read_dir(dir).unwrap().count();
            assert_eq!(left, 1, "the record stays");
        }
        // What is there again is left as it is.
        fs::write(dirs[1].join("command.sh"), "mine").unwrap();
        bring_back(&root, [dirs[1].clone()]).unwrap();
        let read = |name: &str| fs::read_to_string(dirs[1].join(name)).unwrap();
        assert_eq!(read("command.sh"), "mine");
        assert_eq!(read("logs/stderr.log"), "of logs/stderr.log\n");
        assert!(!dirs[0].join("logs").exists());
    }

    #[test]
    fn who_failed_keeps_all() {
        let home = tempfile::tempdir().unwrap();
        trial(home.path());
        let owner = Owner {
            host: "n1".to_owned(),
            pid: 7,
            job: None,
        };
        let mut away = PutAway::new(&ChunkDir::at(home.path().to_owned()), &owner);
        away.take(home.path(), &record(Outcome::Failed)).unwrap();
        assert!(FILES.iter().all(|name| home.path().join(name).is_file()));
    }
}
