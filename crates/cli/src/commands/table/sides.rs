//! Both sides of a posted comparison: the numbers, and all that is known behind them.

use super::file::TableFile;
use super::gather::matches;
use super::named::Named;
use super::shown::{digits, from_seconds};
use super::suite::{self, Ran};
use crate::exit::Failure;
use crate::printer::Printer;
use fairtrial_analysis::Dataset;
use fairtrial_analysis::dataset::{Fact, FactKind};
use fairtrial_analysis::tables::{
    Evidence, PostLine, RunRow, Side, Standing, TrialValue, run_rows, suite_rows,
};
use fairtrial_engine::resolved_spec;
use fairtrial_episode::{EpisodeNumber, locate, open_regular, per_episode};
use fairtrial_journal::DataRoot;
use fairtrial_model::{Margin, MeasureKind, MetricDeclaration, MetricSource};
use fairtrial_spec::{Spec, TableColumn, TableSpec};
use fairtrial_table::{RowState, read_number};
use std::collections::HashMap;
use std::path::Path;

/// What is to be compared.
pub(super) struct Question<'a> {
    pub(super) spec: &'a Spec,
    pub(super) table: &'a TableSpec,
    pub(super) baseline: &'a TableFile,
    pub(super) baseline_run: Option<&'a Ran>,
    pub(super) proposed: Option<&'a TableFile>,
    pub(super) proposed_run: Option<&'a Ran>,
    pub(super) rows: &'a [String],
}

/// Runs that were looked at, by their name.
pub(super) struct Known {
    root: DataRoot,
    printer: Printer,
    runs: HashMap<String, Option<Behind>>,
}

/// What a run has behind its rows.
struct Behind {
    rows: Vec<RunRow>,
    facts: Vec<Fact>,
    root: DataRoot,
}

impl Known {
    pub(super) fn new(root: DataRoot, printer: Printer) -> Self {
        Self {
            root,
            printer,
            runs: HashMap::new(),
        }
    }

    fn take(&mut self, ran: &Ran, table: &TableSpec) -> Result<String, Failure> {
        let name = format!("{}/{}", ran.run.name(), ran.run.stamp());
        if !self.runs.contains_key(&name) {
            let behind = self.behind(ran, table)?;
            self.runs.insert(name.clone(), Some(behind));
        }
        Ok(name)
    }

    fn behind(&self, ran: &Ran, table: &TableSpec) -> Result<Behind, Failure> {
        let environment = crate::report_of::recorded_environment(&ran.run, self.printer);
        let data = Dataset::from_run(&ran.run, &ran.spec, environment.as_ref())?;
        Ok(Behind {
            rows: run_rows(&ran.run, &ran.spec, &table.name)?,
            facts: data
                .facts
                .into_iter()
                .filter(|fact| fact.kind == FactKind::Machine)
                .collect(),
            root: ran.run.root().clone(),
        })
    }

    /// The run that a row came from, where it is still here; why one that is here cannot be read is said.
    fn named(&mut self, source: &str, table: &TableSpec) -> Option<&Behind> {
        if !self.runs.contains_key(source) {
            let behind = self.found(source, table).unwrap_or_else(|failure| {
                let why = failure.message;
                self.printer
                    .warn(format!("its rows are compared without run {source}: {why}"));
                None
            });
            self.runs.insert(source.to_owned(), behind);
        }
        self.runs.get(source)?.as_ref()
    }

    fn found(&self, source: &str, table: &TableSpec) -> Result<Option<Behind>, Failure> {
        let Some(run) = suite::find(source, &self.root)? else {
            return Ok(None);
        };
        let spec = resolved_spec(&run)?;
        self.behind(&Ran { run, spec }, table).map(Some)
    }
}

