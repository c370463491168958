//! Where runs are kept: said by the user, found from here upwards, or beside the spec's project.

use crate::exit::Failure;
use fairtrial_journal::DataRoot;
use fairtrial_text::shell_word::shell_word;
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

/// The data folder in a folder or above it, where it is the user's own.
fn found(start: &Path) -> Result<Option<DataRoot>, Failure> {
    let me = rustix::process::geteuid().as_raw();
    // As git does: under sudo, what belongs to whoever typed it is theirs.
    let caller = std::env::var("SUDO_UID").ok().filter(|_| me == 0);
    let caller = caller.and_then(|text| text.parse().ok()).unwrap_or(me);
    DataRoot::find(start, &[me, caller]).map_err(|foreign| {
        let path = foreign.path.display().to_string();
        let hint = format!(
            "if you trust what is in it, name it: --data-dir {0}, or FAIRTRIAL_DATA={0}; else name a folder of your own",
            shell_word(&path)
        );
        Failure::input(foreign.to_string()).hint(hint)
    })
}

/// The data folder for commands that name no spec.
pub(crate) fn for_here(flag: Option<&Path>) -> Result<DataRoot, Failure> {
    let here = std::env::current_dir().unwrap_or_default();
    Ok(match named(flag) {
        Some(root) => root,
        None => found(&here)?.unwrap_or_else(|| DataRoot::at(here.join("data"))),
    })
}

/// The data folder for a spec: one that is there in its folder or above, else `data/` at the top of its repository,
/// else `data/` here where the spec is below, else beside the spec.
pub(crate) fn for_spec(flag: Option<&Path>, spec: &Path) -> Result<DataRoot, Failure> {
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
    Ok(match named(flag) {
        Some(root) => root,
        None => found(&folder)?.unwrap_or_else(|| DataRoot::at(project())),
    })
}

/// A path from the root, without touching the disk.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
