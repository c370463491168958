//! Other tools' results: read where they lie as a run that lasts as long as the session, or imported as one that is kept.
//!
//! There is one way to a verdict, through a run: what is read in place is written as a run into a temporary data root, so
//! that every command takes it, and so that nothing is judged differently for having been imported or not.

mod import;
pub(crate) mod in_place;
mod keep;
mod open;
mod points;
mod spec;

pub use import::{ImportQuestion, Imported};
pub(crate) use open::Curves;

use crate::error::SessionError;
use crate::notice::Notice;
use crate::session::Session;
use fairtrial_interop::{Access, Collected, Foreign, Mapping, Reading, Scope, Source};
use std::time::Duration;

/// How long one question to a server may take.
const SERVER_LIMIT: Duration = Duration::from_mins(10);

impl Session {
    /// The way to servers, as the caller's environment says it.
    pub(crate) fn access(&self) -> Access {
        let variable = |name: &str| self.caller().variable(name).map(str::to_owned);
        Access {
            python: variable("FAIRTRIAL_PYTHON").unwrap_or_else(|| "python3".to_owned()),
            limit: SERVER_LIMIT,
            token: variable("MLFLOW_TRACKING_TOKEN"),
            password: variable("MLFLOW_TRACKING_USERNAME")
                .zip(variable("MLFLOW_TRACKING_PASSWORD")),
        }
    }

    /// Reads a source and tells what was recognised.
    fn read_foreign(
        &self,
        source: (&str, Source),
        into: Collected,
        how: (&Mapping, Scope),
    ) -> Result<Foreign, SessionError> {
        let foreign = self.read_source(source, into, how)?;
        self.tell(Notice::Recognised(foreign.recognised()?));
        Ok(foreign)
    }

    fn read_source(
        &self,
        (name, source): (&str, Source),
        into: Collected,
        (mapping, scope): (&Mapping, Scope),
    ) -> Result<Foreign, SessionError> {
        let reading = Reading {
            mapping,
            scope,
            access: &self.access(),
        };
        Ok(Foreign::read(name, source, into, reading)?)
    }
}
