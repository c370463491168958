//! What an update writes: the rows that are ready, where they came from, and the rows that must be left alone.

use super::error::{Lacking, TableError};
use super::file::TableFile;
use super::suite::SuiteRun;
use crate::error::SessionError;
use crate::session::Session;
use fairtrial_analysis::tables::{RunRow, Standing, run_rows, source_of, suite_rows};
use fairtrial_journal::provenance::{Environment, Vcs};
use fairtrial_model::{Conversion, MetricDeclaration};
use fairtrial_spec::{TableColumn, TableSpec};
use fairtrial_table::{
    Expected, FindingKind, NewCell, NewColumn, RowOrigin, RowUpdate, Update, Value, check,
};
use fairtrial_text::column::{NumberStyle, read_number};
use fairtrial_text::glob::{Glob, Piece};
use std::collections::BTreeMap;

/// Everything for one update.
#[derive(Debug)]
pub(super) struct Gathered {
    pub(super) update: Update,
    /// By row: where it comes from, and its numbers at full precision by column.
    pub(super) origins: BTreeMap<String, (RowOrigin, BTreeMap<String, f64>)>,
    /// Rows that stay as they are.
    pub(super) left: Vec<LeftRow>,
    /// What else a reader should know.
    pub(super) notes: Vec<TableNote>,
}

/// A row that stays as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftRow {
    /// Its key.
    pub row: String,
    /// Why.
    pub why: WhyLeft,
}

/// Why a row stays as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WhyLeft {
    /// Its trials, for this reason.
    Trials(String),
    /// Its trials ran only a part of the episodes, and parts are not written unless asked for.
    Part(String),
    /// The table has no such row, and rows are not added unless asked for.
    NoSuchRow,
}

/// What a reader of an update should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TableNote {
    /// A column that the table has not, and columns are not added unless asked for.
    NoColumn(String),
    /// A row that is stale, missing or renamed.
    Row(String),
}

/// How a run or another table is taken.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UpdateOptions {
    /// Only rows that match one of these patterns; empty for all.
    pub rows: Vec<String>,
    /// Of another table, only columns that match one of these patterns; empty for all.
    pub columns: Vec<String>,
    /// What the table may get that it has not.
    pub add: Additions,
    /// Whether rows are written whose trials ran only a part of the episodes.
    pub parts: Parts,
}

/// What a table may get that it has not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Additions {
    /// Columns.
    pub columns: bool,
    /// Rows of another table.
    pub rows: bool,
}

/// What becomes of rows whose trials ran only a part of the episodes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Parts {
    /// They are left as they are.
    #[default]
    Leave,
    /// They are written.
    Write,
}

/// Whether a row is asked for.
pub(super) fn asked(patterns: &[String], key: &str) -> bool {
    patterns.is_empty() || patterns.iter().any(|pattern| matches(pattern, key))
}

/// Whether a pattern means a name: `*` stands for any text, and nothing else for anything but itself.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    let pieces = pattern.chars().map(|c| match c {
        '*' => Piece::Any,
        c => Piece::Letter(c),
    });
    Glob::pieces(pieces).matches(name)
}

/// A run's rows for a table.
pub(super) fn from_run(
    ran: &SuiteRun,
    table: &TableSpec,
    file: &TableFile,
    options: &UpdateOptions,
    session: &Session,
) -> Result<Gathered, SessionError> {
    let suite = suite_rows(&ran.spec, &table.name)?;
    let rows = run_rows(&ran.run, &ran.spec, &table.name)?;
    let mut gathered = Gathered {
        update: Update {
            order: suite.iter().map(|row| row.key.clone()).collect(),
            ..Update::default()
        },
        origins: BTreeMap::new(),
        left: Vec::new(),
        notes: stale_rows(file, &suite, &rows),
    };
    let columns = columns(table, file, options.add, &mut gathered);
    let environment = session.recorded_environment(&ran.run);
    for row in rows.iter().filter(|row| asked(&options.rows, &row.row.key)) {
        let left = |why: WhyLeft| LeftRow {
            row: row.row.key.clone(),
            why,
        };
        match &row.standing {
            Standing::Left(reason) => gathered.left.push(left(WhyLeft::Trials(reason.clone()))),
            Standing::Part(reason) if options.parts == Parts::Leave => {
                gathered.left.push(left(WhyLeft::Part(reason.clone())));
            }
            Standing::Ready | Standing::Part(_) => {
                take_row(
                    ran,
                    row,
                    (table, &columns),
                    environment.as_ref(),
                    &mut gathered,
                );
            }
        }
    }
    if gathered.origins.is_empty() && gathered.left.is_empty() {
        return Err(TableError::NoRows {
            run: format!("{} {}", ran.run.name(), ran.run.stamp()),
            table: file.label.clone(),
        }
        .into());
    }
    Ok(gathered)
}

