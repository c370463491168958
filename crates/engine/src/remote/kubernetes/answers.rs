//! What `kubectl get -o json` prints, as far as it is read.

use serde::Deserialize;
use std::collections::BTreeMap;

/// The label by which Jobs and pods of a batch are found.
pub(super) const KEY_LABEL: &str = "fairtrial-batch";
/// The label and annotation of a pod that say which element it is.
pub(super) const INDEX_LABEL: &str = "batch.kubernetes.io/job-completion-index";

/// A list of any kind.
#[derive(Debug, Deserialize)]
pub(super) struct List<T> {
    pub(super) items: Vec<T>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Metadata {
    pub(super) name: String,
    pub(super) labels: BTreeMap<String, String>,
    pub(super) annotations: BTreeMap<String, String>,
    pub(super) creation_timestamp: Option<String>,
    pub(super) deletion_timestamp: Option<String>,
}

/// A Job.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Job {
    pub(super) metadata: Metadata,
    pub(super) spec: JobSpec,
    pub(super) status: JobStatus,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct JobSpec {
    pub(super) suspend: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct JobStatus {
    pub(super) completed_indexes: String,
    pub(super) failed_indexes: String,
    pub(super) conditions: Vec<Condition>,
}

/// A condition of a Job or a pod.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Condition {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) status: String,
    pub(super) reason: String,
    pub(super) message: String,
}

impl Condition {
    /// The condition of this kind, where it holds.
    pub(super) fn holds<'c>(conditions: &'c [Self], kind: &str) -> Option<&'c Self> {
        let mut all = conditions.iter();
        all.find(|one| one.kind == kind && one.status == "True")
    }
}

/// A pod.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Pod {
    pub(super) metadata: Metadata,
    pub(super) status: PodStatus,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct PodStatus {
    pub(super) phase: String,
    pub(super) reason: String,
    pub(super) message: String,
    pub(super) conditions: Vec<Condition>,
    pub(super) container_statuses: Vec<ContainerStatus>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ContainerStatus {
    pub(super) image: String,
    pub(super) state: ContainerState,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ContainerState {
    pub(super) waiting: Option<Waiting>,
    pub(super) terminated: Option<Terminated>,
}

/// Why a container does not run yet.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Waiting {
    pub(super) reason: String,
    pub(super) message: String,
}

/// How a container ended.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Terminated {
    pub(super) exit_code: i64,
    pub(super) reason: String,
    pub(super) message: String,
}

/// Something that happened to an object.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Event {
    pub(super) message: String,
    pub(super) last_timestamp: Option<String>,
}

impl Pod {
    /// Which element of its Job it is.
    pub(super) fn index(&self) -> Option<u64> {
        let Metadata {
            labels,
            annotations,
            ..
        } = &self.metadata;
        let text = annotations
            .get(INDEX_LABEL)
            .or_else(|| labels.get(INDEX_LABEL))?;
        text.parse().ok()
    }

    /// How its container ended.
    pub(super) fn terminated(&self) -> Option<&Terminated> {
        let mut containers = self.status.container_statuses.iter();
        containers.find_map(|one| one.state.terminated.as_ref())
    }

    /// What the cluster says of it, for people.
    pub(super) fn last_words(&self) -> Option<String> {
        let containers = self.status.container_statuses.iter();
        let waiting = containers.filter_map(|one| one.state.waiting.as_ref());
        let waiting = waiting.map(|why| (&why.reason, &why.message));
        let ended = self.terminated().map(|end| (&end.reason, &end.message));
        let own = [(&self.status.reason, &self.status.message)];
        let mut said = waiting.chain(ended).chain(own);
        let (reason, message) = said.find(|(reason, _)| !reason.is_empty())?;
        Some(format!("{reason}: {message}"))
    }
}

/// The numbers of a text like `0,2-4`, below a limit.
pub(super) fn indexes(text: &str, below: u64) -> impl Iterator<Item = u64> {
    let ranges = text.split(',').filter_map(move |part| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u64, u64) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        Some(first..last.saturating_add(1).min(below))
    });
    ranges.flatten()
}

#[cfg(test)]
mod tests {
    use super::indexes;

    #[test]
    fn ranges_are_read_and_bounded() {
        let read = |text: &str| indexes(text, 10).collect::<Vec<_>>();
        assert_eq!(read(""), [0; 0]);
        assert_eq!(read("3"), [3]);
        assert_eq!(read("0,2-4,7"), [0, 2, 3, 4, 7]);
        assert_eq!(read("8-18446744073709551615"), [8, 9]);
        assert_eq!(read("x,5-,-"), [0; 0]);
    }
}
