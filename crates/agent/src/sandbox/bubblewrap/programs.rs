//! Where a program of this machine lives, with what it cannot run without. Agents are installed in homes (nvm, pyenv,
//! uv, `~/.local/bin`), which a sandbox does not show: what one of them needs is shown read-only, and nothing beside it.

use crate::sandbox::contract::find_in;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// What a system is made of.
pub(super) const SYSTEM: [&str; 9] = [
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/opt", "/nix",
];
/// Folders of programs that manage versions of others: their small programs look for the real ones below.
const MANAGERS: [&str; 10] = [
    ".asdf", ".bun", ".deno", ".nodenv", ".nvm", ".pyenv", ".rbenv", ".volta", "mise", "fnm",
];
/// What an installation has beside its `bin`.
const SIGNS: [&str; 4] = ["lib", "lib64", "libexec", "pyvenv.cfg"];
/// How many interpreters a script may go through.
const DEEPEST: u32 = 5;

/// Looks for what programs need.
pub(super) struct Search<'a> {
    /// The folders in which programs are looked for.
    pub(super) path: &'a OsStr,
    /// The user's home, of which only parts are shown.
    pub(super) home: Option<&'a Path>,
    /// What must never be shown, nor a folder around it.
    pub(super) hidden: &'a [PathBuf],
}

impl Search<'_> {
    /// The files and folders outside of the system that a program needs, each to be shown under its own name.
    pub(super) fn parts(&self, program: &str) -> Vec<PathBuf> {
        let mut parts = BTreeSet::new();
        if let Some(place) = find_in(program, self.path).filter(|place| place.is_absolute()) {
            self.visit(&place, &mut parts, DEEPEST);
        }
        // What lies in a folder that is shown needs no second showing.
        let all: Vec<PathBuf> = parts.into_iter().collect();
        let within = |part: &PathBuf| {
            all.iter()
                .any(|other| other != part && part.starts_with(other))
        };
        all.iter().filter(|part| !within(part)).cloned().collect()
    }

    fn visit(&self, place: &Path, parts: &mut BTreeSet<PathBuf>, depth: u32) {
        let Some(deeper) = depth.checked_sub(1) else {
            return;
        };
        let Ok(real) = fs::canonicalize(place) else {
            return;
        };
        for path in [place, &real] {
            if !is_of_system(path) {
                parts.insert(self.part(path));
            }
        }
        if let Some(interpreter) = interpreter(&real)
            && let Some(place) = find_in(&interpreter, self.path)
        {
            self.visit(&place, parts, deeper);
        }
    }

    /// What is shown for a file: the installation that it belongs to, else the file alone.
    fn part(&self, file: &Path) -> PathBuf {
        let folder = managed(file)
            .or_else(|| with_modules(file))
            .or_else(|| installation(file));
        folder
            .filter(|folder| self.may_show(folder))
            .unwrap_or_else(|| file.to_owned())
    }

    fn may_show(&self, folder: &Path) -> bool {
        let home = self.home.into_iter();
        let hidden = self.hidden.iter().map(PathBuf::as_path);
        let holds = home.chain(hidden).any(|path| path.starts_with(folder));
        let local = self.home.is_some_and(|home| folder == home.join(".local"));
        // Whoever keeps a repository there keeps more than programs.
        !holds && !local && !folder.join(".git").exists() && folder.parent().is_some()
    }
}

fn is_of_system(path: &Path) -> bool {
    SYSTEM.iter().any(|folder| path.starts_with(folder))
}

/// The folder of a manager of versions.
fn managed(file: &Path) -> Option<PathBuf> {
    let mut folder = PathBuf::new();
    for part in file.parent()?.components() {
        folder.push(part);
        let Component::Normal(name) = part else {
            continue;
        };
        if MANAGERS.iter().any(|manager| name == *manager) {
            return Some(folder);
        }
    }
    None
}

/// The installation around a module of Node's.
fn with_modules(file: &Path) -> Option<PathBuf> {
    let modules = file
        .ancestors()
        .filter(|part| part.ends_with("node_modules"))
        .last()?;
    let above = modules.parent()?;
    let installed = above.ends_with("lib").then(|| above.parent()).flatten();
    Some(installed.unwrap_or(modules).to_owned())
}

