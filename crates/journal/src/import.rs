//! Where the records of an imported run come from: the files of another tool by their digests, and what they say about
//! how they were made.

use crate::error::JournalError;
use crate::reading::read_if_there;
use crate::run_dir::RunDir;
use serde::{Deserialize, Serialize};

/// Version of `import.json`.
pub const IMPORT_SCHEMA: u32 = 1;

/// What `import.json` holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// [`IMPORT_SCHEMA`].
    pub schema: u32,
    /// The tool's format.
    pub format: String,
    /// The files, and the places that are no files.
    pub sources: Vec<ImportSource>,
    /// Which of the tool's fields have which part (`arm`: `config.lr`).
    pub roles: Vec<ImportRole>,
    /// What the files say about the machine, the source and the tool.
    pub facts: Vec<ImportFact>,
    /// What the readers say.
    pub notes: Vec<String>,
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportSource {
    /// Its absolute path, or the address of what is no file.
    pub path: String,
    /// Its SHA-256; absent for what is no file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// Fields with a part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportRole {
    /// `arm`, `task`, `seed` or `repeat`.
    pub role: String,
    /// The fields.
    pub fields: String,
}

/// Something about how the files were made.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ImportFact {
    /// What it is about.
    pub kind: ImportFactKind,
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// What a fact is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImportFactKind {
    /// The machine.
    Machine,
    /// The source that was measured.
    Source,
    /// The tool and how it was used.
    Tool,
}

impl Import {
    /// What a run keeps of its import; nothing where it was run here.
    pub fn of(run: &RunDir) -> Result<Option<Self>, JournalError> {
        let path = run.import();
        let Some(text) = read_if_there(&path)? else {
            return Ok(None);
        };
        let read = serde_json::from_slice(&text).map(Some);
        read.map_err(|error| JournalError::Content {
            path,
            message: error.to_string(),
        })
    }
}
