//! A table on disk or in a revision of its repository, with its side file of origins.

use super::error::TableError;
use crate::error::SessionError;
use crate::revision::{FileAt, unreadable};
use fairtrial_analysis::tables::PostTable;
use fairtrial_journal::{Durability, write_atomic_bytes};
use fairtrial_model::{Sha256, hex};
use fairtrial_table::{Origins, Table};
use std::fs;
use std::path::{Path, PathBuf};

/// A table that was read.
#[derive(Debug)]
pub struct TableFile {
    /// What the user calls it.
    pub label: String,
    /// The file; absent for a revision.
    pub path: Option<PathBuf>,
    /// Its content.
    pub table: Table,
    /// Where its rows came from.
    pub origins: Origins,
}

impl TableFile {
    /// Reads `FILE.csv` or `FILE.csv@REVISION`; `key` is the title of the key column, where it is not the first.
    pub fn read(name: &str, key: Option<&str>) -> Result<Self, SessionError> {
        let place = FileAt::of(name);
        let bytes = place.read(&place.path)?;
        let broken =
            |error: &dyn std::fmt::Display| SessionError::Input(format!("{name}: {error}"));
        let table = Table::parse(bytes).map_err(|error| broken(&error))?;
        let table = match key {
            Some(key) => table.with_key(key).map_err(|error| broken(&error))?,
            None => table,
        };
        let side = origins_path(&place.path);
        let origins = match place.read_if_there(&side)? {
            Some(bytes) => Origins::parse(&bytes).map_err(|error| {
                let message = error.to_string();
                TableError::Origins {
                    path: side,
                    message,
                }
            })?,
            // A table without a side file has rows of unknown origin.
            None => Origins::default(),
        };
        Ok(Self {
            label: name.to_owned(),
            path: place.revision.is_none().then_some(place.path),
            table,
            origins,
        })
    }

    /// The table as a comparison takes it.
    pub(super) fn to_compare(&self) -> PostTable<'_> {
        PostTable {
            label: &self.label,
            table: &self.table,
            origins: &self.origins,
        }
    }

    /// Its side file, which says where its rows came from; absent for a revision.
    pub fn origins_path(&self) -> Option<PathBuf> {
        self.path.as_deref().map(origins_path)
    }

    /// SHA-256 of its bytes.
    pub fn sha256(&self) -> String {
        sha256(self.table.bytes())
    }

    /// Replaces the file in one step, unless somebody changed it since it was read.
    pub(super) fn replace(&self, bytes: &[u8]) -> Result<(), SessionError> {
        let Some(path) = &self.path else {
            return Err(SessionError::Input(format!(
                "{} is a revision: only a file can be written",
                self.label
            )));
        };
        let now = fs::read(path).map_err(|error| unreadable(path, &error))?;
        if now != self.table.bytes() {
            return Err(TableError::ChangedMeanwhile(path.clone()).into());
        }
        write(path, bytes)
    }

    /// Replaces the side file.
    pub(super) fn replace_origins(&self, origins: &Origins) -> Result<(), SessionError> {
        match &self.path {
            Some(path) => write(&origins_path(path), origins.text().as_bytes()),
            None => Ok(()),
        }
    }
}

/// SHA-256 in hexadecimal digits.
pub(super) fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), SessionError> {
    // A link stays one: the file that it leads to is replaced.
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let rights = fs::metadata(&real).map(|seen| seen.permissions()).ok();
    write_atomic_bytes(&real, Durability::Full, bytes)?;
    if let Some(rights) = rights {
        // A table that lost its rights is still the right table.
        let _ = fs::set_permissions(&real, rights);
    }
    Ok(())
}

/// The side file beside a table.
fn origins_path(table: &Path) -> PathBuf {
    let name = table.file_name().unwrap_or_default().to_string_lossy();
    table.with_file_name(Origins::file_name(&name))
}
