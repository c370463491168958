//! Why a word on the command line names no source of trials: the file or the run that it was meant to be, and what
//! there is near it.

use crate::exit::Failure;
use crate::run_names;
use fairtrial_journal::DataRoot;
use fairtrial_spec::neighbour;
use fairtrial_text::nearest::nearest;
use std::path::Path;

/// Endings that say that a file is meant.
const FILES: [&str; 5] = ["json", "csv", "toml", "yaml", "yml"];

/// The endings of files that hold trials.
const SOURCES: [&str; 2] = ["json", "csv"];

/// Whether a word names a file or one run of several, so that it is hardly meant as the name of an arm.
pub(crate) fn is_path(word: &str) -> bool {
    word.contains('/') || has_ending(Path::new(word), &FILES)
}

/// Why a word means nothing.
pub(crate) fn no_source(word: &str, root: &DataRoot) -> Failure {
    let path = Path::new(word);
    if has_ending(path, &FILES) {
        let near = neighbour(path, |path| has_ending(path, &SOURCES));
        let hint = near.unwrap_or_else(|| "check the path".to_owned());
        return Failure::input(format!("there is no file `{word}`")).hint(hint);
    }
    let rollouts = root.rollouts_dir();
    match word.split_once('/') {
        Some((name, _)) if rollouts.join(name).is_dir() => {
            let message = format!("there is no run `{word}` under {}", rollouts.display());
            let stamps = run_names::stamps(&rollouts, name);
            let meant = nearest(word, stamps.iter().map(String::as_str));
            let hint = match meant.or(stamps.last().map(String::as_str)) {
                Some(stamp) => format!("a run is named like `{stamp}`; `{name}` is its newest run"),
                None => "`fairtrial list` shows the runs there are".to_owned(),
            };
            Failure::input(message).hint(hint)
        }
        Some(_) => Failure::input(format!("there is no file or run `{word}`"))
            .hint(run_names::hint(word, &rollouts)),
        None => Failure::input(format!("there is no run, result file or table `{word}`"))
            .hint(run_names::hint(word, &rollouts)),
    }
}

fn has_ending(path: &Path, endings: &[&str]) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| endings.contains(&ending))
}
