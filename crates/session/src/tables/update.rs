//! A run's numbers, or another table's, into a table; nothing else of the file changes.

use super::error::TableError;
use super::file::{TableFile, sha256};
use super::gather::{self, Gathered, LeftRow, TableNote, UpdateOptions};
use super::lock::TableLock;
use super::suite::{fed, table_for};
use crate::error::SessionError;
use crate::session::Session;
use fairtrial_model::UtcTime;
use fairtrial_spec::TableSpec;
use fairtrial_table::{CellOrigin, Change, Origins, Updated};
use std::path::{Path, PathBuf};

/// What is written where.
#[derive(Debug, Clone)]
pub struct UpdateRequest {
    /// Where the numbers are.
    pub source: UpdateSource,
    /// How they are taken.
    pub options: UpdateOptions,
    /// Refuse unless the file has this SHA-256.
    pub expect: Option<String>,
    /// Whether anything is written.
    pub mode: WriteMode,
}

/// Where the numbers are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UpdateSource {
    /// In a run.
    Run {
        /// The run: `NAME`, `NAME/STAMP` or a run's folder.
        run: String,
        /// The table; absent for every table that the run feeds.
        file: Option<PathBuf>,
        /// The table's name in the spec, where its file does not tell.
        table: Option<String>,
    },
    /// In another table, or the same in a revision.
    Table {
        /// That table.
        from: String,
        /// The table that is written.
        file: PathBuf,
    },
}

/// Whether anything is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteMode {
    /// Yes.
    Write,
    /// No: only what would change is found out.
    DryRun,
}

/// What came of one table.
#[derive(Debug)]
pub struct TableUpdate {
    /// The table before.
    pub file: TableFile,
    /// What changed.
    pub updated: Updated,
    /// The rows that results were written for.
    pub rows: Vec<String>,
    /// Rows that stay as they are.
    pub left: Vec<LeftRow>,
    /// What else a reader should know.
    pub notes: Vec<TableNote>,
    /// Whether the file was written.
    pub written: bool,
}

impl TableUpdate {
    /// SHA-256 of the table with the changes.
    pub fn after_sha256(&self) -> String {
        sha256(&self.updated.bytes)
    }
}

impl Session {
    /// Writes results into tables, cell by cell; every other byte of the files stays as it is.
    pub fn update_tables(&self, request: &UpdateRequest) -> Result<Vec<TableUpdate>, SessionError> {
        match &request.source {
            UpdateSource::Table { from, file } => {
                let now = (self.caller().now)();
                Ok(vec![from_table(request, (from, file), now)?])
            }
            UpdateSource::Run { run, file, table } => {
                let ran = self.suite_run(run)?;
                let tables: Vec<(&TableSpec, PathBuf)> = match file {
                    Some(file) => {
                        vec![(table_for(&ran.spec, file, table.as_deref())?, file.clone())]
                    }
                    None => fed(&ran.spec),
                };
                if tables.is_empty() {
                    return Err(TableError::FedByNothing(ran.spec.source).into());
                }
                let mut results = Vec::new();
                for (table, path) in tables {
                    let _alone = TableLock::of(&path, (self.caller().now)())?;
                    let file = read(request, &path, table.key.as_deref())?;
                    let gathered = gather::from_run(&ran, table, &file, &request.options, self)?;
                    results.push(write(request, file, gathered)?);
                }
                Ok(results)
            }
        }
    }
}

fn from_table(
    request: &UpdateRequest,
    (from, path): (&str, &Path),
    now: UtcTime,
) -> Result<TableUpdate, SessionError> {
    let _alone = TableLock::of(path, now)?;
    let file = read(request, path, None)?;
    let source = TableFile::read(from, None)?;
    let gathered = gather::from_table(&source, &file, &request.options)?;
    write(request, file, gathered)
}

fn read(
    request: &UpdateRequest,
    path: &Path,
    key: Option<&str>,
) -> Result<TableFile, SessionError> {
    let file = TableFile::read(&path.display().to_string(), key).map_err(|error| {
        if path.exists() {
            error
        } else {
            TableError::NoFile(error.to_string()).into()
        }
    })?;
    match &request.expect {
        Some(expected) if *expected != file.sha256() => {
            Err(TableError::NotExpected(path.to_owned()).into())
        }
        _ => Ok(file),
    }
}

fn write(
    request: &UpdateRequest,
    file: TableFile,
    gathered: Gathered,
) -> Result<TableUpdate, SessionError> {
    let updated = file
        .table
        .update(&gathered.update)
        .map_err(|error| SessionError::Input(format!("{}: {error}", file.label)))?;
    let mut written = false;
    if request.mode == WriteMode::Write && !gathered.origins.is_empty() {
        if updated.bytes != file.table.bytes() {
            file.replace(&updated.bytes)?;
            written = true;
        }
        file.replace_origins(&origins(&file, &gathered, &updated))?;
    }
    Ok(TableUpdate {
        file,
        updated,
        rows: gathered.origins.into_keys().collect(),
        left: gathered.left,
        notes: gathered.notes,
        written,
    })
}

/// The side file after an update.
fn origins(file: &TableFile, gathered: &Gathered, updated: &Updated) -> Origins {
    let mut origins = file.origins.clone();
    for change in &updated.changes {
        if let Change::RowRenamed { from, .. } = change {
            origins.rows.remove(from);
        }
    }
    for (key, (origin, values)) in &gathered.origins {
        let mut origin = origin.clone();
        for (row, column, text) in &updated.texts {
            if row == key {
                let value = values.get(column).copied();
                let text = text.clone();
                origin
                    .cells
                    .insert(column.clone(), CellOrigin { text, value });
            }
        }
        origins.rows.insert(key.clone(), origin);
    }
    origins
}
