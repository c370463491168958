//! What agents' tasks need of git.

use crate::error::{AgentError, At};
use fairtrial_process::git::Git;
use std::path::Path;

/// Puts a patch on a workspace with a repository of its own; `words` say which of its files.
pub(crate) fn apply(patch: &Path, workspace: &Path, words: &[String]) -> Result<(), AgentError> {
    let patch = std::path::absolute(patch).at("find", patch)?;
    let git = Git::own("apply")
        .work_tree(workspace)
        .dir(&workspace.join(".git"))
        .args(["--whitespace=nowarn", "--binary"]);
    Ok(git.args(words).args([patch]).run()?)
}
