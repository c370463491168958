//! Who holds a run, and the refusal that names it.

use fairtrial_model::UtcTime;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Another controller holds the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Locked {
    /// Who, as far as it has written that down.
    pub holder: Option<Holder>,
}

impl std::error::Error for Locked {}

impl fmt::Display for Locked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.holder {
            Some(holder) => write!(f, "the run is in the hands of {holder}"),
            None => f.write_str("the run is in the hands of another process"),
        }
    }
}

/// The process that holds a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Its process id.
    pub pid: u32,
    /// Its machine.
    pub host: String,
    /// Since when.
    pub since: UtcTime,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "process {} on {} since {}",
            self.pid, self.host, self.since
        )
    }
}
