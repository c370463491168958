//! Files and folders that a spec names: a spec may be checked where they are not, a run needs them.

use super::draft::Draft;
use crate::diagnostic::{Diagnostic, Problems, Severity};
use crate::document::Node;
use crate::load::FileCheck;
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
                .filter(|node| !what.is_there(node, base_dir));
            if let Some(node) = missing {
                let path = node.text().unwrap_or_default();
                let message = format!("there is no {} `{}`", what.noun(), path.escape_debug());
                let help = "paths are relative to the folder of the spec";
                problems.push(Diagnostic::new(severity, node.span, message).help(help));
            }
        }
    }
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

    /// A path that only a trial can complete is taken as there.
    fn is_there(self, node: &Node, base_dir: &Path) -> bool {
        let Some(text) = node.text() else { return true };
        if Template::parse(text).names().next().is_some() || !env_references(text).is_empty() {
            return true;
        }
        let path = base_dir.join(text);
        match self {
            Self::File => path.is_file(),
            Self::Folder => path.is_dir(),
        }
    }
}