/// The columns that the table has, or shall get.
fn columns<'t>(
    table: &'t TableSpec,
    file: &TableFile,
    add: Additions,
    gathered: &mut Gathered,
) -> Vec<&'t TableColumn> {
    let mut found = Vec::new();
    for column in &table.columns {
        match file.table.column(&column.title) {
            Ok(_) => found.push(column),
            Err(_) if add.columns => {
                gathered.update.columns.push(NewColumn {
                    header: column.title.clone(),
                });
                found.push(column);
            }
            Err(error) => gathered.notes.push(TableNote::NoColumn(error.to_string())),
        }
    }
    if let Some(header) = &table.provenance_column {
        gathered.update.columns.push(NewColumn {
            header: header.clone(),
        });
    }
    found
}

fn stale_rows(
    file: &TableFile,
    suite: &[fairtrial_analysis::tables::SuiteRow],
    rows: &[RunRow],
) -> Vec<TableNote> {
    let expected = Expected {
        keys: suite.iter().map(|row| row.key.clone()).collect(),
        renamed: suite
            .iter()
            .flat_map(|row| row.was.iter().map(|was| (was.clone(), row.key.clone())))
            .collect(),
        columns: Vec::new(),
    };
    let fed = |message: &str| {
        rows.iter()
            .any(|row| message.starts_with(&format!("`{}` has no row", row.row.key)))
    };
    check(&file.table, Some(&expected))
        .into_iter()
        .filter(|found| match found.kind {
            FindingKind::Stale => true,
            // A row that this run feeds is about to be added.
            FindingKind::Missing => !fed(&found.message),
            _ => false,
        })
        .map(|found| match &found.help {
            Some(help) => format!("{}: {help}", found.message),
            None => found.message,
        })
        .map(TableNote::Row)
        .collect()
}

fn take_row(
    ran: &SuiteRun,
    row: &RunRow,
    (table, columns): (&TableSpec, &[&TableColumn]),
    environment: Option<&Environment>,
    gathered: &mut Gathered,
) {
    let key = &row.row.key;
    let mut cells = Vec::new();
    let mut values = BTreeMap::new();
    for column in columns {
        let declared = ran.spec.metrics.iter().find(|m| m.name == column.metric);
        let declared = declared.map(MetricDeclaration::reduced);
        let value = row.value(column).filter(|value| value.is_finite());
        let value = match (value, &column.missing) {
            (Some(value), _) => {
                values.insert(column.title.clone(), value);
                number(value, column, declared.as_ref())
            }
            (None, Some(text)) => Value::Text(text.clone()),
            (None, None) => {
                let reason = format!("its trials have no value for `{}`", column.metric);
                gathered.left.push(LeftRow {
                    row: key.clone(),
                    why: WhyLeft::Trials(reason),
                });
                return;
            }
        };
        cells.push(NewCell {
            title: column.title.clone(),
            value,
        });
    }
    let origin = origin(ran, row, environment);
    if let Some(header) = &table.provenance_column {
        let title = header.split('|').next().unwrap_or_default().trim();
        cells.push(NewCell {
            title: title.to_owned(),
            value: Value::Text(origin.in_one_line()),
        });
    }
    gathered.update.rows.push(RowUpdate {
        key: key.clone(),
        was: row.row.was.clone(),
        cells,
    });
    gathered.origins.insert(key.clone(), (origin, values));
}

fn number(value: f64, column: &TableColumn, declared: Option<&MetricDeclaration>) -> Value {
    let converted = column.convert.as_ref().map(Conversion::to_unit);
    let unit = converted.or_else(|| declared.and_then(|metric| metric.unit.as_deref()));
    Value::Number {
        value,
        unit: unit.map(str::to_owned),
        decimals: column.decimals,
        precision: declared.and_then(|metric| metric.precision),
    }
}

fn origin(ran: &SuiteRun, row: &RunRow, environment: Option<&Environment>) -> RowOrigin {
    let host = environment.map(|environment| &environment.host);
    let mut hosts: Vec<String> = row.trials.iter().filter_map(|t| t.host.clone()).collect();
    hosts.sort();
    hosts.dedup();
    if hosts.is_empty() {
        hosts.extend(host.map(|host| host.name.clone()));
    }
    let vcs = match environment.map(|environment| &environment.vcs) {
        Some(Vcs::Git(state)) => Some(state),
        _ => None,
    };
    let last = row.trials.iter().map(|trial| trial.ended_at).max();
    RowOrigin {
        source: source_of(&ran.run),
        date: last.map(|at| at.to_string()),
        commit: vcs.and_then(|state| state.commit.clone()),
        dirty: vcs.is_some_and(|state| state.dirty == Some(true)),
        host: (!hosts.is_empty()).then(|| hosts.join(", ")),
        cpu: host.and_then(|host| host.cpu.clone()),
        trials: row.trials.len() as u64,
        cells: BTreeMap::new(),
    }
}

