//! Paths that tasks name: whether they stay where they belong.

use std::path::{Component, Path};

/// Whether a path stays inside the folder it is meant for.
pub(crate) fn is_inside(path: &str) -> bool {
    let parts = Path::new(path).components();
    let mut named = false;
    for part in parts {
        match part {
            Component::Normal(_) => named = true,
            Component::CurDir => {}
            _ => return false,
        }
    }
    named
}

/// Whether a script is one of Python's.
pub(crate) fn is_python(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|kind| kind == "py")
}
