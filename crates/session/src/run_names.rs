//! Names of runs that somebody may have meant.

use fairtrial_journal::ARCHIVE_ENDING;
use fairtrial_model::Stamp;
use fairtrial_text::nearest::did_you_mean;
use std::path::Path;

/// A question about a run with a name near to one that is not there; `what` is `named NAME`, or `NAME/STAMP`.
pub fn near_run(what: &str, rollouts: &Path) -> Option<String> {
    let name = what.strip_prefix("named ").unwrap_or(what);
    let name = name.split('/').next().unwrap_or(name);
    let names = run_names(rollouts);
    let others = names
        .iter()
        .map(String::as_str)
        .filter(|other| *other != name);
    did_you_mean(name, others)
}

/// The benchmarks that have runs, in the order of their names.
pub fn run_names(rollouts: &Path) -> Vec<String> {
    let has_runs = |name: &String| {
        let inside = names(&rollouts.join(name));
        let mut stamps = inside.iter().map(|name| run_of(name));
        stamps.any(|stamp| stamp.parse::<Stamp>().is_ok())
    };
    let mut found: Vec<String> = names(rollouts).into_iter().filter(has_runs).collect();
    found.sort();
    found
}

/// The run that a folder or an archive is.
fn run_of(name: &str) -> &str {
    name.strip_suffix(ARCHIVE_ENDING).unwrap_or(name)
}

/// What is in a folder of runs: the benchmarks, or the stamps of one.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| !name.starts_with('.')).collect()
}

/// The runs of a benchmark as `NAME/STAMP`, the oldest first.
pub(crate) fn stamps(rollouts: &Path, name: &str) -> Vec<String> {
    let stamps = names(&rollouts.join(name)).into_iter();
    let mut stamps: Vec<String> = stamps
        .map(|stamp| format!("{name}/{}", run_of(&stamp)))
        .collect();
    stamps.sort();
    stamps.dedup();
    stamps
}
