//! Looks for programs in the folders of a `PATH`.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Where a program is by this `PATH`; a name with a slash is a place already.
pub fn find_program(name: &str, path: &OsStr) -> Option<PathBuf> {
    if name.contains('/') {
        return is_program(Path::new(name)).then(|| name.into());
    }
    let mut places = std::env::split_paths(path).map(|folder| folder.join(name));
    places.find(|place| is_program(place))
}

fn is_program(path: &Path) -> bool {
    let data = std::fs::metadata(path);
    data.is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}
