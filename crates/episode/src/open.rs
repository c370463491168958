//! Files that a trial left, opened without trust: a pipe would be waited at for ever, and a device has no end.
//!
//! What stands at a path may be another thing a moment later, while a program still runs: what counts is what was opened,
//! and nothing is waited for to open it.

use rustix::fs::{Mode, OFlags};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path};

/// What users may read and write as far as their mask lets them.
const FILE: Mode = Mode::from_raw_mode(0o666);

/// Opens a regular file, also through links; anything else is refused.
pub fn open_regular(path: &Path) -> io::Result<File> {
    regular(fs::metadata(path)?.is_file())?;
    open(path, OFlags::RDONLY)
}

/// Reads a regular file of at most so many bytes, never through a link: that could point anywhere.
pub fn read_own(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let data = fs::symlink_metadata(path)?;
    regular(data.is_file())?;
    let mut bytes = Vec::new();
    if data.len() <= most {
        let file = open(path, OFlags::RDONLY | OFlags::NOFOLLOW)?;
        // It may have grown since.
        file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    }
    if data.len().max(bytes.len() as u64) > most {
        let what = format!("it is larger than {} MiB", most >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, what));
    }
    Ok(bytes)
}

/// Opens a regular file below a folder, step by step and through no link, so that it is below it indeed, whatever somebody
/// changes meanwhile.
pub fn open_beneath(folder: &Path, inside: &Path) -> io::Result<File> {
    let plain = inside
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    let (Some(above), Some(name), true) = (inside.parent(), inside.file_name(), plain) else {
        let what = "it is not a path inside of this folder";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    };
    let steps = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
    let mut at = rustix::fs::open(folder, steps, Mode::empty())?;
    for part in above.components() {
        at = rustix::fs::openat(
            &at,
            part.as_os_str(),
            steps | OFlags::NOFOLLOW,
            Mode::empty(),
        )?;
    }
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    let opened = rustix::fs::openat(&at, name, flags | OFlags::CLOEXEC, Mode::empty())?;
    let file = File::from(opened);
    regular(file.metadata()?.is_file())?;
    Ok(file)
}

/// Opens a regular file to write at its end, made where there is none, never through a link.
pub fn append_own(path: &Path) -> io::Result<File> {
    if let Ok(data) = fs::symlink_metadata(path) {
        regular(data.is_file())?;
    }
    let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE;
    open(path, flags | OFlags::NOFOLLOW)
}

fn open(path: &Path, flags: OFlags) -> io::Result<File> {
    let flags = flags | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, FILE)?);
    regular(file.metadata()?.is_file())?;
    Ok(file)
}

fn regular(is_file: bool) -> io::Result<()> {
    if is_file {
        return Ok(());
    }
    let kind = io::ErrorKind::InvalidInput;
    Err(io::Error::new(kind, "it is not a regular file"))
}

#[cfg(test)]
mod tests {
    use super::{append_own, open, open_beneath, open_regular, read_own};
    use rustix::fs::OFlags;
    use std::fs;
    use std::io::Write;
    use std::os::unix::fs::symlink;
    use std::process::Command;

    #[test]
    fn what_has_no_end_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        symlink("/dev/zero", at("zero")).unwrap();
        let made = Command::new("mkfifo").arg(at("pipe")).status();
        assert!(made.unwrap().success());
        symlink("pipe", at("to_pipe")).unwrap();
        for name in ["zero", "pipe", "to_pipe", "."] {
            let refused = [
                open_regular(&at(name)).unwrap_err(),
                read_own(&at(name), 100).unwrap_err(),
                append_own(&at(name)).unwrap_err(),
                // Also where it took the place of a file that was looked at.
                open(&at(name), OFlags::RDONLY).unwrap_err(),
            ];
            for refused in refused.map(|error| error.to_string()) {
                assert_eq!(refused, "it is not a regular file", "{name}");
            }
        }
        // Nobody reads it: that is said, and not waited for.
        assert!(open(&at("pipe"), OFlags::WRONLY).is_err());
    }

    #[test]
    fn a_file_is_read_through_a_link_only_where_that_is_meant() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("real"), "x").unwrap();
        symlink("real", at("link")).unwrap();
        assert!(open_regular(&at("link")).is_ok());
        assert!(read_own(&at("link"), 100).is_err());
        assert!(append_own(&at("link")).is_err());
        for name in ["real", "new"] {
            append_own(&at(name)).unwrap().write_all(b"y").unwrap();
        }
        assert_eq!(read_own(&at("real"), 2).unwrap(), b"xy");
        assert_eq!(read_own(&at("new"), 2).unwrap(), b"y");
        let missing = read_own(&at("none"), 2).unwrap_err();
        assert_eq!(missing.kind(), std::io::ErrorKind::NotFound);
    }

    #[test]
    fn nothing_outside_of_a_folder_is_below_it() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("in/deep")).unwrap();
        fs::write(at("secret"), "x").unwrap();
        fs::write(at("in/deep/file"), "y").unwrap();
        symlink("../secret", at("in/link")).unwrap();
        symlink("..", at("in/up")).unwrap();
        let base = at("in");
        assert!(open_beneath(&base, "deep/file".as_ref()).is_ok());
        let outside = [
            "../secret",
            "link",
            "up/secret",
            "deep/../../secret",
            "/etc/passwd",
            "",
            "deep",
            ".",
        ];
        for path in outside {
            assert!(open_beneath(&base, path.as_ref()).is_err(), "{path}");
        }
    }

    #[test]
    fn a_file_that_is_too_large_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("huge");
        fs::File::create(&path).unwrap().set_len(1 << 40).unwrap();
        let refused = read_own(&path, 16 << 20).unwrap_err().to_string();
        assert_eq!(refused, "it is larger than 16 MiB");
    }
}
