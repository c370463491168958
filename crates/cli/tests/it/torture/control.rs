//! A run is stopped: by Ctrl-C once and twice, from another terminal, and by a second controller that is refused.

use super::audit::audit;
use super::journal::outcome;
use super::lab::{Controller, Lab};
use super::processes::wait_for;
use rustix::process::Signal;
use std::fs;

/// Trials that wait until the file `go` is there, with a child of their own.
const WAITING: &str = r#"
seeds = 5
parallel = 2
[[tasks]]
id = "wait"
shell = true
kill_grace = "200ms"
command = '''
echo "start {index} {attempt}" >> "$TORTURE_LAB/witness"
sleep 1000 &
while [ ! -e "$TORTURE_LAB/go" ]; do sleep 0.02; done
kill $!
echo "{\"score\": {seed}}" >> "$FAIRTRIAL_METRICS"'''
"#;

/// A run of which two trials are in flight.
fn begun() -> (Lab, Controller) {
    let lab = Lab::new(WAITING);
    let controller = lab.start(lab.arguments());
    lab.wait_for_witnesses("start", 2);
    (lab, controller)
}

fn open_the_gate(lab: &Lab) {
    fs::write(lab.path().join("go"), "").unwrap();
}

fn outcomes(lab: &Lab) -> Vec<String> {
    let journal = lab.journal();
    let effective = journal.effective();
    effective
        .values()
        .map(|record| outcome(record).to_owned())
        .collect()
}

#[test]
fn ctrl_c_once_lets_trials_in_flight_finish() {
    let (lab, controller) = begun();
    controller.signal(Signal::INT);
    wait_for("word that the run stops", || {
        controller.said().contains("stopping").then_some(())
    });
    open_the_gate(&lab);
    controller.wait().assert_code(130);
    lab.assert_deserted();
    assert_eq!(outcomes(&lab), ["ok", "ok"]);
    assert_eq!(lab.journal().closed(), Some("cancelled"));
    let known = lab.journal();
    lab.finish().assert_code(0);
    lab.journal().assert_continues(&known);
    assert_eq!(audit(&lab, 5).records().count(), 5);
}

#[test]
fn ctrl_c_twice_ends_trials_in_flight_with_all_their_processes() {
    let (lab, controller) = begun();
    controller.signal(Signal::INT);
    wait_for("word that the run stops", || {
        controller.said().contains("stopping").then_some(())
    });
    controller.signal(Signal::INT);
    controller.wait().assert_code(130);
    lab.assert_deserted();
    assert_eq!(outcomes(&lab), ["cancelled", "cancelled"]);
    open_the_gate(&lab);
    lab.finish().assert_code(0);
    let journal = audit(&lab, 5);
    assert_eq!(journal.attempts(0).len(), 2, "the first try is kept");
}

/// The second Ctrl-C may come at any moment of a trial's start; no trial may slip through it.
#[test]
fn a_cancel_reaches_trials_that_are_just_being_started() {
    let mut dice = crate::dice::Dice::new("cancel");
    for _ in 0..crate::dice::rounds(4) {
        let lab = Lab::new(&WAITING.replace("parallel = 2", "parallel = 5"));
        let controller = lab.start(lab.arguments());
        wait_for("launchers", || (!lab.launchers().is_empty()).then_some(()));
        std::thread::sleep(dice.millis(0, 60));
        controller.signal(Signal::TERM);
        controller.wait().assert_code(130);
        lab.assert_deserted();
        assert!(outcomes(&lab).iter().all(|outcome| outcome == "cancelled"));
    }
}

#[test]
fn cancel_from_another_terminal_stops_the_run() {
    let (lab, controller) = begun();
    lab.call(&["cancel", "torture"]).assert_code(0);
    controller.wait().assert_code(130);
    lab.assert_deserted();
    assert_eq!(outcomes(&lab), ["cancelled", "cancelled"]);
    lab.call(&["cancel", "torture"])
        .assert_code(2)
        .assert_said("not running");
    open_the_gate(&lab);
    lab.finish().assert_code(0);
    audit(&lab, 5);
}

#[test]
fn a_second_controller_is_refused_until_the_first_is_gone() {
    let (lab, controller) = begun();
    let resume = ["run", "spec.toml", "--resume"];
    let pid = controller.pid().to_string();
    lab.call(&resume).assert_code(3).assert_said(&pid);
    open_the_gate(&lab);
    controller.kill();
    // The lock died with its holder, also while the launchers are still at their last work.
    lab.call(&resume).assert_code(0);
    lab.wait_until_deserted();
    audit(&lab, 5);
}
