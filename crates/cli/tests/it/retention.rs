//! Old runs: what `gc --keep` and `--keep-last` show, remove, and never touch.

use crate::common::Project;
use serde_json::Value;
use std::path::Path;

const SPEC: &str = r#"seeds = 2
command = "echo score {seed}"
[metrics.score]
from = "stdout:score ([0-9.]+)"
"#;

fn stamps(project: &Project) -> Vec<String> {
    let runs = project.expect(0, &["list", "--json"]).json();
    let runs = runs.as_array().cloned().unwrap_or_default();
    let mut stamps: Vec<String> = runs
        .iter()
        .map(|run| run["stamp"].as_str().unwrap().to_owned())
        .collect();
    stamps.sort();
    stamps
}

/// Runs whose trials have folders.
fn with_trials(project: &Project) -> Vec<String> {
    let entries = std::fs::read_dir(project.path().join("data/runs")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut stamps: Vec<String> = names
        .map(|name| name[.."20250824__12-34-56".len()].to_owned())
        .collect();
    stamps.sort();
    stamps.dedup();
    stamps
}

fn reasons(found: &Value) -> Vec<(String, String)> {
    let stay = found["runs"]["stay"].as_array().unwrap();
    let text = |of: &Value| of.as_str().unwrap().to_owned();
    stay.iter()
        .map(|run| (text(&run["stamp"]), text(&run["why"])))
        .collect()
}

#[test]
fn old_runs_are_shown_first_and_removed_with_all_their_files() {
    let project = Project::with_spec(SPEC);
    for _ in 0..3 {
        project.expect(0, &["run", "bench.toml"]);
    }
    let all = stamps(&project);
    // Too young for the one rule; and nothing goes unless it is said twice.
    let young = project.expect(0, &["gc", "--keep", "1h"]);
    assert!(young.err.contains("no old run would go"), "{}", young.err);
    let shown = project.expect(0, &["gc", "--keep-last", "1"]);
    for old in &all[..2] {
        assert!(
            shown.out.contains(&format!("run bench {old} (2 trials")),
            "{}",
            shown.out
        );
    }
    assert!(shown.err.contains("2 runs would go"), "{}", shown.err);
    assert_eq!(with_trials(&project), all);
    let both = project.expect(
        0,
        &["gc", "--keep-last", "1", "--keep", "1h", "--yes", "--json"],
    );
    assert_eq!(both.json()["runs"]["go"], serde_json::json!([]));
    assert_eq!(stamps(&project), all);

    let removed = project.expect(0, &["gc", "--keep-last", "1", "--yes"]);
    assert!(removed.err.contains("2 runs removed"), "{}", removed.err);
    assert_eq!(stamps(&project), all[2..]);
    assert_eq!(with_trials(&project), all[2..]);
    let temp = project.path().join("data/rollouts/temp");
    assert_eq!(std::fs::read_dir(temp).unwrap().count(), 1);
    project.expect(0, &["summarize", "bench"]);
    project.expect(0, &["verify", "bench"]);
    // And everything of a benchmark.
    project.expect(0, &["gc", "--keep", "0s", "--yes"]);
    assert_eq!(stamps(&project), Vec::<String>::new());
    assert!(!Path::new(&project.path().join("data/rollouts/bench")).exists());
    project.expect(0, &["run", "bench.toml"]);
}

#[test]
fn what_others_need_stays_and_says_why() {
    let project = Project::with_spec(SPEC);
    // The first is a baseline, the second registered, the third has records that the last took over.
    project.expect(0, &["run", "bench.toml"]);
    project.expect(0, &["gate", "bench", "--save-baseline", "good"]);
    project.expect(0, &["register", "bench.toml"]);
    project.expect(0, &["run", "bench.toml"]);
    std::fs::remove_file(project.path().join("bench.registered.json")).unwrap();
    project.write("bench.toml", &SPEC.replace("seeds = 2", "seeds = 3"));
    project.expect(0, &["run", "bench.toml"]);
    project.write("bench.toml", &SPEC.replace("seeds = 2", "seeds = 4"));
    project.expect(0, &["run", "bench.toml", "--reuse"]);
    project.write("other.toml", SPEC);
    project.expect(0, &["run", "other.toml"]);

    let found = project
        .expect(0, &["gc", "--keep-last", "1", "--yes", "--json"])
        .json();
    let reasons = reasons(&found);
    let all = stamps(&project);
    assert_eq!(all.len(), 5, "nothing went: {found}");
    let why: Vec<&str> = all
        .iter()
        .filter_map(|stamp| {
            let found = reasons.iter().find(|(of, _)| of == stamp);
            found.map(|(_, why)| why.as_str())
        })
        .collect();
    assert_eq!(
        why,
        [
            "the baseline `good` was made of it",
            "it was run with a registered plan",
            &format!("bench {} holds records of it", all[3]),
        ]
    );
    // Where the run that needs it goes, too, nothing keeps it.
    project.expect(0, &["gc", "--keep", "0s", "--yes"]);
    assert_eq!(stamps(&project), all[..2]);
    project.expect(0, &["verify", "bench"]);
}

#[test]
fn what_a_needed_run_needs_stays_too() {
    let project = Project::with_spec(&SPEC.replace("seeds = 2", "seeds = [1, 2]"));
    project.expect(0, &["run", "bench.toml"]);
    for seeds in ["seeds = [1, 2, 3]", "seeds = [3]"] {
        project.write("bench.toml", &SPEC.replace("seeds = 2", seeds));
        project.expect(0, &["run", "bench.toml", "--reuse"]);
    }
    // The last run has a record of the second, which has records of the first.
    let all = stamps(&project);
    let found = project.expect(0, &["gc", "--keep-last", "1", "--yes", "--json"]);
    let needs = |run: usize| format!("bench {} holds records of it", all[run]);
    let reasons = reasons(&found.json());
    let found: Vec<(&str, &str)> = reasons.iter().map(|(a, b)| (&**a, &**b)).collect();
    assert_eq!(found, [(&*all[0], &*needs(1)), (&*all[1], &*needs(2))]);
    for stamp in &all {
        project.expect(0, &["verify", &format!("bench/{stamp}")]);
    }
}

#[test]
fn beside_a_run_that_cannot_be_read_nothing_goes() {
    let project = Project::with_spec(SPEC);
    project.expect(0, &["run", "bench.toml"]);
    project.expect(0, &["run", "bench.toml"]);
    let journal = project.newest_run("bench").join("journal.jsonl");
    let text = std::fs::read_to_string(&journal).unwrap();
    let (first, rest) = text.split_once('\n').unwrap();
    let body = first.rsplit_once(",\"crc\"").unwrap().0;
    let body = body.replacen("\"schema\":1", "\"schema\":99", 1);
    let crc = crc32fast::hash(body.as_bytes());
    std::fs::write(&journal, format!("{body},\"crc\":\"{crc:08x}\"}}\n{rest}")).unwrap();
    let found = project.expect(0, &["gc", "--keep", "0s", "--yes", "--json"]);
    let reasons = reasons(&found.json());
    assert_eq!(reasons.len(), 1, "{reasons:?}");
    assert!(reasons[0].1.contains("cannot be read"), "{reasons:?}");
    assert_eq!(with_trials(&project).len(), 2);
}

#[test]
fn runs_that_can_go_on_stay() {
    let project = Project::with_spec(SPEC);
    project.expect(0, &["run", "bench.toml"]);
    let run = project.newest_run("bench");
    let journal = std::fs::read_to_string(run.join("journal.jsonl")).unwrap();
    let is_open = |line: &&str| !line.contains("\"event\":\"closed\"");
    let open: Vec<&str> = journal.split_inclusive('\n').filter(is_open).collect();
    std::fs::write(run.join("journal.jsonl"), open.concat()).unwrap();
    let found = project
        .expect(0, &["gc", "--keep", "0s", "--yes", "--json"])
        .json();
    assert!(
        reasons(&found)[0].1.starts_with("it was cut off"),
        "{found}"
    );
    assert!(run.join("journal.jsonl").exists());
    let alone = project.run(&["gc", "--yes"]);
    assert_eq!(alone.code, 2, "{}", alone.err);
    assert!(alone.err.contains("say which stay"), "{}", alone.err);
}
