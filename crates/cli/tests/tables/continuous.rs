//! The examples for cron and for pull requests, run as they stand.

use crate::common::{Project, Ran};
use crate::suite::git;
use std::path::{Path, PathBuf};
use std::process::Command;

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tables")
}

/// A checkout of its own with the example in it.
fn checkout() -> Project {
    let project = Project::new();
    for name in [
        "suite.toml",
        "experiment.py",
        "nightly.sh",
        "benchmarks/objects.csv",
    ] {
        let text = std::fs::read_to_string(example().join(name)).unwrap();
        project.write(&format!("examples/tables/{name}"), &text);
    }
    project.write(".gitignore", "data/\nmodels/\ncomparison.md\n");
    for args in [
        &["init", "-q", "-b", "main"][..],
        &["config", "user.name", "t"],
        &["config", "user.email", "t@t"],
        &["add", "-A"],
        &["commit", "-qm", "begin"],
    ] {
        assert!(git(project.path(), args), "git {args:?}");
    }
    project
}

/// A shell command in the checkout, with the built binary on the path.
fn shell(project: &Project, text: &str) -> Ran {
    let binary = Path::new(env!("CARGO_BIN_EXE_fairtrial")).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("sh")
        .args(["-c", text])
        .current_dir(project.path())
        .env("PATH", format!("{}:{path}", binary.display()))
        .env_remove("FAIRTRIAL_DATA")
        .output()
        .unwrap();
    Ran::from(output)
}

#[test]
fn the_nightly_script_puts_results_on_a_branch() {
    let project = checkout();
    let ran = shell(&project, "sh examples/tables/nightly.sh");
    assert_eq!(ran.code, 0, "{}\n{}", ran.out, ran.err);
    let branch = shell(&project, "git branch --show-current");
    assert!(branch.out.starts_with("results/"), "{}", branch.out);
    let commit = shell(&project, "git show --stat --format=%B HEAD");
    for part in [
        "| Metric | Baseline | Proposed | Δ | Result |",
        "benchmarks/objects.csv",
        "objects.csv.origins.json",
    ] {
        assert!(commit.out.contains(part), "{part}\n{}", commit.out);
    }
    assert_eq!(shell(&project, "git status --porcelain").out, "");
}

#[test]
fn the_nightly_script_tells_of_an_experiment_that_fails() {
    let project = checkout();
    let suite = project.read("examples/tables/suite.toml");
    let broken = suite.replace("params = { skill = 0.9 }", "command = \"false\"");
    assert_ne!(suite, broken);
    project.write("examples/tables/suite.toml", &broken);
    let before = project.read("examples/tables/benchmarks/objects.csv");
    let ran = shell(&project, "sh examples/tables/nightly.sh");
    assert_eq!(ran.code, 1, "{}\n{}", ran.out, ran.err);
    let after = project.read("examples/tables/benchmarks/objects.csv");
    let row = |table: &str| {
        let line = table
            .lines()
            .find(|line| line.starts_with("base_surf_agent"));
        line.map(str::to_owned)
    };
    assert_eq!(row(&before), row(&after), "a failed row stays as it is");
}

/// The commands of the pull-request workflow, in its order; the steps that talk to the forge are left out.
#[test]
fn the_pull_request_workflow_compares_with_the_base_branch() {
    let project = checkout();
    assert!(git(
        project.path(),
        &["update-ref", "refs/remotes/origin/main", "HEAD"]
    ));
    assert!(git(project.path(), &["switch", "-q", "-c", "change"]));
    let workflow = std::fs::read_to_string(example().join("pull-request.yml")).unwrap();
    let commands: Vec<&str> = workflow
        .lines()
        .map(|line| line.trim().trim_start_matches("run: "))
        .filter(|line| line.starts_with("fairtrial "))
        .collect();
    assert_eq!(commands.len(), 3, "{commands:?}");
    let given = "export SUITE=examples/tables/suite.toml BASE=main GITHUB_OUTPUT=output \
                 TABLE=examples/tables/benchmarks/objects.csv;";
    for command in commands {
        let ran = shell(&project, &format!("{given} {command}"));
        assert_eq!(ran.code, 0, "{command}\n{}\n{}", ran.out, ran.err);
    }
    let comparison = project.read("comparison.md");
    assert!(
        comparison.contains("| Metric | Baseline | Proposed | Δ | Result |"),
        "{comparison}"
    );
}
