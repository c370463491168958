//! Registered experiments, through the built binary: built-in ones, Python ones, and workers that misbehave.

mod builtin;
mod checks;
mod measuring;
pub(crate) mod python;
mod python_failures;
mod python_values;
mod results;
mod screen;
mod workers;

use crate::common::Project;
use serde_json::Value;
use std::path::PathBuf;

/// The folder that all repositories share, where this checkout has one.
fn shared(path: &str) -> Option<PathBuf> {
    let beside = std::env::var_os("FAIRTRIAL_SHARED").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")),
        PathBuf::from,
    );
    let found = beside.join(path);
    if !found.exists() {
        eprintln!("skipped: {} is not here", found.display());
        return None;
    }
    Some(found)
}

/// Every result file under a folder of a project, in the order of their names.
fn results(project: &Project, folder: &str) -> Vec<Value> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(project.path().join(folder)).unwrap() {
        let dir = entry.unwrap().path();
        let name = dir.file_name().unwrap().to_string_lossy().into_owned();
        let file = dir.join(format!("{name}.json"));
        if file.exists() {
            files.push(file);
        }
    }
    files.sort();
    let read = |file: &PathBuf| serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    files.iter().map(read).collect()
}
