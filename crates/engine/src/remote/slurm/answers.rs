//! What Slurm's commands print. Text with fixed formats is byte-compatible from 22.05 to 26.05; their JSON is not.

use crate::remote::contract::JobState;

/// A row of `squeue` or `sacct`: a job array, some of its elements, and their state.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) array: String,
    pub(super) elements: Vec<u64>,
    pub(super) state: JobState,
    /// The job's name, where it was asked for.
    pub(super) name: String,
}

/// The format for `squeue`: array, element, state, reason, name. What may hold `|` comes last.
pub(super) const SQUEUE: &str = "%F|%K|%T|%r|%j";
/// The format for `sacct`: `5_3`, state.
pub(super) const SACCT: &str = "JobID,State,JobName";

/// Rows of `squeue -h -o` [`SQUEUE`]; a line of another form is passed over.
pub(super) fn squeue(text: &str) -> Vec<Row> {
    let row = |line: &str| {
        let mut parts = line.splitn(5, '|');
        let mut next = || parts.next().map(str::trim);
        let (array, element, state, reason) = (next()?, next()?, next()?, next()?);
        Some(Row {
            array: array.to_owned(),
            elements: elements(element),
            state: job_state(state, reason),
            name: next().unwrap_or_default().to_owned(),
        })
    };
    text.lines().filter_map(row).collect()
}

/// Rows of `sacct -n -P -X -o` [`SACCT`].
pub(super) fn sacct(text: &str) -> Vec<Row> {
    let row = |line: &str| {
        let mut parts = line.splitn(3, '|');
        let (id, state) = (parts.next()?, parts.next()?);
        let (array, element) = id.trim().split_once('_')?;
        Some(Row {
            array: array.to_owned(),
            elements: elements(element.trim_matches(['[', ']'])),
            state: job_state(state.trim(), ""),
            name: parts.next().unwrap_or_default().trim().to_owned(),
        })
    };
    text.lines().filter_map(row).collect()
}

/// The elements of `7`, `0-99:3%4` or `1,3,5-7`. A list that Slurm cut short (`...`) gives those that are there.
fn elements(text: &str) -> Vec<u64> {
    let ranges = text.split('%').next().unwrap_or_default();
    let mut found = Vec::new();
    for part in ranges.split(',') {
        let (range, step) = part.split_once(':').unwrap_or((part, "1"));
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let parsed = (
            first.parse::<u64>(),
            last.parse::<u64>(),
            step.parse::<usize>(),
        );
        if let (Ok(first), Ok(last), Ok(step)) = parsed
            && last.saturating_sub(first) < 10_000_000
        {
            found.extend((first..=last).step_by(step.max(1)));
        }
    }
    found
}

/// A state by its first word: `CANCELLED by 0`, `RUNNING`, ...
fn job_state(text: &str, reason: &str) -> JobState {
    let held = reason.starts_with("JobHeld") || reason.contains("held");
    match text.split([' ', '+']).next().unwrap_or_default() {
        "PENDING" | "REQUEUED" if held => JobState::Held(reason.to_owned()),
        "REQUEUE_HOLD" | "SPECIAL_EXIT" => JobState::Held(text.to_owned()),
        "PENDING" | "REQUEUED" | "CONFIGURING" | "RESV_DEL_HOLD" | "REQUEUE_FED" => {
            JobState::Pending
        }
        "RUNNING" | "COMPLETING" | "SUSPENDED" | "STOPPED" | "RESIZING" | "SIGNALING"
        | "STAGE_OUT" => JobState::Running,
        "COMPLETED" => JobState::Done,
        "TIMEOUT" | "DEADLINE" => JobState::TimedOut,
        "OUT_OF_MEMORY" => JobState::OutOfMemory,
        "CANCELLED" | "REVOKED" => JobState::Cancelled,
        "PREEMPTED" => JobState::Preempted,
        "NODE_FAIL" | "BOOT_FAIL" => JobState::NodeLost,
        "FAILED" | "LAUNCH_FAILED" => JobState::Failed(failure(reason)),
        _ => JobState::Missing,
    }
}

fn failure(reason: &str) -> String {
    match reason {
        "" | "None" => "the job failed".to_owned(),
        reason => reason.to_owned(),
    }
}

/// A value of `scontrol show config`.
pub(super) fn setting<'a>(config: &'a str, name: &str) -> Option<&'a str> {
    config.lines().find_map(|line| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == name).then(|| value.trim())
    })
}

/// CPUs of a partition that can be used, from `sinfo -h -o %C`: allocated, idle, other, total.
pub(super) fn usable_cpus(text: &str) -> Option<u64> {
    let sum = |line: &str| {
        let mut parts = line.trim().split('/').map(|part| part.parse::<u64>().ok());
        Some(parts.next()?? + parts.next()??)
    };
    text.lines()
        .map(sum)
        .try_fold(0, |all, line| Some(all + line?))
}

#[cfg(test)]
mod tests {
    use super::{JobState, elements, sacct, setting, squeue, usable_cpus};

    #[test]
    fn pending_arrays_are_expanded() {
        assert_eq!(elements("7"), [7]);
        assert_eq!(elements("0-99:33%4"), [0, 33, 66, 99]);
        assert_eq!(elements("1,3,5-7%2"), [1, 3, 5, 6, 7]);
        assert_eq!(elements("1,3,..."), [1, 3]);
        assert_eq!(elements("N/A"), [0; 0]);
    }

    #[test]
    fn rows_of_three_versions() {
        let text = "5|0-2%4|PENDING|Resources|ft-x\n5|3|RUNNING|None|ft|odd\n6|0|PENDING|launch failed requeued held|ft-y\n\
                    6|1|FAILED|RaisedSignal:11(Segmentation_fault)|ft-y\nnot a row\n";
        let rows = squeue(text);
        assert_eq!(rows.len(), 4);
        assert_eq!(
            (rows[0].elements.as_slice(), &rows[0].state),
            (&[0, 1, 2][..], &JobState::Pending)
        );
        assert_eq!(
            (rows[1].name.as_str(), &rows[1].state),
            ("ft|odd", &JobState::Running)
        );
        assert_eq!(
            rows[2].state,
            JobState::Held("launch failed requeued held".into())
        );
        assert!(matches!(&rows[3].state, JobState::Failed(why) if why.starts_with("RaisedSignal")));
    }

    #[test]
    fn accounting_keeps_what_the_queue_forgot() {
        let text = "5_0|COMPLETED|ft-x\n5_1|CANCELLED by 0|ft-x\n5_2|TIMEOUT|ft-x\n5_[3-4]|PENDING|ft-x\n5_5|OUT_OF_MEMORY|ft-x\n";
        let states: Vec<JobState> = sacct(text).into_iter().map(|row| row.state).collect();
        assert_eq!(
            states,
            [
                JobState::Done,
                JobState::Cancelled,
                JobState::TimedOut,
                JobState::Pending,
                JobState::OutOfMemory
            ]
        );
        assert_eq!(sacct(text)[3].elements, [3, 4]);
    }

    #[test]
    fn settings_and_places() {
        let config = "MaxArraySize            = 1001\nSLURM_VERSION           = 22.05.8\n";
        assert_eq!(setting(config, "MaxArraySize"), Some("1001"));
        assert_eq!(setting(config, "MinJobAge"), None);
        assert_eq!(usable_cpus("2/10/0/12\n1/1/2/4\n"), Some(14));
        assert_eq!(usable_cpus("?"), None);
    }
}
