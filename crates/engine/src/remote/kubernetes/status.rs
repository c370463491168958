//! What a Job and its pods say of each element.

use super::answers::{Condition, Job, Pod, Terminated, indexes};
use crate::remote::contract::JobState;
use std::collections::{BTreeMap, BTreeSet};

/// Why an element waits whose Job is suspended by hand.
pub(super) const SUSPENDED: &str = "the Job is suspended";
/// The same where a queue of jobs (Kueue) suspends it until its turn.
const QUEUED: &str = "suspended until its queue admits it";
const QUEUE_LABEL: &str = "kueue.x-k8s.io/queue-name";
/// Why an element waits that has no pod.
const NO_POD: &str = "its pod is not made yet";
/// Reasons of a container that waits for what somebody must put right.
const STUCK: [&str; 8] = [
    "ErrImagePull",
    "ImagePullBackOff",
    "InvalidImageName",
    "ErrImageNeverPull",
    "ImageInspectError",
    "CreateContainerConfigError",
    "CreateContainerError",
    "RunContainerError",
];
/// Those of them that come in turns, only one of which says why.
const PULLING: [&str; 2] = ["ErrImagePull", "ImagePullBackOff"];

/// What was last said of images that cannot be pulled.
#[derive(Debug, Default)]
pub(super) struct Pulls(BTreeMap<String, String>);

impl Pulls {
    /// One text for both words, so that who is told of it is told once.
    fn held(&mut self, image: &str, reason: &str, message: &str) -> JobState {
        let cause = message.split_once("ErrImagePull: ").map(|(_, cause)| cause);
        let cause = cause.or((reason == PULLING[0]).then_some(message));
        if let Some(cause) = cause {
            self.0.insert(image.to_owned(), cause.to_owned());
        }
        let known = self.0.get(image).map_or(message, String::as_str);
        JobState::Held(format!("ImagePullBackOff: {image}: {known}"))
    }
}

/// The states of the first `elements` elements of a Job.
pub(super) fn states(
    job: &Job,
    pods: &[&Pod],
    elements: u64,
    pulls: &mut Pulls,
) -> BTreeMap<u64, JobState> {
    let completed: BTreeSet<u64> = indexes(&job.status.completed_indexes, elements).collect();
    let failed: BTreeSet<u64> = indexes(&job.status.failed_indexes, elements).collect();
    let mut newest: BTreeMap<u64, &Pod> = BTreeMap::new();
    for pod in pods {
        let Some(index) = pod.index() else { continue };
        let made = |pod: &Pod| pod.metadata.creation_timestamp.clone();
        let known = newest.entry(index).or_insert(pod);
        if made(known) < made(pod) {
            *known = pod;
        }
    }
    let mut state = |element: u64| {
        if completed.contains(&element) {
            return JobState::Done;
        }
        match newest.get(&element) {
            Some(pod) => of_pod(pod, pulls),
            None if failed.contains(&element) => {
                JobState::Failed("its pod failed, and is gone".to_owned())
            }
            None => without_pod(job),
        }
    };
    (0..elements)
        .map(|element| (element, state(element)))
        .collect()
}

/// Whether an element waits because no pod was made for it.
pub(super) fn has_no_pod(state: &JobState) -> bool {
    *state == JobState::Pending(NO_POD.to_owned())
}

/// An element for which no pod can be made, by the cluster's words. A quota may have room later.
pub(super) fn refused(message: &str) -> JobState {
    // Before that stands a name that is new each time.
    let words = message
        .split_once("is forbidden: ")
        .map_or(message, |(_, words)| words)
        .to_owned();
    if words.contains("exceeded quota") {
        JobState::Pending(words)
    } else {
        JobState::Held(words)
    }
}

fn without_pod(job: &Job) -> JobState {
    if job.metadata.deletion_timestamp.is_some() {
        return JobState::Cancelled;
    }
    let conditions = &job.status.conditions;
    if let Some(failed) = Condition::holds(conditions, "Failed") {
        return match failed.reason.as_str() {
            "DeadlineExceeded" => JobState::TimedOut,
            reason => JobState::Failed(format!("{reason}: {}", failed.message)),
        };
    }
    if Condition::holds(conditions, "Complete").is_some() {
        return JobState::Done;
    }
    if job.spec.suspend != Some(true) {
        return JobState::Pending(NO_POD.to_owned());
    }
    if job.metadata.labels.contains_key(QUEUE_LABEL) {
        JobState::Pending(QUEUED.to_owned())
    } else {
        JobState::Held(SUSPENDED.to_owned())
    }
}

