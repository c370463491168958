//! Why a word names no source of trials: the file or the run that it was meant to be, and what there is near it.

use crate::run_names::{near_run, stamps};
use fairtrial_journal::DataRoot;
use fairtrial_spec::neighbour;
use fairtrial_text::nearest::nearest;
use std::path::Path;

/// A word that names nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Absent {
    /// What is not there.
    pub message: String,
    /// What there is instead.
    pub near: Near,
}

impl Absent {
    /// The same where another tool keeps these beside what is new, one of which is that.
    pub(crate) fn beside(mut self, arms: Vec<String>) -> Self {
        if let Near::NoBaseline { kept } = &mut self.near
            && arms.len() > 1
        {
            *kept = arms;
        }
        self
    }
}

/// What there is near a word that names nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Near {
    /// A question: did you mean this?
    Question(String),
    /// The benchmark has runs, this one among them.
    Run {
        /// The benchmark.
        name: String,
        /// The run nearest to what was named, as `NAME/STAMP`.
        like: String,
    },
    /// Nothing; a file was meant.
    NoFile,
    /// Nothing; a run may have been meant.
    NoRun,
    /// A saved baseline may have been meant, or one of those that another tool keeps beside what is new.
    NoBaseline {
        /// The names of the latter.
        kept: Vec<String>,
    },
}

/// Endings that say that a file is meant.
const FILES: [&str; 6] = ["json", "csv", "tsv", "toml", "yaml", "yml"];

/// The endings of files that hold trials.
const SOURCES: [&str; 3] = ["json", "csv", "tsv"];

/// Whether a word names a file or one run of several, so that it is hardly meant as the name of an arm.
pub(crate) fn is_path(word: &str) -> bool {
    word.contains('/') || has_ending(Path::new(word), &FILES)
}

/// Why a word means nothing.
pub(crate) fn no_source(word: &str, root: &DataRoot) -> Absent {
    let path = Path::new(word);
    if has_ending(path, &FILES) {
        let near = neighbour(path, |path| has_ending(path, &SOURCES));
        return Absent {
            message: format!("there is no file `{word}`"),
            near: near.map_or(Near::NoFile, Near::Question),
        };
    }
    let rollouts = root.rollouts_dir();
    let question = || near_run(word, &rollouts).map_or(Near::NoRun, Near::Question);
    match word.split_once('/') {
        Some((name, _)) if rollouts.join(name).is_dir() => {
            let stamps = stamps(&rollouts, name);
            let like = nearest(word, stamps.iter().map(String::as_str));
            let like = like.or(stamps.last().map(String::as_str));
            Absent {
                message: format!("there is no run `{word}` under {}", rollouts.display()),
                near: like.map_or(Near::NoRun, |like| Near::Run {
                    name: name.to_owned(),
                    like: like.to_owned(),
                }),
            }
        }
        Some(_) => Absent {
            message: format!("there is no file or run `{word}`"),
            near: question(),
        },
        None => Absent {
            message: format!("there is no run, result file or table `{word}`"),
            near: question(),
        },
    }
}

fn has_ending(path: &Path, endings: &[&str]) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| endings.contains(&ending))
}
