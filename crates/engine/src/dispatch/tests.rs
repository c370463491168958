//! The controller's rules on their own: order, needs, retries, budgets, stopping.

use super::{Dispatch, Next};
use crate::events::{Cap, StopReason};
use fairtrial_journal::{RunState, RunStatus};
use fairtrial_model::{Cause, Checkpoint, Number, Outcome, Record, Saved, UtcTime};
use fairtrial_plan::Plan;
use fairtrial_spec::{Format, LoadOptions, load_text};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn dispatch(text: &str) -> (Dispatch, Arc<Plan>) {
    let loaded = load_text("test.toml", text, Format::Toml, &LoadOptions::default());
    let spec = loaded
        .spec
        .unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    let plan = Arc::new(Plan::new(Arc::new(spec), None).unwrap());
    (
        Dispatch::new(Arc::clone(&plan), &RunState::default(), Instant::now()),
        plan,
    )
}

fn record(plan: &Plan, index: u64, attempt: u32, outcome: Outcome) -> Record {
    let trial = plan.trial(index).unwrap();
    let id = trial.id();
    Record {
        outcome,
        ..Record::of(trial.key, id, attempt, UtcTime::from_micros(0))
    }
}

/// Runs the next trial to the given end, durable at once; gives its index.
fn step(dispatch: &mut Dispatch, plan: &Plan, outcome: Outcome) -> u64 {
    let Next::Run { index, attempt } = dispatch.next(Instant::now()) else {
        panic!("nothing to run")
    };
    dispatch.recorded(&record(plan, index, attempt, outcome), Instant::now());
    dispatch.settled(index, attempt, outcome);
    index
}

#[test]
fn every_trial_runs_once_in_order() {
    let (mut dispatch, plan) = dispatch("seeds = 3\ncommand = \"p\"\n");
    let ran: Vec<u64> = (0..3)
        .map(|_| step(&mut dispatch, &plan, Outcome::Ok))
        .collect();
    assert_eq!(ran, [0, 1, 2]);
    assert_eq!(dispatch.next(Instant::now()), Next::Done);
    assert_eq!(
        (dispatch.counts().ok, dispatch.ran(), dispatch.status()),
        (3, 3, RunStatus::Finished)
    );
}

const NEEDS: &str = "seeds = 1\n[[tasks]]\nid = \"pre\"\ncommand = \"p\"\n[[tasks]]\nid = \"eval\"\ncommand = \"e\"\nneeds = [\"pre\"]\n";

#[test]
fn a_needed_trial_unlocks_others_only_when_its_record_is_durable() {
    let (mut dispatch, plan) = dispatch(NEEDS);
    let now = Instant::now();
    assert_eq!(
        dispatch.next(now),
        Next::Run {
            index: 0,
            attempt: 1
        }
    );
    assert_eq!(dispatch.next(now), Next::Wait(None));
    dispatch.recorded(&record(&plan, 0, 1, Outcome::Ok), now);
    assert_eq!(dispatch.next(now), Next::Wait(None));
    dispatch.settled(0, 1, Outcome::Ok);
    assert_eq!(
        dispatch.next(now),
        Next::Run {
            index: 1,
            attempt: 1
        }
    );
}

#[test]
fn what_needs_a_failed_trial_is_skipped() {
    let (mut dispatch, plan) = dispatch(NEEDS);
    step(&mut dispatch, &plan, Outcome::Failed);
    assert_eq!(
        dispatch.next(Instant::now()),
        Next::Skip {
            index: 1,
            attempt: 1,
            needs: "pre".into()
        }
    );
}

#[test]
fn infrastructure_is_tried_again_after_a_wait_and_failures_are_not() {
    let (mut dispatch, plan) = dispatch("seeds = 1\ncommand = \"p\"\nretries = { infra = 1 }\n");
    let now = Instant::now();
    assert_eq!(
        dispatch.next(now),
        Next::Run {
            index: 0,
            attempt: 1
        }
    );
    assert!(dispatch.recorded(&record(&plan, 0, 1, Outcome::Infra), now));
    dispatch.settled(0, 1, Outcome::Infra);
    assert!(matches!(dispatch.next(now), Next::Wait(Some(at)) if at > now));
    assert_eq!(dispatch.counts().total(), 0);
    let later = now + Duration::from_mins(1);
    assert_eq!(
        dispatch.next(later),
        Next::Run {
            index: 0,
            attempt: 2
        }
    );
    assert!(!dispatch.recorded(&record(&plan, 0, 2, Outcome::Infra), later));
    dispatch.settled(0, 2, Outcome::Infra);
    assert_eq!(dispatch.next(later), Next::Done);
    assert_eq!((dispatch.counts().infra, dispatch.ran()), (1, 1));
}

