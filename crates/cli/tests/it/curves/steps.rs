//! Steps to a threshold: fewer are better, and those of a run that does not get there are only known in part.

use super::lab::{COMMAND, compared, fairtrial, json, ran, verdict, words};

/// A curve that rises to 10 with a time constant of its own.
const RISING: &str = r#"
BEGIN {
    file = ENVIRON["FAIRTRIAL_METRICS"]
    tau = (arm == "candidate" ? 20 : 30) + (seed * 7 % 5) / 2
    for (step = 1; step <= 100; step++)
        printf("{\"step\": %d, \"reward\": %.6f}\n", step, 10 * (1 - exp(-step / tau))) > file
}
"#;

#[test]
fn fewer_steps_to_a_threshold_are_better() {
    let spec = format!(
        "seeds = 8\n[[tasks]]\nid = \"a\"\n{COMMAND}\n[metrics.reward]\ndirection = \"up\"\nunit = \"points\"\n\
         summary = {{ type = \"time_to\", threshold = 8 }}"
    );
    let folder = ran(RISING, &spec);
    let found = compared(folder.path(), &[]);
    assert_eq!(verdict(&found), "improved");
    assert_eq!(found["direction"], "down");
    assert_eq!(found["unit"], "steps");
    // What is said beside the spec is about the metric too.
    let found = compared(folder.path(), &["--direction", "up"]);
    assert_eq!(verdict(&found), "improved");
    let gate = fairtrial(folder.path(), &["gate", "t", "--rule", "reward:up"]);
    assert!(gate.status.success(), "{}", words(&gate));
    let refused = fairtrial(folder.path(), &["compare", "t", "--reference", "0:10"]);
    assert!(
        words(&refused).contains("do not lie between reference points"),
        "{}",
        words(&refused)
    );
}

#[test]
fn an_arm_that_stops_early_cuts_nothing_off_others() {
    let spec = format!(
        "seeds = 8\n[[tasks]]\nid = \"a\"\n{COMMAND}\n[metrics.reward]\ndirection = \"up\"\n\
         summary = {{ type = \"time_to\", threshold = 8 }}\n[arms.stopped]"
    );
    let curve = RISING.replace("step <= 100", "step <= (arm == \"stopped\" ? 5 : 100)");
    let folder = ran(&curve, &spec);
    let sides = ["compare", "control", "candidate", "--run", "t", "--json"];
    let found = json(&fairtrial(folder.path(), &sides))["contrasts"][0]["metrics"][0].clone();
    assert_eq!(verdict(&found), "improved", "{found}");
    let objections = found["verdict"]["objections"].to_string();
    assert!(!objections.contains("not_reached"), "{objections}");
}

/// The candidate is faster, but one of its runs does not get there.
const ONE_STUCK: &str = r#"
BEGIN {
    file = ENVIRON["FAIRTRIAL_METRICS"]
    tau = (arm == "candidate" ? 20 : 30) + (seed * 7 % 5) / 2
    if (arm == "candidate" && seed == 3) tau = 1000
    for (step = 1; step <= 100; step++)
        printf("{\"step\": %d, \"reward\": %.6f}\n", step, 10 * (1 - exp(-step / tau))) > file
}
"#;

#[test]
fn a_run_that_does_not_reach_the_threshold_counts_up_to_its_end() {
    let spec = |more: &str| {
        format!(
            "seeds = [1, 2, 3, 4, 5, 6, 7, 8]\n[[tasks]]\nid = \"a\"\n{COMMAND}\n[metrics.reward]\ndirection = \"up\"\n\
             summary = {{ type = \"time_to\", threshold = 8 }}\n{more}"
        )
    };
    let folder = ran(ONE_STUCK, &spec(""));
    let found = compared(folder.path(), &[]);
    assert_eq!(verdict(&found), "inconclusive");
    assert_eq!(found["candidate"]["max"], 100.0);
    assert_eq!(found["count"]["control"], 8);
    let objections = found["verdict"]["objections"].to_string();
    let all = found["verdict"]["objections"].as_array().unwrap();
    let not_reached = all.iter().find(|of| of["objection"] == "not_reached");
    let not_reached = not_reached.expect(&objections);
    assert_eq!(not_reached["effect"], "noted");
    assert_eq!(
        (&not_reached["control"], &not_reached["candidate"]),
        (&0.into(), &1.into())
    );
    // What nobody reaches differs in nothing that was seen.
    let folder = ran(&ONE_STUCK.replace("10 * (1", "7 * (1"), &spec(""));
    let found = compared(folder.path(), &[]);
    assert_eq!(verdict(&found), "insufficient");
    // A number of steps is no pass or fail, also where everybody is there at the first one.
    let folder = ran(
        ONE_STUCK,
        &spec("").replace("threshold = 8", "threshold = 0"),
    );
    assert_eq!(compared(folder.path(), &[])["kind"], "scalar");
    let stop = "[analysis]\nstop = { when = \"decided\", min = 2, max = 8 }";
    std::fs::write(
        folder.path().join("stop.toml"),
        format!(
            "name = \"stop\"\n{}\n[arms.control]\n[arms.candidate]\n",
            spec(stop)
        ),
    )
    .unwrap();
    let refused = fairtrial(folder.path(), &["run", "stop.toml"]);
    let why = words(&refused);
    assert!(why.contains("cannot look at steps to a threshold"), "{why}");
}
