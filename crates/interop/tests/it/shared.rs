//! The collection of genuine files that these tests take theirs from: nothing in it is without a test. It lies beside the
//! repository, and not everywhere.

use crate::fixtures::{path, value};
use fairtrial_interop::{Collected, Keep, locate};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Files that hold no results: what a tool was told to do, and what it printed for people.
const NO_RESULTS: [&str; 6] = [
    "benchexec/bench.xml",
    "criterion/stdout_second_run.txt",
    "harbor/tasks/",
    "hyperfine/v1.20_param_scan.md",
    "hyperfine/v2.0_param_list_env.md",
    "rebench/demo.conf",
];
/// Read where it lies, because it is large.
const LARGE: &str = "inspect/agentic.json";

fn collection() -> Option<PathBuf> {
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let mut folders = above.map(|folder| folder.join("shared/fixtures/interop"));
    let found = folders.find(|folder| folder.is_dir());
    if found.is_none() {
        println!("skipped: the collection is not beside the repository");
    }
    found
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// The content of our copy; large ones are packed.
fn copy(name: &str) -> Option<Vec<u8>> {
    let ours = path("").join(name);
    if let Ok(bytes) = std::fs::read(&ours) {
        return Some(bytes);
    }
    let packed = std::fs::File::open(format!("{}.gz", ours.display())).ok()?;
    let mut bytes = Vec::new();
    let read = flate2::read::GzDecoder::new(packed).read_to_end(&mut bytes);
    read.ok().map(|_| bytes)
}

#[test]
fn every_file_of_the_collection_is_one_of_ours() {
    let Some(folder) = collection() else { return };
    let mut all = Vec::new();
    files(&folder, &mut all);
    let mut compared = 0;
    for file in all {
        let name = file.strip_prefix(&folder).unwrap().display().to_string();
        let is_read = !name.contains("README") && name != LARGE;
        if is_read && !NO_RESULTS.iter().any(|other| name.starts_with(other)) {
            let ours = copy(&name).unwrap_or_else(|| panic!("no test reads {name}"));
            assert!(ours == std::fs::read(&file).unwrap(), "{name} differs");
            compared += 1;
        }
    }
    println!("{compared} files");
    assert!(compared > 100, "{compared}");
}

#[test]
fn a_log_of_an_agent_reads_the_same_in_both_forms() {
    let Some(folder) = collection() else { return };
    let read = |path: PathBuf| {
        let located = locate(&[path], None).unwrap();
        Collected::read(&located, Keep::Ends).unwrap()
    };
    let text = read(folder.join(LARGE));
    let packed = read(path("inspect/agentic.eval"));
    assert_eq!(text.executions.len(), packed.executions.len());
    for place in 0..text.executions.len() {
        assert_eq!(
            text.executions[place].outcome,
            packed.executions[place].outcome
        );
        for metric in ["score", "tokens_total"] {
            assert_eq!(
                value(&text, place, metric),
                value(&packed, place, metric),
                "{metric}"
            );
        }
    }
}