/// A column that is copied from another table.
struct Copied {
    place: usize,
    title: String,
    is_new: bool,
}

/// The columns to copy. One that only one of the tables has would leave rows of numbers that do not belong together, so
/// it is refused unless the choice of columns leaves it out, or it shall be added.
fn copied_columns(
    source: &TableFile,
    file: &TableFile,
    options: &UpdateOptions,
) -> Result<Vec<Copied>, SessionError> {
    let keys = [source.table.key_title(), file.table.key_title()];
    let wanted = |title: &str| !keys.contains(&title) && asked(&options.columns, title);
    let lacks = |table: &TableFile, title: &str, lacking| TableError::LacksColumn {
        table: table.label.clone(),
        title: title.to_owned(),
        lacking,
    };
    let mut copied = Vec::new();
    for (place, column) in source.table.columns().iter().enumerate() {
        let title = &column.title;
        if !wanted(title) {
            continue;
        }
        let is_new = file.table.column(title).is_err();
        if is_new && !options.add.columns {
            return Err(lacks(file, title, Lacking::Target).into());
        }
        copied.push(Copied {
            place,
            title: title.clone(),
            is_new,
        });
    }
    let mut titles = file.table.columns().iter().map(|column| &column.title);
    let absent = titles.find(|title| wanted(title) && source.table.column(title).is_err());
    match absent {
        Some(title) => Err(lacks(source, title, Lacking::Source).into()),
        None => Ok(copied),
    }
}

/// Another table's cells.
pub(super) fn from_table(
    source: &TableFile,
    file: &TableFile,
    options: &UpdateOptions,
) -> Result<Gathered, SessionError> {
    for table in [source, file] {
        let checked = table.table.unambiguous();
        checked.map_err(|error| SessionError::Input(format!("{}: {error}", table.label)))?;
    }
    let columns = copied_columns(source, file, options)?;
    let new = columns.iter().filter(|column| column.is_new);
    let mut gathered = Gathered {
        update: Update {
            order: source.table.keys().collect(),
            columns: new
                .map(|column| NewColumn {
                    header: source.table.header_text(column.place),
                })
                .collect(),
            ..Update::default()
        },
        origins: BTreeMap::new(),
        left: Vec::new(),
        notes: Vec::new(),
    };
    for row in source
        .table
        .rows()
        .filter(|row| asked(&options.rows, &row.key()))
    {
        let key = row.key();
        let known = file
            .table
            .find(&key)
            .map_err(|error| SessionError::Input(format!("{}: {error}", file.label)))?;
        if known.is_none() && !options.add.rows {
            gathered.left.push(LeftRow {
                row: key,
                why: WhyLeft::NoSuchRow,
            });
            continue;
        }
        let mut cells = Vec::new();
        let mut values = BTreeMap::new();
        for Copied {
            place,
            title,
            is_new,
        } in &columns
        {
            let text = row.cell(*place).unwrap_or_default();
            let full = source.origins.full_precision(&key, title, &text);
            if let Some(value) = full.or_else(|| read_number(&text).map(|read| read.value)) {
                values.insert(title.clone(), value);
            }
            cells.push(NewCell {
                title: title.clone(),
                value: if *is_new {
                    Value::Text(text.trim().to_owned())
                } else {
                    copied(&text, full)
                },
            });
        }
        let mut origin = source.origins.rows.get(&key).cloned();
        if let Some(origin) = &mut origin {
            // What is written is put down with it; other cells of the source are not here.
            origin.cells.clear();
        }
        let origin = origin.unwrap_or_else(|| RowOrigin {
            source: source.label.clone(),
            ..RowOrigin::default()
        });
        gathered.origins.insert(key.clone(), (origin, values));
        gathered.update.rows.push(RowUpdate {
            key,
            was: Vec::new(),
            cells,
        });
    }
    Ok(gathered)
}

/// A cell of another table: a number is written as its new column writes numbers, a text as it is.
fn copied(text: &str, full: Option<f64>) -> Value {
    let Some(read) = read_number(text) else {
        return Value::Text(text.trim().to_owned());
    };
    if read.style.is_duration() {
        // A duration among plain numbers would lose its unit.
        return Value::Text(text.trim().to_owned());
    }
    let plain = matches!(read.style, NumberStyle::Plain { .. });
    Value::Number {
        value: full.unwrap_or(read.value),
        unit: None,
        decimals: None,
        // Decimals before an exponent say nothing about a column without.
        precision: plain.then_some(read.decimals),
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_stand_for_any_text() {
        assert!(matches("base_*", "base_77obj"));
        assert!(matches("*_agent", "x_agent"));
        assert!(matches("a*b*c", "a1b2c"));
        assert!(matches("exact", "exact"));
        assert!(!matches("exact", "exactly"));
        assert!(!matches("a*b*c", "acb"));
        assert!(matches("*", ""));
        assert!(matches("is it?", "is it?") && !matches("is it?", "is it!"));
    }
}
