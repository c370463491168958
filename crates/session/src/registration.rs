//! What will be compared, and how, frozen before there are data.

use crate::error::SessionError;
use crate::session::Session;
use crate::spec_file::SpecFile;
use crate::version::VERSION;
use fairtrial_analysis::registration::Registration;
use fairtrial_journal::{Durability, is_there, read_if_there, write_atomic_bytes};
use fairtrial_spec::FileCheck;
use std::path::{Path, PathBuf};

/// What becomes of a plan that is registered already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Registered {
    /// It stays, and registering anew is refused.
    Keep,
    /// It is replaced.
    Replace,
}

impl Session {
    /// Freezes the plan of a spec in a file beside it; gives the plan and the file.
    pub fn register(
        &self,
        file: &SpecFile,
        registered: Registered,
    ) -> Result<(Registration, PathBuf), SessionError> {
        let plan = self.plan(file, FileCheck::Warn, None)?;
        let path = path_of(&file.path);
        if registered == Registered::Keep && is_there(&path)? {
            return Err(SessionError::RegisteredAlready(path));
        }
        let now = (self.caller().now)();
        let registration = Registration::new(plan.spec(), now, VERSION);
        let mut text = serde_json::to_vec_pretty(&registration)
            .map_err(|error| SessionError::Machine(error.to_string()))?;
        text.push(b'\n');
        write_atomic_bytes(&path, Durability::Process, &text)?;
        Ok((registration, path))
    }
}

/// The registered plan of a spec, where it has one, with its text. One that cannot be read is an error: whoever
/// registered a plan must not find out after the run that it did not hold.
pub(crate) fn read_registration(
    spec: &Path,
) -> Result<Option<(Vec<u8>, Registration)>, SessionError> {
    let path = path_of(spec);
    let Some(text) = read_if_there(&path)? else {
        return Ok(None);
    };
    match Registration::read(&text) {
        Ok(registration) => Ok(Some((text, registration))),
        Err(error) => Err(SessionError::BadRegistration {
            path,
            why: error.to_string(),
        }),
    }
}

/// Where the registered plan of a spec stands: `bench.toml` has `bench.registered.json`.
fn path_of(spec: &Path) -> PathBuf {
    spec.with_extension("registered.json")
}
