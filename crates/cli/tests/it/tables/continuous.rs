//! The examples for cron and for pull requests, run as they stand.

use super::suite::git;
use crate::common::Project;
use std::path::{Path, PathBuf};

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

/// The checkout is as it was before: on `main`, with nothing changed.
fn is_at_home(project: &Project) {
    let branch = project.shell("git branch --show-current").out;
    assert_eq!(branch, "main\n");
    assert_eq!(project.shell("git status --porcelain").out, "");
}

fn branches(project: &Project) -> String {
    project
        .shell("git for-each-ref --format='%(refname)' refs/heads/results")
        .out
}

#[test]
fn the_nightly_script_puts_results_on_a_branch() {
    let project = checkout();
    let ran = project.shell("sh examples/tables/nightly.sh");
    assert_eq!(ran.code, 0, "{}\n{}", ran.out, ran.err);
    is_at_home(&project);
    let commit = project.shell(
        "git show --stat --format=%B $(git for-each-ref --format='%(refname)' refs/heads/results)",
    );
    for part in [
        "| Metric | Baseline | Proposed | Δ | Result |",
        "benchmarks/objects.csv",
        "objects.csv.origins.json",
    ] {
        assert!(commit.out.contains(part), "{part}\n{}", commit.out);
    }
}

/// Twice a day, and on the next day after `main` moved on; every branch is one commit on what `main` was.
#[test]
fn every_night_begins_at_home() {
    let project = checkout();
    let night = |day: &str| {
        let line = format!("PUSH=1 DAY={day} sh examples/tables/nightly.sh");
        let ran = project.shell(&line);
        assert_eq!(ran.code, 0, "{day}\n{}\n{}", ran.out, ran.err);
        is_at_home(&project);
        let ahead = project.shell(&format!("git rev-list --count main..origin/results/{day}"));
        assert_eq!(ahead.out, "1\n", "{day}");
        assert!(git(
            project.path(),
            &[
                "merge-base",
                "--is-ancestor",
                "main",
                &format!("results/{day}")
            ]
        ));
    };
    let remote = "git init -q --bare ../origin.$$ && mv ../origin.$$ data-of-origin.git && \
                  git remote add origin ./data-of-origin.git && echo data-of-origin.git/ >> .gitignore && \
                  git commit -qam ignore";
    let made = project.shell(remote);
    assert_eq!(made.code, 0, "{}", made.err);
    night("2026-01-01");
    night("2026-01-01");
    assert!(git(
        project.path(),
        &["commit", "-q", "--allow-empty", "-m", "main moves on"]
    ));
    night("2026-01-02");
    assert_eq!(
        branches(&project),
        "refs/heads/results/2026-01-01\nrefs/heads/results/2026-01-02\n"
    );
}

#[test]
fn the_nightly_script_comes_home_when_it_cannot_commit() {
    let project = checkout();
    project.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n");
    let ran = project.shell("chmod +x .git/hooks/pre-commit && sh examples/tables/nightly.sh");
    assert_ne!(ran.code, 0, "{}", ran.out);
    is_at_home(&project);
    assert_eq!(branches(&project), "");
    // What somebody is at work on is not touched.
    let table = "examples/tables/benchmarks/objects.csv";
    let edited = project.read(table).replace("base_", "mine_");
    project.write(table, &edited);
    let ran = project.shell("sh examples/tables/nightly.sh");
    assert_eq!(ran.code, 2, "{}", ran.out);
    assert_eq!(project.read(table), edited);
}

#[test]
fn the_nightly_script_tells_of_an_experiment_that_fails() {
    let project = checkout();
    let suite = project.read("examples/tables/suite.toml");
    let broken = suite.replace("params = { skill = 0.8 }", "command = \"false\"");
    assert_ne!(suite, broken);
    project.write("examples/tables/suite.toml", &broken);
    assert!(git(project.path(), &["commit", "-qam", "broken"]));
    let ran = project.shell("DAY=2026-01-01 sh examples/tables/nightly.sh");
    assert_eq!(ran.code, 1, "{}\n{}", ran.out, ran.err);
    is_at_home(&project);
    let row = |revision: &str| {
        let table = project.shell(&format!(
            "git show {revision}:examples/tables/benchmarks/objects.csv"
        ));
        let line = table
            .out
            .lines()
            .find(|line| line.starts_with("base_dist_agent"));
        line.map(str::to_owned).unwrap()
    };
    let after = row("results/2026-01-01");
    assert_eq!(row("main"), after, "a failed row stays as it is");
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
        let ran = project.shell(&format!("{given} {command}"));
        assert_eq!(ran.code, 0, "{command}\n{}\n{}", ran.out, ran.err);
    }
    let comparison = project.read("comparison.md");
    assert!(
        comparison.contains("| Metric | Baseline | Proposed | Δ | Result |"),
        "{comparison}"
    );
}
