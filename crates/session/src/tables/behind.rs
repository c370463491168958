//! Loads the runs behind a comparison. One that is here and cannot be read is told, and the comparison goes on without.

use super::suite::SuiteRun;
use crate::error::SessionError;
use crate::report_data::read_environment;
use crate::session::Session;
use fairtrial_analysis::tables::{Behind, source_of};
use fairtrial_journal::resolved_spec;
use std::collections::HashMap;

/// Reads runs for one table.
pub(super) struct Loader<'a> {
    pub(super) session: &'a Session,
    /// The table's name in the spec.
    pub(super) table: &'a str,
    /// What could not be read.
    pub(super) notes: Vec<String>,
}

impl Loader<'_> {
    /// What a run has behind its rows.
    pub(super) fn load(&mut self, ran: &SuiteRun) -> Result<Behind, SessionError> {
        let environment = read_environment(&ran.run).unwrap_or_else(|error| {
            self.note(format!(
                "{}: its machine is not known: {}",
                source_of(&ran.run),
                error
            ));
            None
        });
        let behind = Behind::read(&ran.run, &ran.spec, environment.as_ref(), self.table)?;
        Ok(behind)
    }

    /// The runs among the sources of rows that are still here.
    pub(super) fn still_here(&mut self, sources: Vec<&str>) -> HashMap<String, Behind> {
        let mut found = HashMap::new();
        for source in sources {
            match self.find(source) {
                Ok(Some(behind)) => {
                    found.insert(source.to_owned(), behind);
                }
                Ok(None) => {}
                Err(error) => self.note(format!(
                    "its rows are compared without run {source}: {error}"
                )),
            }
        }
        found
    }

    fn find(&mut self, source: &str) -> Result<Option<Behind>, SessionError> {
        let Some(run) = self.session.run_named(source)? else {
            return Ok(None);
        };
        let spec = resolved_spec(&run)?;
        self.load(&SuiteRun { run, spec }).map(Some)
    }

    /// A run on both sides is read twice, and told once.
    fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}
