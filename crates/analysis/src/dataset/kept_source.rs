//! Whether what was not committed when a run began was kept, so that it can be made again.

use super::{Dataset, FactKind};
use fairtrial_journal::provenance::{Changes, VcsState};
use fairtrial_journal::{Opened, RunDir, from_top};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// As many files are named.
const NAMED: usize = 20;

/// What was kept of a source with uncommitted changes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct KeptSource {
    /// Why the commit and what was kept do not give the source back; absent where they do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lacks: Option<String>,
    /// Untracked files that hold something, of which only the hashes are kept; the first of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub only_hashes: Vec<String>,
}

/// What a run kept; nothing where all was committed, or the version that made it kept no changes.
pub(crate) fn kept_source(
    (run, opened): (&RunDir, Option<&Opened>),
    state: &VcsState,
    data: &Dataset,
) -> Option<KeptSource> {
    let changes = run.changes(&state.changes_name()?)?;
    // The run keeps its spec.
    let spec = opened.map(|opened| opened.spec_sha256.as_str());
    let names: Vec<String> = changes
        .not_kept()
        .filter(|(_, file)| spec.is_none() || file.sha256.as_deref() != spec)
        .map(|(name, _)| name.clone())
        .collect();
    let lacks = changes.patch_lacks().map(str::to_owned);
    Some(KeptSource {
        lacks: lacks.or_else(|| ran_untracked(&changes, state, data)),
        only_hashes: names.into_iter().take(NAMED).collect(),
    })
}

/// Untracked files that trials are known to have run.
fn ran_untracked(changes: &Changes, state: &VcsState, data: &Dataset) -> Option<String> {
    let folder = Path::new(state.folder.as_deref()?);
    let ran: BTreeSet<PathBuf> = data
        .code
        .files()
        .filter_map(|name| from_top(folder, name))
        .collect();
    let names = changes.not_kept().map(|(name, _)| name);
    let ran: Vec<&str> = names
        .filter(|name| ran.contains(Path::new(name)))
        .map(String::as_str)
        .collect();
    let first = ran.first()?;
    Some(match ran.len() {
        1 => format!("only the hash of the untracked file {first} is kept, and trials ran it"),
        more => format!(
            "only the hashes of {more} untracked files are kept that trials ran, {first} among them"
        ),
    })
}

/// Tells of uncommitted changes: as a source of its own where they were kept, else as what nobody can make again.
pub(super) fn facts(data: &mut Dataset, of: (&RunDir, Option<&Opened>), state: &VcsState) {
    if state.dirty != Some(true) {
        return;
    }
    let name = state.changes_name().unwrap_or_else(|| "unknown".to_owned());
    let short = name.get(..12).unwrap_or(&name);
    let kept = kept_source(of, state, data);
    let (kind, value) = match kept.map(|kept| kept.lacks) {
        Some(None) => (FactKind::Source, short.to_owned()),
        Some(Some(why)) => (FactKind::DirtyTree, format!("{short}: {why}")),
        None => (FactKind::DirtyTree, short.to_owned()),
    };
    data.fact(kind, "uncommitted changes", value);
}
