//! The same part of every curve.

use super::lab::{COMMAND, compared, fairtrial, json, ran, verdict};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;

/// A table of eight seeds per side with the same true curve; `steps` says which of them a side logs.
fn table(folder: &Path, steps: [&[u32]; 2]) {
    let mut rows = "run_id,seed,_step,r\n".to_owned();
    for (side, steps) in ["c", "d"].into_iter().zip(steps) {
        for seed in 0..8_u32 {
            for step in steps {
                // Small and without a pattern that the sides share.
                let noise =
                    f64::from((seed * 7919 + step * 104_729 + u32::from(side == "d") * 611) % 997)
                        / 1e5;
                let value = 10.0 * (1.0 - (-f64::from(*step) / 30.0).exp()) + noise;
                let _ = writeln!(rows, "{side}{seed},{seed},{step},{value:.6}");
            }
        }
    }
    std::fs::write(folder.join("t.csv"), rows).unwrap();
}

fn of_table(folder: &Path, more: &[&str]) -> Value {
    let ids = |side: &str| {
        (0..8)
            .map(|seed| format!("{side}{seed}"))
            .collect::<Vec<_>>()
    };
    let (control, candidate) = (ids("c"), ids("d"));
    let mut asked = vec!["analyze", "--json", "--from", "t.csv", "--metric", "r"];
    asked.push("--control-run-ids");
    asked.extend(control.iter().map(String::as_str));
    asked.push("--candidate-run-ids");
    asked.extend(candidate.iter().map(String::as_str));
    asked.extend(more);
    json(&fairtrial(folder, &asked))
}

const WINDOWS: [&[&str]; 6] = [
    &[],
    &["--summary.percent", "1"],
    &["--summary.percent_window", "first"],
    &["--summary.type", "eval_last_n"],
    &["--summary.type", "slope"],
    &[
        "--summary.percent",
        "1",
        "--summary.normalize_steps",
        "false",
    ],
];

#[test]
fn sides_that_are_about_other_parts_of_their_curves_get_no_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let hundred: Vec<u32> = (0..100).collect();
    let long: Vec<u32> = (0..200).collect();
    let sparse: Vec<u32> = (0..100).step_by(4).collect();
    table(folder.path(), [&hundred, &long]);
    for window in WINDOWS {
        let found = of_table(folder.path(), window);
        assert_eq!(verdict(&found["comparison"]), "inconclusive", "{window:?}");
        let objections = found["comparison"]["verdict"]["objections"].to_string();
        assert!(
            objections.contains("other_parts"),
            "{window:?}: {objections}"
        );
    }
    table(folder.path(), [&hundred, &sparse]);
    let between = ["--summary.step_min", "1", "--summary.step_max", "67"];
    for window in [&["--summary.percent", "1"][..], &between] {
        let found = of_table(folder.path(), window);
        assert_eq!(verdict(&found["comparison"]), "inconclusive", "{window:?}");
    }
    // The same steps of all, however they log.
    let found = of_table(folder.path(), &["--summary.share_of", "steps"]);
    let objections = found["comparison"]["verdict"]["objections"].to_string();
    assert!(!objections.contains("other_parts"), "{objections}");
    let [control, candidate] =
        ["control", "candidate"].map(|side| found[side][0]["value"].as_f64().unwrap());
    assert!((control - candidate).abs() < 0.02, "{control} {candidate}");
}

#[test]
fn a_run_that_does_not_reach_over_the_window_has_no_number() {
    let folder = tempfile::tempdir().unwrap();
    let (hundred, short): (Vec<u32>, Vec<u32>) = ((0..100).collect(), (0..60).collect());
    table(folder.path(), [&hundred, &short]);
    let found = of_table(
        folder.path(),
        &["--summary.step_min", "20", "--summary.step_max", "99"],
    );
    assert_eq!(verdict(&found["comparison"]), "insufficient");
    let why = found["candidate"][0]["why_none"].to_string();
    assert!(why.contains("its steps 0 to 59 do not reach over"), "{why}");
}

#[test]
fn points_count_in_the_order_of_their_steps_and_once() {
    let folder = tempfile::tempdir().unwrap();
    let hundred: Vec<u32> = (0..100).collect();
    let resumed: Vec<u32> = (0..95).chain(80..100).collect();
    let mixed: Vec<u32> = (0..100).map(|step| step * 37 % 100).collect();
    for other in [&resumed, &mixed] {
        let mut last = Value::Null;
        for window in WINDOWS {
            table(folder.path(), [&hundred, &hundred]);
            let plain = of_table(folder.path(), window);
            table(folder.path(), [&hundred, other]);
            last = of_table(folder.path(), window);
            for what in ["verdict", "effect"] {
                assert_eq!(
                    last["comparison"][what], plain["comparison"][what],
                    "{window:?}"
                );
            }
        }
        let found = last;
        let notes = found["notes"].to_string();
        assert!(notes.contains("(8 of 16 runs)"), "{notes}");
    }
}

/// The same curve, for 80 steps or for 200.
const LENGTHS: &str = r#"
BEGIN {
    file = ENVIRON["FAIRTRIAL_METRICS"]
    for (step = 1; step <= (arm == "candidate" ? 200 : 80); step++)
        printf("{\"step\": %d, \"reward\": %.6f}\n", step, 10 * (1 - exp(-step / 60)) + (seed * 7 + length(arm) * 3) % 11 / 100) > file
}
"#;

#[test]
fn compare_says_where_curves_are_not_equally_long() {
    let spec = |summary: &str| {
        format!(
            "seeds = 10\n[[tasks]]\nid = \"a\"\n{COMMAND}\n[metrics.reward]\ndirection = \"up\"\n{summary}"
        )
    };
    let folder = ran(
        LENGTHS,
        &spec("summary = { type = \"auc\", percent = 0.25 }"),
    );
    let found = compared(folder.path(), &[]);
    assert_eq!(verdict(&found), "inconclusive");
    let parts = &found["verdict"]["objections"][0];
    assert_eq!(
        (&parts["objection"], &parts["effect"]),
        (&"other_parts".into(), &"caps".into())
    );
    assert_eq!(parts["candidate"], serde_json::json!([150.25, 200.0]));
    // What a run came to at its end is an answer, and how long it took stands beside it.
    let folder = ran(LENGTHS, &spec(""));
    let found = compared(folder.path(), &[]);
    assert_eq!(verdict(&found), "improved");
    let objections = found["verdict"]["objections"].to_string();
    assert!(objections.contains("other_parts"), "{objections}");
    // Windows of steps are the same for all.
    let folder = ran(
        LENGTHS,
        &spec("summary = { type = \"auc\", step_min = 10, step_max = 80 }"),
    );
    let objections = compared(folder.path(), &[])["verdict"]["objections"].to_string();
    assert!(!objections.contains("other_parts"), "{objections}");
}
