//! Every command that the README and the guides show is run, in the order in which they stand.

use crate::common::Project;
use std::path::Path;
use std::process::Command;

/// The lines of the `sh` blocks of a page.
fn shell_lines(page: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(page);
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match line {
            "```sh" => inside = true,
            "```" => inside = false,
            line if inside && !line.trim().is_empty() => lines.push(line.to_owned()),
            _ => {}
        }
    }
    lines
}

/// Runs the lines of a page in one folder. `cargo run --release --` stands for the binary; `./test` is what runs this.
fn run_page(page: &str) {
    let project = Project::new();
    let binary = env!("CARGO_BIN_EXE_fairtrial");
    let folder = Path::new(binary).parent().unwrap().display();
    let lines = shell_lines(page);
    assert!(!lines.is_empty(), "{page} shows no commands");
    for line in lines {
        if line == "./test" {
            continue;
        }
        let line = line.replace("cargo run --release --", "fairtrial");
        assert!(
            line.starts_with("fairtrial "),
            "{page}: cannot run `{line}` here"
        );
        let path = format!("{folder}:{}", std::env::var("PATH").unwrap_or_default());
        let ran = Command::new("sh")
            .args(["-c", &line])
            .current_dir(project.path())
            .env("PATH", path)
            .env_remove("FAIRTRIAL_DATA")
            .output()
            .unwrap();
        assert!(
            ran.status.success(),
            "{page}: `{line}`\n{}",
            String::from_utf8_lossy(&ran.stderr)
        );
    }
}

#[test]
fn the_readme_works_when_pasted() {
    run_page("README.md");
}

#[test]
fn the_reports_guide_works_when_pasted() {
    run_page("docs/guides/reports.md");
}

#[test]
fn the_first_run_guide_works_when_pasted() {
    run_page("docs/guides/first-run.md");
}
