//! What counts as one run: a seed, of one task, given once.

use super::lab::{COMMAND, analyzed, compared, fairtrial, json, ran, verdict, words};
use serde_json::Value;

/// Values that hang on the seed and a little on the rollout, without any difference between the arms.
const BY_SEED: &str = r#"
function normal() { return sqrt(-2 * log(1 - rand())) * cos(6.2831853 * rand()) }
BEGIN {
    file = ENVIRON["FAIRTRIAL_METRICS"]
    srand(seed * 7 + length(arm))
    level = 10 + normal()
    srand(seed * 31 + rollout * 7 + length(arm))
    level += 0.01 * normal()
    for (step = 1; step <= 20; step++)
        printf("{\"step\": %d, \"reward\": %.6f}\n", step, level) > file
}
"#;

#[test]
fn rollouts_of_a_seed_are_one_run() {
    let spec = format!(
        "seeds = 6\n[[tasks]]\nid = \"a\"\nrollouts = 4\n{COMMAND}\n[metrics.reward]\ndirection = \"up\"\n\
         summary = {{ type = \"auc\" }}"
    );
    let folder = ran(BY_SEED, &spec);
    let compare = compared(folder.path(), &[]);
    let analyze = json(&analyzed(folder.path(), &[]));
    let found = &analyze["comparison"];
    assert_eq!(found["count"]["control"], 6);
    assert_eq!(found["count"]["paired"], true);
    assert_eq!(analyze["control"].as_array().unwrap().len(), 6);
    assert_eq!(
        analyze["control"][0]["rollouts"].as_array().unwrap().len(),
        4
    );
    assert_eq!(verdict(found), verdict(&compare));
    let close = |one: &Value, other: &Value| {
        let [one, other] = [one, other].map(|value| value.as_f64().unwrap());
        assert!((one - other).abs() < 1e-9, "{one} and {other}");
    };
    for end in ["value", "low", "high"] {
        close(
            &found["effect"]["absolute"][end],
            &compare["effect"]["absolute"][end],
        );
    }
    close(
        &analyze["bootstrap"]["estimate"],
        &compare["effect"]["absolute"]["value"],
    );
    let notes = analyze["notes"].to_string();
    assert!(notes.contains("48 trials are 12 runs"), "{notes}");
}

#[test]
fn runs_of_several_tasks_are_no_repetitions() {
    let spec = format!(
        "seeds = 3\n[[tasks]]\nid = \"a\"\n{COMMAND}\n[[tasks]]\nid = \"b\"\n{COMMAND}\n[metrics.reward]\n\
         direction = \"up\"\nsummary = \"auc\""
    );
    let folder = ran(BY_SEED, &spec);
    let refused = analyzed(folder.path(), &[]);
    assert_eq!(refused.status.code(), Some(2));
    let why = words(&refused);
    assert!(
        why.contains("2 tasks (a, b)") && why.contains("--only task=a"),
        "{why}"
    );
    let found = json(&analyzed(folder.path(), &["--only", "task=a"]));
    assert_eq!(found["comparison"]["count"]["control"], 3);
}

#[test]
fn one_file_is_one_run() {
    let folder = tempfile::tempdir().unwrap();
    let line = |step: u32| format!("{{\"step\": {step}, \"r\": {step}}}\n");
    let text: String = (0..60).map(line).collect();
    for name in ["a.jsonl", "b.jsonl"] {
        std::fs::write(folder.path().join(name), &text).unwrap();
    }
    let whole = folder.path().join("a.jsonl").display().to_string();
    let asked = ["analyze", "--metric", "r", "--control-run-ids", "b.jsonl"];
    let twice = ["--candidate-run-ids", "a.jsonl", "./a.jsonl", &whole];
    let refused = fairtrial(folder.path(), &[&asked[..], &twice].concat());
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        words(&refused).contains("`./a.jsonl` is given twice"),
        "{}",
        words(&refused)
    );
    let asked = ["variance", "--metric", "r", "a.jsonl", "b.jsonl", "a.jsonl"];
    let refused = fairtrial(folder.path(), &asked);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        words(&refused).contains("`a.jsonl` is given twice"),
        "{}",
        words(&refused)
    );
}