fn of_pod(pod: &Pod, pulls: &mut Pulls) -> JobState {
    let leaves = pod.metadata.deletion_timestamp.is_some();
    let disrupted = Condition::holds(&pod.status.conditions, "DisruptionTarget");
    match pod.status.phase.as_str() {
        "Succeeded" => JobState::Done,
        "Failed" => match disrupted {
            Some(why) => of_disruption(why),
            None => of_failure(pod, leaves),
        },
        "Pending" if leaves => disrupted.map_or(JobState::Cancelled, of_disruption),
        "Pending" => of_pending(pod, pulls),
        // Its node is not heard.
        "Unknown" => JobState::NodeLost,
        // It may save its state: heartbeats and records tell when it is over.
        _ if leaves => disrupted.map_or(JobState::Running, of_disruption),
        _ => JobState::Running,
    }
}

/// Why the cluster took a pod away.
fn of_disruption(why: &Condition) -> JobState {
    match why.reason.as_str() {
        // The node is gone, or does not answer.
        "DeletionByPodGC" | "DeletionByTaintManager" => JobState::NodeLost,
        // A pod of higher priority, a node that is drained, or short of memory or disk.
        _ => JobState::Preempted,
    }
}

fn of_failure(pod: &Pod, deleted: bool) -> JobState {
    match pod.status.reason.as_str() {
        "DeadlineExceeded" => return JobState::TimedOut,
        "NodeLost" => return JobState::NodeLost,
        "Evicted" | "Preempting" | "Shutdown" | "NodeShutdown" | "Terminated" => {
            return JobState::Preempted;
        }
        _ => {}
    }
    match pod.terminated() {
        Some(end) if end.reason == "OOMKilled" => JobState::OutOfMemory,
        Some(_) if deleted => JobState::Failed("somebody deleted its pod".to_owned()),
        Some(end) => JobState::Failed(ending(end)),
        // The node refused it before it began.
        None => JobState::Failed(format!("{}: {}", pod.status.reason, pod.status.message)),
    }
}

/// How a container ended, in words.
fn ending(end: &Terminated) -> String {
    let Terminated {
        exit_code,
        reason,
        message,
    } = end;
    let what = match exit_code {
        2 => "the job was not understood, or is not this binary's",
        3 => "the job could not run here",
        126 | 127 => "the program was not found in the container, or cannot be started there",
        128 => "the container could not be started",
        137 => "killed",
        143 => "ended",
        _ => "",
    };
    let mut words = format!("exit code {exit_code}");
    for more in [what, reason.as_str(), message.as_str()] {
        if !more.is_empty() && more != "Error" {
            words.push_str(", ");
            words.push_str(more.trim());
        }
    }
    words
}

fn of_pending(pod: &Pod, pulls: &mut Pulls) -> JobState {
    for container in &pod.status.container_statuses {
        let Some(why) = &container.state.waiting else {
            continue;
        };
        if PULLING.contains(&why.reason.as_str()) {
            return pulls.held(&container.image, &why.reason, &why.message);
        }
        if STUCK.contains(&why.reason.as_str()) {
            return JobState::Held(format!("{}: {}", why.reason, why.message));
        }
    }
    let mut conditions = pod.status.conditions.iter();
    let unscheduled = conditions.find(|one| one.kind == "PodScheduled" && one.status == "False");
    match unscheduled {
        Some(why) if why.reason == "SchedulingGated" => {
            JobState::Held(format!("{}: {}", why.reason, why.message))
        }
        Some(why) => JobState::Pending(format!("{}: {}", why.reason, why.message)),
        None => JobState::Pending(starting(pod)),
    }
}

fn starting(pod: &Pod) -> String {
    let containers = pod.status.container_statuses.iter();
    let waiting = containers.filter_map(|one| one.state.waiting.as_ref());
    let mut reasons = waiting.map(|why| why.reason.clone());
    reasons.next_back().unwrap_or_default()
}

#[cfg(test)]
mod tests;
