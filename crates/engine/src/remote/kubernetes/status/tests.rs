#![allow(clippy::needless_pass_by_value, reason = "`json!` gives values")]

use super::{Job, JobState, NO_POD, Pod, Pulls, SUSPENDED, refused, states};
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn job(spec: Value, status: Value) -> Job {
    let job = json!({ "metadata": { "name": "ft-1" }, "spec": spec, "status": status });
    serde_json::from_value(job).unwrap()
}

fn pod(index: u64, status: Value) -> Pod {
    let made = "2026-01-01T00:00:00Z";
    let annotations = json!({ "batch.kubernetes.io/job-completion-index": index.to_string() });
    let metadata = json!({ "annotations": annotations, "creationTimestamp": made });
    serde_json::from_value(json!({ "metadata": metadata, "status": status })).unwrap()
}

/// The state of an element whose pod has this status.
fn of(status: Value) -> JobState {
    let pod = pod(0, status);
    let found = states(&Job::default(), &[&pod], 1, &mut Pulls::default());
    found[&0].clone()
}

fn ended(exit_code: i64, reason: &str) -> Value {
    let terminated = json!({ "exitCode": exit_code, "reason": reason });
    json!({ "phase": "Failed", "containerStatuses": [{ "state": { "terminated": terminated } }] })
}

fn waits(reason: &str, message: &str) -> Value {
    let waiting = json!({ "reason": reason, "message": message });
    json!({ "phase": "Pending", "containerStatuses": [{ "image": "bench:1", "state": { "waiting": waiting } }] })
}

fn disrupted(phase: &str, reason: &str) -> Value {
    json!({
        "phase": phase,
        "conditions": [{ "type": "DisruptionTarget", "status": "True", "reason": reason }],
        "containerStatuses": [{ "state": { "terminated": { "exitCode": 143, "reason": "Error" } } }],
    })
}

#[test]
fn ranges_of_a_job_say_what_its_pods_do_not() {
    let job = job(
        json!({}),
        json!({ "completedIndexes": "0,2-3", "failedIndexes": "1" }),
    );
    let running = pod(5, json!({ "phase": "Running" }));
    let found = states(&job, &[&running], 7, &mut Pulls::default());
    let waits = JobState::Pending(NO_POD.to_owned());
    let gone = JobState::Failed("its pod failed, and is gone".to_owned());
    let done = JobState::Done;
    let wanted = [
        done.clone(),
        gone,
        done.clone(),
        done,
        waits.clone(),
        JobState::Running,
        waits,
    ];
    assert_eq!(found, (0..).zip(wanted).collect::<BTreeMap<_, _>>());
}

#[test]
fn ways_to_end_are_told_apart() {
    assert_eq!(of(ended(137, "OOMKilled")), JobState::OutOfMemory);
    let failed = |status| match of(status) {
        JobState::Failed(words) => words,
        other => panic!("{other:?}"),
    };
    assert!(failed(ended(137, "Error")).contains("killed"));
    assert!(failed(ended(127, "Error")).contains("not found"));
    assert!(failed(ended(3, "Error")).contains("could not run"));
    let refused = json!({ "phase": "Failed", "reason": "OutOfcpu", "message": "Node has no room" });
    assert_eq!(failed(refused), "OutOfcpu: Node has no room");
    let late = json!({ "phase": "Failed", "reason": "DeadlineExceeded" });
    assert_eq!(of(late), JobState::TimedOut);
    let evicted = json!({ "phase": "Failed", "reason": "Evicted" });
    assert_eq!(of(evicted), JobState::Preempted);
    for (reason, state) in [
        ("PreemptionByScheduler", JobState::Preempted),
        ("EvictionByEvictionAPI", JobState::Preempted),
        ("TerminationByKubelet", JobState::Preempted),
        ("DeletionByTaintManager", JobState::NodeLost),
        ("DeletionByPodGC", JobState::NodeLost),
    ] {
        assert_eq!(of(disrupted("Failed", reason)), state, "{reason}");
    }
}

#[test]
fn who_waits_says_why() {
    let unscheduled = json!({ "phase": "Pending", "conditions": [
        { "type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/3 nodes are available" },
    ]});
    let reason = "Unschedulable: 0/3 nodes are available";
    assert_eq!(of(unscheduled), JobState::Pending(reason.to_owned()));
    assert_eq!(
        of(waits("ContainerCreating", "")),
        JobState::Pending("ContainerCreating".to_owned())
    );
    let secret = of(waits(
        "CreateContainerConfigError",
        "secret \"w\" not found",
    ));
    let held = "CreateContainerConfigError: secret \"w\" not found";
    assert_eq!(secret, JobState::Held(held.to_owned()));
    let suspended = job(json!({ "suspend": true }), json!({}));
    let found = states(&suspended, &[], 1, &mut Pulls::default());
    assert_eq!(found[&0], JobState::Held(SUSPENDED.to_owned()));
}

#[test]
fn an_image_that_is_not_there_is_told_once() {
    let mut pulls = Pulls::default();
    let mut said = |reason, message| {
        let pod = pod(0, waits(reason, message));
        states(&Job::default(), &[&pod], 1, &mut pulls)[&0].clone()
    };
    let first = said("ErrImagePull", "not found");
    assert_eq!(
        first,
        JobState::Held("ImagePullBackOff: bench:1: not found".to_owned())
    );
    assert_eq!(said("ImagePullBackOff", "Back-off pulling image"), first);
    let newer = "Back-off pulling image \"bench:1\": ErrImagePull: not found";
    assert_eq!(said("ImagePullBackOff", newer), first);
}

#[test]
fn pods_that_cannot_be_made_say_why() {
    let quota =
        "Error creating: pods \"ft-1-0-x7k2p\" is forbidden: exceeded quota: q, requested: cpu=4";
    let words = "exceeded quota: q, requested: cpu=4".to_owned();
    assert_eq!(refused(quota), JobState::Pending(words));
    let account =
        "Error creating: pods \"ft-1-0-x\" is forbidden: error looking up service account";
    assert!(matches!(refused(account), JobState::Held(_)));
}
