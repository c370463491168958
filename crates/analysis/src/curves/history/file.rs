//! Reading the files that curves are in.

use crate::error::AnalysisError;
use std::path::Path;

/// A file that does not hold what it should.
pub(super) fn content(path: &Path, message: impl Into<String>) -> AnalysisError {
    AnalysisError::Content {
        label: path.display().to_string(),
        message: message.into(),
    }
}

pub(super) fn read_text(path: &Path) -> Result<String, AnalysisError> {
    let bytes = std::fs::read(path).map_err(|error| content(path, error.to_string()))?;
    Ok(match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}
