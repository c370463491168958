//! Runs a page block by block in a folder of its own.

use super::page::{Block, Note, blocks, commands};
use super::{What, read, repository, what_for};
use crate::common::{Project, Ran};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// Agents that a reader has installed; `check` refuses a spec whose agent is not here.
const AGENTS: [&str; 3] = ["codex", "claude", "my-agent"];

/// Runs a page; gives the folder that it was run in, or nothing where a program that it needs is not here.
pub fn page(path: &str) -> Option<Project> {
    let text = read(path);
    for program in ["python3", "awk"] {
        let is_here = || Command::new(program).arg("--version").output().is_ok();
        if text.contains(program) && std::env::var_os("CI").is_none() && !is_here() {
            eprintln!("skipped: {path} needs {program}, which is not here");
            return None;
        }
    }
    let reader = Reader::new(path);
    let mut printed = String::new();
    for block in blocks(&text) {
        for note in &block.notes {
            if let Note::Before(commands) = note {
                for command in commands.lines() {
                    reader.expect(command.trim(), 0, &block);
                }
            }
        }
        match what_for(&block) {
            What::Run => printed = reader.run(&block),
            What::Compare => reader.compare(&block, &printed),
            What::Write => reader.write(&block),
            What::Check => reader.check(&block),
            What::Parse => {
                for line in block.text.lines() {
                    let read = serde_json::from_str::<serde_json::Value>(line);
                    assert!(read.is_ok(), "{path} {block}\n{read:?}");
                }
            }
            What::NotRun => {}
            What::Nothing => panic!("{path} {block}\nis neither run nor marked"),
        }
    }
    Some(reader.project)
}

/// Somebody who reads a page and does what it says.
struct Reader {
    page: String,
    project: Project,
    /// Where commands are typed.
    folder: std::path::PathBuf,
}

impl Reader {
    /// A reader in a fresh folder with the examples in it, as in a clone of the repository; one of an example's own
    /// README that copies the folder is in that.
    fn new(page: &str) -> Self {
        let project = Project::new();
        copy(&repository("examples"), &project.path().join("examples"));
        for agent in AGENTS {
            let place = format!("agents/{agent}");
            project.write(&place, "#!/bin/sh\nexit 0\n");
            let all = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(project.path().join(place), all).unwrap();
        }
        let copied = page == "examples/ci/README.md";
        let folder = project.path().join(if copied { "examples/ci" } else { "" });
        Self {
            page: page.to_owned(),
            project,
            folder,
        }
    }

    /// Runs the commands of a block; gives what they printed.
    fn run(&self, block: &Block) -> String {
        let all = commands(&block.text);
        let mut printed = String::new();
        for (place, command) in all.iter().enumerate() {
            let last = place + 1 == all.len();
            let ran = self.expect(command, if last { block.exit() } else { 0 }, block);
            printed.push_str(&ran.out);
            printed.push_str(&ran.err);
        }
        printed
    }

    /// Types a command, which must end with this code.
    fn expect(&self, command: &str, code: i32, block: &Block) -> Ran {
        // A clone is built by this; here it is built already.
        let command = command.replace("cargo run --release --", "fairtrial");
        let binary = Path::new(env!("CARGO_BIN_EXE_fairtrial")).parent().unwrap();
        let path = std::env::var("PATH").unwrap_or_default();
        let agents = self.project.path().join("agents");
        let output = Command::new("sh")
            .args(["-c", &command])
            .current_dir(&self.folder)
            .env(
                "PATH",
                format!("{}:{}:{path}", binary.display(), agents.display()),
            )
            .env("PYTHONPATH", repository("python"))
            .env("FIXTURES", repository("crates/interop/tests/fixtures"))
            .env("NO_COLOR", "1")
            .env("COLUMNS", "120")
            .env_remove("FAIRTRIAL_DATA")
            .env_remove("SANDBOX_BACKEND")
            .output()
            .unwrap();
        let ran = Ran::from(output);
        assert_eq!(
            ran.code, code,
            "{} {}: `{command}` ended with {}, not {code}\n{}\n{}",
            self.page, block.line, ran.code, ran.out, ran.err
        );
        ran
    }

    fn write(&self, block: &Block) {
        let name = block.file.as_deref().unwrap_or_default();
        let path = self.folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, self.whole(block)).unwrap();
        if block.is_spec() {
            self.expect(&format!("fairtrial check {name}"), 0, block);
        }
    }

    /// A spec without a name, or a part of one, with what makes it whole.
    fn check(&self, block: &Block) {
        let name = format!("block-{}.{}", block.line, block.language);
        std::fs::write(self.folder.join(&name), self.whole(block)).unwrap();
        self.expect(&format!("fairtrial check {name}"), block.exit(), block);
        std::fs::remove_file(self.folder.join(&name)).unwrap();
    }

    fn whole(&self, block: &Block) -> String {
        let mut text = String::new();
        for note in &block.notes {
            if let Note::With(more) = note {
                let file = self.folder.join(more);
                let is_file = !more.contains('\n') && file.is_file();
                let more = if is_file {
                    std::fs::read_to_string(file).unwrap()
                } else {
                    more.clone()
                };
                text.push_str(&more);
                text.push('\n');
            }
        }
        text.push_str(&block.text);
        text
    }

    /// Every line of the block must stand in what was printed, in order; `...` stands for any lines.
    fn compare(&self, block: &Block, printed: &str) {
        let printed = self.steady(printed);
        let mut rest = printed.lines();
        let mut may_skip = false;
        for line in self.steady(&block.text).lines() {
            if line.trim() == "..." {
                may_skip = true;
                continue;
            }
            let found = if may_skip {
                rest.find(|other| *other == line)
            } else {
                rest.next().filter(|other| *other == line)
            };
            assert!(
                found.is_some(),
                "{} {}: `{line}` is not what is printed:\n{printed}",
                self.page,
                block.line
            );
            may_skip = false;
        }
        let more: Vec<&str> = rest.collect();
        assert!(
            may_skip || more.is_empty(),
            "{} {}: more is printed:\n{}",
            self.page,
            block.line,
            more.join("\n")
        );
    }

    /// Text without what differs from day to day: stamps, folders, durations.
    fn steady(&self, text: &str) -> String {
        let text = text.replace(&self.folder.display().to_string(), "FOLDER");
        let stamp = |word: &str| {
            let bytes = word.as_bytes();
            bytes.len() >= 18 && &bytes[8..10] == b"__" && bytes[..8].iter().all(u8::is_ascii_digit)
        };
        let line = |line: &str| {
            let words = line.split_inclusive([' ', '/', '`', ':', '(']);
            let words = words.map(|word| {
                if stamp(word) {
                    format!("STAMP{}", &word[18..])
                } else {
                    word.to_owned()
                }
            });
            words.collect::<String>().trim_end().to_owned()
        };
        text.lines().map(line).collect::<Vec<_>>().join("\n")
    }
}

/// Copies a folder.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
