//! Metrics are a view of what a trial left: they are read again by another declaration, and no trial runs for it.

use crate::curves::lab::{fairtrial, json, words};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// A trainer whose reward peaks in the middle. The control never logs `kl`. Each run of it leaves a line in `ledger`.
const TRAINER: &str = r#"
BEGIN {
    print arm, seed >> "ledger"
    file = ENVIRON["FAIRTRIAL_DIR"] "/progress.csv"
    print "reward,time/total_timesteps" > file
    for (step = 0; step <= 100; step += 10)
        print 10 - (step - 50) ^ 2 / 250 + seed % 3 + (arm == "candidate" ? 1 : 0) "," step >> file
    if (arm == "candidate") print "{\"kl\": 0.5}" > ENVIRON["FAIRTRIAL_METRICS"]
}
"#;

struct Lab(tempfile::TempDir);

impl Lab {
    fn new(metrics: &str) -> Self {
        let lab = Self(tempfile::tempdir().unwrap());
        fs::write(lab.path().join("trial.awk"), TRAINER).unwrap();
        lab.declare(metrics);
        lab
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes the spec with these metrics.
    fn declare(&self, metrics: &str) {
        let spec = format!(
            "name = \"t\"\nseeds = [1, 2, 3, 4]\norder = \"spec\"\ncommand = \"awk -v arm={{arm}} -v seed={{seed}} -f {}\"\n\
             workdir = \".\"\n[arms.control]\n[arms.candidate]\n{metrics}",
            self.path().join("trial.awk").display()
        );
        fs::write(self.path().join("t.toml"), spec).unwrap();
    }

    /// How often a trial ran.
    fn ran(&self) -> usize {
        let ledger = fs::read_to_string(self.path().join("ledger")).unwrap_or_default();
        ledger.lines().count()
    }

    fn call(&self, arguments: &[&str]) -> std::process::Output {
        fairtrial(self.path(), &[arguments, &["--data-dir", "data"]].concat())
    }

    /// The newest run's folder.
    fn run(&self) -> PathBuf {
        let runs = fs::read_dir(self.path().join("data/rollouts/t")).unwrap();
        runs.map(|run| run.unwrap().path()).max().unwrap()
    }

    /// The events of the newest run's journal.
    fn journal(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.run().join("journal.jsonl")).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// Every effective reward of the newest run, by trial.
    fn rewards(&self) -> Vec<f64> {
        let mut rewards = std::collections::BTreeMap::new();
        for event in self.journal() {
            if event["event"] == "finished" {
                let index = event["trial"]["index"].as_u64().unwrap();
                rewards.insert(
                    index,
                    event["metrics"]["reward"].as_f64().unwrap_or(f64::NAN),
                );
            }
        }
        rewards.into_values().collect()
    }
}

const FROM: &str = "[metrics.reward]\nfrom = \"csv:progress.csv\"\ndirection = \"up\"\n";

/// The rewards at the end are 1 to 4 at seeds 1 to 4; at their peak they are 10 more.
fn is_peak(rewards: &[f64]) -> bool {
    rewards.len() == 8 && rewards.iter().all(|reward| *reward >= 10.0)
}

#[test]
fn reused_records_are_measured_as_the_spec_says_now() {
    let lab = Lab::new(&format!("{FROM}summary = \"last\"\n"));
    assert!(lab.call(&["run", "t.toml"]).status.success());
    assert!(!is_peak(&lab.rewards()));
    lab.declare(&format!("{FROM}summary = \"max\"\n"));
    let reused = lab.call(&["run", "t.toml", "--reuse"]);
    let said = words(&reused);
    assert!(reused.status.success(), "{said}");
    assert!(said.contains("8 reused trials measured again"), "{said}");
    assert!(is_peak(&lab.rewards()), "{:?}", lab.rewards());
    assert_eq!(lab.ran(), 8, "no trial ran again");
    // What is measured as before is taken as it is.
    let again = lab.call(&["run", "t.toml", "--reuse"]);
    assert!(
        !words(&again).contains("measured again"),
        "{}",
        words(&again)
    );
    assert!(is_peak(&lab.rewards()));
}

#[test]
fn trials_that_failed_for_want_of_a_metric_are_ok_when_it_is_not_required() {
    let lab = Lab::new(&format!("{FROM}[metrics.kl]\n"));
    let run = lab.call(&["run", "t.toml"]);
    assert_eq!(run.status.code(), Some(1), "{}", words(&run));
    lab.declare(&format!(
        "{FROM}summary = \"auc\"\n[metrics.kl]\nrequired = false\n"
    ));
    let found = json(&lab.call(&["remeasure", "t", "--json"]));
    assert_eq!(found["measured"]["trials"], 8, "{found}");
    assert_eq!(found["measured"]["now_ok"], 4);
    assert_eq!(
        found["measured"]["changed"],
        serde_json::json!(["kl", "reward"])
    );
    assert_eq!(lab.ran(), 8, "nothing was run");
    let events = lab.journal();
    let measuring = events.iter().find(|event| event["event"] == "measuring");
    let measuring = measuring.expect("who and when are in the journal");
    assert!(
        measuring["by"].as_str().unwrap().contains('@'),
        "{measuring}"
    );
    assert!(measuring["at"].is_string() || measuring["at"].is_number());
    let records = |outcome: &str| {
        let finished = events.iter().filter(|event| event["event"] == "finished");
        finished.filter(|event| event["outcome"] == outcome).count()
    };
    assert_eq!(
        (records("failed"), records("ok")),
        (4, 12),
        "the first measurement stays"
    );
    let compared = json(&lab.call(&["compare", "t", "--json"]));
    let reward = &compared["contrasts"][0]["metrics"][0];
    assert_eq!(reward["count"]["control"], 4, "{reward}");
    let verified = lab.call(&["verify", "t"]);
    assert!(verified.status.success(), "{}", words(&verified));
    // Nothing is left to do, and a further run of the spec goes on from there.
    let resumed = lab.call(&["run", "t.toml", "--resume"]);
    assert!(resumed.status.success(), "{}", words(&resumed));
    assert_eq!(lab.ran(), 8);
}

#[test]
fn a_resumed_run_is_measured_as_the_spec_says_now() {
    let lab = Lab::new(&format!("{FROM}summary = \"last\"\n"));
    lab.call(&["run", "t.toml", "--set", "budget.trials=3"]);
    assert_eq!(lab.ran(), 3);
    lab.declare(&format!("{FROM}summary = \"max\"\n"));
    let resumed = lab.call(&["run", "t.toml", "--resume", "--set", "budget.trials=8"]);
    let said = words(&resumed);
    assert!(resumed.status.success(), "{said}");
    assert!(said.contains("3 trials measured again"), "{said}");
    assert!(is_peak(&lab.rewards()), "{:?}", lab.rewards());
    assert_eq!(lab.ran(), 8);
    // Another command is another trial, whatever else changed.
    lab.declare(&format!(
        "{FROM}summary = \"min\"\n[[tasks]]\nid = \"x\"\ncommand = \"true\"\n"
    ));
    let refused = lab.call(&["run", "t.toml", "--resume"]);
    assert_eq!(refused.status.code(), Some(2), "{}", words(&refused));
    assert!(is_peak(&lab.rewards()));
}

#[test]
fn a_measuring_that_dies_leaves_the_run_unfinished_until_it_is_completed() {
    let lab = Lab::new(&format!("{FROM}summary = \"last\"\n"));
    assert!(lab.call(&["run", "t.toml"]).status.success());
    lab.declare(&format!("{FROM}summary = \"max\"\n"));
    let died = std::process::Command::new(env!("CARGO_BIN_EXE_fairtrial"))
        .args(["remeasure", "t", "--data-dir", "data"])
        .current_dir(lab.path())
        .env_remove("FAIRTRIAL_DATA")
        .env("FAIRTRIAL_FAILPOINT", "journal.before_write:2")
        .output()
        .unwrap();
    assert!(!died.status.success(), "{}", words(&died));
    let gate = lab.call(&["gate", "t"]);
    assert!(words(&gate).contains("not finished"), "{}", words(&gate));
    let completed = lab.call(&["remeasure", "t"]);
    assert!(completed.status.success(), "{}", words(&completed));
    assert!(is_peak(&lab.rewards()));
    assert!(lab.call(&["verify", "t"]).status.success());
    assert_eq!(lab.ran(), 8);
}

#[test]
fn trials_whose_files_are_gone_are_named_and_not_mixed_with_others() {
    let lab = Lab::new(&format!("{FROM}summary = \"last\"\n"));
    assert!(lab.call(&["run", "t.toml"]).status.success());
    let before = lab.rewards();
    let record = lab
        .journal()
        .into_iter()
        .find(|event| event["event"] == "finished");
    let dir = record.unwrap()["dir"].as_str().unwrap().to_owned();
    fs::remove_dir_all(lab.path().join("data").join(dir)).unwrap();
    lab.declare(&format!("{FROM}summary = \"max\"\n"));
    let refused = lab.call(&["remeasure", "t"]);
    assert_eq!(refused.status.code(), Some(2), "{}", words(&refused));
    assert!(
        words(&refused).contains("1 trial cannot be measured again"),
        "{}",
        words(&refused)
    );
    assert_eq!(lab.rewards(), before);
    // Taken over into a new run, that one runs again.
    let reused = lab.call(&["run", "t.toml", "--reuse"]);
    assert!(reused.status.success(), "{}", words(&reused));
    assert!(
        words(&reused).contains("1 trial left nothing to measure"),
        "{}",
        words(&reused)
    );
    assert!(is_peak(&lab.rewards()));
    assert_eq!(lab.ran(), 9);
}