/// The lines, and what a reader should know beside them.
pub(super) fn lines(
    question: &Question<'_>,
    known: &mut Known,
) -> Result<(Vec<PostLine>, Vec<String>), Failure> {
    let mut notes = Vec::new();
    let proposed_run = question
        .proposed_run
        .map(|ran| known.take(ran, question.table))
        .transpose()?;
    let baseline_run = question
        .baseline_run
        .map(|ran| known.take(ran, question.table))
        .transpose()?;
    let former: HashMap<String, Vec<String>> = suite_rows(question.spec, &question.table.name)?
        .into_iter()
        .map(|row| (row.key, row.was))
        .collect();
    let keys = keys(
        question,
        known,
        (proposed_run.as_deref(), &former),
        &mut notes,
    );
    if keys.is_empty() {
        return Err(Failure::input("no row is asked for, or the run feeds none"));
    }
    let files: Vec<&TableFile> = std::iter::once(question.baseline)
        .chain(question.proposed)
        .collect();
    let mut named = Named::default();
    let mut lines = Vec::new();
    for key in keys {
        for column in &question.table.columns {
            let of_table = question.baseline.table.column(&column.title).is_ok();
            let of_proposed = question
                .proposed
                .is_none_or(|file| file.table.column(&column.title).is_ok());
            if !(of_table || of_proposed) {
                continue;
            }
            let metric = declared(question.spec, column);
            let asked = Asked {
                key: &key,
                was: former.get(&key).map_or(&[], Vec::as_slice),
                column,
                metric: &metric,
                table: question.table,
                spec: question.spec,
            };
            let in_table = of_file(&asked, question.baseline, known);
            let in_run = baseline_run
                .as_deref()
                .map(|run| of_run(&asked, run, known));
            let proposed = match (question.proposed, proposed_run.as_deref()) {
                (Some(file), _) => of_file(&asked, file, known),
                (None, Some(run)) => of_run(&asked, run, known),
                (None, None) => Side::default(),
            };
            let shown = in_run.as_ref().unwrap_or(&in_table);
            let digits = digits(&files, (column, &metric), [shown, &proposed]);
            let baseline = match in_run {
                None => in_table,
                Some(in_run) => named.baseline((&key, column), digits, in_table, in_run),
            };
            lines.push(PostLine {
                experiment: key.clone(),
                title: column.title.clone(),
                digits,
                share_scale: share_scale(&metric, column),
                metric: in_column_unit(metric, column),
                baseline,
                proposed,
            });
        }
    }
    notes.extend(named.notes(baseline_run.as_deref()));
    Ok((lines, notes))
}

/// The rows to show: those of the run in the suite's order, or those of both tables.
fn keys(
    question: &Question<'_>,
    known: &Known,
    (run, former): (Option<&str>, &HashMap<String, Vec<String>>),
    notes: &mut Vec<String>,
) -> Vec<String> {
    let mut keys: Vec<String> = Vec::new();
    if let Some(behind) = run.and_then(|run| known.runs.get(run)?.as_ref()) {
        for row in &behind.rows {
            keys.push(row.row.key.clone());
            if let Standing::Left(reason) | Standing::Part(reason) = &row.standing {
                notes.push(format!("{}: {reason}", row.row.key));
            }
        }
    } else {
        let proposed = question.proposed.iter().flat_map(|file| file.table.keys());
        for key in question.baseline.table.keys().chain(proposed) {
            // A row that was renamed between the tables is one row.
            let renamed = former.iter().find(|(_, was)| was.contains(&key));
            let key = match renamed {
                Some((now, _)) if !former.contains_key(&key) => now.clone(),
                _ => key,
            };
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
    }
    let asked = |key: &String| {
        question.rows.is_empty() || question.rows.iter().any(|pattern| matches(pattern, key))
    };
    keys.retain(asked);
    keys
}

/// One cell in question.
struct Asked<'a> {
    key: &'a str,
    /// Keys that the row had before.
    was: &'a [String],
    column: &'a TableColumn,
    metric: &'a MetricDeclaration,
    table: &'a TableSpec,
    spec: &'a Spec,
}

fn declared(spec: &Spec, column: &TableColumn) -> MetricDeclaration {
    let known = spec.metrics.iter().find(|m| m.name == column.metric);
    known.map_or_else(
        || MetricDeclaration::named(column.metric.as_str()),
        MetricDeclaration::reduced,
    )
}

/// By what a number of the metric is multiplied to get the column's.
fn scale(column: &TableColumn) -> f64 {
    let convert = column.convert.as_ref();
    convert.map_or(1.0, |convert| convert.apply(1.0))
}

fn share_scale(metric: &MetricDeclaration, column: &TableColumn) -> f64 {
    let own = metric
        .convert
        .as_ref()
        .map_or(1.0, |convert| convert.apply(1.0));
    own * scale(column)
}

fn in_column_unit(mut metric: MetricDeclaration, column: &TableColumn) -> MetricDeclaration {
    if let Some(convert) = &column.convert {
        metric.unit = Some(convert.to_unit().to_owned());
        if let Some(Margin::Absolute(margin)) = metric.margin {
            metric.margin = Some(Margin::Absolute(margin * scale(column)));
        }
    }
    metric
}

