//! The one way to read a file that may be absent. Only the system's word that there is none means absent: whoever takes
//! another refusal for that goes on without what is there.

use crate::error::{At, JournalError};
use std::path::Path;
use std::{fs, io};

/// The content of a file; nothing where there is none.
pub fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, JournalError> {
    match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        read => read.at("read", path).map(Some),
    }
}

/// Whether there is something of this name.
pub fn is_there(path: &Path) -> Result<bool, JournalError> {
    path.try_exists().at("read", path)
}

#[cfg(test)]
mod tests {
    use super::{is_there, read_if_there};

    #[test]
    fn only_what_is_not_there_is_absent() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        assert_eq!(read_if_there(&file).unwrap(), None);
        assert!(!is_there(&file).unwrap());
        std::fs::write(&file, "text").unwrap();
        assert_eq!(read_if_there(&file).unwrap(), Some(b"text".to_vec()));
        assert!(is_there(&file).unwrap());
        let round = folder.path().join("round");
        std::os::unix::fs::symlink("round", &round).unwrap();
        for error in [
            read_if_there(&round).unwrap_err(),
            read_if_there(folder.path()).unwrap_err(),
            is_there(&round).unwrap_err(),
        ] {
            let path = folder.path().display().to_string();
            assert!(error.to_string().contains(&path), "{error}");
        }
    }
}
