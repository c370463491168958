//! The beginning of a file, by which its kind is told.

use crate::error::InteropError;
use crate::input::Input;
use crate::outline::Outline;
use std::cell::OnceCell;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Bytes that are looked at.
const LENGTH: u64 = 64 << 10;

/// The beginning of one file, unpacked.
pub struct Head {
    /// Its last name.
    pub(crate) name: String,
    /// Where it is, where it is a file.
    pub(crate) path: Option<PathBuf>,
    pub(crate) bytes: Vec<u8>,
    outline: OnceCell<Outline>,
}

impl Head {
    /// Reads the beginning of a file.
    pub(crate) fn read(path: &Path) -> Result<Self, InteropError> {
        let input = Input::open(path)?;
        let name = path.file_name().unwrap_or_default();
        let mut bytes = Vec::new();
        // A packed file that breaks off is told about by its reader.
        let _ = input.reader()?.take(LENGTH).read_to_end(&mut bytes);
        Ok(Self {
            path: Some(path.to_owned()),
            ..Self::of(&name.to_string_lossy(), bytes)
        })
    }

    /// Bytes that stand for the beginning of a file.
    pub(crate) fn of(name: &str, bytes: Vec<u8>) -> Self {
        Self {
            name: name.to_owned(),
            path: None,
            bytes,
            outline: OnceCell::new(),
        }
    }

    /// Whether its JSON has all of these keys.
    pub(crate) fn has(&self, paths: &[&str]) -> bool {
        self.outline().has(paths)
    }

    /// Its keys.
    pub(crate) fn outline(&self) -> &Outline {
        self.outline.get_or_init(|| Outline::of(&self.bytes))
    }

    /// Its first line.
    pub(crate) fn first_line(&self) -> &str {
        self.lines().next().unwrap_or_default()
    }

    /// Its lines, as far as they are text.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &str> {
        let text = match std::str::from_utf8(&self.bytes) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&self.bytes[..error.valid_up_to()]).unwrap_or(""),
        };
        text.strip_prefix('\u{feff}').unwrap_or(text).lines()
    }

    /// The cells of its first line.
    pub(crate) fn titles(&self, delimiter: u8) -> Vec<String> {
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter)
            .from_reader(self.first_line().as_bytes());
        let first = reader.records().next().and_then(Result::ok);
        first.iter().flatten().map(str::to_owned).collect()
    }
}
