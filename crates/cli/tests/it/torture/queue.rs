//! Short trials, of which a launcher has several at once: what goes wrong with one must not touch those behind it.

use super::audit::audit;
use super::journal::{attempt, index, outcome};
use super::lab::Lab;
use crate::dice::{Dice, rounds};
use rustix::process::Signal;
use std::collections::BTreeMap;

const TRIALS: u64 = 120;

/// Trials that are over at once, but for what `special` does.
fn short(special: &str) -> Lab {
    Lab::new(&format!(
        r#"
seeds = {TRIALS}
parallel = 2
order = "spec"
[[tasks]]
id = "short"
shell = true
kill_grace = "200ms"
command = '''
{special}
: > "$TORTURE_LAB/done-{{index}}"'''
"#
    ))
}

#[test]
fn a_long_trial_holds_up_none_that_was_handed_over_with_it() {
    // It ends when all others have: one that waited behind it would wait for ever.
    let lab = short(&format!(
        r#"if [ {{index}} = 60 ]; then
  while [ "$(ls "$TORTURE_LAB" | grep -c ^done-)" -lt {} ]; do sleep 0.02; done
fi"#,
        TRIALS - 1
    ));
    lab.start(lab.arguments()).wait().assert_code(0);
    let journal = audit(&lab, TRIALS);
    assert_eq!(journal.records().count() as u64, TRIALS);
    // Those that came back were given out again, but not for as long as it ran.
    assert!((journal.of_kind("started").count() as u64) < 20 * TRIALS);
    let delay = |index: u64| &journal.effective()[&index]["resources"]["run_queue_delay_s"];
    assert!(
        delay(60).is_number(),
        "a long trial says how long it waited"
    );
}

#[test]
fn a_launcher_that_is_killed_with_trials_waiting_costs_attempts_and_no_trial() {
    let lab = short(
        "if [ {index} = 60 ] && [ {attempt} = 1 ]; then setsid sleep 1000 & kill -9 $PPID; sleep 1000; fi",
    );
    lab.start(lab.arguments()).wait().assert_code(0);
    // Nothing is left of any attempt, and every one that was begun has a record.
    let journal = audit(&lab, TRIALS);
    let effective = journal.effective();
    assert!(effective.values().all(|record| outcome(record) == "ok"));
    let lost: Vec<u64> = (journal.records())
        .filter(|record| outcome(record) == "infra")
        .map(index)
        .collect();
    // With it are lost those that had ended just before and were not told of.
    assert!(lost.contains(&60) && lost.len() <= 16, "{lost:?}");
    for record in journal.records() {
        let first = journal.attempts(index(record))[0];
        assert_eq!(attempt(first), 1, "{first}");
    }
}

#[test]
fn a_cap_on_trials_counts_those_that_run() {
    let lab = short("if [ {index} = 20 ]; then sleep 0.2; fi");
    lab.call(&["run", "spec.toml", "--set", "budget.trials=50"]);
    assert_eq!(lab.journal().records().count(), 50);
    assert_eq!(lab.journal().closed(), Some("budget"));
    lab.call(&["run", "spec.toml", "--resume", "--set", "budget.trials=70"])
        .assert_code(0);
    assert_eq!(lab.journal().records().count(), 70);
}

#[test]
fn a_cancel_leaves_out_what_waits_and_it_runs_later() {
    let mut dice = Dice::new("queue");
    for _ in 0..rounds(4) {
        let lab = short("");
        let controller = lab.start(lab.arguments());
        std::thread::sleep(dice.millis(20, 200));
        controller.signal(Signal::TERM);
        controller.wait();
        lab.assert_deserted();
        let mut ends: BTreeMap<&str, usize> = BTreeMap::new();
        let known = lab.journal();
        for record in known.records() {
            *ends.entry(outcome(record)).or_default() += 1;
        }
        assert!(
            ends.keys().all(|end| ["ok", "cancelled"].contains(end)),
            "{ends:?}"
        );
        if lab.run_dir().is_some() {
            lab.finish().assert_code(0);
            audit(&lab, TRIALS);
        }
    }
}
