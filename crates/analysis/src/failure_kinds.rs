//! Why trials did not end well, kind by kind, with what the first one of each kind said: nobody should have to open a
//! log to learn that a module is missing.

use fairtrial_journal::{
    FilesOfTrials, JournalError, RunDir, RunState, TrialFile, effective_records,
};
use fairtrial_model::{Outcome, Record};
use std::io::{Read, Seek, SeekFrom};

/// Bytes of a log that are looked at, from its beginning and from its end.
const LOOKED_AT: u64 = 64 * 1024;
/// Lines of a log that are kept.
const LINES: usize = 2;
/// Letters of a line that are kept.
const LETTERS: usize = 160;
/// What Python writes before the calls that led to an exception.
const TRACEBACK: &str = "Traceback (most recent call last)";

/// Trials that ended alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailureKind {
    /// How they ended.
    pub outcome: Outcome,
    /// Why, in words.
    pub cause: Option<String>,
    /// How many.
    pub count: u64,
    /// The first of them, by its place in the plan.
    pub trial: u64,
    /// Who that was: `train · candidate · seed 1072`.
    pub label: String,
    /// What it said last, or first where that says more; nothing where it was silent.
    pub said: Vec<String>,
}

/// The kinds of a run, the most frequent first; `ok` is none of them.
pub fn failure_kinds(run: &RunDir, state: &RunState) -> Result<Vec<FailureKind>, JournalError> {
    let mut kinds: Vec<FailureKind> = Vec::new();
    let mut files = FilesOfTrials::of(run.root());
    effective_records(&run.journal(), state, |record| {
        if record.outcome != Outcome::Ok {
            count(&mut kinds, &mut files, &record);
        }
        Ok::<(), JournalError>(())
    })?;
    kinds.sort_by_key(|kind| std::cmp::Reverse(kind.count));
    Ok(kinds)
}

fn count(kinds: &mut Vec<FailureKind>, files: &mut FilesOfTrials, record: &Record) {
    let cause = record.cause.as_ref().map(ToString::to_string);
    let alike = |kind: &&mut FailureKind| kind.outcome == record.outcome && kind.cause == cause;
    if let Some(kind) = kinds.iter_mut().find(alike) {
        kind.count += 1;
        return;
    }
    kinds.push(FailureKind {
        outcome: record.outcome,
        cause,
        count: 1,
        trial: record.trial.index,
        label: record.trial.label().to_string(),
        said: said(files, record),
    });
}

/// The lines of a trial's standard error that explain it.
fn said(files: &mut FilesOfTrials, record: &Record) -> Vec<String> {
    if record.dir.is_empty() {
        return Vec::new();
    }
    let log = files.files(record).ok();
    let log = log.and_then(|files| files.open("logs/stderr.log").ok());
    let Some((head, tail)) = log.and_then(ends_of) else {
        return Vec::new();
    };
    telling_lines(&head, &tail)
}

fn ends_of(mut file: TrialFile) -> Option<(String, String)> {
    let mut head = Vec::new();
    file.by_ref().take(LOOKED_AT).read_to_end(&mut head).ok()?;
    let length = file.seek(SeekFrom::End(0)).ok()?;
    file.seek(SeekFrom::Start(length.saturating_sub(LOOKED_AT)))
        .ok()?;
    let mut tail = Vec::new();
    file.take(LOOKED_AT).read_to_end(&mut tail).ok()?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Some((text(&head), text(&tail)))
}

/// The exception of a traceback, else the first lines.
fn telling_lines(head: &str, tail: &str) -> Vec<String> {
    let kept = |line: &str| fairtrial_text::excerpt::excerpt(line.trim(), LETTERS);
    let filled = |line: &&str| !line.trim().is_empty();
    if tail.contains(TRACEBACK) || head.contains(TRACEBACK) {
        return tail
            .lines()
            .rev()
            .find(filled)
            .map(kept)
            .into_iter()
            .collect();
    }
    head.lines().filter(filled).take(LINES).map(kept).collect()
}

#[cfg(test)]
mod tests {
    use super::telling_lines;

    #[test]
    fn an_exception_is_the_last_line_of_its_traceback() {
        let log = "loading\nTraceback (most recent call last):\n  File \"t.py\", line 1\nValueError: bad lr\n\n";
        assert_eq!(telling_lines(log, log), ["ValueError: bad lr"]);
    }

    #[test]
    fn other_programs_say_it_first() {
        let log = "\nerror: no such file\nusage: x\nmore\n";
        assert_eq!(telling_lines(log, log), ["error: no such file", "usage: x"]);
        assert!(telling_lines("", "").is_empty());
    }
}
