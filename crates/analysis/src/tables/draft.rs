//! From a question to the lines of the posted comparison: which rows and columns, and what stands behind each side.

use super::behind::Behind;
use super::named::Named;
use super::post_line::{PostLine, Side};
use super::post_table::{PostRow, PostTable};
use super::rows::{Standing, suite_rows};
use super::shown::digits;
use super::sides::{Cell, Sides, declared};
use super::unit::{in_column_unit, share_scale};
use crate::error::AnalysisError;
use fairtrial_spec::{Spec, TableSpec};
use std::collections::HashMap;

/// What is to be compared.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The suite whose declarations count.
    pub spec: &'a Spec,
    /// The table's declaration in it.
    pub table: &'a TableSpec,
    /// The table to beat.
    pub baseline: PostTable<'a>,
    /// The run whose numbers are to beat instead; a row that it does not have is the table's.
    pub baseline_run: Option<&'a Behind>,
    /// What is compared with it.
    pub proposed: Proposed<'a>,
}

/// Where new numbers come from.
#[derive(Debug, Clone, Copy)]
pub enum Proposed<'a> {
    /// Another table.
    Table(PostTable<'a>),
    /// A run.
    Run(&'a Behind),
}

/// A comparison whose rows are known.
pub struct Draft<'a> {
    question: Question<'a>,
    rows: Vec<PostRow>,
    notes: Vec<String>,
}

impl<'a> Draft<'a> {
    /// Works out the rows that are wanted: those of the run in the suite's order, or those of both tables.
    pub fn new(
        question: Question<'a>,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Self, AnalysisError> {
        let mut former: HashMap<String, Vec<String>> =
            suite_rows(question.spec, &question.table.name)?
                .into_iter()
                .map(|row| (row.key, row.was))
                .collect();
        let mut notes = Vec::new();
        let mut keys = match question.proposed {
            Proposed::Run(run) => keys_of_run(run, &mut notes),
            Proposed::Table(proposed) => keys_of_tables([question.baseline, proposed], &former),
        };
        keys.retain(|key| wanted(key));
        if keys.is_empty() {
            let why = "no row is asked for, or the run feeds none";
            return Err(AnalysisError::Question(why.to_owned()));
        }
        let rows = keys.into_iter().map(|key| PostRow {
            was: former.remove(&key).unwrap_or_default(),
            key,
        });
        Ok(Self {
            rows: rows.collect(),
            question,
            notes,
        })
    }

    /// What wrote the rows, beside the runs of the question: runs that can add evidence, or other tables.
    pub fn sources(&self) -> Vec<&'a str> {
        let mut sources: Vec<&str> = Vec::new();
        for row in &self.rows {
            for table in self.tables() {
                let written = table.row(row).and_then(|(key, _)| table.written_by(key));
                let is_own = |source: &&str| self.runs().any(|run| run.source == *source);
                let new = written.filter(|source| !sources.contains(source) && !is_own(source));
                sources.extend(new);
            }
        }
        sources
    }

    /// The lines, with what `runs` has for the sources of rows, and what a reader should know beside them.
    pub fn lines(&self, runs: &HashMap<String, Behind>) -> (Vec<PostLine>, Vec<String>) {
        let Question {
            spec,
            table,
            baseline_run,
            ..
        } = self.question;
        let mut sides = Sides::new(self.runs().collect(), runs);
        let mut named = Named::default();
        let mut lines = Vec::new();
        for row in &self.rows {
            for column in &table.columns {
                let has = |table: PostTable<'_>| table.place(column).is_some();
                if !(self.tables().any(has) || matches!(self.question.proposed, Proposed::Run(_))) {
                    continue;
                }
                let metric = declared(spec, column);
                let cell = Cell {
                    row,
                    column,
                    metric: &metric,
                    table,
                    spec,
                };
                let in_table = sides.of_table(&cell, self.question.baseline);
                let in_run = baseline_run.map(|run| sides.of_run(&cell, run));
                let proposed = match self.question.proposed {
                    Proposed::Table(table) => sides.of_table(&cell, table),
                    Proposed::Run(run) => sides.of_run(&cell, run),
                };
                let shown: [&Side; 2] = [in_run.as_ref().unwrap_or(&in_table), &proposed];
                let digits = digits(self.tables(), (column, &metric), shown);
                let baseline = match in_run {
                    None => in_table,
                    Some(in_run) => named.baseline((&row.key, column), digits, in_table, in_run),
                };
                lines.push(PostLine {
                    experiment: row.key.clone(),
                    title: column.title.clone(),
                    digits,
                    share_scale: share_scale(&metric, column),
                    metric: in_column_unit(metric, column),
                    baseline,
                    proposed,
                });
            }
        }
        let mut notes = self.notes.clone();
        let ambiguities =
            |table: PostTable<'_>| table.ambiguities(&self.rows, &self.question.table.columns);
        notes.extend(self.tables().flat_map(ambiguities));
        notes.extend(
            baseline_run
                .into_iter()
                .flat_map(|run| named.notes(&run.source)),
        );
        notes.extend(sides.notes());
        (lines, notes)
    }

    /// The tables of the question, the baseline first.
    fn tables(&self) -> impl Iterator<Item = PostTable<'a>> {
        let proposed = match self.question.proposed {
            Proposed::Table(table) => Some(table),
            Proposed::Run(_) => None,
        };
        std::iter::once(self.question.baseline).chain(proposed)
    }

    /// The runs of the question.
    fn runs(&self) -> impl Iterator<Item = &'a Behind> {
        let proposed = match self.question.proposed {
            Proposed::Run(run) => Some(run),
            Proposed::Table(_) => None,
        };
        proposed.into_iter().chain(self.question.baseline_run)
    }
}

/// The rows of a run; why one has no number, or one of a part, is told.
fn keys_of_run(run: &Behind, notes: &mut Vec<String>) -> Vec<String> {
    let mut keys = Vec::new();
    for row in &run.rows {
        keys.push(row.row.key.clone());
        if let Standing::Left(reason) | Standing::Part(reason) = &row.standing {
            notes.push(format!("{}: {reason}", row.row.key));
        }
    }
    keys
}

/// The rows of both tables; one that was renamed between them is one row.
fn keys_of_tables(
    tables: [PostTable<'_>; 2],
    former: &HashMap<String, Vec<String>>,
) -> Vec<String> {
    let mut keys: Vec<String> = Vec::new();
    for key in tables.iter().flat_map(|table| table.table.keys()) {
        let renamed = former.iter().find(|(_, was)| was.contains(&key));
        let key = match renamed {
            Some((now, _)) if !former.contains_key(&key) => now.clone(),
            _ => key,
        };
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}
