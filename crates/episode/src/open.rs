//! Files that a trial left, opened without trust: a pipe would be waited at for ever, and a device has no end.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Opens a regular file, also through links; anything else is refused.
pub fn open_regular(path: &Path) -> io::Result<File> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is not a regular file",
        ));
    }
    File::open(path)
}

#[cfg(test)]
mod tests {
    use super::open_regular;

    #[test]
    fn what_has_no_end_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("zero");
        std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
        let refused = open_regular(&path).unwrap_err().to_string();
        assert!(refused.contains("not a regular file"), "{refused}");
        assert!(open_regular(folder.path()).is_err());
        let link = folder.path().join("link");
        std::fs::write(folder.path().join("real"), "x").unwrap();
        std::os::unix::fs::symlink("real", &link).unwrap();
        assert!(open_regular(&link).is_ok());
    }
}
