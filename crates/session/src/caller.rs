//! What the calling process is, and what of its surroundings this library may see.

use fairtrial_journal::redact::Redactor;
use fairtrial_model::UtcTime;
use std::ffi::OsString;
use std::path::PathBuf;

/// The calling process. This library looks up nothing of it by itself: no environment variable, no folder, no clock.
#[derive(Debug, Clone)]
pub struct Caller {
    /// Environment variables: trials inherit them, and the values of secrets among them are masked.
    pub environment: Vec<(String, String)>,
    /// The folder from which the data root is looked for.
    pub folder: PathBuf,
    /// The data root, where the user named one.
    pub data_dir: Option<PathBuf>,
    /// A program that begins with [`crate::inside::enter`]; launchers and drivers of trials are started from it.
    pub program: PathBuf,
    /// The clock for records.
    pub now: fn() -> UtcTime,
}

impl Caller {
    /// This process as it is: its environment, working folder, program and clock.
    pub fn this_process() -> std::io::Result<Self> {
        Ok(Self {
            environment: text_of(std::env::vars_os()),
            folder: std::env::current_dir().unwrap_or_default(),
            data_dir: None,
            program: std::env::current_exe()?,
            now: UtcTime::now,
        })
    }

    /// A variable that is set and not empty.
    pub fn variable(&self, name: &str) -> Option<&str> {
        let mut set = self.environment.iter();
        let found = set.find(|(known, _)| known == name)?;
        Some(found.1.as_str()).filter(|value| !value.is_empty())
    }

    /// Masks the secrets of the environment.
    pub fn redactor(&self) -> Redactor {
        Redactor::from_env(self.environment.iter().map(|(name, value)| (name, value)))
    }
}

/// The variables whose name and value are text.
pub(crate) fn text_of(
    variables: impl Iterator<Item = (OsString, OsString)>,
) -> Vec<(String, String)> {
    let text = |(name, value): (OsString, OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    variables.filter_map(text).collect()
}
