//! Finds an episode file in a trial's directory: by name, or by a pattern where the program makes folders of its own.

use crate::error::EpisodeError;
use fairtrial_text::glob::Glob;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Folders deeper than this are not looked into.
const DEEPEST: usize = 12;
/// Entries that are looked at before the search is given up.
const MOST_ENTRIES: usize = 200_000;

/// The file in `dir` that `pattern` names. `*` stands for any text, folders included; two matches are an error, and so is
/// none where a folder could not be looked into.
pub fn locate(dir: &Path, pattern: &str) -> Result<PathBuf, EpisodeError> {
    if !pattern.contains('*') {
        return Ok(dir.join(pattern));
    }
    let wanted = Glob::name(pattern.trim_start_matches("**/"));
    let anywhere = pattern.starts_with("**/");
    let mut found = Vec::new();
    let mut left = vec![(dir.to_owned(), 0)];
    let mut seen = 0;
    let mut hidden = None;
    while let Some((folder, depth)) = left.pop() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            // A folder that went away hides nothing.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => {
                let inside = folder
                    .strip_prefix(dir)
                    .unwrap_or(&folder)
                    .to_string_lossy();
                let name = if depth == 0 { pattern } else { &*inside };
                hidden.get_or_insert(EpisodeError::io(name, &error));
                continue;
            }
        };
        for entry in entries.flatten() {
            seen += 1;
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let path = entry.path();
            if kind.is_dir() && depth < DEEPEST && seen < MOST_ENTRIES {
                left.push((path, depth + 1));
                continue;
            }
            let inside = path.strip_prefix(dir).unwrap_or(&path).to_string_lossy();
            let name = entry.file_name();
            if !kind.is_dir()
                && (wanted.matches(&inside)
                    || (anywhere && wanted.matches(&name.to_string_lossy())))
            {
                found.push(inside.into_owned());
            }
        }
    }
    found.sort();
    match &found[..] {
        [one] => Ok(dir.join(one)),
        [] => Err(hidden.unwrap_or_else(|| EpisodeError::NoFile(pattern.to_owned()))),
        _ => Err(EpisodeError::SeveralFiles {
            pattern: pattern.to_owned(),
            found,
        }),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    use super::locate;
    use std::fs;

    #[test]
    fn patterns_find_one_file_and_refuse_two() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("out/exp");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("eval_stats.csv"), "a\n1\n").unwrap();
        fs::write(folder.join("eval_stats_old.csv"), "a\n1\n").unwrap();
        let found = locate(dir.path(), "**/eval_stats.csv").unwrap();
        assert_eq!(found, folder.join("eval_stats.csv"));
        assert_eq!(
            locate(dir.path(), "out/*/eval_stats.csv").unwrap(),
            folder.join("eval_stats.csv")
        );
        let several = locate(dir.path(), "**/eval_stats*.csv").unwrap_err();
        assert_eq!(
            several.to_string(),
            "**/eval_stats*.csv matches 2 files (out/exp/eval_stats.csv, out/exp/eval_stats_old.csv): name one"
        );
        let none = locate(dir.path(), "**/train_stats.csv").unwrap_err();
        assert_eq!(none.to_string(), "**/train_stats.csv is not there");
    }

    #[test]
    fn what_cannot_be_looked_into_is_not_said_to_be_empty() {
        let dir = tempfile::tempdir().unwrap();
        let gone = locate(&dir.path().join("gone"), "**/a.csv").unwrap_err();
        assert_eq!(gone.to_string(), "**/a.csv is not there");
        let file = dir.path().join("file");
        fs::write(&file, "").unwrap();
        let hidden = locate(&file, "**/a.csv").unwrap_err().to_string();
        assert!(
            hidden.starts_with("**/a.csv: ") && !hidden.contains("is not there"),
            "{hidden}"
        );
    }
}