/// A cell of a table, with the run behind it where that is known and the cell still says what was written.
fn of_file(asked: &Asked<'_>, file: &TableFile, known: &mut Known) -> Side {
    let names = std::iter::once(asked.key).chain(asked.was.iter().map(String::as_str));
    let key = names
        .into_iter()
        .find(|key| matches!(file.table.find(key), Ok(Some(_))))
        .unwrap_or(asked.key);
    let row = file.table.find(key).ok().flatten();
    let place = file.table.column(&asked.column.title).ok();
    let text = row.zip(place).and_then(|(row, place)| row.cell(place));
    let Some(text) = text else {
        return Side::default();
    };
    let Some(read) = read_number(&text) else {
        return Side::default();
    };
    let title = &asked.column.title;
    let full = file.origins.full_precision(key, title, &text);
    let shown = if read.style.is_duration() {
        from_seconds(read.value, asked.column, asked.metric)
    } else {
        read.value
    };
    let written = match file.origins.state(&file.table, key) {
        RowState::AsWritten => file.origins.rows.get(key),
        _ => None,
    };
    let mut evidence = written
        .map(|origin| origin.source.clone())
        .and_then(|source| {
            known
                .named(&source, asked.table)
                .map(|behind| evidence(asked, behind))
        })
        .unwrap_or_default();
    if evidence.share_of.is_none() {
        evidence.share_of = episodes_in_table(asked, file, key);
    }
    Side {
        value: Some(full.unwrap_or(shown)),
        rounded: full.is_none(),
        evidence,
    }
}

/// The number of episodes that stands in another column of the row.
fn episodes_in_table(asked: &Asked<'_>, file: &TableFile, key: &str) -> Option<u64> {
    let of = |metric: &MetricDeclaration| match &metric.source {
        MetricSource::Episodes { episodes, measure } => Some((episodes.clone(), measure.clone())),
        _ => None,
    };
    let (own_file, own) = of(asked.metric)?;
    if !matches!(own.kind, MeasureKind::Share(_)) || own.select.is_some() || !own.filter.is_empty()
    {
        return None;
    }
    let counts = |column: &&TableColumn| {
        of(&declared(asked.spec, column)).is_some_and(|(file, measure)| {
            file == own_file
                && measure.kind == MeasureKind::Count
                && measure.select.is_none()
                && measure.filter.is_empty()
        })
    };
    let column = asked.table.columns.iter().find(counts)?;
    let row = file.table.find(key).ok().flatten()?;
    let text = row.cell(file.table.column(&column.title).ok()?)?;
    let n = read_number(&text)?.value;
    (n > 0.0 && n.fract() == 0.0).then_some(n as u64)
}

fn of_run(asked: &Asked<'_>, run: &str, known: &mut Known) -> Side {
    let Some(behind) = known.named(run, asked.table) else {
        return Side::default();
    };
    let Some(row) = row_of(asked, behind).filter(|row| !matches!(row.standing, Standing::Left(_)))
    else {
        return Side::default();
    };
    Side {
        value: row.value(asked.column).filter(|value| value.is_finite()),
        rounded: false,
        evidence: evidence(asked, behind),
    }
}

/// A run's row, under the name that it had when the run was made.
fn row_of<'a>(asked: &Asked<'_>, behind: &'a Behind) -> Option<&'a RunRow> {
    let names = std::iter::once(asked.key).chain(asked.was.iter().map(String::as_str));
    names
        .into_iter()
        .find_map(|name| behind.rows.iter().find(|row| row.row.key == name))
}

fn evidence(asked: &Asked<'_>, behind: &Behind) -> Evidence {
    let Some(row) = row_of(asked, behind) else {
        return Evidence::default();
    };
    let factor = scale(asked.column);
    let trials = row.trials.iter().filter_map(|trial| {
        Some(TrialValue {
            seed: trial.seed,
            rollout: trial.rollout,
            value: trial.metrics.get(&asked.metric.name)? * factor,
        })
    });
    let episodes = episodes(asked, row, &behind.root);
    let share_of = episodes.len() as u64;
    let is_share = matches!(
        &asked.metric.source,
        MetricSource::Episodes { measure, .. } if matches!(measure.kind, MeasureKind::Share(_))
    );
    Evidence {
        trials: trials.collect(),
        share_of: (is_share && share_of > 0).then_some(share_of),
        episodes,
        facts: behind.facts.clone(),
    }
}

/// One number per episode of the row's trials, where their files are still here.
fn episodes(asked: &Asked<'_>, row: &RunRow, root: &DataRoot) -> Vec<EpisodeNumber> {
    let MetricSource::Episodes { episodes, measure } = &asked.metric.source else {
        return Vec::new();
    };
    let is_mean = matches!(measure.kind, MeasureKind::Mean(_));
    if measure.per.is_some() || !(is_mean || matches!(measure.kind, MeasureKind::Share(_))) {
        return Vec::new();
    }
    let factor = if is_mean {
        share_scale(asked.metric, asked.column)
    } else {
        1.0
    };
    let mut found = Vec::new();
    for trial in &row.trials {
        let read = |path: &Path| per_episode(episodes, open_regular(path).ok()?, measure).ok();
        let path = locate(&root.path().join(&trial.dir), &episodes.file).ok();
        let Some(numbers) = path.and_then(|path| read(&path)) else {
            return Vec::new();
        };
        found.extend(numbers.numbers.into_iter().map(|number| EpisodeNumber {
            identity: format!("{}/{}/{}", trial.seed, trial.rollout, number.identity),
            value: number.value * factor,
        }));
    }
    found
}
