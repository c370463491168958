//! What verdicts about curves are made of: numbers that mean what their metric says, over the same part of every curve,
//! with one number per seed. The runs and tables here once turned verdicts round.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn fairtrial(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fairtrial"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("FAIRTRIAL_DATA")
        .env("NO_COLOR", "1")
        .output()
        .unwrap()
}

fn words(output: &Output) -> String {
    let both = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8_lossy(&both).into_owned()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", words(output)))
}

/// A folder in which a spec named `t` was run; its trials are lines of awk with `arm`, `seed` and `rollout`.
fn ran(awk: &str, spec: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("trial.awk"), awk).unwrap();
    let spec = format!("name = \"t\"\n{spec}\n[arms.control]\n[arms.candidate]\n");
    std::fs::write(folder.path().join("t.toml"), spec).unwrap();
    let run = fairtrial(folder.path(), &["run", "t.toml"]);
    assert!(run.status.success(), "{}", words(&run));
    folder
}

const COMMAND: &str =
    "command = \"awk -v arm={arm} -v seed={seed} -v rollout={rollout} -f trial.awk\"";

/// The first metric of the first contrast of `compare`.
fn compared(folder: &Path, more: &[&str]) -> Value {
    let arguments = [&["compare", "t", "--json"], more].concat();
    json(&fairtrial(folder, &arguments))["contrasts"][0]["metrics"][0].clone()
}

fn verdict(found: &Value) -> &str {
    found["verdict"]["word"].as_str().unwrap()
}

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

fn analyzed(folder: &Path, more: &[&str]) -> Output {
    let sides = [
        "--control-run-ids",
        "t:control",
        "--candidate-run-ids",
        "t:candidate",
    ];
    let asked = [
        "analyze",
        "--json",
        "--metric",
        "reward",
        "--summary.percent",
        "1",
    ];
    fairtrial(folder, &[&asked[..], &sides, more].concat())
}

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
                rows += &format!("{side}{seed},{seed},{step},{value:.6}\n");
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
        let flags = found["comparison"]["verdict"]["flags"].to_string();
        assert!(flags.contains("other_parts"), "{window:?}: {flags}");
    }
    table(folder.path(), [&hundred, &sparse]);
    let between = ["--summary.step_min", "1", "--summary.step_max", "67"];
    for window in [&["--summary.percent", "1"][..], &between] {
        let found = of_table(folder.path(), window);
        assert_eq!(verdict(&found["comparison"]), "inconclusive", "{window:?}");
    }
    // The same steps of all, however they log.
    let found = of_table(folder.path(), &["--summary.share_of", "steps"]);
    let flags = found["comparison"]["verdict"]["flags"].to_string();
    assert!(!flags.contains("other_parts"), "{flags}");
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

/// A share that loses 0.008 for the candidate: 0.8 percent points.
const SHARE: &str = r#"
BEGIN {
    file = ENVIRON["FAIRTRIAL_METRICS"]
    level = 0.5 + (seed * 7 % 11) / 1000 - (arm == "candidate" ? 0.008 + (seed * 5 % 7) / 10000 : 0)
    for (step = 1; step <= 20; step++)
        printf("{\"step\": %d, \"reward\": %.6f}\n", step, level + step / 1000) > file
}
"#;

#[test]
fn a_margin_is_held_against_numbers_in_its_own_unit() {
    let spec = |more: &str| {
        format!(
            "seeds = 8\n[[tasks]]\nid = \"a\"\n{COMMAND}\n[metrics.reward]\ndirection = \"up\"\nsummary = \"auc\"\n{more}"
        )
    };
    let folder = ran(SHARE, &spec("convert = \"share to %\"\nmargin = 0.5"));
    assert_eq!(verdict(&compared(folder.path(), &[])), "regressed");
    let found = json(&analyzed(folder.path(), &[]));
    assert_eq!(verdict(&found["comparison"]), "regressed");
    let effect = found["comparison"]["effect"]["absolute"]["value"]
        .as_f64()
        .unwrap();
    assert!((effect + 0.83).abs() < 0.05, "{effect}");
    // A slope is far below 0.5 whatever happens.
    let slope = json(&fairtrial(
        folder.path(),
        &[
            "analyze",
            "--json",
            "--metric",
            "reward",
            "--summary.type",
            "slope",
            "--control-run-ids",
            "t:control",
            "--candidate-run-ids",
            "t:candidate",
        ],
    ));
    assert_ne!(verdict(&slope["comparison"]), "equivalent");
    let notes = slope["notes"].to_string();
    assert!(
        notes.contains("the declared margin 0.5 is about the metric's values"),
        "{notes}"
    );
}

#[test]
fn all_numbers_of_a_page_are_on_one_scale() {
    let spec = format!(
        "seeds = 8\n[[tasks]]\nid = \"a\"\n{COMMAND}\n[metrics.reward]\ndirection = \"up\"\nsummary = \"auc\"\n\
         reference = [0.0, 20.0]"
    );
    let folder = ran(SHARE, &spec);
    let found = json(&analyzed(folder.path(), &[]));
    let [verdict, bootstrap] = [
        &found["comparison"]["effect"]["absolute"]["value"],
        &found["bootstrap"]["estimate"],
    ]
    .map(|value| value.as_f64().unwrap());
    assert!((verdict - bootstrap).abs() < 1e-12, "{verdict} {bootstrap}");
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
    let reason = found["verdict"]["reason"].as_str().unwrap();
    assert!(
        reason.contains("the candidate's about steps 150.3 to 200"),
        "{reason}"
    );
    // What a run came to at its end is an answer, and how long it took stands beside it.
    let folder = ran(LENGTHS, &spec(""));
    let found = compared(folder.path(), &[]);
    assert_eq!(verdict(&found), "improved");
    let flags = found["verdict"]["flags"].to_string();
    assert!(flags.contains("other_parts"), "{flags}");
    // Windows of steps are the same for all.
    let folder = ran(
        LENGTHS,
        &spec("summary = { type = \"auc\", step_min = 10, step_max = 80 }"),
    );
    let flags = compared(folder.path(), &[])["verdict"]["flags"].to_string();
    assert!(!flags.contains("other_parts"), "{flags}");
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
    let flags = found["verdict"]["flags"].to_string();
    assert!(
        flags.contains(r#"{"candidate":1,"control":0,"flag":"not_reached"}"#)
            || flags.contains(r#"{"flag":"not_reached","control":0,"candidate":1}"#),
        "{flags}"
    );
    // What nobody reaches differs in nothing that was seen.
    let folder = ran(&ONE_STUCK.replace("10 * (1", "7 * (1"), &spec(""));
    let found = compared(folder.path(), &[]);
    assert_eq!(verdict(&found), "insufficient");
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
