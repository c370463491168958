//! Steps under the names that training programs give them: the same curves have the same verdict.

use super::lab::{compared, fairtrial, ran, verdict, words};

/// A `progress.csv` as Stable-Baselines3 writes it. The candidate logs four times as often at first, when both are weak:
/// over row numbers it would look worse.
const TRAINER: &str = r#"
BEGIN {
    file = ENVIRON["FAIRTRIAL_DIR"] "/progress.csv"
    print "rollout/ep_rew_mean,time/total_timesteps,train/loss" > file
    step = 0
    while (step <= 1000) {
        print 10 * step / 1000 + (seed * (arm == "candidate" ? 3 : 7) % 11) / 100 + (arm == "candidate" ? 1 : 0) "," step "," >> file
        print "," step "," 1 / (step + 1) >> file
        step += (arm == "candidate" && step < 200) ? 5 : 20
    }
}
"#;

const METRIC: &str = "command = \"awk -v arm={arm} -v seed={seed} -f trial.awk\"\n[metrics.reward]\n\
                      from = \"csv:progress.csv#rollout/ep_rew_mean\"\ndirection = \"up\"\nsummary = \"auc\"";

#[test]
fn a_curve_over_timesteps_is_compared_over_timesteps_and_that_is_said_once() {
    let spec = format!("seeds = 8\n{METRIC}");
    let folder = ran(TRAINER, &spec);
    let found = compared(folder.path(), &[]);
    assert_eq!(verdict(&found), "improved", "{found}");
    let mean = |side: &str| found[side]["mean"].as_f64().unwrap();
    let difference = mean("candidate") - mean("control");
    assert!((difference - 1.0).abs() < 0.1, "{difference}");
    let again = fairtrial(folder.path(), &["run", "t.toml"]);
    let said = words(&again);
    let line = "steps of `reward` are read from `time/total_timesteps` in progress.csv";
    assert_eq!(said.matches(line).count(), 1, "{said}");
    let named = fairtrial(
        folder.path(),
        &[
            "run",
            "t.toml",
            "--set",
            "metrics.reward.step=\"time/total_timesteps\"",
        ],
    );
    assert!(
        !words(&named).contains("steps of `reward`"),
        "{}",
        words(&named)
    );
}

#[test]
fn final_values_in_place_of_a_declared_curve_are_an_objection() {
    let finals = r#"BEGIN { print "{\"reward\": " (arm == "candidate" ? 2 : 1) + (seed * 7 % 5) / 50 "}" > ENVIRON["FAIRTRIAL_METRICS"] }"#;
    let spec = "seeds = 8\ncommand = \"awk -v arm={arm} -v seed={seed} -f trial.awk\"\n[metrics.reward]\n\
                direction = \"up\"\nsummary = \"auc\"";
    let folder = ran(finals, spec);
    let said = words(&fairtrial(folder.path(), &["compare", "t"]));
    assert!(
        said.contains("16 of 16 trials gave one final value and no series"),
        "{said}"
    );
    // One side with curves and one without: two kinds of number.
    let mixed = r#"BEGIN {
        file = ENVIRON["FAIRTRIAL_METRICS"]
        if (arm == "control") { print "{\"reward\": " 5 + seed % 3 "}" > file; exit }
        for (step = 0; step < 5; step++) print "{\"global_step\": " step * 10 ", \"reward\": " step + 9 + seed % 4 "}" > file
    }"#;
    let folder = ran(mixed, spec);
    let found = compared(folder.path(), &[]);
    assert_eq!(verdict(&found), "inconclusive", "{found}");
    let objections = found["verdict"]["objections"].to_string();
    assert!(objections.contains("only_final_values"), "{objections}");
}
