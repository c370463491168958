//! A commit checked out in a folder of its own.

use crate::error::SessionError;
use fairtrial_process::git::Git;
use std::path::Path;

/// Digits of a hash that name a commit.
const SHORT: usize = 12;

/// The beginning of a hash, by which people know a commit.
pub(crate) fn short(commit: &str) -> &str {
    &commit[..SHORT.min(commit.len())]
}

/// Checks out a commit by a clone that shares the objects of the repository, and leaves nothing in it.
pub(crate) fn check_out(top: &Path, commit: &str, tree: &Path) -> Result<(), SessionError> {
    let clone = Git::users("clone").args(["--quiet", "--shared", "--no-checkout"]);
    let cloned = clone.args([top.as_os_str(), tree.as_os_str()]).run();
    let checkout = Git::users("checkout")
        .dir(&tree.join(".git"))
        .work_tree(tree);
    let checkout = checkout.args(["--quiet", "--detach", commit]);
    cloned
        .and_then(|()| checkout.run())
        .map_err(|error| SessionError::Machine(format!("cannot check out {commit}: {error}")))
}
