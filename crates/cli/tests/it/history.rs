//! `history`: many runs of a benchmark as one series, driven through the built binary.

use crate::common::Project;
use std::fmt::Write as _;
use std::process::Command;

const SPEC: &str = r#"
name = "bench"
seeds = 2
command = "sh work.sh {seed}"

[metrics.score]
direction = "up"
"#;

fn git(project: &Project, args: &[&str]) {
    let settings = [
        "user.name=t",
        "user.email=t@example.org",
        "init.defaultBranch=main",
    ];
    let done = Command::new("git")
        .args(settings.iter().flat_map(|setting| ["-c", setting]))
        .args(args)
        .current_dir(project.path())
        .output();
    assert!(
        done.is_ok_and(|output| output.status.success()),
        "git {args:?}"
    );
}

/// Commits what the benchmark scores from now on.
fn commit(project: &Project, level: u32, number: u32) {
    let score = level + number * 7 % 5;
    let script =
        format!("echo \"{{\\\"score\\\": $(({score} + $1 % 3))}}\" >> \"$FAIRTRIAL_METRICS\"\n");
    project.write("work.sh", &script);
    git(project, &["add", "bench.toml", "work.sh"]);
    git(
        project,
        &[
            "commit",
            "-qm",
            &format!("change {number}"),
            "--allow-empty",
        ],
    );
}

#[test]
fn a_change_is_found_between_its_commits() {
    let project = Project::with_spec(SPEC);
    git(&project, &["init", "-q"]);
    project.write(".gitignore", "data/\n");
    let mut stamps = Vec::new();
    for number in 0..14 {
        commit(&project, if number < 8 { 1000 } else { 900 }, number);
        if number == 9 {
            // A commit that nobody measured.
            continue;
        }
        project.expect(0, &["run", "bench.toml"]);
        let dir = project.newest_run("bench");
        stamps.push(dir.file_name().unwrap().to_str().unwrap().to_owned());
    }
    let ran = project.expect(0, &["history", "bench"]);
    assert!(
        ran.out.starts_with("bench: 1 regression in up to 13 runs"),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains('|') && ran.out.contains('█'),
        "{}",
        ran.out
    );
    let json = project.expect(0, &["history", "bench", "--json"]).json();
    let line = &json["lines"][0];
    assert_eq!(
        (line["runs"].as_array().unwrap().len(), &line["metric"]),
        (13, &"score".into())
    );
    assert_eq!(line["changes"].as_array().unwrap().len(), 1);
    let change = &line["changes"][0];
    assert_eq!(
        (&change["kind"], &change["first"], &change["commits"]),
        (&"regressed".into(), &8.into(), &1.into())
    );
    assert_eq!(change["commit_after"], line["runs"][8]["commit"]);
    let relative = change["relative"].as_f64().unwrap();
    assert!((relative + 0.1).abs() < 0.01, "{relative}");

    // By commit is the same here, where time and commits agree.
    let by_commit = project
        .expect(0, &["history", "bench", "--by", "commit", "--json"])
        .json();
    assert_eq!(by_commit["lines"], json["lines"]);

    // Since the beginning it is worse; since the newest commit nobody can know.
    let ran = project.expect(1, &["history", "bench", "--since", &stamps[0]]);
    assert!(
        ran.out.contains("changed for the worse: 1 change"),
        "{}",
        ran.out
    );
    project.expect(1, &["history", "bench", "--since", "HEAD~8"]);
    project.expect(4, &["history", "bench", "--since", "HEAD"]);
    project.expect(0, &["history", "bench", "--since", &stamps[9]]);
    let bad = project.expect(2, &["history", "bench", "--since", "no-such"]);
    assert!(
        bad.err.contains("no revision of the repository"),
        "{}",
        bad.err
    );
    let bad = project.expect(2, &["history", "bench", "--metric", "scor"]);
    assert!(bad.err.contains("there is score"), "{}", bad.err);
    let bad = project.expect(2, &["history", "bench", "--branch", "other"]);
    assert!(bad.err.contains("no run of bench counts"), "{}", bad.err);
    project.expect(0, &["history", "bench", "--branch", "main"]);

    project.expect(
        0,
        &[
            "history", "bench", "--runs", "--md", "h.md", "--svg", "h.svg",
        ],
    );
    assert!(
        project.read("h.md").contains("| regressed | score |"),
        "{}",
        project.read("h.md")
    );
    assert!(
        project.read("h.md").contains("| new level |"),
        "{}",
        project.read("h.md")
    );
    assert!(project.read("h.svg").contains("the level changed"));
}

#[test]
fn a_run_that_was_measured_unlike_begins_a_line() {
    let project = Project::with_spec(SPEC);
    project.write(
        "work.sh",
        "echo '{\"score\": 10}' >> \"$FAIRTRIAL_METRICS\"\n",
    );
    project.expect(0, &["run", "bench.toml"]);
    project.write(
        "bench.toml",
        &SPEC.replace("work.sh {seed}", "work.sh {seed} --fast"),
    );
    project.expect(0, &["run", "bench.toml"]);
    let ran = project.expect(0, &["history", "bench"]);
    assert!(ran.out.contains("begins a new line"), "{}", ran.out);
    assert!(ran.out.contains("--fast"), "{}", ran.out);
    let json = project.expect(0, &["history", "bench", "--json"]).json();
    assert_eq!(json["lines"].as_array().unwrap().len(), 2);
}

#[test]
fn the_revisions_of_a_table_are_a_history() {
    let project = Project::new();
    git(&project, &["init", "-q"]);
    for number in 0..16_u32 {
        let mut table = "method,score\n".to_owned();
        let level = if number < 8 { 50 } else { 60 };
        let _ = writeln!(table, "ours,{}.{}", level, number * 3 % 7);
        let _ = writeln!(table, "theirs,40.{}", number * 5 % 7);
        project.write("results.csv", &table);
        git(&project, &["add", "results.csv"]);
        git(&project, &["commit", "-qm", "results"]);
    }
    let json = project
        .expect(0, &["history", "results.csv", "--json"])
        .json();
    let lines = json["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 2, "{json}");
    let changes = lines[0]["changes"].as_array().unwrap();
    assert_eq!(
        (changes.len(), &changes[0]["first"], &changes[0]["kind"]),
        (1, &8.into(), &"changed".into())
    );
    assert!(lines[1]["changes"].as_array().unwrap().is_empty());
}
