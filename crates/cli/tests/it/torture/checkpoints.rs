//! Trials that save their state: however they are interrupted, they go on from it, and no step is lost or counted twice.

use super::audit::audit;
use super::journal::outcome;
use super::lab::Lab;
use super::processes::{self, wait_for};
use rustix::process::Signal;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// Counts to 40, saves every tenth step and when it is told to, and reports each step.
const COUNTS: &str = r#"
seeds = 2
parallel = 2
[[tasks]]
retries = 0
id = "count"
shell = true
checkpoint = { notice = "20s" }
command = '''
cd "$FAIRTRIAL_CHECKPOINT"
save() { echo $i > step.new && mv step.new step; }
i=$(cat step 2>/dev/null || echo 0)
echo "start {index} {attempt}" >> "$TORTURE_LAB/witness"
leave() { save; exit 143; }
trap 'told=1' TERM
while [ $i -lt 40 ]; do
  sleep 0.02
  i=$((i + 1))
  echo "{\"step\": $i, \"reward\": $i}" >> "$FAIRTRIAL_METRICS"
  [ $((i % 10)) -ne 0 ] || save
  [ -z "$told" ] || leave
done
echo "end {index} {attempt}" >> "$TORTURE_LAB/witness"'''
[metrics.reward]
direction = "up"
"#;

fn records(lab: &Lab) -> BTreeMap<u64, Value> {
    let journal = lab.journal();
    let effective = journal.effective().into_iter();
    effective
        .map(|(index, record)| (index, record.clone()))
        .collect()
}

/// The steps that a trial reported, as its last folder has them.
fn steps(lab: &Lab, record: &Value) -> Vec<u64> {
    let dir = record["dir"].as_str().unwrap();
    let text = fs::read_to_string(lab.data().join(dir).join("metrics.jsonl")).unwrap();
    let line = |line: &str| serde_json::from_str::<Value>(line).unwrap();
    text.lines()
        .map(|text| line(text)["step"].as_u64().unwrap())
        .collect()
}

fn assert_whole(lab: &Lab) -> BTreeMap<u64, Value> {
    let records = records(lab);
    for record in records.values() {
        assert_eq!(outcome(record), "ok", "{record}");
        assert_eq!(
            steps(lab, record),
            (1..=40).collect::<Vec<u64>>(),
            "{record}"
        );
        assert_eq!(record["series"]["reward"]["points"], 40);
    }
    records
}

fn parts(record: &Value) -> &[Value] {
    let parts = record["checkpoint"]["parts"].as_array();
    parts.map_or(&[], Vec::as_slice)
}

/// Where a trial saves.
fn folder(lab: &Lab, index: u64) -> PathBuf {
    let entries = fs::read_dir(lab.data().join("checkpoints")).unwrap();
    let mut folders = entries.map(|entry| entry.unwrap().path());
    let name = format!("-{index}");
    folders
        .find(|path| path.to_string_lossy().ends_with(&name))
        .unwrap()
}

fn saved_step(lab: &Lab, index: u64) -> Option<u64> {
    let text = fs::read_to_string(folder(lab, index).join("step")).ok()?;
    text.trim().parse().ok()
}

#[test]
fn a_controller_killed_at_any_moment_loses_no_step() {
    let mut dice = crate::dice::Dice::new("checkpoints");
    for _ in 0..crate::dice::rounds(2) {
        let lab = Lab::new(COUNTS);
        for _ in 0..3 {
            let controller = lab.start(lab.arguments());
            std::thread::sleep(dice.millis(0, 500));
            controller.kill();
        }
        lab.finish().assert_code(0);
        for record in assert_whole(&lab).values() {
            // Each attempt but the last is a part, however little is known of it.
            let attempts: Vec<u64> = parts(record)
                .iter()
                .map(|part| part["attempt"].as_u64().unwrap())
                .collect();
            let last = record["attempt"].as_u64().unwrap();
            assert!(attempts.iter().all(|attempt| *attempt < last), "{record}");
            assert!(last == 1 || !attempts.is_empty(), "{record}");
        }
        audit(&lab, 2);
    }
}

