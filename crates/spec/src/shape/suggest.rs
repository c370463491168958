//! "Did you mean ...?": the known word nearest to an unknown one.

use fairtrial_text::nearest::nearest;
use std::path::Path;

/// Names of a folder that are compared with one that is not in it.
const MOST_NAMES: usize = 1000;

/// The name in a folder nearest to one that is not there, among those that are wanted.
pub(crate) fn nearest_in(
    folder: &Path,
    name: &str,
    wanted: impl Fn(&Path) -> bool,
) -> Option<String> {
    let entries = std::fs::read_dir(folder).ok()?.flatten().take(MOST_NAMES);
    let names: Vec<String> = entries
        .filter(|entry| wanted(&entry.path()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    nearest(name, names.iter().map(String::as_str)).map(str::to_owned)
}

/// The help line for a file that is not there: the one beside it, among those that are wanted, that may be meant.
pub fn neighbour(path: &Path, wanted: impl Fn(&Path) -> bool) -> Option<String> {
    let folder = path.parent()?;
    let here = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let best = nearest_in(here, path.file_name()?.to_str()?, wanted)?;
    Some(format!("did you mean `{}`?", folder.join(best).display()))
}
