//! The Python that runs a program: which one it is, where it looks for modules, and which packages it finds there.

use fairtrial_journal::CodeSet;
use fairtrial_process::{Program, find_program};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long Python may take to say where it looks.
const LIMIT: Duration = Duration::from_secs(20);
/// Prints its version, then a line per folder.
const ASK: &str = "import sys; print(sys.version.split()[0]); print('\\n'.join(sys.path))";

/// A Python interpreter.
#[derive(Debug, Clone)]
pub(super) struct Interpreter {
    version: String,
    /// The folders that it looks in for modules.
    pub(super) path: Vec<PathBuf>,
}

/// Whether a program of this name is a Python.
pub(super) fn is_python(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    let rest = name
        .strip_prefix("python")
        .or_else(|| name.strip_prefix("pypy"));
    rest.is_some_and(|rest| {
        rest.bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
    })
}

/// The Python that a script's first line names.
pub(super) fn of_first_line(script: &Path, path: &OsStr) -> Option<PathBuf> {
    use std::io::Read;
    let mut first = [0; 256];
    let mut file = std::fs::File::open(script).ok()?;
    let read = file.read(&mut first).ok()?;
    let first = first[..read].split(|byte| *byte == b'\n').next()?;
    let line = std::str::from_utf8(first).ok()?.strip_prefix("#!")?;
    let mut words = line
        .split_whitespace()
        .filter(|word| !word.starts_with('-'));
    find_program(words.find(|word| is_python(word))?, path)
}

impl Interpreter {
    /// Asks one, started in this folder with these variables.
    pub(super) fn ask(
        program: &Path,
        dir: &Path,
        environment: &[(String, String)],
    ) -> Option<Self> {
        let ended = Program::new(program, LIMIT)
            .args(["-c", ASK])
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .dir(dir)
            .run()
            .ok()?;
        let text = ended.success().ok()?.text();
        let mut lines = text.lines();
        Some(Self {
            version: lines.next()?.trim().to_owned(),
            path: lines
                .filter(|line| !line.is_empty())
                .map(|line| dir.join(line))
                .collect(),
        })
    }

    /// The versions of what is installed, by the names that installers leave.
    pub(super) fn packages(&self) -> CodeSet {
        let mut set = CodeSet::from([("python".to_owned(), self.version.clone())]);
        for folder in &self.path {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            for entry in entries {
                let name = entry.file_name();
                let name = name.to_string_lossy();
                let stem = name
                    .strip_suffix(".dist-info")
                    .or_else(|| name.strip_suffix(".egg-info"));
                if let Some((package, version)) = stem.and_then(|stem| stem.split_once('-')) {
                    // The first folder that has it wins, as for Python.
                    let package = package.to_ascii_lowercase().replace('_', "-");
                    set.entry(package).or_insert_with(|| version.to_owned());
                }
            }
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::is_python;

    #[test]
    fn pythons_are_known_by_their_names() {
        for name in ["python", "python3", "/usr/bin/python3.11", "pypy3"] {
            assert!(is_python(name), "{name}");
        }
        for name in ["python-config", "pythonista", "py", "sh"] {
            assert!(!is_python(name), "{name}");
        }
    }
}
