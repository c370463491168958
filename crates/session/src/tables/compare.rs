//! The table that people post: results against a table, with one mark per line and the noise it was judged by.

use super::behind::Loader;
use super::error::TableError;
use super::file::TableFile;
use super::gather::asked;
use super::suite::{SuiteChoice, SuiteRun, table_for};
use crate::error::SessionError;
use crate::session::Session;
use fairtrial_analysis::dataset::FactKind;
use fairtrial_analysis::tables::{Draft, MarkRule, PostOptions, Posted, Proposed, Question, post};
use std::path::Path;

/// What is compared with a table, and how.
#[derive(Debug, Clone)]
pub struct TableQuestion {
    /// The table to beat.
    pub baseline_table: String,
    /// Another table to compare with it.
    pub proposed_table: Option<String>,
    /// The run to compare with it.
    pub from: Option<String>,
    /// The run whose numbers are taken instead of the table's.
    pub baseline: Option<String>,
    /// Where declarations are.
    pub suite: SuiteChoice,
    /// The table's name in the spec, where its file does not tell.
    pub table: Option<String>,
    /// Only rows that match one of these patterns; empty for all.
    pub rows: Vec<String>,
    /// What counts as a change.
    pub rule: MarkRule,
    /// Two-sided error rate; absent for the spec's.
    pub alpha: Option<f64>,
    /// Differences between the sides to accept.
    pub accept: Vec<FactKind>,
}

/// A comparison with a table.
#[derive(Debug)]
pub struct TableComparison {
    /// The table to beat.
    pub baseline: TableFile,
    /// The lines.
    pub posted: Posted,
    /// What a reader should know.
    pub notes: Vec<String>,
}

impl Session {
    /// Compares results with a table, line by line.
    pub fn compare_table(&self, question: &TableQuestion) -> Result<TableComparison, SessionError> {
        let run = |name: &Option<String>| {
            let name = name.as_deref();
            name.map(|name| self.suite_run(name)).transpose()
        };
        let proposed_run = run(&question.from)?;
        let spec = match (self.suite(&question.suite)?, &proposed_run) {
            (Some(spec), _) => spec,
            (None, Some(ran)) => ran.spec.clone(),
            (None, None) => return Err(TableError::NoDeclarations.into()),
        };
        let file_part = question.baseline_table.rsplit_once('@');
        let file = file_part.map_or(question.baseline_table.as_str(), |(file, _)| file);
        let declared = table_for(&spec, Path::new(file), question.table.as_deref())?.clone();
        let key = declared.key.as_deref();
        let baseline = TableFile::read(&question.baseline_table, key)?;
        let proposed = question
            .proposed_table
            .as_deref()
            .map(|name| TableFile::read(name, key))
            .transpose()?;
        let baseline_run = run(&question.baseline)?;
        let mut loader = Loader {
            session: self,
            table: &declared.name,
            notes: Vec::new(),
        };
        let mut load = |ran: Option<&SuiteRun>| ran.map(|ran| loader.load(ran)).transpose();
        let proposed_run = load(proposed_run.as_ref())?;
        let baseline_run = load(baseline_run.as_ref())?;
        let proposed = match (&proposed, &proposed_run) {
            (Some(file), _) => Proposed::Table(file.to_compare()),
            (None, Some(run)) => Proposed::Run(run),
            (None, None) => {
                let message = "nothing is named to compare with the table";
                return Err(SessionError::Input(message.to_owned()));
            }
        };
        let draft = Question {
            spec: &spec,
            table: &declared,
            baseline: baseline.to_compare(),
            baseline_run: baseline_run.as_ref(),
            proposed,
        };
        let draft = Draft::new(draft, |key| asked(&question.rows, key))?;
        let runs = loader.still_here(draft.sources());
        let (lines, mut notes) = draft.lines(&runs);
        notes.append(&mut loader.notes);
        let options = PostOptions {
            rule: question.rule,
            alpha: question.alpha.unwrap_or(spec.analysis.alpha()),
            accept: question.accept.clone(),
        };
        let posted = post(&lines, &options)?;
        Ok(TableComparison {
            baseline,
            posted,
            notes,
        })
    }
}
