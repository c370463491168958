//! What a trial made for others: proof of its outputs, so that a later run can see that they are unchanged.
//!
//! `outputs.json` in the attempt's directory holds a SHA-256 per output and per input. An attempt counts as still
//! valid when every output is there with the same content and no input changed.

use fairtrial_episode::{open_regular, read_own};
use fairtrial_model::{Cause, Sha256, hex};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The file, in the attempt's directory.
const FILE: &str = "outputs.json";
const SCHEMA: u32 = 1;
/// Bytes of it.
const LARGEST: u64 = 256 << 20;

/// What a trial makes and what that depends on; absolute paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Makes {
    /// Files and folders that it makes.
    pub outputs: Vec<PathBuf>,
    /// Files and folders whose change makes them stale.
    pub inputs: Vec<PathBuf>,
}

/// The content of each input; one that is not there has none.
pub(crate) type InputHashes = BTreeMap<String, Option<String>>;

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Proof {
    schema: u32,
    outputs: BTreeMap<String, String>,
    inputs: InputHashes,
}

impl Makes {
    /// Whether the attempt in `dir` made what is there now, from what is there now.
    pub fn unchanged_since(&self, dir: &Path) -> bool {
        let Ok(text) = read_own(&dir.join(FILE), LARGEST) else {
            return false;
        };
        let Ok(proof) = serde_json::from_slice::<Proof>(&text) else {
            return false;
        };
        let now = self.prove(&self.hash_inputs());
        now.is_ok_and(|now| now == proof)
    }

    /// The inputs as they are; one that is not there has none.
    pub(crate) fn hash_inputs(&self) -> InputHashes {
        let one = |path: &PathBuf| (path.display().to_string(), hash(path).ok());
        self.inputs.iter().map(one).collect()
    }

    fn prove(&self, inputs: &InputHashes) -> Result<Proof, Vec<String>> {
        let mut outputs = BTreeMap::new();
        let mut missing = Vec::new();
        for path in &self.outputs {
            match hash(path) {
                Ok(hash) => {
                    outputs.insert(path.display().to_string(), hash);
                }
                Err(error) => missing.push(format!("{} ({error})", path.display())),
            }
        }
        if !missing.is_empty() {
            return Err(missing);
        }
        Ok(Proof {
            schema: SCHEMA,
            outputs,
            inputs: inputs.clone(),
        })
    }

    /// Writes the proof for an attempt that ended well; an output that it did not make is its failure.
    pub(crate) fn record(&self, dir: &Path, inputs: &InputHashes) -> Result<(), Cause> {
        if self.outputs.is_empty() {
            return Ok(());
        }
        let proof = self
            .prove(inputs)
            .map_err(|outputs| Cause::MissingOutput { outputs })?;
        // Without the proof the trial is run again next time: nothing else is lost.
        if let Ok(text) = serde_json::to_vec_pretty(&proof) {
            let _ = write_anew(&dir.join(FILE), &text);
        }
        Ok(())
    }
}

/// Writes a file in the place of whatever the trial put there: a pipe would be waited at for ever.
fn write_anew(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    File::create_new(path)?.write_all(bytes)
}

/// SHA-256 of a file, or of the names and contents of a folder's files.
fn hash(path: &Path) -> io::Result<String> {
    let mut hasher = Sha256::new();
    if path.is_dir() {
        let mut files = Vec::new();
        collect(path, &mut files)?;
        files.sort();
        for file in files {
            let name = file.strip_prefix(path).unwrap_or(&file);
            hasher.update(name.to_string_lossy().as_bytes());
            hasher.update([0]);
            io::copy(&mut open_regular(&file)?, &mut hasher)?;
            hasher.update([0]);
        }
    } else {
        io::copy(&mut open_regular(path)?, &mut hasher)?;
    }
    Ok(hex(&hasher.finalize()))
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), files)?;
        } else {
            files.push(entry.path());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    use super::Makes;
    use std::fs;

    #[test]
    fn a_proof_holds_until_an_output_or_input_changes() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir_all(at("models/deep")).unwrap();
        fs::create_dir(at("attempt")).unwrap();
        fs::write(at("models/deep/a.pt"), "weights").unwrap();
        fs::write(at("config"), "lr: 1").unwrap();
        let makes = Makes {
            outputs: vec![at("models")],
            inputs: vec![at("config"), at("none")],
        };
        assert!(!makes.unchanged_since(&at("attempt")));
        makes.record(&at("attempt"), &makes.hash_inputs()).unwrap();
        assert!(makes.unchanged_since(&at("attempt")));
        fs::write(at("config"), "lr: 2").unwrap();
        assert!(!makes.unchanged_since(&at("attempt")));
        fs::write(at("config"), "lr: 1").unwrap();
        // What the trial put in the proof's place is neither waited at nor believed.
        fs::remove_file(at("attempt/outputs.json")).unwrap();
        let place = at("attempt/outputs.json");
        let made = std::process::Command::new("mkfifo").arg(&place).status();
        assert!(made.unwrap().success());
        assert!(!makes.unchanged_since(&at("attempt")));
        makes.record(&at("attempt"), &makes.hash_inputs()).unwrap();
        assert!(makes.unchanged_since(&at("attempt")));
        fs::write(at("models/deep/b.pt"), "").unwrap();
        assert!(!makes.unchanged_since(&at("attempt")));
        fs::remove_dir_all(at("models")).unwrap();
        assert!(!makes.unchanged_since(&at("attempt")));
        let cause = makes
            .record(&at("attempt"), &makes.hash_inputs())
            .unwrap_err();
        assert!(
            cause.to_string().starts_with("did not make its output "),
            "{cause}"
        );
    }
}