#[test]
fn a_late_settlement_of_an_older_attempt_does_not_count() {
    let (mut dispatch, plan) = dispatch("seeds = 1\ncommand = \"p\"\nretries = { failed = 1 }\n");
    let now = Instant::now();
    dispatch.next(now);
    assert!(dispatch.recorded(&record(&plan, 0, 1, Outcome::Failed), now));
    assert_eq!(
        dispatch.next(now),
        Next::Run {
            index: 0,
            attempt: 2
        }
    );
    dispatch.recorded(&record(&plan, 0, 2, Outcome::Ok), now);
    dispatch.settled(0, 1, Outcome::Failed);
    assert_eq!(dispatch.counts().total(), 0);
    dispatch.settled(0, 2, Outcome::Ok);
    assert_eq!((dispatch.counts().ok, dispatch.counts().failed), (1, 0));
}

#[test]
fn a_program_that_is_not_there_is_not_tried_again() {
    let (mut dispatch, plan) = dispatch("seeds = 1\ncommand = \"p\"\n");
    dispatch.next(Instant::now());
    let mut lost = record(&plan, 0, 1, Outcome::Infra);
    lost.cause = Some(Cause::Launch {
        message: "no such file".into(),
        permanent: true,
    });
    assert!(!dispatch.recorded(&lost, Instant::now()));
}

#[test]
fn budgets_stop_a_run_that_has_trials_left() {
    let (mut trials, plan) = dispatch("seeds = 3\ncommand = \"p\"\nbudget = { trials = 2 }\n");
    step(&mut trials, &plan, Outcome::Ok);
    step(&mut trials, &plan, Outcome::Ok);
    assert_eq!(trials.next(Instant::now()), Next::Done);
    assert_eq!(trials.status(), RunStatus::Budget);
    let (mut exact, plan) = dispatch("seeds = 2\ncommand = \"p\"\nbudget = { trials = 2 }\n");
    step(&mut exact, &plan, Outcome::Ok);
    step(&mut exact, &plan, Outcome::Ok);
    assert_eq!(
        (exact.next(Instant::now()), exact.status()),
        (Next::Done, RunStatus::Finished)
    );
    for (budget, metric) in [
        ("cost = 1.0", "cost_usd"),
        ("tokens = 1", "tokens_total"),
        ("tokens = { max = 1, metric = \"mine\" }", "mine"),
    ] {
        let text = format!("seeds = 3\ncommand = \"p\"\nbudget = {{ {budget} }}\n");
        let (mut run, plan) = dispatch(&text);
        let Next::Run { index, attempt } = run.next(Instant::now()) else {
            panic!("nothing to run")
        };
        let mut spent = record(&plan, index, attempt, Outcome::Ok);
        spent.metrics.insert(metric.into(), Number(1.5));
        run.recorded(&spent, Instant::now());
        assert_eq!(
            (run.next(Instant::now()), run.status()),
            (Next::Done, RunStatus::Budget),
            "{budget}"
        );
    }
}

#[test]
fn a_cap_on_trials_waits_for_what_is_given_out() {
    let text = "seeds = 3\nretries = { infra = 2 }\ncommand = \"p\"\nbudget = { trials = 2 }\n";
    let (mut run, plan) = dispatch(text);
    let mut id = Vec::new();
    while let Next::Run { index, attempt } = run.next(Instant::now()) {
        id.push((index, attempt));
    }
    assert_eq!(id.len(), 2);
    assert_eq!(
        (run.next(Instant::now()), run.stop_reason()),
        (Next::Wait(None), None),
        "nothing is stopped"
    );
    // One that never began did not spend anything.
    run.give_back(id[0].0, Instant::now());
    let again = run.next(Instant::now());
    let (index, attempt) = (id[0].0, 2);
    assert_eq!(again, Next::Run { index, attempt });
    // A retry would pass the cap.
    for (index, attempt, outcome) in [(index, attempt, Outcome::Infra), (id[1].0, 1, Outcome::Ok)] {
        assert_eq!(run.next(Instant::now()), Next::Wait(None));
        assert!(!run.recorded(&record(&plan, index, attempt, outcome), Instant::now()));
        run.settled(index, attempt, outcome);
    }
    assert_eq!(
        (run.next(Instant::now()), run.status()),
        (Next::Done, RunStatus::Budget)
    );
    assert_eq!(run.counts().total(), 2);
}

