//! The data of a run's report, made for showing, for checking and for reporters alike.

use crate::error::SessionError;
use crate::session::Session;
use fairtrial_analysis::report::{ReportData, ReportOptions, report};
use fairtrial_journal::provenance::Environment;
use fairtrial_journal::{RunDir, read_if_there, resolved_spec};
use fairtrial_model::Stamp;
use fairtrial_series::Reading;

impl Session {
    /// Makes the report of a run from its evidence, for showing: without the secrets of the caller's environment.
    /// `history` names the runs of one that is made again.
    pub fn report_data(
        &self,
        run: &RunDir,
        history: Option<Vec<Stamp>>,
    ) -> Result<ReportData, SessionError> {
        let mut data = self.unmasked_report_data(run, history, Reading::Columns)?;
        data.mask(&self.caller().redactor());
        Ok(data)
    }

    /// The same with the logs' lines as the programs wrote them, for comparing.
    pub(crate) fn unmasked_report_data(
        &self,
        run: &RunDir,
        history: Option<Vec<Stamp>>,
        reading: Reading,
    ) -> Result<ReportData, SessionError> {
        let spec = resolved_spec(run)?;
        let environment = self.recorded_environment(run);
        let options = ReportOptions { history, reading };
        Ok(report(run, &spec, environment, &options)?)
    }

    /// The run's `environment.json`; why it cannot be read is told.
    pub(crate) fn recorded_environment(&self, run: &RunDir) -> Option<Environment> {
        read_environment(run).unwrap_or_else(|error| {
            self.warn(error.to_string());
            None
        })
    }
}

/// The run's `environment.json`, where it has one.
pub(crate) fn read_environment(run: &RunDir) -> Result<Option<Environment>, SessionError> {
    let path = run.environment();
    let Some(text) = read_if_there(&path)? else {
        return Ok(None);
    };
    let read = serde_json::from_slice(&text).map(Some);
    read.map_err(|error| SessionError::Machine(format!("{}: {error}", path.display())))
}
