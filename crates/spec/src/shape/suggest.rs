//! "Did you mean ...?": the known word nearest to an unknown one.

use std::path::Path;

/// Names of a folder that are compared with one that is not in it.
const MOST_NAMES: usize = 1000;

/// The candidate nearest to `word`, where one is near enough to be meant.
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let lower = word.to_lowercase();
    let scored = candidates
        .into_iter()
        .map(|candidate| (score(&lower, candidate), candidate));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 >= 0.65).then_some(best.1)
}

fn score(word: &str, candidate: &str) -> f64 {
    // Comparing is quadratic: a word of a megabyte is not a slip of a finger.
    if word.len() > 100 {
        return 0.0;
    }
    let plain = |text: &str| text.replace(['_', '-'], "");
    let candidate = candidate.to_lowercase();
    strsim::normalized_damerau_levenshtein(&plain(word), &plain(&candidate))
}

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

/// The help line for an unknown word.
pub fn did_you_mean<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    nearest(word, candidates).map(|best| format!("did you mean `{best}`?"))
}
