//! What is wrong with tables, in themselves and against the suite that feeds them.

use super::error::TableError;
use super::file::TableFile;
use super::suite::{SuiteChoice, fed, table_for};
use crate::error::SessionError;
use crate::session::Session;
use fairtrial_analysis::tables::suite_rows;
use fairtrial_spec::Spec;
use fairtrial_table::{Expected, Finding, check};
use std::path::{Path, PathBuf};

/// What is wrong with one table.
#[derive(Debug, serde::Serialize)]
pub struct TableFindings {
    /// The table, as it was named.
    pub file: String,
    /// What was found.
    pub findings: Vec<Finding>,
}

impl Session {
    /// Checks tables, or without any named those that the suite feeds; `name` is the table's in the spec, where its file
    /// does not tell.
    pub fn check_tables(
        &self,
        files: &[PathBuf],
        suite: &SuiteChoice,
        name: Option<&str>,
    ) -> Result<Vec<TableFindings>, SessionError> {
        let spec = self.suite(suite)?;
        let mut files = files.to_vec();
        if files.is_empty()
            && let Some(spec) = &spec
        {
            files.extend(fed(spec).into_iter().map(|(_, path)| path));
        }
        if files.is_empty() {
            return Err(TableError::NothingNamed.into());
        }
        let findings = |path: &PathBuf| {
            Ok(TableFindings {
                file: path.display().to_string(),
                findings: of_file(path, spec.as_ref(), name)?,
            })
        };
        files.iter().map(findings).collect()
    }
}

fn of_file(
    path: &Path,
    spec: Option<&Spec>,
    name: Option<&str>,
) -> Result<Vec<Finding>, SessionError> {
    let declared = spec
        .map(|spec| Ok::<_, SessionError>((spec, table_for(spec, path, name)?)))
        .transpose()?;
    let key = declared.and_then(|(_, table)| table.key.as_deref());
    let file = TableFile::read(&path.display().to_string(), key)?;
    let expected = declared
        .map(|(spec, table)| {
            let rows = suite_rows(spec, &table.name)?;
            Ok::<_, SessionError>(Expected {
                renamed: rows
                    .iter()
                    .flat_map(|row| row.was.iter().map(|was| (was.clone(), row.key.clone())))
                    .collect(),
                keys: rows.into_iter().map(|row| row.key).collect(),
                columns: table
                    .columns
                    .iter()
                    .map(|column| column.title.clone())
                    .collect(),
            })
        })
        .transpose()?;
    Ok(check(&file.table, expected.as_ref()))
}
