//! `manifest.json` and `runs.txt`: every effective result, in index order.

use super::row::{Kept, Rows};
use super::task_rows::{MANIFEST_SCHEMA, TaskHead, TaskRows, safe_name};
use crate::atomic::{Durability, write_atomic};
use crate::error::JournalError;
use crate::event::OutcomeCounts;
use crate::records::RecordFile;
use crate::run_dir::RunDir;
use crate::state::RunState;
use fairtrial_model::{Outcome, Stamp};
use fairtrial_spec::Spec;
use serde::Serialize;
use std::collections::HashMap;
use std::io::{self, Write};

#[derive(Serialize)]
struct Head<'a> {
    config: &'a str,
    name: &'a str,
    /// The stamp, as in the original.
    created_at: Stamp,
    schema: u32,
    status: &'a str,
    trials: u64,
    counts: OutcomeCounts,
}

/// Where each result stands in the manifest, and to which task it belongs.
#[derive(Default)]
pub(super) struct WrittenRows {
    rows: Vec<WrittenRow>,
    tasks: Vec<TaskHead>,
    task_numbers: HashMap<String, u32>,
    task_dirs: Vec<String>,
    task_dir_numbers: HashMap<String, u32>,
}

/// One result's place.
#[derive(Clone, Copy)]
pub(super) struct WrittenRow {
    pub(super) offset: u64,
    pub(super) len: u32,
    task: u32,
    task_dir: u32,
}

impl WrittenRows {
    /// The results' task directories, in the order of the results.
    pub(super) fn task_dirs(&self) -> impl Iterator<Item = &str> {
        let dirs = self
            .rows
            .iter()
            .map(|row| self.task_dirs.get(row.task_dir as usize));
        dirs.map(|dir| dir.map_or("", String::as_str))
    }

    /// The rows of each task, in index order.
    pub(super) fn by_task(&self) -> Vec<TaskRows<'_>> {
        let heads = self.tasks.iter();
        let mut groups: Vec<TaskRows<'_>> = heads
            .map(|head| TaskRows {
                file: format!("{}.json", safe_name(&head.task)),
                head,
                rows: Vec::new(),
            })
            .collect();
        for row in &self.rows {
            if let Some(group) = groups.get_mut(row.task as usize) {
                group.rows.push((row.offset, row.len));
            }
        }
        groups
    }

    fn add(&mut self, record: &Kept<'_>, task_dir: &str, offset: u64, len: u32) {
        let task = self.task_number(&record.trial.task);
        if let Some(head) = self.tasks.get_mut(task as usize) {
            head.count(record.trial.arm.as_deref(), record.outcome);
        }
        let task_dir = number(&mut self.task_dir_numbers, &mut self.task_dirs, task_dir);
        self.rows.push(WrittenRow {
            offset,
            len,
            task,
            task_dir,
        });
    }

    fn task_number(&mut self, task: &str) -> u32 {
        if let Some(known) = self.task_numbers.get(task) {
            return *known;
        }
        let next = self.tasks.len() as u32;
        self.task_numbers.insert(task.to_owned(), next);
        self.tasks.push(TaskHead {
            task: task.to_owned(),
            arms: Vec::new(),
        });
        next
    }
}

impl TaskHead {
    fn count(&mut self, arm: Option<&str>, outcome: Outcome) {
        let known = self
            .arms
            .iter_mut()
            .find(|(name, _)| name.as_deref() == arm);
        if let Some((_, counts)) = known {
            counts.add(outcome);
        } else {
            let mut counts = OutcomeCounts::default();
            counts.add(outcome);
            self.arms.push((arm.map(str::to_owned), counts));
        }
    }
}

fn number(numbers: &mut HashMap<String, u32>, words: &mut Vec<String>, word: &str) -> u32 {
    if let Some(known) = numbers.get(word) {
        return *known;
    }
    let next = words.len() as u32;
    numbers.insert(word.to_owned(), next);
    words.push(word.to_owned());
    next
}

/// Writes both files in one pass over the journal.
pub(super) fn write(
    run: &RunDir,
    spec: &Spec,
    state: &RunState,
    durability: Durability,
) -> Result<WrittenRows, JournalError> {
    let mut written = WrittenRows::default();
    write_atomic(&run.runs_txt(), durability, |runs| {
        let filled = write_atomic(&run.manifest(), durability, |manifest| {
            written = fill(run, spec, state, manifest, runs)?;
            Ok(())
        });
        filled.map_err(io::Error::other)
    })?;
    Ok(written)
}

fn fill(
    run: &RunDir,
    spec: &Spec,
    state: &RunState,
    manifest: &mut impl Write,
    runs: &mut impl Write,
) -> io::Result<WrittenRows> {
    let rows = Rows::new(run, spec);
    let mut written = WrittenRows::default();
    let mut text = head(run, spec, state)?;
    manifest.write_all(&text)?;
    let mut at = text.len() as u64;
    let mut file = RecordFile::open(&run.journal())?;
    for (_, trial) in state.trials() {
        let Some(record) = file.read_as::<Kept<'_>>(trial)? else {
            continue;
        };
        let row = rows.row(&record);
        text.clear();
        text.extend_from_slice(if written.rows.is_empty() {
            b"\n    "
        } else {
            b",\n    "
        });
        let lead = text.len();
        serde_json::to_writer(&mut text, &row)?;
        manifest.write_all(&text)?;
        writeln!(runs, "{}", row.run_dir)?;
        let (offset, len) = (at + lead as u64, (text.len() - lead) as u32);
        written.add(&record, row.task_dir, offset, len);
        at += text.len() as u64;
    }
    manifest.write_all(b"\n  ]\n}\n")?;
    Ok(written)
}

/// The manifest up to the opening bracket of its results.
fn head(run: &RunDir, spec: &Spec, state: &RunState) -> io::Result<Vec<u8>> {
    let opened = state.opened.as_ref();
    let head = Head {
        config: opened.map_or(spec.source.as_str(), |opened| &opened.config),
        name: run.name(),
        created_at: run.stamp(),
        schema: MANIFEST_SCHEMA,
        status: state.closed().map_or("open", |(_, status)| status.word()),
        trials: opened.map_or(0, |opened| opened.trials),
        counts: state.counts,
    };
    let mut text = serde_json::to_vec_pretty(&head)?;
    text.truncate(text.len() - "\n}".len());
    text.extend_from_slice(b",\n  \"results\": [");
    Ok(text)
}
