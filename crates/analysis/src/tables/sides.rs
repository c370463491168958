//! Both sides of a line: the number, and all that is known behind it.

use super::behind::Behind;
use super::compared::is_share;
use super::episodes::{Unusable, episodes};
use super::evidence::{Evidence, TrialValue};
use super::post_line::Side;
use super::post_table::{PostRow, PostTable};
use super::rows::{RunRow, Standing};
use super::unit::{from_seconds, scale};
use fairtrial_model::{Measure, MeasureKind, MetricDeclaration, MetricSource};
use fairtrial_spec::{Spec, TableColumn, TableSpec};
use fairtrial_table::Row;
use fairtrial_text::column::{CellNumber, read_number};
use std::collections::HashMap;

/// One cell in question.
pub(super) struct Cell<'a> {
    pub(super) row: &'a PostRow,
    pub(super) column: &'a TableColumn,
    pub(super) metric: &'a MetricDeclaration,
    pub(super) table: &'a TableSpec,
    pub(super) spec: &'a Spec,
}

/// Where evidence is looked for, and what was in the way.
pub(super) struct Sides<'a> {
    /// The runs that are compared themselves.
    own: Vec<&'a Behind>,
    /// Others, by what the origins of rows call them.
    others: &'a HashMap<String, Behind>,
    notes: Vec<String>,
    unusable: Unusable,
}

/// What is declared about the metric of a column.
pub(super) fn declared(spec: &Spec, column: &TableColumn) -> MetricDeclaration {
    let known = spec.metrics.iter().find(|m| m.name == column.metric);
    known.map_or_else(
        || MetricDeclaration::named(column.metric.as_str()),
        MetricDeclaration::reduced,
    )
}

impl<'a> Sides<'a> {
    pub(super) fn new(own: Vec<&'a Behind>, others: &'a HashMap<String, Behind>) -> Self {
        Self {
            own,
            others,
            notes: Vec::new(),
            unusable: Unusable::default(),
        }
    }

    /// What a reader should know of the sides.
    pub(super) fn notes(self) -> impl Iterator<Item = String> {
        self.notes.into_iter().chain(self.unusable.notes())
    }

    fn run(&self, source: &str) -> Option<&'a Behind> {
        let mut own = self.own.iter().copied();
        own.find(|run| run.source == source)
            .or_else(|| self.others.get(source))
    }

    /// A cell of a table, with the run behind it where that is known and the cell still says what was written.
    pub(super) fn of_table(&mut self, cell: &Cell<'_>, table: PostTable<'_>) -> Side {
        let Some((key, row)) = table.row(cell.row) else {
            return Side::default();
        };
        let place = table.place(cell.column);
        let text = place.and_then(|place| row.cell(place)).unwrap_or_default();
        let Some(read) = read_number(&text) else {
            return Side::default();
        };
        let full = table.origins.full_precision(key, &cell.column.title, &text);
        let behind = table.written_by(key).and_then(|source| self.run(source));
        let mut evidence = behind
            .map(|behind| self.evidence(cell, behind))
            .unwrap_or_default();
        if evidence.share_of.is_none() {
            evidence.share_of = episodes_in_table(cell, table, row);
        }
        Side {
            value: Some(full.unwrap_or_else(|| self.shown(cell, table, (&text, &read)))),
            rounded: full.is_none(),
            evidence,
        }
    }

    /// The number of a text, in the unit of its column.
    fn shown(
        &mut self,
        cell: &Cell<'_>,
        table: PostTable<'_>,
        (text, read): (&str, &CellNumber),
    ) -> f64 {
        if !read.style.is_duration() {
            return read.value;
        }
        from_seconds(read.value, cell.column, cell.metric).unwrap_or_else(|error| {
            self.notes.push(format!(
                "{}: `{}` under {} in {} is taken as seconds: {error}",
                cell.row.key,
                text.trim(),
                cell.column.title,
                table.label,
            ));
            read.value
        })
    }

    /// What a run has for a cell.
    pub(super) fn of_run(&mut self, cell: &Cell<'_>, run: &Behind) -> Side {
        let row = row_of(cell, run).filter(|row| !matches!(row.standing, Standing::Left(_)));
        let Some(row) = row else {
            return Side::default();
        };
        Side {
            value: row.value(cell.column).filter(|value| value.is_finite()),
            rounded: false,
            evidence: self.evidence(cell, run),
        }
    }

    fn evidence(&mut self, cell: &Cell<'_>, run: &Behind) -> Evidence {
        let Some(row) = row_of(cell, run) else {
            return Evidence::default();
        };
        let factor = scale(cell.column);
        let trials = row.trials.iter().filter_map(|trial| {
            Some(TrialValue {
                seed: trial.seed,
                rollout: trial.rollout,
                value: trial.metrics.get(&cell.metric.name)? * factor,
            })
        });
        let of = (cell.column, cell.metric);
        let episodes = episodes(row, of, &run.root, &mut self.unusable);
        let share_of = episodes.len() as u64;
        Evidence {
            trials: trials.collect(),
            share_of: (is_share(cell.metric) && share_of > 0).then_some(share_of),
            episodes,
            facts: run.facts.clone(),
        }
    }
}

/// A run's row, under the name that it had when the run was made.
fn row_of<'r>(cell: &Cell<'_>, run: &'r Behind) -> Option<&'r RunRow> {
    let mut names = cell.row.names();
    names.find_map(|name| run.rows.iter().find(|row| row.row.key == name))
}

/// The number of episodes that stands in another column of the row.
fn episodes_in_table(cell: &Cell<'_>, table: PostTable<'_>, row: Row<'_>) -> Option<u64> {
    let of = |metric: &MetricDeclaration| match &metric.source {
        MetricSource::Episodes { episodes, measure } => Some((episodes.clone(), measure.clone())),
        _ => None,
    };
    let of_all = |measure: &Measure| measure.select.is_none() && measure.filter.is_empty();
    let (own_file, own) = of(cell.metric)?;
    if !is_share(cell.metric) || !of_all(&own) {
        return None;
    }
    let counts = |column: &&TableColumn| {
        of(&declared(cell.spec, column)).is_some_and(|(file, measure)| {
            file == own_file && measure.kind == MeasureKind::Count && of_all(&measure)
        })
    };
    let column = cell.table.columns.iter().find(counts)?;
    let text = row.cell(table.place(column)?)?;
    let n = read_number(&text)?.value;
    (n > 0.0 && n.fract() == 0.0).then_some(n as u64)
}
