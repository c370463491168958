//! What SkyPilot's queue of jobs says.

use crate::remote::contract::JobState;
use serde_json::Value;

/// A row of the queue.
pub(super) struct Row {
    pub(super) id: u64,
    pub(super) name: String,
    pub(super) state: JobState,
}

/// The rows of `sky jobs queue -o json`; words before the list are passed over.
pub(super) fn rows(answer: &str) -> Option<Vec<Row>> {
    let start = answer.find('[')?;
    let list: Vec<Value> = serde_json::from_str(answer[start..].trim()).ok()?;
    let row = |value: &Value| {
        Some(Row {
            id: value["job_id"].as_u64()?,
            name: value["job_name"].as_str()?.to_owned(),
            state: job_state(value["status"].as_str()?),
        })
    };
    Some(list.iter().filter_map(row).collect())
}

fn job_state(word: &str) -> JobState {
    // `ManagedJobStatus.RUNNING` in some versions.
    match word.rsplit('.').next().unwrap_or(word) {
        "PENDING" | "SUBMITTED" | "STARTING" | "DEPRECATED_SUBMITTED" => {
            JobState::Pending(String::new())
        }
        "RUNNING" | "WINDING_DOWN" | "RECOVERING" | "CANCELLING" => JobState::Running,
        "SUCCEEDED" => JobState::Done,
        "CANCELLED" => JobState::Cancelled,
        "FAILED_NO_RESOURCE" => {
            JobState::Failed("no machine of this kind was to be had".to_owned())
        }
        other if other.starts_with("FAILED") => JobState::Failed(other.to_lowercase()),
        _ => JobState::Missing,
    }
}

#[cfg(test)]
mod tests {
    use super::{job_state, rows};
    use crate::remote::contract::JobState;

    #[test]
    fn the_queue_is_read_past_its_greetings() {
        let answer = "Fetching managed job statuses...\n[{\"job_id\": 7, \"job_name\": \"ft-1\", \"status\": \"RUNNING\"}]\n";
        let found = rows(answer).unwrap();
        assert_eq!((found[0].id, found[0].name.as_str()), (7, "ft-1"));
        assert_eq!(found[0].state, JobState::Running);
        assert!(rows("no list").is_none());
    }

    #[test]
    fn states_are_those_of_the_help_page() {
        assert_eq!(job_state("ManagedJobStatus.SUCCEEDED"), JobState::Done);
        assert!(job_state("FAILED_SETUP").is_over());
        assert!(!job_state("RECOVERING").is_over());
        assert_eq!(job_state("SOMETHING_NEW"), JobState::Missing);
    }
}
