//! `needs` and retries: what cannot run is skipped and said so, and each attempt keeps its evidence.

use super::audit::audit;
use super::journal::outcome;
use super::lab::Lab;
use serde_json::json;

#[test]
fn what_needs_a_failed_task_is_skipped_down_the_chain() {
    let lab = Lab::new(
        r#"
seeds = 3
parallel = 3
[defaults]
shell = true
[[tasks]]
id = "fetch"
command = '[ {seed} != 2043 ]'
[[tasks]]
id = "train"
needs = ["fetch"]
command = 'echo "start {index} {attempt}" >> "$TORTURE_LAB/witness"'
[[tasks]]
id = "judge"
needs = ["train"]
command = 'echo "start {index} {attempt}" >> "$TORTURE_LAB/witness"'
"#,
    );
    lab.finish().assert_code(1);
    let journal = audit(&lab, 9);
    for record in journal.effective().values() {
        let task = record["trial"]["task"].as_str().unwrap();
        let due = match (task, record["trial"]["seed"].as_u64().unwrap()) {
            ("fetch", 2043) => "failed",
            (_, 2043) => "skipped",
            _ => "ok",
        };
        assert_eq!(outcome(record), due, "{record}");
        if due == "skipped" {
            let needed = if task == "train" { "fetch" } else { "train" };
            assert_eq!(record["cause"]["task"], needed, "{record}");
        }
    }
    assert_eq!(lab.witnesses().len(), 4, "what was skipped did not run");
    // Skipped is no answer: a resumed run looks again, and the failure still stands.
    lab.finish().assert_code(1);
    audit(&lab, 9);
    assert_eq!(lab.witnesses().len(), 4);
}

/// Fails until its third attempt.
const STUBBORN: &str = r#"
seeds = 2
parallel = 2
[[tasks]]
id = "stubborn"
shell = true
retries = { failed = 2 }
command = '''
echo "start {index} {attempt}" >> "$TORTURE_LAB/witness"
echo "try {attempt}"
echo "{\"tries\": {attempt}}" >> "$FAIRTRIAL_METRICS"
PAUSE
[ {attempt} -ge 3 ]'''
"#;

#[test]
fn each_attempt_keeps_its_evidence() {
    let lab = Lab::new(&STUBBORN.replace("PAUSE", ""));
    lab.finish().assert_code(0);
    let journal = audit(&lab, 2);
    for trial in 0..2 {
        let attempts = journal.attempts(trial);
        let outcomes: Vec<&str> = attempts.iter().map(|record| outcome(record)).collect();
        assert_eq!(outcomes, ["failed", "failed", "ok"]);
        for (number, record) in (1..).zip(attempts) {
            assert_eq!(record["metrics"], json!({"tries": f64::from(number)}));
            let log = lab.data().join(record["dir"].as_str().unwrap());
            let text = std::fs::read_to_string(log.join("logs/stdout.log")).unwrap();
            assert_eq!(text, format!("try {number}\n"));
        }
    }
}

/// A crash between two attempts must not turn a failure that would be retried into the answer.
#[test]
fn retries_that_were_due_at_a_crash_are_made_after_it() {
    let pause =
        r#"if [ {attempt} = 2 ]; then while [ ! -e "$TORTURE_LAB/go" ]; do sleep 0.02; done; fi"#;
    let lab = Lab::new(&STUBBORN.replace("PAUSE", pause));
    let controller = lab.start(lab.arguments());
    lab.wait_for_witnesses("start", 4);
    controller.kill();
    lab.wait_until_deserted();
    std::fs::write(lab.path().join("go"), "").unwrap();
    lab.finish().assert_code(0);
    let journal = audit(&lab, 2);
    assert!(
        journal
            .effective()
            .values()
            .all(|record| outcome(record) == "ok")
    );
}
