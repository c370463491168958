//! A run dies while it takes over the records of an earlier one: what had an answer is not run again.

use super::lab::Lab;
use serde_json::Value;

const SPEC: &str = r#"
seeds = 300
parallel = 3
command = 'sh -c "echo {index} >> $TORTURE_LAB/ledger"'
"#;

const TRIALS: usize = 300;

#[test]
fn killed_among_the_records_that_it_takes_over_a_run_goes_on_with_the_rest() {
    let lab = Lab::new(SPEC);
    lab.finish().assert_code(0);
    let ran = || {
        let ledger = std::fs::read_to_string(lab.path().join("ledger")).unwrap();
        ledger.lines().count()
    };
    assert_eq!(ran(), TRIALS);
    // The writer takes the first lines at once and the others together, wherever the process dies among them.
    for place in [
        "before_write:2",
        "mid_write:2",
        "before_sync:2",
        "after_sync:1",
    ] {
        let variable = ("FAIRTRIAL_FAILPOINT", &*format!("journal.{place}"));
        let reuse = ["run", "spec.toml", "--reuse"];
        lab.start_with(&reuse, &[variable]).wait();
        lab.call(&["run", "spec.toml", "--resume"]).assert_code(0);
        assert_eq!(ran(), TRIALS, "{place}: nothing was run again");
        let effective: Vec<Value> = lab.journal().effective().into_values().cloned().collect();
        assert_eq!(effective.len(), TRIALS, "{place}");
        assert!(
            effective
                .iter()
                .all(|record| !record["reused_from"].is_null()),
            "{place}"
        );
    }
}
