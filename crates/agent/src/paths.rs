//! Paths that tasks name: whether they stay where they belong, and which of them a pattern means.

use std::path::{Component, Path};
use wildmatch::WildMatch;

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

/// Whether a pattern names a path: `*` stands for anything inside one folder, `**` for any folders, and a pattern that
/// names a folder names everything in it.
pub(crate) fn matches(pattern: &str, path: &str) -> bool {
    let pattern = pattern.trim_start_matches("./").trim_end_matches('/');
    let parts: Vec<&str> = pattern.split('/').collect();
    let names: Vec<&str> = path.split('/').collect();
    parts_match(&parts, &names)
}

fn parts_match(parts: &[&str], names: &[&str]) -> bool {
    match (parts, names) {
        ([], _) => true,
        (["**"], []) => false,
        (["**", rest @ ..], _) => (0..=names.len())
            .filter(|skip| !rest.is_empty() || *skip < names.len())
            .any(|skip| parts_match(rest, &names[skip..])),
        ([part, rest @ ..], [name, below @ ..]) => {
            WildMatch::new(part).matches(name) && parts_match(rest, below)
        }
        (_, []) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns_name_files_and_what_is_in_folders() {
        let yes = [
            ("src/a.py", "src/a.py"),
            ("src", "src/deep/a.py"),
            ("src/", "src/a.py"),
            ("*.md", "README.md"),
            ("docs/*.md", "docs/a.md"),
            ("**/*.md", "docs/deep/a.md"),
            ("**/*.md", "a.md"),
            ("tests/**", "tests/x/y"),
            ("a?c", "abc"),
            ("*a*b*", "xxaxxbxx"),
        ];
        for (pattern, path) in yes {
            assert!(matches(pattern, path), "{pattern} {path}");
        }
        let no = [
            ("*.md", "docs/a.md"),
            ("src", "src2/a"),
            ("docs/*.md", "docs/x/a.md"),
            ("a?c", "ac"),
            ("tests/**", "tests"),
        ];
        for (pattern, path) in no {
            assert!(!matches(pattern, path), "{pattern} {path}");
        }
    }
}
