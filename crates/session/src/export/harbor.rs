//! A run of agents as a job folder of Harbor, with what each rollout left.

use super::exported::Exported;
use crate::error::SessionError;
use fairtrial_agent::score::{AGENT_METRICS, METRICS};
use fairtrial_interop::{HarborJob, Outgoing, Rewards};
use fairtrial_journal::RunDir;
use fairtrial_model::Record;
use std::fs;
use std::path::{Path, PathBuf};

/// Files and folders of a rollout, and where Harbor has them.
const PLACES: [(&str, &str); 6] = [
    ("logs/agent.log", "agent/agent.log"),
    ("logs/setup.log", "agent/setup.log"),
    ("artifacts/trajectory.json", "agent/trajectory.json"),
    ("logs/eval.log", "verifier/test-stdout.txt"),
    ("verifier", "verifier"),
    ("artifacts", "artifacts"),
];
/// The fact that only rollouts have.
const AGENT: &str = "agent";

pub(super) fn job(run: &RunDir, outgoing: &Outgoing<'_>) -> Result<Exported, SessionError> {
    if !outgoing
        .records
        .iter()
        .any(|record| record.facts.contains_key(AGENT))
    {
        return Err(SessionError::NoRollouts(run.stamp()));
    }
    let rewards: Vec<Option<Rewards>> = outgoing.records.iter().map(rewards).collect();
    let job = HarborJob::of(outgoing, &rewards)?;
    let mut copies: Vec<(PathBuf, String)> = Vec::new();
    for (record, folder) in outgoing.records.iter().zip(&job.trials) {
        let dir = run.folder_of(&record.dir);
        for (from, to) in PLACES {
            take(&dir.join(from), &format!("{folder}/{to}"), &mut copies);
        }
    }
    // What stands in two of our places has one there: the first of them.
    let mut known = std::collections::HashSet::new();
    copies.retain(|(_, to)| known.insert(to.clone()));
    Ok(Exported::Folder {
        files: job.files,
        copies,
    })
}

/// What the tests gave: the score by Harbor's name, or the metrics of the task's own.
fn rewards(record: &Record) -> Option<Rewards> {
    if let Some(score) = record.metrics.get("score") {
        return Some([("reward".to_owned(), score.0)].into());
    }
    let is_own = |name: &&String| METRICS.iter().chain(&AGENT_METRICS).any(|own| own == *name);
    let others = record.metrics.iter().filter(|(name, _)| !is_own(name));
    let others: Rewards = others
        .map(|(name, value)| (name.clone(), value.0))
        .collect();
    (!others.is_empty()).then_some(others)
}

fn take(from: &Path, to: &str, copies: &mut Vec<(PathBuf, String)>) {
    let Ok(data) = fs::symlink_metadata(from) else {
        return;
    };
    if data.is_file() {
        copies.push((from.to_owned(), to.to_owned()));
    } else if data.is_dir() {
        for entry in fs::read_dir(from).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let Some(name) = name.to_str().filter(|name| *name != "trajectory.json") else {
                continue;
            };
            take(&entry.path(), &format!("{to}/{name}"), copies);
        }
    }
}
