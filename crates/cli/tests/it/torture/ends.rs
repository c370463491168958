//! Trials and launchers that are killed from outside, and many trials that end at once.

use super::audit::audit;
use super::journal::outcome;
use super::lab::Lab;
use super::processes::{self, wait_for};
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
    let trial = pid_of_the_waiting_trial(&lab);
    wait_for("what it waits for", || {
        let all = processes::marked(lab.path());
        all.iter()
            .any(|process| process.command == "sleep 1000")
            .then_some(())
    });
    processes::signal(trial, Signal::KILL);
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

/// What a program does with its output, and when, changes nothing about its end.
#[test]
fn a_trial_may_close_its_output_early_or_fill_it_at_the_end() {
    let lab = Lab::new(
        r#"
seeds = 4
parallel = 2
order = "spec"
[[tasks]]
id = "work"
shell = true
log_limit = 300000
command = '''
case {index} in
  0) echo early; exec >&- 2>&-; sleep 0.1; exit 3;;
  1) head -c 200000 /dev/zero | tr "\\0" x;;
  2) (setsid sleep 1000 &) ; echo left;;
  3) (trap "" TERM; exec yes) & exit 0;;
esac'''
"#,
    );
    lab.finish().assert_code(1);
    let journal = audit(&lab, 4);
    let records = journal.effective();
    assert_eq!(records[&0]["exit"], serde_json::json!({"code": 3}));
    assert_eq!(records[&2]["resources"]["leftover_processes"], 1);
    // It would have written for ever.
    assert_eq!(records[&3]["resources"]["leftover_processes"], 1);
    let printed = |index: u64| {
        let dir = records[&index]["dir"].as_str().unwrap();
        fs::read(lab.data().join(dir).join("logs/stdout.log")).unwrap()
    };
    assert_eq!(printed(0), b"early\n");
    assert_eq!(printed(1), vec![b'x'; 200_000]);
    assert_eq!(printed(2), b"left\n");
}

/// Who starts the program may ignore the ends of children (`nohup`, some supervisors), and every program inherits that.
#[test]
fn ends_are_known_also_where_the_caller_ignores_those_of_children() {
    let lab = Lab::new("seeds = 2\n[[tasks]]\nid = \"work\"\nshell = true\ncommand = \"exit 3\"\n");
    let ignoring = Command::new("sh")
        .args(["-c", "trap '' CHLD; exec \"$0\" \"$@\""])
        .arg(env!("CARGO_BIN_EXE_fairtrial"))
        .args(["run", "spec.toml", "--data-dir"])
        .arg(lab.data())
        .current_dir(lab.path())
        .output()
        .unwrap();
    assert_eq!(ignoring.status.code(), Some(1), "{ignoring:?}");
    for record in lab.journal().effective().values() {
        assert_eq!(record["exit"], serde_json::json!({"code": 3}), "{record}");
    }
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