/// The folder around `bin`, where it looks like an installation.
fn installation(file: &Path) -> Option<PathBuf> {
    let folder = file.parent()?;
    let prefix = folder.parent().filter(|_| folder.ends_with("bin"))?;
    SIGNS
        .iter()
        .any(|sign| prefix.join(sign).exists())
        .then(|| prefix.to_owned())
}

/// The program that a script names in its first line.
fn interpreter(file: &Path) -> Option<String> {
    let mut head = Vec::new();
    File::open(file)
        .ok()?
        .take(256)
        .read_to_end(&mut head)
        .ok()?;
    let line = head.strip_prefix(b"#!")?;
    let line = line.split(|byte| *byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line).into_owned();
    let mut words = line.split_whitespace();
    let program = words.next()?;
    if !program.ends_with("/env") {
        return Some(program.to_owned());
    }
    let named = words.find(|word| !word.starts_with('-') && !word.contains('='));
    named.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::Search;
    use std::ffi::OsString;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::{Path, PathBuf};

    struct Home(tempfile::TempDir);

    impl Home {
        fn at(&self, name: &str) -> PathBuf {
            self.0.path().canonicalize().unwrap().join(name)
        }

        fn program(&self, name: &str, text: &str) {
            let path = self.at(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }

        fn link(&self, name: &str, to: &str) {
            let path = self.at(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            symlink(self.at(to), path).unwrap();
        }

        fn parts(&self, program: &str, folders: &[&str]) -> Vec<String> {
            let path = folders.iter().map(|folder| self.at(folder));
            let path: OsString = std::env::join_paths(path.chain(["/usr/bin".into()])).unwrap();
            let root = self.at("");
            let search = Search {
                path: &path,
                home: Some(&root),
                hidden: &[self.at("project/data")],
            };
            let name = |part: &Path| part.strip_prefix(&root).unwrap().display().to_string();
            search
                .parts(program)
                .iter()
                .map(|part| name(part))
                .collect()
        }
    }

    #[test]
    fn a_program_is_shown_with_its_installation_and_nothing_beside_it() {
        let home = Home(tempfile::tempdir().unwrap());
        // nvm, with a script of Node's.
        home.program(".nvm/versions/node/v20/bin/node", "elf");
        home.program(
            ".nvm/versions/node/v20/lib/node_modules/codex/bin/codex.js",
            "#!/usr/bin/env node\n",
        );
        home.link(
            ".nvm/versions/node/v20/bin/codex",
            ".nvm/versions/node/v20/lib/node_modules/codex/bin/codex.js",
        );
        assert_eq!(
            home.parts("codex", &[".nvm/versions/node/v20/bin"]),
            [".nvm"]
        );
        // A tool of uv's, whose Python is elsewhere, and a link to it.
        home.program(".local/share/uv/python/cpython-3.12/bin/python3.12", "elf");
        fs::create_dir_all(home.at(".local/share/uv/python/cpython-3.12/lib")).unwrap();
        let tool = ".local/share/uv/tools/aider";
        home.link(
            &format!("{tool}/bin/python"),
            ".local/share/uv/python/cpython-3.12/bin/python3.12",
        );
        let line = format!("#!{}\n", home.at(&format!("{tool}/bin/python")).display());
        home.program(&format!("{tool}/bin/aider"), &line);
        fs::write(home.at(&format!("{tool}/pyvenv.cfg")), "").unwrap();
        home.link(".local/bin/aider", &format!("{tool}/bin/aider"));
        fs::create_dir_all(home.at(".local/lib")).unwrap();
        assert_eq!(
            home.parts("aider", &[".local/bin"]),
            [
                ".local/bin/aider",
                ".local/share/uv/python/cpython-3.12",
                tool
            ]
        );
        // A single file among others, and one beside what must stay hidden.
        home.program(".local/share/claude/versions/1.0", "elf");
        home.link(".local/bin/claude", ".local/share/claude/versions/1.0");
        assert_eq!(
            home.parts("claude", &[".local/bin"]),
            [".local/bin/claude", ".local/share/claude/versions/1.0"]
        );
        home.program("project/bin/agent", "#!/bin/sh\n");
        fs::create_dir_all(home.at("project/lib")).unwrap();
        fs::create_dir_all(home.at("project/data")).unwrap();
        assert_eq!(home.parts("agent", &["project/bin"]), ["project/bin/agent"]);
        assert!(home.parts("sh", &[]).is_empty());
        assert!(home.parts("no-such-program", &[]).is_empty());
    }
}
