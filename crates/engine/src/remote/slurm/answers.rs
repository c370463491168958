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

/// Whether somebody holds a job back, and can release it.
pub(super) fn is_hold(reason: &str) -> bool {
    reason.starts_with("JobHeld") || reason.contains("held")
}

/// Whether a pending job waits for more than its turn: it asks for what it cannot have.
fn cannot_start(reason: &str) -> bool {
    const NEVER: [&str; 10] = [
        "PartitionTimeLimit",
        "PartitionNodeLimit",
        "PartitionDown",
        "PartitionInactive",
        "BadConstraints",
        "DependencyNeverSatisfied",
        "AccountNotAllowed",
        "QOSNotAllowed",
        "InvalidAccount",
        "InvalidQOS",
    ];
    // `QOSMaxWallDurationPerJobLimit`, `AssocMaxCpuPerJobLimit`, `MaxMemPerLimit`, ...
    NEVER.contains(&reason) || reason.ends_with("PerJobLimit") || reason.ends_with("PerJob")
}

/// A state by its first word: `CANCELLED by 0`, `RUNNING`, ...
fn job_state(text: &str, reason: &str) -> JobState {
    let held = is_hold(reason) || cannot_start(reason);
    match text.split([' ', '+']).next().unwrap_or_default() {
        "PENDING" | "REQUEUED" if held => JobState::Held(reason.to_owned()),
        "REQUEUE_HOLD" | "SPECIAL_EXIT" => JobState::Held(text.to_owned()),
        "PENDING" | "REQUEUED" | "CONFIGURING" | "RESV_DEL_HOLD" | "REQUEUE_FED" => {
            JobState::Pending
        }
        "RUNNING" | "COMPLETING" | "RESIZING" | "SIGNALING" | "STAGE_OUT" => JobState::Running,
        "SUSPENDED" | "STOPPED" => JobState::Suspended,
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

/// A partition as `sinfo` shows it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Partition {
    pub(super) name: String,
    /// Whether jobs go there that name none.
    pub(super) is_default: bool,
    /// CPUs that work or are free.
    pub(super) cpus: u64,
    /// Minutes that a job may take; absent where there is no limit.
    pub(super) limit_min: Option<u64>,
}

/// The format for `sinfo`: partition, longest time, CPUs as allocated, idle, other, total.
pub(super) const SINFO: &str = "%P|%l|%C";

/// Rows of `sinfo -h -o` [`SINFO`].
pub(super) fn sinfo(text: &str) -> Vec<Partition> {
    let row = |line: &str| {
        let mut parts = line.trim().split('|');
        let (name, limit, cpus) = (parts.next()?, parts.next()?, parts.next()?);
        let mut counts = cpus.split('/').map(|part| part.parse::<u64>().ok());
        Some(Partition {
            name: name.trim_end_matches('*').to_owned(),
            is_default: name.ends_with('*'),
            cpus: counts.next()?? + counts.next()??,
            limit_min: minutes(limit),
        })
    };
    text.lines().filter_map(row).collect()
}

/// Minutes of `30:00`, `1:00:00` or `2-00:00:00`, rounded down; nothing for `infinite`.
fn minutes(text: &str) -> Option<u64> {
    let (days, clock) = text.split_once('-').unwrap_or(("0", text));
    let parts: Option<Vec<u64>> = clock.split(':').map(|part| part.parse().ok()).collect();
    let seconds = match parts?.as_slice() {
        [hours, minutes, seconds] => hours * 3600 + minutes * 60 + seconds,
        [minutes, seconds] => minutes * 60 + seconds,
        _ => return None,
    };
    Some(days.parse::<u64>().ok()? * 24 * 60 + seconds / 60)
}

/// What `sbatch` says when it refuses, without its own name before every line.
pub(super) fn refusal(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let line = line.trim();
        let line = line.strip_prefix("sbatch: error: ").unwrap_or(line);
        line.strip_prefix("allocation failure: ").unwrap_or(line)
    });
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    lines.join("; ")
}

#[cfg(test)]
mod tests {
    use super::{JobState, Partition, elements, refusal, sacct, setting, sinfo, squeue};

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
        let part = |name: &str, is_default, cpus, limit_min| Partition {
            name: name.to_owned(),
            is_default,
            cpus,
            limit_min,
        };
        assert_eq!(
            sinfo(
                "main*|infinite|2/10/0/12\nlow|1:00:00|1/1/2/4\nlong|2-12:30:00|0/0/4/4\nshort|30:00|0/1/0/1\n?\n"
            ),
            [
                part("main", true, 12, None),
                part("low", false, 2, Some(60)),
                part("long", false, 0, Some(60 * 60 + 30)),
                part("short", false, 1, Some(30)),
            ]
        );
    }

    #[test]
    fn refusals_are_told_in_slurms_words() {
        let said = "sbatch: error: invalid partition specified: nope\nallocation failure: Invalid partition name specified\n";
        assert_eq!(
            refusal(said),
            "invalid partition specified: nope; Invalid partition name specified"
        );
        let gres = "sbatch: error: Invalid generic resource (gres) specification";
        assert_eq!(
            refusal(gres),
            "Invalid generic resource (gres) specification"
        );
    }

    #[test]
    fn what_cannot_start_is_not_merely_waiting() {
        for reason in [
            "PartitionTimeLimit",
            "BadConstraints",
            "QOSMaxWallDurationPerJobLimit",
        ] {
            let rows = squeue(&format!("5|0|PENDING|{reason}|ft-x\n"));
            assert_eq!(rows[0].state, JobState::Held(reason.to_owned()));
        }
        for reason in [
            "Resources",
            "Priority",
            "BeginTime",
            "QOSMaxJobsPerUserLimit",
        ] {
            let rows = squeue(&format!("5|0|PENDING|{reason}|ft-x\n"));
            assert_eq!(rows[0].state, JobState::Pending, "{reason}");
        }
    }
}
