//! What the machine broke is nobody's score; where it is too much of an arm, nothing is concluded, anywhere.

use super::lab::{Lab, meta};
use serde_json::Value;

/// The bad arm never solves the task, and the machine breaks two of its twenty rollouts: 90 % count.
fn lab(analysis: &str) -> Lab {
    let lab = Lab::new();
    lab.task("t", &meta("t"));
    lab.spec(&format!(
        r#"name = "b"
[analysis]
control = "good"
metric = "solved"
{analysis}
[arms.good]
answer = 42
[arms.bad]
answer = 41
[[tasks]]
prepared_dir = "data/tasks/prepared/t"
rollouts = 20
retries = 0
sandbox = "process"
setup = ["sh", "-c", "test {{answer}} = 42 || test {{rollout}} -gt 1"]
agent = {{ command = ["sh", "-c", "echo {{answer}} > answer.txt"] }}
"#
    ));
    lab
}

fn verdict(comparison: &Value) -> (&str, &Value) {
    let verdict = &comparison["contrasts"][0]["metrics"][0]["verdict"];
    (verdict["word"].as_str().unwrap(), &verdict["objections"][0])
}

/// Without the ends of lines, which depend on the terminal.
fn flowing(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn too_few_rollouts_that_count_block_every_verdict() {
    let lab = lab("");
    let project = &lab.project;
    let ran = project.expect(3, &["run", "configs/bench.toml"]);
    let why = "only 18 of 20 trials of bad count, fewer than 95 %";
    let told = flowing(&ran.out);
    assert!(told.contains(why), "{told}");
    let summary = flowing(&project.expect(0, &["summarize", "b"]).out);
    let no_verdict = "No verdict: 18 of 20 rollouts of bad count";
    assert!(summary.contains(no_verdict), "{summary}");
    for part in ["regressed", "To settle it"] {
        assert!(!told.contains(part), "{part}: {told}");
    }

    let compared = project.expect(0, &["compare", "b", "--json"]).json();
    let (word, objection) = verdict(&compared);
    assert_eq!(word, "inconclusive");
    assert_eq!(
        (&objection["objection"], &objection["counted"]),
        (&"too_few_count".into(), &18.into())
    );
    let accepted = project.expect(0, &["compare", "b", "--json", "--valid", "0.9"]);
    assert_eq!(verdict(&accepted.json()).0, "regressed");
    let refused = project.expect(2, &["compare", "b", "--valid", "9"]);
    assert!(refused.err.contains("share from 0 to 1"), "{}", refused.err);

    let gate = project.expect(3, &["gate", "b", "--most-infra", "0.5", "--json"]);
    let gate = gate.json();
    assert_eq!(gate["word"], "invalid", "{gate}");
    let reasons = gate["reasons"].as_array().unwrap().iter();
    for reason in reasons.filter(|reason| reason["reason"]["kind"] == "verdict") {
        let objections = &reason["reason"]["verdict"]["objections"];
        assert!(objections.to_string().contains("too_few_count"), "{gate}");
    }

    project.expect(0, &["report", "b", "--md", "report.md"]);
    let page = flowing(&project.read("report.md"));
    assert!(page.contains(why) && !page.contains("regressed"), "{page}");
}

#[test]
fn a_spec_may_lower_the_floor() {
    let lab = lab("valid = 0.9");
    let ran = lab.project.expect(3, &["run", "configs/bench.toml"]);
    assert!(ran.out.contains("regressed"), "{}", ran.out);
    assert!(!ran.out.contains("No verdict"), "{}", ran.out);
    let compared = lab.project.expect(0, &["compare", "b", "--json"]).json();
    assert_eq!(verdict(&compared).0, "regressed", "the run remembers it");
}

#[test]
fn neither_a_task_nor_a_ranking_says_what_is_not_concluded() {
    let lab = lab("");
    lab.task("u", &meta("u"));
    let one = lab.project.read("configs/bench.toml");
    let task = &one[one.find("[[tasks]]").unwrap()..];
    let second = task.replace("prepared/t", "prepared/u");
    lab.spec(&format!(
        "{}[arms.also]\nanswer = 42\n{task}{second}",
        one.strip_suffix(task).unwrap()
    ));
    lab.project.expect(3, &["run", "configs/bench.toml"]);
    let of_tasks = |comparison: &Value| -> Vec<String> {
        let lines = comparison["contrasts"][0]["tasks"].as_array().unwrap();
        let solved = lines.iter().filter(|line| line["metric"] == "solved");
        solved
            .map(|line| line["verdict"]["word"].as_str().unwrap().to_owned())
            .collect()
    };
    let withheld = lab.project.expect(0, &["compare", "b", "--json"]).json();
    assert_eq!(of_tasks(&withheld), ["inconclusive"; 2]);
    let last = &withheld["rankings"][0]["arms"][2];
    assert_eq!(
        (&last["arm"], &last["not_ranked"]["why"]),
        (&"bad".into(), &"too_few_count".into())
    );
    let given = lab
        .project
        .expect(0, &["compare", "b", "--json", "--valid", "0.9"])
        .json();
    assert_eq!(of_tasks(&given), ["regressed"; 2]);
    assert_eq!(given["rankings"][0]["arms"][2]["arm"], "bad", "{given}");
}

/// Agents that always print the same are no copies; rollouts whose change and output are the same are.
#[test]
fn identical_rollouts_are_told_by_what_was_changed() {
    for (script, is_copy) in [
        ("echo {rollout} > answer.txt; echo done", false),
        ("echo 42 > answer.txt; echo done", true),
        ("echo 42 > answer.txt; echo thinking {rollout}", false),
        ("echo done", false),
    ] {
        let lab = Lab::new();
        lab.task("t", &meta("t"));
        lab.spec(&format!(
            "name = \"b\"\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\nrollouts = 3\nagent = {{ command = [\"sh\", \"-c\", \"{script}\"] }}\n"
        ));
        let ran = lab.run(0);
        assert_eq!(
            ran.out.contains("Identical: "),
            is_copy,
            "{script}\n{}",
            ran.out
        );
    }
}
