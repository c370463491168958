//! The trials that did not end well, with the last lines they wrote.

use super::evidence::Evidence;
use fairtrial_journal::{FilesOfTrial, FilesOfTrials};
use fairtrial_model::{Outcome, Record};
use fairtrial_text::escape::terminal_removed;
use serde::Serialize;
use std::io::{Read, Seek, SeekFrom};

/// Trials that are shown with their logs.
const SHOWN: usize = 20;
/// Lines and bytes of a log's end that are shown.
const LINES: usize = 12;
const BYTES: u64 = 4096;

/// The trials that did not end well.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FailureList {
    /// How many there are.
    pub total: usize,
    /// The first of them, in the order of the run.
    pub shown: Vec<FailedTrial>,
}

/// One trial.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FailedTrial {
    /// Its place in the run's order.
    pub index: u64,
    /// `train · candidate · seed 1072`.
    pub trial: String,
    /// How it ended.
    pub outcome: Outcome,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// How many attempts were made.
    pub attempts: u32,
    /// Its directory, relative to the data root.
    pub dir: String,
    /// Whether its files are not there, but packed in a file of the run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub packed: bool,
    /// The ends of its logs.
    pub logs: Vec<LogTail>,
}

/// The end of one log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LogTail {
    /// The file, relative to the trial's directory.
    pub file: String,
    /// Its last lines; its first ones of a file that is no log.
    pub lines: Vec<String>,
    /// Whether there are others.
    pub more: bool,
}

pub(super) fn failures(evidence: &Evidence<'_>) -> FailureList {
    let failed = || {
        let records = evidence.records.iter();
        records.filter(|record| record.outcome != Outcome::Ok)
    };
    let mut files = FilesOfTrials::of(evidence.run.root());
    FailureList {
        total: failed().count(),
        shown: failed()
            .take(SHOWN)
            .map(|record| one(record, files.files(record).ok().as_ref()))
            .collect(),
    }
}

/// A trial by its record; what is packed and damaged says nothing, as a folder that is gone.
pub(super) fn one(record: &Record, files: Option<&FilesOfTrial>) -> FailedTrial {
    let logs = ["logs/stderr.log", "logs/stdout.log"];
    let tails = logs.into_iter().filter_map(|file| tail(files?, file));
    FailedTrial {
        index: record.trial.index,
        trial: record.trial.label().to_string(),
        outcome: record.outcome,
        cause: record.cause.as_ref().map(ToString::to_string),
        attempts: record.attempt,
        dir: record.dir.clone(),
        packed: record.packed.is_some(),
        logs: if record.dir.is_empty() {
            Vec::new()
        } else {
            tails.collect()
        },
    }
}

/// The last lines of a log; nothing where it is empty or gone.
pub(super) fn tail(files: &FilesOfTrial, file: &str) -> Option<LogTail> {
    let mut log = files.open(file).ok()?;
    let length = log.size().ok()?;
    let from = length.saturating_sub(BYTES);
    log.seek(SeekFrom::Start(from)).ok()?;
    let mut bytes = Vec::new();
    log.take(BYTES).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let mut lines: Vec<String> = text.lines().map(terminal_removed).collect();
    // The first line is most likely not whole.
    if from > 0 && lines.len() > 1 {
        lines.remove(0);
    }
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    let before = lines.len().saturating_sub(LINES);
    lines.drain(..before);
    (!lines.is_empty()).then(|| LogTail {
        file: file.to_owned(),
        more: from > 0 || before > 0,
        lines,
    })
}

#[cfg(test)]
mod tests {
    use super::tail;
    use fairtrial_journal::FilesOfTrial;

    #[test]
    fn the_end_of_a_long_log_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let lines: Vec<String> = (0..10_000).map(|n| format!("line {n}")).collect();
        let text = lines.join("\n");
        std::fs::write(folder.path().join("log"), text).unwrap();
        let files = FilesOfTrial::in_folder(folder.path());
        let found = tail(&files, "log").unwrap();
        assert_eq!(found.lines.last().unwrap(), "line 9999");
        assert!(found.lines.len() == 12 && found.more);
        assert_eq!(tail(&files, "none"), None);
    }
}