#[test]
fn a_cancelled_trial_saves_and_goes_on_from_its_very_step() {
    let lab = Lab::new(COUNTS);
    let controller = lab.start(lab.arguments());
    lab.wait_for_witnesses("start", 2);
    controller.signal(Signal::TERM);
    controller.wait().assert_code(130);
    lab.assert_deserted();
    let cancelled = records(&lab);
    for (index, record) in &cancelled {
        assert_eq!(outcome(record), "cancelled");
        let reported = fs::read_to_string(
            lab.data()
                .join(record["dir"].as_str().unwrap())
                .join("metrics.jsonl"),
        );
        let steps = reported.unwrap_or_default().lines().count() as u64;
        assert_eq!(saved_step(&lab, *index).unwrap_or(0), steps);
    }
    lab.finish().assert_code(0);
    for (index, record) in assert_whole(&lab) {
        let [part] = parts(&record) else {
            panic!("one part before the last: {record}");
        };
        assert_eq!(part["outcome"], "cancelled");
        assert_eq!(part["wall_s"], cancelled[&index]["resources"]["wall_s"]);
        // The copy beside the logs is that of the whole trial.
        let copy = lab.data().join(record["dir"].as_str().unwrap());
        let copy = fs::read_to_string(copy.join("record.json")).unwrap();
        let copy: Value = serde_json::from_str(&copy).unwrap();
        assert_eq!(copy["checkpoint"], record["checkpoint"]);
    }
    lab.call(&["verify", "torture"]).assert_code(0);
    let explained = lab
        .call(&["explain", "torture", "--trial", "0"])
        .assert_code(0);
    assert!(
        explained.stdout.contains("attempt 2: went on from 1 file"),
        "{}",
        explained.stdout
    );
    assert!(
        explained.stdout.contains("its 2 parts together took"),
        "{}",
        explained.stdout
    );
    // What nobody needs any more goes when that is asked for.
    lab.call(&["gc"]).assert_code(0);
    assert!(folder(&lab, 0).is_dir());
    lab.call(&["gc", "--checkpoints"]).assert_code(0);
    assert_eq!(
        fs::read_dir(lab.data().join("checkpoints"))
            .unwrap()
            .count(),
        0
    );
}

#[test]
fn what_a_trial_may_still_go_on_from_is_not_removed() {
    let lab = Lab::new(COUNTS);
    let controller = lab.start(lab.arguments());
    lab.wait_for_witnesses("start", 2);
    controller.signal(Signal::TERM);
    controller.wait().assert_code(130);
    lab.call(&["gc", "--checkpoints"]).assert_code(0);
    assert!(folder(&lab, 0).is_dir() && folder(&lab, 1).is_dir());
}

/// Twice what `retries` grants after `infra`, and each time something new was saved.
#[test]
fn an_interruption_that_saved_costs_no_retry_and_one_that_saved_nothing_does() {
    let lab = Lab::new(
        &COUNTS
            .replace("seeds = 2", "seeds = 1")
            .replace("retries = 0", "retries = 1"),
    );
    let controller = lab.start(lab.arguments());
    for step in [10, 20, 30] {
        wait_for("a saved step", || {
            let saved = lab.data().join("checkpoints").is_dir();
            (saved && saved_step(&lab, 0) >= Some(step)).then_some(())
        });
        for launcher in lab.launchers() {
            processes::signal(launcher, Signal::KILL);
        }
        lab.wait_for_witnesses("start", step as usize / 10 + 1);
    }
    controller.wait().assert_code(0);
    let records = assert_whole(&lab);
    let parts = parts(&records[&0]);
    assert_eq!(parts.len(), 3);
    assert!(
        parts
            .iter()
            .all(|part| part["saved"] == true && part["outcome"] == "infra")
    );

    let idle = COUNTS
        .replace("seeds = 2", "seeds = 1")
        .replace("retries = 0", "retries = 1")
        .replace("i=$((i + 1))", "i=0")
        .replace("|| save", "|| true");
    let lab = Lab::new(&idle);
    let controller = lab.start(lab.arguments());
    for attempt in [1, 2] {
        lab.wait_for_witnesses("start", attempt);
        for launcher in lab.launchers() {
            processes::signal(launcher, Signal::KILL);
        }
    }
    controller.wait().assert_code(3);
    let records = records_of_idle(&lab);
    assert_eq!(records, ["infra"]);
    assert_eq!(lab.journal().attempts(0).len(), 2);
}

