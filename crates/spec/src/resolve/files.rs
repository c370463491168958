//! Files and folders that a spec names: a spec may be checked where they are not, a run needs them.

use super::draft::Draft;
use super::find_path::find_path;
use crate::diagnostic::{Diagnostic, Problems, Severity};
use crate::document::Node;
use crate::load_options::FileCheck;
use crate::shape::suggest::nearest_in;
use crate::template::{Template, env_references};
use std::path::Path;

/// Reports what is missing.
pub(super) fn check(drafts: &[Draft], base_dir: &Path, files: FileCheck, problems: &mut Problems) {
    let severity = match files {
        FileCheck::Ignore => return,
        FileCheck::Warn => Severity::Warning,
        FileCheck::Require => Severity::Error,
    };
    for draft in drafts {
        for (key, what) in [
            ("prepared_dir", Wanted::Folder),
            ("overrides", Wanted::File),
            ("workdir", Wanted::Folder),
        ] {
            let missing = draft
                .node
                .get(key)
                .filter(|node| !what.is_there(key, node, base_dir));
            if let Some(node) = missing {
                let path = node.text().unwrap_or_default();
                let message = format!("there is no {} `{}`", what.noun(), path.escape_debug());
                let meant = meant(path, what, base_dir);
                let problem = Diagnostic::new(severity, node.span, message).help(what.help(key));
                problems.push(problem.maybe_help(meant));
            }
        }
    }
}

/// The path that is there and differs from this one by a slip in its last part.
fn meant(path: &str, what: Wanted, base_dir: &Path) -> Option<String> {
    let (folder, last) = path.rsplit_once('/').unwrap_or((".", path));
    let best = nearest_in(&find_path(base_dir, folder), last, |path| what.is(path))?;
    Some(format!(
        "did you mean `{}{best}`?",
        path.strip_suffix(last)?
    ))
}

#[derive(Clone, Copy)]
enum Wanted {
    File,
    Folder,
}

impl Wanted {
    fn noun(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Folder => "folder",
        }
    }

    fn help(self, key: &str) -> &'static str {
        match (self, key) {
            (Self::Folder, "workdir") => "paths are relative to the folder of the spec",
            _ => "paths are relative to the folder of the spec, or to a folder above it",
        }
    }

    /// A path that only a trial can complete is taken as there.
    fn is_there(self, key: &str, node: &Node, base_dir: &Path) -> bool {
        let Some(text) = node.text() else { return true };
        if Template::parse(text).names().next().is_some() || !env_references(text).is_empty() {
            return true;
        }
        let path = if key == "workdir" {
            base_dir.join(text)
        } else {
            find_path(base_dir, text)
        };
        self.is(&path)
    }

    fn is(self, path: &Path) -> bool {
        match self {
            Self::File => path.is_file(),
            Self::Folder => path.is_dir(),
        }
    }
}
