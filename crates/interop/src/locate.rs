//! What a user points at, told by its content: which format it is, and which files belong together.

use crate::error::InteropError;
use crate::folder::entries;
use crate::format::{Format, ReadUnit};
use crate::formats::FORMATS;
use crate::head::Head;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Files and folders that are looked at below one folder; a home directory is no results folder.
const MOST_ENTRIES: usize = 200_000;
/// How deep folders are looked into.
const MOST_DEPTH: usize = 12;

/// What was recognised.
pub struct Located {
    /// The format.
    pub format: &'static dyn Format,
    /// What is read, in order.
    pub units: Vec<ReadUnit>,
}

impl std::fmt::Debug for Located {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?}", self.format.name(), self.units)
    }
}

/// Finds the files of a format at paths that a user named. Of several formats none is chosen: the user says which.
pub fn locate(
    paths: &[PathBuf],
    forced: Option<&'static dyn Format>,
) -> Result<Located, InteropError> {
    let mut walk = Walk {
        forced,
        entries: 0,
        found: BTreeMap::new(),
    };
    for path in paths {
        let metadata = fs::metadata(path).map_err(InteropError::io(path))?;
        if metadata.is_dir() {
            walk.folder(path, 0)?;
        } else if !walk.file(path)? {
            return Err(unknown(path, forced));
        }
    }
    walk.located(paths)
}

/// What was found on the way.
struct Walk {
    forced: Option<&'static dyn Format>,
    entries: usize,
    /// Files and folders by the name of their format.
    found: BTreeMap<&'static str, OfFormat>,
}

struct OfFormat {
    format: &'static dyn Format,
    files: Vec<PathBuf>,
    folders: Vec<PathBuf>,
}

impl Walk {
    fn formats(&self) -> impl Iterator<Item = &'static dyn Format> {
        let forced = self.forced;
        FORMATS
            .iter()
            .copied()
            .filter(move |format| forced.is_none_or(|forced| forced.name() == format.name()))
    }

    fn of(&mut self, format: &'static dyn Format) -> &mut OfFormat {
        self.found.entry(format.name()).or_insert_with(|| OfFormat {
            format,
            files: Vec::new(),
            folders: Vec::new(),
        })
    }

    /// Looks at a file; whether it is of a format that is known.
    fn file(&mut self, path: &Path) -> Result<bool, InteropError> {
        let head = Head::read(path)?;
        let known = self.formats().find(|format| format.knows_file(&head));
        // What the user says counts more than what is seen: a reader tells what is wrong with the file.
        let Some(format) = known.or(self.forced) else {
            return Ok(false);
        };
        self.of(format).files.push(path.to_owned());
        Ok(true)
    }

    fn folder(&mut self, folder: &Path, depth: usize) -> Result<(), InteropError> {
        let known = self.formats().find(|format| format.knows_folder(folder));
        if let Some(format) = known {
            self.of(format).folders.push(folder.to_owned());
            return Ok(());
        }
        for (path, is_folder) in entries(folder)? {
            self.entries += 1;
            if self.entries > MOST_ENTRIES {
                return Err(InteropError::Unknown(format!(
                    "{} holds more than {MOST_ENTRIES} files: name the folder of the results",
                    folder.display()
                )));
            }
            if is_folder {
                if depth < MOST_DEPTH {
                    self.folder(&path, depth + 1)?;
                }
                continue;
            }
            // Logs and other things lie beside results; what cannot be opened is none.
            let Ok(head) = Head::read(&path) else {
                continue;
            };
            let known = self.formats().find(|format| format.knows_file(&head));
            if let Some(format) = known {
                self.of(format).files.push(path);
            }
        }
        Ok(())
    }

    fn located(self, paths: &[PathBuf]) -> Result<Located, InteropError> {
        let mut found: Vec<OfFormat> = self.found.into_values().collect();
        let Some(only) = found.pop() else {
            let first = paths.first().map_or(Path::new(""), PathBuf::as_path);
            return Err(unknown(first, self.forced));
        };
        if !found.is_empty() {
            found.push(only);
            let kinds: Vec<String> = found.iter().map(OfFormat::words).collect();
            let names: Vec<&str> = found.iter().map(|files| files.format.name()).collect();
            return Err(InteropError::Ambiguous(format!(
                "this holds files of several tools: {}; say which with --format {}",
                kinds.join(", "),
                names.join("|")
            )));
        }
        let mut units = only.format.units(only.files)?;
        units.extend(only.folders.into_iter().map(ReadUnit::one));
        Ok(Located {
            format: only.format,
            units,
        })
    }
}

impl OfFormat {
    fn words(&self) -> String {
        let count = self.files.len() + self.folders.len();
        format!("{} ({count})", self.format.title())
    }
}

fn unknown(path: &Path, forced: Option<&'static dyn Format>) -> InteropError {
    let path = path.display();
    InteropError::Unknown(match forced {
        Some(format) => format!("{path} holds no {}", format.title()),
        None => format!(
            "{path} is of no kind that is known; `--format` says what it is (`fairtrial import --list` names the formats)"
        ),
    })
}