fn records_of_idle(lab: &Lab) -> Vec<String> {
    records(lab)
        .values()
        .map(|record| outcome(record).to_owned())
        .collect()
}

#[test]
fn a_time_limit_gives_notice_and_the_retry_goes_on() {
    let spec = COUNTS
        .replace(
            "retries = 0",
            "retries = { timeout = 50 }\ntimeout = \"400ms\"",
        )
        .replace("seeds = 2", "seeds = 1");
    let lab = Lab::new(&spec);
    lab.finish().assert_code(0);
    let records = assert_whole(&lab);
    let parts = parts(&records[&0]);
    assert!(!parts.is_empty());
    assert!(
        parts.iter().all(|part| part["outcome"] == "timeout"),
        "{parts:?}"
    );
}

#[test]
fn a_trial_that_ignores_the_signal_is_killed_after_its_notice() {
    let spec = COUNTS
        .replace("notice = \"20s\"", "notice = \"300ms\", signal = \"USR1\"")
        .replace("trap 'told=1' TERM", "trap '' USR1")
        .replace("[ $i -lt 40 ]", "true");
    let lab = Lab::new(&spec);
    let controller = lab.start(lab.arguments());
    lab.wait_for_witnesses("start", 2);
    controller.signal(Signal::TERM);
    controller.wait().assert_code(130);
    lab.assert_deserted();
    for record in records(&lab).values() {
        assert_eq!(outcome(record), "cancelled");
        assert_eq!(record["exit"]["signal"], 9, "{record}");
    }
}

/// The shell around a program dies of the signal at once; the program has its notice all the same.
#[test]
fn a_program_below_a_shell_has_the_whole_notice() {
    let spec = COUNTS
        .replace(
            "command = '''",
            "command = '''\ncat > \"$TORTURE_LAB/inner-{index}\" <<'END'",
        )
        .replace("leave() { save", "leave() { sleep 1; save")
        .replace(
            "witness\"'''",
            "witness\"\nEND\nsh \"$TORTURE_LAB/inner-{index}\"; exit $?'''",
        );
    let lab = Lab::new(&spec);
    let controller = lab.start(lab.arguments());
    lab.wait_for_witnesses("start", 2);
    controller.signal(Signal::TERM);
    controller.wait().assert_code(130);
    lab.assert_deserted();
    for index in 0..2 {
        assert!(saved_step(&lab, index).is_some(), "trial {index} saved");
    }
    lab.finish().assert_code(0);
    assert_whole(&lab);
}

/// Who does not want to wait for the notice asks again.
#[test]
fn a_third_ctrl_c_waits_for_no_notice() {
    let spec = COUNTS
        .replace("notice = \"20s\"", "notice = \"1000s\"")
        .replace(
            "trap 'told=1' TERM",
            "trap 'echo told 0 0 >> \"$TORTURE_LAB/witness\"' TERM",
        )
        .replace("[ $i -lt 40 ]", "true");
    let lab = Lab::new(&spec);
    let controller = lab.start(lab.arguments());
    lab.wait_for_witnesses("start", 2);
    controller.signal(Signal::TERM);
    lab.wait_for_witnesses("told", 2);
    controller.signal(Signal::INT);
    controller.signal(Signal::INT);
    controller.wait().assert_code(130);
    lab.assert_deserted();
}