#[test]
fn a_stronger_stop_replaces_a_weaker_one() {
    let (mut dispatch, _) = dispatch("seeds = 3\ncommand = \"p\"\n");
    assert!(dispatch.stop(StopReason::Drain));
    assert!(!dispatch.stop(StopReason::Drain));
    assert!(dispatch.stop(StopReason::Cancel));
    assert!(!dispatch.stop(StopReason::Budget(Cap::Time)));
    assert_eq!(
        (dispatch.next(Instant::now()), dispatch.status()),
        (Next::Done, RunStatus::Cancelled)
    );
}

/// The journal of a run whose only trial ended so, attempt by attempt, in one stay with the scheduler.
fn left_with(plan: &Plan, outcomes: &[Outcome]) -> RunState {
    use fairtrial_journal::{Event, JOURNAL_SCHEMA, JournalWriter, Opened};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    let writer = JournalWriter::open(&path, Box::new(drop)).unwrap();
    let at = UtcTime::from_micros(0);
    writer.append(&Event::Opened(Opened {
        schema: JOURNAL_SCHEMA,
        name: "run".into(),
        stamp: "20250824__12-34-56".parse().unwrap(),
        config: String::new(),
        spec_sha256: String::new(),
        plan_hash: plan.hash().to_owned(),
        trials: plan.len(),
        set: Vec::new(),
        only: None,
        registration_sha256: None,
        takes_over: None,
        imported: false,
        parallel: 1,
        version: String::new(),
        created_at: at,
        host: String::new(),
    }));
    for (attempt, outcome) in (1..).zip(outcomes) {
        writer.append(&Event::Session {
            pid: 1,
            host: String::new(),
            at,
            resumed: attempt > 1,
            attends: attempt > 1,
            scores: false,
        });
        writer.append(&Event::Started {
            index: 0,
            attempt,
            at,
            dir: String::new(),
        });
        let record = record(plan, 0, attempt, *outcome);
        writer.append(&Event::Finished(Box::new(record)));
    }
    writer.close().unwrap();
    RunState::read(&path).unwrap()
}

#[test]
fn caps_count_what_earlier_sessions_started_and_spent() {
    let caps = "trials = 9, cost = 2.0, tokens = 100";
    let text = format!("seeds = 9\ncommand = \"p\"\nbudget = {{ {caps} }}\n");
    let (_, plan) = dispatch(&text);
    let known = left_with(&plan, &[Outcome::Failed, Outcome::Ok]);
    let resumed = |cost: f64, reused: Option<&str>| {
        let mut spent = record(&plan, 0, 1, Outcome::Failed);
        spent.metrics.insert("cost_usd".into(), Number(cost));
        spent.reused_from = reused.map(str::to_owned);
        let mut dispatch = Dispatch::new(Arc::clone(&plan), &known, Instant::now());
        let records = [Ok::<_, ()>(spent.clone()), Ok(spent)];
        dispatch
            .go_on_spending(&known, records.into_iter(), 0)
            .unwrap();
        (dispatch.next(Instant::now()), dispatch.budget.started)
    };
    // Two attempts were started before; each cost half of the cap.
    assert_eq!(resumed(1.0, None), (Next::Done, 2));
    assert!(matches!(resumed(0.9, None), (Next::Run { .. }, 3)));
    assert!(matches!(resumed(1.0, Some("other")), (Next::Run { .. }, 3)));
    // What a scheduler had and never began does not count.
    let mut dispatch = Dispatch::new(plan, &known, Instant::now());
    let none = std::iter::empty::<Result<Record, ()>>();
    dispatch.go_on_spending(&known, none, 1).unwrap();
    assert_eq!(dispatch.budget.started, 1);
}

