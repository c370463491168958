//! What the verdicts rest on: the tables of the comparison, and the trials that did not end well.

use super::content::Block;
use crate::comparison::{failure_section, fairness_section, task_sections, verdict_section};
use crate::ranking::ranking_sections;
use crate::{sequential, sweep};
use fairtrial_analysis::Comparison;
use fairtrial_analysis::report::{FailedTrial, ReportData};
use fairtrial_text::count::{count, counted};

/// The tables of the comparison, or of the looks.
pub(super) fn comparison(data: &ReportData) -> Vec<Block> {
    let mut blocks = Vec::new();
    if let Some(trajectory) = &data.sequential {
        blocks.push(Block::Table(sequential::section(trajectory)));
    }
    blocks.extend(swept(data));
    blocks.extend(data.comparison.iter().flat_map(tables));
    blocks
}

/// The tables of a comparison.
pub(super) fn tables(comparison: &Comparison) -> Vec<Block> {
    let mut blocks = Vec::new();
    for contrast in &comparison.contrasts {
        // Nothing but failures may stand beside the answer of a run that stopped by looking.
        if !contrast.metrics.is_empty() {
            blocks.push(Block::Table(verdict_section(contrast, comparison)));
        }
        let beside = failure_section(contrast)
            .into_iter()
            .chain(fairness_section(contrast));
        blocks.extend(beside.chain(task_sections(contrast)).map(Block::Table));
    }
    blocks.extend(
        ranking_sections(&comparison.rankings)
            .into_iter()
            .map(Block::Table),
    );
    blocks
}

/// What a sweep chose, and what its parameters do.
fn swept(data: &ReportData) -> Vec<Block> {
    let mut blocks = Vec::new();
    if let Some(choice) = &data.choice {
        blocks.push(Block::Words(sweep::headline(choice)));
        blocks.push(Block::Table(sweep::choice_section(
            choice,
            data.summary.alpha,
        )));
        if let Some(confirmation) = &data.confirmation {
            let sweep = (data.run.name.as_str(), Some(data.run.spec.as_str()));
            let words = sweep::confirm_sentence(choice, confirmation, sweep);
            blocks.push(Block::Words(words));
        }
    }
    let effects = data.sensitivity.iter().flat_map(sweep::effect_sections);
    blocks.extend(effects.map(Block::Table));
    blocks
}

/// The trials that did not end well, each with the ends of its logs.
pub(super) fn failures(data: &ReportData) -> Vec<Block> {
    let failures = &data.failures;
    if failures.total == 0 {
        let words = match data.run.unfinished() {
            Some(_) => "No trial has failed so far.",
            None => "Every trial ended ok.",
        };
        return vec![Block::Words(words.to_owned())];
    }
    let shown = failures.shown.len();
    let first = if shown < failures.total {
        format!(", the first {shown} of them are shown")
    } else {
        String::new()
    };
    let mut blocks = vec![Block::Words(format!(
        "{} did not end ok{first}.",
        counted(failures.total as u64, "trial")
    ))];
    blocks.extend(failures.shown.iter().flat_map(failed));
    blocks
}

fn failed(trial: &FailedTrial) -> Vec<Block> {
    let cause = trial
        .cause
        .as_ref()
        .map_or(String::new(), |cause| format!(": {cause}"));
    let attempts = if trial.attempts > 1 {
        format!(", after {} attempts", count(u64::from(trial.attempts)))
    } else {
        String::new()
    };
    let place = if trial.dir.is_empty() {
        String::new()
    } else {
        format!(" ({})", trial.dir)
    };
    let mut blocks = vec![Block::Words(format!(
        "Trial {}, {}: {}{cause}{attempts}{place}",
        trial.index, trial.trial, trial.outcome
    ))];
    blocks.extend(trial.logs.iter().map(|log| {
        let title = if log.more {
            format!("{}, last lines", log.file)
        } else {
            log.file.clone()
        };
        Block::Log {
            title,
            lines: log.lines.clone(),
        }
    }));
    blocks
}
