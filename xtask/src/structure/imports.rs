//! Which files of its crate a file imports from, by `use` and by paths in its code. What a `mod.rs` gives on counts as an
//! import of its own: who imports through it depends on all that it names.

use super::Crate;
use super::tokens::tokens;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The modules of a crate, each with its file.
pub(super) type Modules = BTreeMap<Vec<String>, PathBuf>;

/// The modules of a crate. Those of tests are none.
pub(super) fn modules(of: &Crate) -> Modules {
    let is_test = |file: &&PathBuf| file.components().any(|part| part.as_os_str() == "tests.rs");
    let files = of.files.keys().filter(|file| !is_test(file));
    files.map(|file| (module(file), file.clone())).collect()
}

/// The module of a file: `a/mod.rs` and `a.rs` are both `a`.
fn module(file: &Path) -> Vec<String> {
    let place = file.with_extension("");
    let mut parts: Vec<String> = place
        .iter()
        .map(|part| part.to_string_lossy().into_owned())
        .collect();
    let is_top = parts.len() == 1 && matches!(parts[0].as_str(), "lib" | "main");
    if is_top || parts.last().is_some_and(|last| last == "mod") {
        parts.pop();
    }
    parts
}

/// The files that a file imports from.
pub(super) fn imports(text: &str, own: &[String], modules: &Modules) -> BTreeSet<PathBuf> {
    let tokens = tokens(text);
    let mut found = BTreeSet::new();
    let mut at = 0;
    while at < tokens.len() {
        let is_use = tokens[at] == "use" && tokens.get(at + 1) != Some(&"<");
        if is_use {
            let mut tree = Tree {
                tokens: &tokens,
                at: at + 1,
                paths: Vec::new(),
            };
            tree.read(&[]);
            at = tree.at;
            let files = tree.paths.iter().map(|path| resolve(path, own, modules));
            found.extend(files.flatten());
            continue;
        }
        // Not in the middle of a path, and not in `pub(in path)`, which shows something and imports nothing.
        let begins = at == 0 || !matches!(tokens[at - 1], "::" | "in");
        let path = path_at(&tokens[at..]);
        if begins && path.len() > 1 {
            found.extend(resolve(&path, own, modules));
        }
        at += 1;
    }
    found
}

/// The words of a path that begins here.
fn path_at<'t>(tokens: &[&'t str]) -> Vec<&'t str> {
    let is_word =
        |token: &str| token.starts_with(|first: char| first.is_alphabetic() || first == '_');
    let mut path = Vec::new();
    for pair in tokens.chunks(2) {
        let Some(word) = pair.first().filter(|word| is_word(word)) else {
            break;
        };
        path.push(*word);
        if pair.get(1) != Some(&"::") {
            break;
        }
    }
    path
}

/// A tree of imports, read into paths.
struct Tree<'t> {
    tokens: &'t [&'t str],
    at: usize,
    paths: Vec<Vec<&'t str>>,
}

impl<'t> Tree<'t> {
    /// Reads one branch under a path, up to the sign that ends it.
    fn read(&mut self, above: &[&'t str]) {
        let mut path = above.to_vec();
        while let Some(token) = self.tokens.get(self.at) {
            match *token {
                "{" => {
                    self.at += 1;
                    while self.tokens.get(self.at).is_some_and(|token| *token != "}") {
                        self.read(&path);
                        if self.tokens.get(self.at) == Some(&",") {
                            self.at += 1;
                        }
                    }
                    self.at += 1;
                    return;
                }
                "," | "}" | ";" => break,
                "::" => {}
                word => path.push(word),
            }
            self.at += 1;
        }
        self.paths.push(path);
    }
}

/// The file that a path leads to, where it is one of the crate and not the own.
fn resolve(path: &[&str], own: &[String], modules: &Modules) -> Option<PathBuf> {
    let (first, rest) = path.split_first()?;
    let mut at: Vec<String> = match *first {
        "crate" => Vec::new(),
        "self" | "super" => own.to_vec(),
        child => {
            let place = [own, &[child.to_owned()]].concat();
            modules.contains_key(&place).then_some(place)?
        }
    };
    let mut rest = rest;
    if *first == "super" {
        at.pop();
    }
    while let Some(("super", after)) = rest.split_first().map(|(word, after)| (*word, after)) {
        at.pop();
        rest = after;
    }
    for word in rest {
        at.push((*word).to_owned());
        if !modules.contains_key(&at) {
            at.pop();
            break;
        }
    }
    modules.get(&at).filter(|_| at != own).cloned()
}

#[cfg(test)]
mod tests {
    use super::{imports, module};
    use std::path::Path;

    #[test]
    fn paths_lead_to_the_file_that_defines() {
        let files = ["lib.rs", "a.rs", "a/b.rs", "c/mod.rs", "c/d.rs"];
        let modules = files
            .map(|file| (module(Path::new(file)), file.into()))
            .into();
        let seen = |text: &str, file: &str| -> Vec<String> {
            let found = imports(text, &module(Path::new(file)), &modules);
            let names = found.iter().map(|file| file.display().to_string());
            names.collect()
        };
        assert_eq!(
            seen("use crate::{a::b::X, c};", "lib.rs"),
            ["a/b.rs", "c/mod.rs"]
        );
        assert_eq!(
            seen("pub use b::{self, Y}; fn f() { b::g() }", "a.rs"),
            ["a/b.rs"]
        );
        assert_eq!(
            seen("use super::super::a::b; use std::fs;", "c/d.rs"),
            ["a/b.rs"]
        );
        assert_eq!(
            seen("fn f(x: super::Z) { crate::g() }", "c/d.rs"),
            ["c/mod.rs", "lib.rs"]
        );
        assert_eq!(
            seen(
                "#[cfg(test)] mod tests { use super::X; use crate::a; }",
                "c/d.rs"
            )
            .len(),
            0
        );
    }
}