#[test]
fn who_attends_a_run_counts_the_retries_of_those_before() {
    let (_, plan) = dispatch("seeds = 1\ncommand = \"p\"\n");
    let next = |outcomes: &[Outcome]| {
        let known = left_with(&plan, outcomes);
        let mut dispatch = Dispatch::new(Arc::clone(&plan), &known, Instant::now());
        dispatch.attend(&known, |_| 0);
        (dispatch.next(Instant::now()), dispatch.counts().total())
    };
    let again = |attempt| (Next::Run { index: 0, attempt }, 0);
    assert_eq!(next(&[]), again(1));
    assert_eq!(next(&[Outcome::Infra]), again(2));
    assert_eq!(next(&[Outcome::Infra, Outcome::Infra]), again(3));
    assert_eq!(next(&[Outcome::Infra; 3]), (Next::Done, 1));
    assert_eq!(next(&[Outcome::Cancelled]), (Next::Done, 1));
    assert_eq!(next(&[Outcome::Infra, Outcome::Ok]), (Next::Done, 1));
    // Who resumes it begins to count anew.
    let known = left_with(&plan, &[Outcome::Cancelled]);
    let mut resumed = Dispatch::new(Arc::clone(&plan), &known, Instant::now());
    assert_eq!(resumed.next(Instant::now()), again(2).0);
}

#[test]
fn a_paused_run_starts_nothing_and_still_ends() {
    let (mut dispatch, plan) = dispatch("seeds = 2\ncommand = \"p\"\n");
    step(&mut dispatch, &plan, Outcome::Ok);
    assert!(dispatch.pause(true));
    assert!(!dispatch.pause(true), "it was paused before");
    assert_eq!(dispatch.next(Instant::now()), Next::Wait(None));
    assert!(dispatch.pause(false));
    step(&mut dispatch, &plan, Outcome::Ok);
    dispatch.pause(true);
    assert_eq!(dispatch.next(Instant::now()), Next::Done);
    assert_eq!(dispatch.status(), RunStatus::Finished);
}

/// An attempt that was ended with its job, and left so many files to go on from.
fn interrupted(plan: &Plan, attempt: u32, files: u64) -> Record {
    Record {
        cause: Some(Cause::JobEnded {
            message: "preempted".into(),
            first: true,
            warned: false,
        }),
        checkpoint: Some(Checkpoint {
            left: Saved {
                files,
                ..Saved::default()
            },
            ..Checkpoint::default()
        }),
        ..record(plan, 0, attempt, Outcome::Infra)
    }
}

#[test]
fn an_interruption_that_saved_is_no_retry_and_those_that_did_not_are_counted_in_a_row() {
    let text =
        "seeds = 1\ncommand = \"p\"\ncheckpoint = true\nretries = { infra = 1, failed = 1 }\n";
    let (mut dispatch, plan) = dispatch(text);
    let mut now = Instant::now();
    let saved = [1, 1, 0, 1, 0];
    for (attempt, files) in (1..).zip(saved) {
        assert_eq!(dispatch.next(now), Next::Run { index: 0, attempt });
        let again = dispatch.recorded(&interrupted(&plan, attempt, files), now);
        assert!(again, "attempt {attempt}");
        dispatch.settled(0, attempt, Outcome::Infra);
        now += Duration::from_mins(1);
    }
    // Failures of its own have their retries still.
    assert!(matches!(dispatch.next(now), Next::Run { attempt: 6, .. }));
    assert!(dispatch.recorded(&record(&plan, 0, 6, Outcome::Failed), now));
    dispatch.settled(0, 6, Outcome::Failed);
    now += Duration::from_mins(1);
    assert!(matches!(dispatch.next(now), Next::Run { attempt: 7, .. }));
    let again = dispatch.recorded(&interrupted(&plan, 7, 0), now);
    assert!(!again, "the second in a row that saved nothing");
}

#[test]
fn a_cap_on_trials_counts_a_trial_in_parts_once() {
    let text = "seeds = 2\ncommand = \"p\"\ncheckpoint = true\nretries = { infra = 1 }\nbudget = { trials = 1 }\n";
    let (mut dispatch, plan) = dispatch(text);
    let mut now = Instant::now();
    for attempt in [1, 2] {
        assert_eq!(dispatch.next(now), Next::Run { index: 0, attempt });
        assert!(dispatch.recorded(&interrupted(&plan, attempt, 1), now));
        dispatch.settled(0, attempt, Outcome::Infra);
        now += Duration::from_mins(1);
    }
    // What saved nothing is a second start, and the cap has room for none.
    assert!(matches!(dispatch.next(now), Next::Run { attempt: 3, .. }));
    assert!(!dispatch.recorded(&interrupted(&plan, 3, 0), now));
    dispatch.settled(0, 3, Outcome::Infra);
    assert_eq!(dispatch.next(now), Next::Done);
    assert_eq!(dispatch.status(), RunStatus::Budget);
}
