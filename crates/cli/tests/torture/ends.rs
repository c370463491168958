//! Trials and launchers that are killed from outside, and many trials that end at once.

use crate::audit::audit;
use crate::journal::outcome;
use crate::lab::Lab;
use crate::processes::{self, wait_for};
use rustix::process::Signal;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// Four trials of which the first waits on its first attempt; the others are quick.
const ONE_WAITS: &str = r#"
seeds = 4
parallel = 2
order = "spec"
[[tasks]]
id = "work"
shell = true
kill_grace = "200ms"
command = '''
echo $$ > "$FAIRTRIAL_DIR/pid"
echo "start {index} {attempt}" >> "$TORTURE_LAB/witness"
if [ {index} = 0 ] && [ {attempt} = 1 ]; then sleep 1000; fi
echo "{\"score\": {seed}}" >> "$FAIRTRIAL_METRICS"'''
"#;

fn pid_of_the_waiting_trial(lab: &Lab) -> i32 {
    wait_for("the pid of the waiting trial", || {
        let entries = fs::read_dir(lab.data().join("runs")).ok()?;
        let mut folders = entries.map(|entry| entry.unwrap().path());
        let first = folders.find(|path| path.to_string_lossy().ends_with("-0"))?;
        fs::read_to_string(first.join("pid"))
            .ok()?
            .trim()
            .parse()
            .ok()
    })
}

#[test]
fn a_trial_killed_from_outside_failed_and_the_rest_is_intact() {
    let lab = Lab::new(ONE_WAITS);
    let controller = lab.start(lab.arguments());
    processes::signal(pid_of_the_waiting_trial(&lab), Signal::KILL);
    controller.wait().assert_code(1);
    let journal = audit(&lab, 4);
    let record = journal.effective()[&0];
    assert_eq!(outcome(record), "failed");
    assert_eq!(record["exit"], serde_json::json!({"signal": 9}));
    // `sleep` outlived the shell that was killed, and was found.
    assert_eq!(record["resources"]["leftover_processes"], 1);
    assert!((1..4).all(|trial| outcome(journal.effective()[&trial]) == "ok"));
}

#[test]
fn a_launcher_killed_from_outside_costs_an_attempt_and_not_the_trial() {
    let lab = Lab::new(ONE_WAITS);
    let controller = lab.start(lab.arguments());
    let trial = pid_of_the_waiting_trial(&lab);
    let stat = fs::read_to_string(format!("/proc/{trial}/stat")).unwrap();
    let parent = stat.rsplit_once(") ").unwrap().1.split(' ').nth(1).unwrap();
    processes::signal(parent.parse().unwrap(), Signal::KILL);
    controller.wait().assert_code(0);
    let journal = audit(&lab, 4);
    let attempts = journal.attempts(0);
    let outcomes: Vec<&str> = attempts.iter().map(|record| outcome(record)).collect();
    assert_eq!(outcomes, ["infra", "ok"]);
    assert_eq!(attempts[0]["cause"]["kind"], "lost", "{}", attempts[0]);
    assert_eq!(attempts[1]["metrics"]["score"], 1072.0);
    assert!((1..4).all(|trial| journal.attempts(trial).len() == 1));
}

const CROWD: usize = 200;

#[test]
fn two_hundred_trials_that_end_at_once_are_all_recorded() {
    // Every trial opens a named pipe and waits there for a line of its own.
    let lab = Lab::new(&format!(
        r#"
seeds = {CROWD}
parallel = {CROWD}
[[tasks]]
id = "wait"
shell = true
command = '''
echo "start {{index}} {{attempt}}" >> "$TORTURE_LAB/witness"
read line < "$TORTURE_LAB/gate"
echo "{{\"score\": {{seed}}}}" >> "$FAIRTRIAL_METRICS"'''
"#
    ));
    let gate = lab.path().join("gate");
    make_pipe(&gate);
    let controller = lab.start(lab.arguments());
    lab.wait_for_witnesses("start", CROWD);
    let mut gate = fs::OpenOptions::new().write(true).open(gate).unwrap();
    gate.write_all(&[b'\n'; CROWD]).unwrap();
    controller.wait().assert_code(0);
    let journal = audit(&lab, CROWD as u64);
    assert_eq!(journal.records().count(), CROWD);
}

fn make_pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}
