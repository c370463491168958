//! What every question starts from.

use super::error::ApiError;
use crate::http::Query;
use crate::shown::{ShownRun, ShownRuns};
use fairtrial_journal::RunDir;
use fairtrial_session::Session;
use std::sync::Arc;

/// What every question starts from.
pub(crate) struct Api {
    pub(crate) session: Session,
    pub(crate) control: bool,
    shown: ShownRuns,
}

impl Api {
    pub(crate) fn new(session: Session, control: bool) -> Self {
        Self {
            session,
            control,
            shown: ShownRuns::default(),
        }
    }

    /// The run that `NAME/STAMP` names. Nothing else names one: no path leads out of the data root.
    pub(crate) fn dir(&self, word: &str) -> Result<RunDir, ApiError> {
        let no = || ApiError::Status(404, format!("there is no run {word}"));
        let (name, stamp) = word.rsplit_once('/').ok_or_else(no)?;
        let stamp = stamp.parse().map_err(|_| no())?;
        self.session.run_at(name, stamp).map_err(|_| no())
    }

    /// The run of a question.
    pub(crate) fn run(&self, query: &Query) -> Result<Arc<ShownRun>, ApiError> {
        let run = self.dir(query.text("run"))?;
        Ok(self.shown.open(&self.session, run)?)
    }
}
