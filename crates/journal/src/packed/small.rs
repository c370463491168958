//! What a trial left, where that is little and nothing of its own: who looks for more finds the folder.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

/// The script that repeats a trial by hand.
pub const SCRIPT_NAME: &str = "command.sh";
/// A trial's own copy of its record.
pub const RECORD_NAME: &str = "record.json";
/// Most bytes of a trial's files together.
const MOST_BYTES: u64 = 64 << 10;
/// What is reported to; the launcher leaves the rest.
const REPORTED: &str = "metrics.jsonl";
/// The logs of a trial, inside of its folder.
pub const LOG_NAMES: [&str; 2] = ["logs/stdout.log", "logs/stderr.log"];

/// Texts by name, inside of a trial's folder.
pub type FolderFiles = BTreeMap<String, String>;

/// The files of one trial as a line.
#[derive(Debug, Serialize, Deserialize)]
pub struct PutAwayFiles {
    /// The name of its folder.
    pub dir: String,
    /// Texts by name.
    pub files: FolderFiles,
}

/// Whether a file of a trial's folder is one that Fairtrial leaves there.
fn is_known(name: &str) -> bool {
    name == SCRIPT_NAME || name == REPORTED || LOG_NAMES.contains(&name)
}

/// The files of a trial by name, without its record; absent where there is anything that is large, or that others may look for.
pub fn small_files(dir: &Path) -> io::Result<Option<FolderFiles>> {
    let mut names = Vec::new();
    let mut folders = vec![""];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(dir.join(folder))? {
            let entry = entry?;
            let name = format!("{folder}{}", entry.file_name().to_string_lossy());
            let kind = entry.file_type()?;
            if name == RECORD_NAME {
                continue;
            }
            if name == "logs" && kind.is_dir() {
                folders.push("logs/");
                continue;
            }
            if !kind.is_file() || !is_known(&name) {
                return Ok(None);
            }
            names.push((name, entry.metadata()?.len()));
        }
    }
    if names.iter().map(|(_, bytes)| bytes).sum::<u64>() > MOST_BYTES {
        return Ok(None);
    }
    let mut files = FolderFiles::new();
    for (name, _) in names {
        let Ok(text) = String::from_utf8(fs::read(dir.join(&name))?) else {
            return Ok(None);
        };
        // Whose curves are not declared may still be asked for them.
        if name == REPORTED && text.contains("\"step\"") {
            return Ok(None);
        }
        files.insert(name, text);
    }
    Ok(Some(files))
}

/// Puts files into a trial's folder, which is made if need be. What is there is left as it is.
pub fn put_back(dir: &Path, files: &FolderFiles) -> io::Result<()> {
    fs::create_dir_all(dir.join("logs"))?;
    for (name, text) in files {
        if !is_known(name) && name != RECORD_NAME {
            continue;
        }
        match File::create_new(dir.join(name)) {
            Ok(mut file) => file.write_all(text.as_bytes())?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Removes the folder of a trial whose files stand elsewhere. One that has anything else in it stays, with that.
pub fn remove_small(dir: &Path) {
    // Most of them are empty.
    if fs::remove_dir(dir).is_ok() {
        return;
    }
    let names = [SCRIPT_NAME, REPORTED].into_iter().chain(LOG_NAMES);
    for name in names {
        let _ = fs::remove_file(dir.join(name));
    }
    let _ = fs::remove_dir(dir.join("logs"));
    let _ = fs::remove_dir(dir);
}

#[cfg(test)]
mod tests {
    use super::{put_back, remove_small, small_files};
    use std::fs;
    use std::path::Path;

    const FILES: [&str; 4] = [
        "command.sh",
        "metrics.jsonl",
        "logs/stdout.log",
        "logs/stderr.log",
    ];

    fn trial(dir: &Path) {
        fs::create_dir_all(dir.join("logs")).unwrap();
        for name in FILES {
            fs::write(dir.join(name), format!("of {name}\n")).unwrap();
        }
    }

    #[test]
    fn what_others_may_look_for_stays() {
        type Spoil = (&'static str, fn(&Path));
        let spoil: [Spoil; 6] = [
            ("an output", |dir| {
                fs::write(dir.join("model.pt"), "").unwrap();
            }),
            ("a folder", |dir| fs::create_dir(dir.join("out")).unwrap()),
            ("a log of a phase", |dir| {
                fs::write(dir.join("logs/agent.log"), "").unwrap();
            }),
            ("a curve", |dir| {
                fs::write(dir.join("metrics.jsonl"), "{\"step\": 1, \"loss\": 2}").unwrap();
            }),
            ("much", |dir| {
                fs::write(dir.join("logs/stdout.log"), vec![b'x'; 70_000]).unwrap();
            }),
            ("no text", |dir| {
                fs::write(dir.join("logs/stdout.log"), [0xff]).unwrap();
            }),
        ];
        for (what, spoil) in spoil {
            let home = tempfile::tempdir().unwrap();
            trial(home.path());
            assert!(small_files(home.path()).unwrap().is_some());
            spoil(home.path());
            assert!(small_files(home.path()).unwrap().is_none(), "{what}");
        }
    }

    #[test]
    fn what_is_put_back_is_as_it_was_and_what_is_there_is_left() {
        let home = tempfile::tempdir().unwrap();
        let dir = home.path().join("trial");
        trial(&dir);
        let files = small_files(&dir).unwrap().unwrap();
        assert_eq!(files.len(), FILES.len());
        remove_small(&dir);
        assert!(!dir.exists());
        fs::create_dir(&dir).unwrap();
        fs::write(dir.join("command.sh"), "mine").unwrap();
        put_back(&dir, &files).unwrap();
        let read = |name: &str| fs::read_to_string(dir.join(name)).unwrap();
        assert_eq!(read("command.sh"), "mine");
        assert_eq!(read("logs/stderr.log"), "of logs/stderr.log\n");
    }

    #[test]
    fn a_folder_with_something_of_its_own_is_not_removed() {
        let home = tempfile::tempdir().unwrap();
        let dir = home.path().join("trial");
        trial(&dir);
        fs::write(dir.join("late.txt"), "x").unwrap();
        remove_small(&dir);
        assert_eq!(fs::read_to_string(dir.join("late.txt")).unwrap(), "x");
    }
}
