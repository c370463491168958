//! What a bisect has measured, on disk: one line per block, appended when its last record is durable. The search is a function
//! of these lines, so that nothing else has to be kept.

use super::prepared::PreparedBisect;
use crate::error::SessionError;
use fairtrial_analysis::bisect::Evidence;
use fairtrial_engine::task_cache;
use fairtrial_journal::DataRoot;
use fairtrial_model::{Sha256, hex};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::Arc;

/// Folder of the bisects in the cache: who removes it loses no run, and begins anew.
const FOLDER: &str = "bisects";
/// Its file of what was measured.
const MEASURED: &str = "measured.jsonl";
/// Digits in the name of its folder.
const DIGITS: usize = 4;

/// A line of the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    /// One block: the run, and the value of each commit.
    Block {
        run: String,
        values: BTreeMap<String, f64>,
    },
    /// A commit that cannot be measured.
    Skipped { commit: String, why: String },
}

/// What is kept of a bisect, and the evidence that it is.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    pub(super) evidence: Evidence,
    pub(super) skipped: BTreeMap<usize, String>,
    pub(super) runs: Vec<String>,
    commits: Arc<Vec<String>>,
    path: PathBuf,
    /// The file, which is locked as long as one of its holders lives.
    file: Arc<File>,
}

impl Kept {
    /// Opens what is kept of this question, and makes it where there is nothing.
    pub(super) fn open(root: &DataRoot, bisect: &PreparedBisect) -> Result<Self, SessionError> {
        let folder = task_cache(root).join(FOLDER).join(name(bisect)?);
        let path = folder.join(MEASURED);
        let machine = |error: io::Error| {
            SessionError::Machine(format!("cannot use {}: {error}", path.display()))
        };
        fs::create_dir_all(&folder).map_err(machine)?;
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        let mut file = options.open(&path).map_err(machine)?;
        if file.try_lock().is_err() {
            return Err(SessionError::Input(format!(
                "this bisect is at work already (it keeps {})",
                path.display()
            )));
        }
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(machine)?;
        // What was being written when the machine went down is no line.
        let whole = text
            .iter()
            .rposition(|it| *it == b'\n')
            .map_or(0, |at| at + 1);
        file.set_len(whole as u64).map_err(machine)?;
        file.seek(SeekFrom::End(0)).map_err(machine)?;
        let commits = bisect.range.commits.iter().map(|it| it.commit.clone());
        let mut kept = Self {
            evidence: Evidence {
                last: bisect.range.last(),
                ..Evidence::default()
            },
            skipped: BTreeMap::new(),
            runs: Vec::new(),
            commits: Arc::new(commits.collect()),
            path: path.clone(),
            file: Arc::new(file),
        };
        let places: HashMap<String, usize> = kept.commits.iter().cloned().zip(0..).collect();
        for (number, line) in text[..whole].split(|it| *it == b'\n').enumerate() {
            if line.is_empty() {
                continue;
            }
            let read = serde_json::from_slice(line).ok();
            let taken = read.and_then(|line| kept.read(line, &places));
            taken.ok_or_else(|| {
                let line = number + 1;
                let path = path.display();
                SessionError::Machine(format!(
                    "line {line} of {path} is damaged: remove this file to begin the bisect anew"
                ))
            })?;
        }
        Ok(kept)
    }

    fn read(&mut self, line: Line, places: &HashMap<String, usize>) -> Option<()> {
        match line {
            Line::Block { run, values } => {
                let place =
                    |(commit, value): (String, f64)| Some((*places.get(&commit)?, value.ln()));
                let block = values.into_iter().map(place).collect::<Option<_>>()?;
                self.evidence.blocks.push(block);
                self.of_run(run);
            }
            Line::Skipped { commit, why } => {
                let place = *places.get(&commit)?;
                self.evidence.skipped.insert(place);
                self.skipped.insert(place, why);
            }
        }
        Some(())
    }

    fn of_run(&mut self, run: String) {
        if self.runs.last() != Some(&run) {
            self.runs.push(run);
        }
    }

    /// Keeps a block.
    pub(super) fn block(
        &mut self,
        run: &str,
        values: &BTreeMap<usize, f64>,
    ) -> Result<(), SessionError> {
        let named = values.iter();
        let named = named.map(|(place, value)| (self.commits[*place].clone(), *value));
        self.append(&Line::Block {
            run: run.to_owned(),
            values: named.collect(),
        })?;
        let logarithms = values.iter().map(|(place, value)| (*place, value.ln()));
        self.evidence.blocks.push(logarithms.collect());
        self.of_run(run.to_owned());
        Ok(())
    }

    /// Keeps that a commit cannot be measured.
    pub(super) fn skip(&mut self, place: usize, why: &str) -> Result<(), SessionError> {
        self.append(&Line::Skipped {
            commit: self.commits[place].clone(),
            why: why.to_owned(),
        })?;
        self.evidence.skipped.insert(place);
        self.skipped.insert(place, why.to_owned());
        Ok(())
    }

    fn append(&self, line: &Line) -> Result<(), SessionError> {
        let mut text =
            serde_json::to_vec(line).map_err(|error| SessionError::Machine(error.to_string()))?;
        text.push(b'\n');
        let mut file = &*self.file;
        let written = file.write_all(&text).and_then(|()| file.sync_data());
        written.map_err(|error| {
            SessionError::Machine(format!("cannot write {}: {error}", self.path.display()))
        })
    }

    /// Runs of the command that were measured.
    pub(super) fn trials(&self) -> usize {
        self.evidence.blocks.iter().map(BTreeMap::len).sum()
    }

    /// Blocks in which all of these took part.
    pub(super) fn blocks_of(&self, arms: &[usize]) -> usize {
        let whole = |block: &&BTreeMap<usize, f64>| arms.iter().all(|it| block.contains_key(it));
        self.evidence.blocks.iter().filter(whole).count()
    }
}

/// What the question is known by: everything that a number rests on, and nothing by which it is only judged.
fn name(bisect: &PreparedBisect) -> Result<String, SessionError> {
    let (range, question) = (&bisect.range, &bisect.question);
    let (good, bad) = (&range.commits[0], &range.commits[range.last()]);
    let bench = serde_json::to_string(&crate::bench::BenchQuestion {
        margin: 0.0,
        ..question.bench.clone()
    });
    let bench = bench.map_err(|error| SessionError::Machine(error.to_string()))?;
    let places = (range.top.display(), range.inside.display());
    let whole = format!(
        "{}\n{}\n{}\n{}\n{bench}",
        places.0, places.1, good.commit, bad.commit
    );
    let digest = Sha256::digest(whole);
    Ok(format!(
        "{}-{}-{}",
        good.short(),
        bad.short(),
        hex(&digest[..DIGITS])
    ))
}
