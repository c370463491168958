//! The files that a trial with an experiment leaves: in its own directory, and again under the spec's `output_dir`.

use crate::aggregate::Described;
use crate::markdown;
use crate::reported::{Numbers, put_beside};
use crate::request::{DriveTask, DriveTrial};
use crate::result::{self, Ending};
use crate::tools::{DriveError, Tools};
use fairtrial_episode::append_own;
use fairtrial_journal::{Durability, write_atomic, write_atomic_bytes};
use fairtrial_model::{BROKEN_FACT, CAUSE_FACT, INFRA_FACT, NOTES_FACT, Sha256, TrialId};
use serde_json::{Map, Value, json};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Artifacts that are left out and named.
const MOST_REMARKS: usize = 3;
/// The file that the trial runner collects metrics from.
const METRICS_FILE: &str = "metrics.jsonl";

/// Writes the metrics for the record, the result file, the page, and the copies under `output_dir`.
pub(crate) fn write(
    task: &DriveTask,
    trial: &DriveTrial,
    tools: &Tools,
    ending: &Ending,
) -> Result<(), DriveError> {
    let run_id = run_id(&trial.name, &trial.id);
    let (result, page) = (trial.dir.join("result.json"), trial.dir.join("README.md"));
    let described = Described::of(&ending.samples);
    append_metrics(&trial.dir.join(METRICS_FILE), ending, &described)?;
    let head = result::head(task, trial, tools, (ending, &described), &run_id);
    write_atomic(&result, Durability::Content, |file| {
        result::write(file, &head, ending)
    })?;
    let text = markdown::page(task, trial, (ending, &described), &run_id);
    write_atomic_bytes(&page, Durability::Content, text.as_bytes())?;
    publish(task, trial)
}

/// The means of every metric, and what instruments found, as one line of final metrics; with what a reader of the means
/// should know, and why the trial failed.
fn append_metrics(path: &Path, ending: &Ending, described: &Described) -> Result<(), DriveError> {
    let mut line = Map::new();
    for (name, aggregate) in &described.metrics {
        line.insert(name.clone(), aggregate.mean_value());
    }
    let mut told = Vec::new();
    for found in &ending.findings {
        let mut seen = Numbers::default();
        seen.take(&found.name, &found.summary);
        for (name, value) in seen.found {
            told.extend(put_beside(&mut line, name.into_owned(), json!(value)));
        }
        told.extend(seen.remarks);
    }
    let notes = [
        ending.course.remark(),
        described.gaps.clone(),
        described.remarks.clone(),
    ];
    let mut notes: Vec<String> = notes.into_iter().flatten().chain(told).collect();
    notes.extend(ending.remarks.iter().take(MOST_REMARKS).cloned());
    if let Some(more) = ending.remarks.len().checked_sub(MOST_REMARKS + 1) {
        notes.push(format!("and {} more artifacts", more + 1));
    }
    if !notes.is_empty() {
        line.insert(NOTES_FACT.to_owned(), notes.join("; ").into());
    }
    if let Some(trouble) = &ending.trouble {
        // In one line, as causes are shown.
        let words = trouble.words();
        let words: Vec<&str> = words.split_whitespace().collect();
        line.insert(CAUSE_FACT.to_owned(), words.join(" ").into());
    }
    if line.is_empty() {
        return Ok(());
    }
    append(path, &line).map_err(DriveError::io(path))
}

fn append(path: &Path, line: &Map<String, Value>) -> io::Result<()> {
    let mut text = serde_json::to_vec(line)?;
    text.push(b'\n');
    // What an experiment put in its place is not waited for.
    let mut file = append_own(path)?;
    file.write_all(&text)?;
    file.sync_data()
}

/// Tells the trial runner that the machine failed the trial. Where not even that can be written, the runner meets the
/// same trouble with its own files.
pub(crate) fn blame_the_machine(dir: &Path, error: &DriveError) {
    let fact = if error.is_permanent() {
        BROKEN_FACT
    } else {
        INFRA_FACT
    };
    let line = Map::from_iter([(fact.to_owned(), json!(error.to_string()))]);
    let _ = append(&dir.join(METRICS_FILE), &line);
}

/// Eight letters and digits that no other attempt has, in the form of the original's run ids.
fn run_id(trial: &str, id: &TrialId) -> String {
    const DIGITS: &[u8; 36] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let hash = Sha256::digest(format!("{trial}\n{id}"));
    let mut number = hash
        .iter()
        .take(8)
        .fold(0_u64, |sum, byte| (sum << 8) | u64::from(*byte));
    let mut text = String::with_capacity(8);
    for _ in 0..8 {
        text.push(char::from(DIGITS[(number % 36) as usize]));
        number /= 36;
    }
    text
}

/// The name of a trial's folder under `output_dir`: experiment, time of the run, id of the attempt.
pub fn result_dir_name(experiment: &str, run: &str, trial: &str, id: &TrialId) -> String {
    let time: String = run
        .replace("__", "_")
        .chars()
        .filter(|c| c.is_ascii_digit() || *c == '_')
        .collect();
    let safe = |c: char| c.is_alphanumeric() || "._-".contains(c);
    let slug: String = experiment
        .chars()
        .map(|c| if safe(c) { c } else { '_' })
        .collect();
    format!("{slug}_{time}_{}", run_id(trial, id))
}

/// Puts the result under `output_dir`. The folder must be new: nothing is ever written over.
fn publish(task: &DriveTask, trial: &DriveTrial) -> Result<(), DriveError> {
    let name = result_dir_name(&task.experiment, &task.run, &trial.name, &trial.id);
    let folder = task.output_dir.join(&name);
    fs::create_dir_all(&task.output_dir).map_err(DriveError::io(&task.output_dir))?;
    fs::create_dir(&folder).map_err(DriveError::io(&folder))?;
    share(
        &trial.dir.join("result.json"),
        &folder.join(format!("{name}.json")),
    )?;
    share(&trial.dir.join("README.md"), &folder.join("README.md"))?;
    let artifacts = trial.dir.join("artifacts");
    let files = files_in(&artifacts).map_err(DriveError::io(&artifacts))?;
    if files.is_empty() {
        return Ok(());
    }
    let target = folder.join("artifacts");
    fs::create_dir(&target).map_err(DriveError::io(&target))?;
    for file in files {
        if let Some(name) = file.file_name() {
            share(&file, &target.join(name))?;
        }
    }
    Ok(())
}

fn files_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            files.push(entry.path());
        }
    }
    Ok(files)
}

/// The same file at a second place: a link where the file system allows, a copy elsewhere.
fn share(from: &Path, to: &Path) -> Result<(), DriveError> {
    fs::hard_link(from, to)
        .or_else(|_| fs::copy(from, to).map(drop))
        .map_err(DriveError::io(to))
}
