//! The controller dies: by `kill -9` at random instants, and by an abort at every fail point. Resumed until it is
//! finished, the run is as if nothing had happened.

use super::audit::audit;
use super::journal::{Journal, index};
use super::lab::{Lab, Witness};
use super::processes;
use crate::dice::{Dice, rounds};
use rustix::process::Signal;
use std::collections::BTreeSet;
use std::thread::sleep;

/// Two tasks, two arms, paired seeds; each trial is a short real process that tells what it does. One in the middle
/// always fails: its failure is an answer too.
const SPEC: &str = r#"
seeds = 10
parallel = 3
[arms.control]
bonus = 0
[arms.candidate]
bonus = 1
[defaults]
shell = true
kill_grace = "200ms"
[[tasks]]
id = "learn"
command = '''
set -u
echo "start {index} {attempt}" >> "$TORTURE_LAB/witness"
sleep 0.02
echo "{\"score\": {seed}.{bonus}}" >> "$FAIRTRIAL_METRICS"
echo "end {index} {attempt}" >> "$TORTURE_LAB/witness"
[ {seed} != 4085 ]'''
[[tasks]]
id = "check"
needs = ["learn"]
command = '''
set -u
echo "start {index} {attempt}" >> "$TORTURE_LAB/witness"
echo "{\"score\": 1}" >> "$FAIRTRIAL_METRICS"
echo "end {index} {attempt}" >> "$TORTURE_LAB/witness"'''
[metrics.score]
direction = "up"
"#;

const TRIALS: u64 = 40;

/// Sessions that are killed before the run is left to finish.
const KILLS: u64 = 10;

#[test]
fn killed_at_random_instants_a_run_loses_and_repeats_nothing() {
    let mut dice = Dice::new("kill");
    let mut kills = 0;
    for round in 0..rounds(2) {
        let packed = [PACKED, ""][round as usize % 2];
        let lab = Lab::new(&format!("{packed}{SPEC}"));
        let mut known = Journal::default();
        for _ in 0..KILLS {
            let (journal, ended) = one_session(&lab, &known, &mut dice);
            known = journal;
            if ended {
                break;
            }
            kills += 1;
        }
        // One trial failed, and the trial that needed it was skipped: exit code 1.
        lab.finish().assert_code(1);
        lab.journal().assert_continues(&known);
        let journal = audit(&lab, TRIALS);
        answers_are_those_of_a_quiet_run(&journal, &lab.witnesses());
    }
    println!("{kills} kills");
}

/// Lets a controller work for a random while and kills it. Says what is in the journal, and whether the run ended.
fn one_session(lab: &Lab, known: &Journal, dice: &mut Dice) -> (Journal, bool) {
    let (answered, seen) = (known.answered(), lab.witnesses().len());
    let controller = lab.start(lab.arguments());
    sleep(dice.millis(5, 600));
    if dice.once_in(3) {
        // The machine's way of killing for memory: whoever is largest, in any order.
        let launchers = lab.launchers();
        let chosen = launchers.get(dice.between(0, 4) as usize).copied();
        if let Some(pid) = chosen {
            processes::signal(pid, Signal::KILL);
        }
    }
    let done = controller.kill();
    // It may have come to its own end before, which one failed trial makes a 1.
    let ended = !done.was_killed();
    if ended {
        done.assert_code(1);
    }
    if !dice.once_in(4) {
        // Otherwise the next controller comes while the last trials are still being ended.
        lab.wait_until_deserted();
    }
    let journal = lab.journal();
    journal.assert_continues(known);
    nothing_ran_again(&answered, &lab.witnesses()[seen..]);
    (journal, ended)
}

/// Fails if a trial was started though its answer was on disk before.
pub(super) fn nothing_ran_again(answered: &BTreeSet<u64>, since: &[Witness]) {
    for witness in since.iter().filter(|witness| witness.word == "start") {
        let known = answered.contains(&witness.index);
        assert!(!known, "trial {} ran again", witness.index);
    }
}

/// The same answers as without any interruption, each from a process that came to its end.
fn answers_are_those_of_a_quiet_run(journal: &Journal, witnesses: &[Witness]) {
    let (mut failed, mut skipped) = (0, 0);
    for (trial, record) in journal.effective() {
        let seed = record["trial"]["seed"].as_u64().unwrap();
        let learns = record["trial"]["task"] == "learn";
        let due = match (learns, seed) {
            (true, 4085) => "failed",
            (false, 4085) => "skipped",
            _ => "ok",
        };
        assert_eq!(record["outcome"], due, "{record}");
        failed += u64::from(due == "failed");
        skipped += u64::from(due == "skipped");
        if due == "skipped" {
            continue;
        }
        let ended = Witness {
            word: "end".to_owned(),
            index: trial,
            attempt: record["attempt"].as_u64().unwrap(),
        };
        assert!(witnesses.contains(&ended), "no end was seen of {record}");
        let candidate = record["trial"]["arm"] == "candidate";
        let score = if learns {
            seed as f64 + if candidate { 0.1 } else { 0.0 }
        } else {
            1.0
        };
        assert_eq!(record["metrics"]["score"], score, "{record}");
    }
    assert_eq!((failed, skipped), (2, 2));
}

/// Six trials, each of which leaves a word.
const SMALL: &str = r#"
seeds = 6
parallel = 2
[[tasks]]
id = "learn"
shell = true
command = '''
set -u
echo "start {index} {attempt}" >> "$TORTURE_LAB/witness"
echo "{\"score\": {seed}}" >> "$FAIRTRIAL_METRICS"'''
"#;

#[test]
fn aborted_at_every_fail_point_a_run_loses_and_repeats_nothing() {
    let mut dice = Dice::new("fail points");
    let journal = ["before_write", "mid_write", "before_sync", "after_sync"];
    for point in journal {
        for count in [1, 2, dice.between(3, 6)] {
            abort_and_resume("", &format!("journal.{point}:{count}"));
        }
        abort_and_resume(PACKED, &format!("journal.{point}:{}", dice.between(2, 4)));
    }
    for count in [1, 2, 3, 6] {
        abort_and_resume(PACKED, &format!("packed.mid_write:{count}"));
        abort_and_resume(PACKED, &format!("packed.before_removal:{count}"));
    }
    abort_and_resume("", "environment.written");
    // Files of the run, parameters, records, views: every one is replaced through the same point.
    // The last ones are the views of the whole run, written when every trial has its answer.
    for count in 1..=18 {
        abort_and_resume("", &format!("view.before_rename:{count}"));
    }
}

/// What makes a small run pack the files of its trials, as a large one does.
const PACKED: &str = "keep_folders = false\n";

fn abort_and_resume(packed: &str, point: &str) {
    let lab = Lab::new(&format!("{packed}{SMALL}"));
    let done = lab
        .start_with(lab.arguments(), &[("FAIRTRIAL_FAILPOINT", point)])
        .wait();
    // A small run commits all it has in few flushes: a high count may not be reached.
    assert!(
        done.was_killed() || done.status.success(),
        "{point}: {done:?}"
    );
    lab.wait_until_deserted();
    let known = lab.journal();
    let seen = lab.witnesses().len();
    lab.finish().assert_code(0);
    lab.journal().assert_continues(&known);
    nothing_ran_again(&known.answered(), &lab.witnesses()[seen..]);
    let journal = audit(&lab, 6);
    let torn = point.starts_with("journal.mid_write") && done.was_killed();
    let notes = journal.of_kind("note").count();
    assert_eq!(notes, usize::from(torn), "{point}: a cut line is told");
    assert!(journal.records().all(|record| index(record) < 6));
}
