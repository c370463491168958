//! Files that a task brings: what they hold, and sets of them with one hash.

use fairtrial_model::Sha256;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileBody {
    /// Its bytes.
    pub body: Body,
    /// Whether it may be executed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub executable: bool,
}

/// Bytes in a form that JSON can hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Body {
    /// As text, which most files are.
    Text(String),
    /// As a list of numbers.
    Bytes(Vec<u8>),
}

impl FileBody {
    /// A plain text file.
    pub fn text(text: &str) -> Self {
        Self {
            body: Body::Text(text.to_owned()),
            executable: false,
        }
    }

    /// A file with these bytes.
    pub fn new(bytes: Vec<u8>, executable: bool) -> Self {
        let body = match String::from_utf8(bytes) {
            Ok(text) => Body::Text(text),
            Err(error) => Body::Bytes(error.into_bytes()),
        };
        Self { body, executable }
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        match &self.body {
            Body::Text(text) => text.as_bytes(),
            Body::Bytes(bytes) => bytes,
        }
    }
}

/// Files that lie beside the baseline, as what an image is built from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSet {
    /// Hash of all of them; it stands for them in a task's own hash.
    pub digest: String,
    /// The files, by path. They are there only until the baseline is made.
    #[serde(skip)]
    pub files: BTreeMap<String, FileBody>,
}

impl FileSet {
    /// These files with their hash.
    pub(crate) fn of(files: BTreeMap<String, FileBody>) -> Self {
        let mut hash = Sha256::new();
        for (name, file) in &files {
            let bytes = file.bytes();
            let head = format!("{name}\0{}\0{}\0", file.executable, bytes.len());
            hash.update(head);
            hash.update(bytes);
        }
        let digest = fairtrial_model::hex(&hash.finalize()[..16]);
        Self { digest, files }
    }
}
