//! Where runs are kept: said by the user, found from here upwards, or beside the spec's project.

use crate::exit::Failure;
use fairtrial_journal::DataRoot;
use std::path::{Path, PathBuf};

/// The data folder as the user named it: `--data-dir`, else `FAIRTRIAL_DATA`.
fn named(flag: Option<&Path>) -> Option<DataRoot> {
    let variable = std::env::var_os("FAIRTRIAL_DATA")
        .filter(|value| !value.is_empty())
        .map(PathBuf::from);
    flag.map(Path::to_owned)
        .or(variable)
        .map(|path| DataRoot::at(absolute(&path)))
}

/// Refuses a data folder that is something else; one that is not there yet is made by a run.
pub(crate) fn check(flag: Option<&Path>) -> Result<(), Failure> {
    let Some(root) = named(flag) else {
        return Ok(());
    };
    let path = root.path();
    if !path.exists() || path.is_dir() {
        return Ok(());
    }
    let who = flag.map_or("FAIRTRIAL_DATA", |_| "--data-dir");
    let message = format!("{who} names {}, which is not a folder", path.display());
    Err(Failure::input(message).hint("name the folder that holds `rollouts/` and `runs/`"))
}

/// The data folder for commands that name no spec.
pub(crate) fn for_here(flag: Option<&Path>) -> DataRoot {
    let here = std::env::current_dir().unwrap_or_default();
    named(flag)
        .or_else(|| DataRoot::find(&here))
        .unwrap_or_else(|| DataRoot::at(here.join("data")))
}

/// The data folder for a spec: one that is there in its folder or above, else `data/` at the top of its repository,
/// else `data/` here where the spec is below, else beside the spec.
pub(crate) fn for_spec(flag: Option<&Path>, spec: &Path) -> DataRoot {
    let here = std::env::current_dir().unwrap_or_default();
    let folder = absolute(spec)
        .parent()
        .map(Path::to_owned)
        .unwrap_or_default();
    let repository = || folder.ancestors().find(|above| above.join(".git").exists());
    let project = || {
        let below = folder.starts_with(&here).then_some(here.as_path());
        repository().or(below).unwrap_or(&folder).join("data")
    };
    named(flag)
        .or_else(|| DataRoot::find(&folder))
        .unwrap_or_else(|| DataRoot::at(project()))
}

/// A path from the root, without touching the disk.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
