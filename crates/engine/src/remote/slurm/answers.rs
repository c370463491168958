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
/// The format to find a job by its name or its comment: array, comment, name.
pub(super) const NAMES: &str = "%F|%k|%j";
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

/// The array whose name or comment is this, in what `squeue -h -o` [`NAMES`] prints.
pub(super) fn named(text: &str, key: &str) -> Option<String> {
    let is = |line: &&str| {
        let mut parts = line.split('|').skip(1);
        parts.any(|part| part.trim() == key)
    };
    let line = text.lines().find(is)?;
    Some(line.split('|').next()?.trim().to_owned())
}

/// Rows of `scontrol -o show job`: words `KEY=VALUE`, of which those that are read hold no space.
pub(super) fn scontrol(text: &str) -> Vec<Row> {
    let row = |line: &str| {
        let value = |key: &str| {
            let mut words = line.split_whitespace();
            words.find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
        };
        Some(Row {
            array: value("ArrayJobId")?.to_owned(),
            elements: elements(value("ArrayTaskId")?),
            state: job_state(value("JobState")?, value("Reason").unwrap_or_default()),
            name: value("JobName").unwrap_or_default().to_owned(),
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

/// No array of Slurm has more elements.
const MOST_ELEMENTS: usize = 4_000_001;

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
            && last.saturating_sub(first) < MOST_ELEMENTS as u64
        {
            let room = MOST_ELEMENTS.saturating_sub(found.len());
            found.extend((first..=last).step_by(step.max(1)).take(room));
        }
    }
    found
}

/// Reads a text as every kind of answer that there is.
pub(in crate::remote) fn read_any(text: &str) {
    let _ = (squeue(text), scontrol(text), sacct(text));
    let _ = (named(text, "key"), refusal(text));
    let _ = (super::nodes::sinfo(text), super::nodes::nodes(text));
}

/// Whether somebody holds a job back, and can release it.
pub(super) fn is_hold(reason: &str) -> bool {
    reason.starts_with("JobHeld") || reason.contains("held")
}

/// Whether a pending job waits for more than its turn: it asks for what it cannot have.
fn cannot_start(reason: &str) -> bool {
    const NEVER: [&str; 8] = [
        "PartitionTimeLimit",
        "PartitionNodeLimit",
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
            JobState::Pending(waits_for(reason))
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

/// Why a job waits, where Slurm has looked at it.
fn waits_for(reason: &str) -> String {
    if reason == "None" {
        String::new()
    } else {
        reason.to_owned()
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

/// Whether Slurm's daemon says in a job's log that it, or the kernel, killed for memory.
pub(super) fn tells_of_memory(log: &str) -> bool {
    let mut lines = log.lines().filter(|line| line.starts_with("slurmstepd"));
    lines.any(|line| {
        let line = line.to_lowercase();
        line.contains("oom-kill event")
            || line.contains("oom_kill event")
            || line.contains("memory limit")
    })
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
    use super::{
        JobState, elements, named, refusal, sacct, scontrol, setting, squeue, tells_of_memory,
    };

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
            (&[0, 1, 2][..], &JobState::Pending("Resources".into()))
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
    fn a_second_source_is_read() {
        let text = "JobId=14 ArrayJobId=13 ArrayTaskId=0 JobName=ft-x UserId=a(0) JobState=FAILED Reason=JobLaunchFailure\n\
                    JobId=13 ArrayJobId=13 ArrayTaskId=1-3%2 JobName=ft-x JobState=PENDING Reason=Resources\n\
                    JobId=20 JobName=other JobState=RUNNING Reason=None\n";
        let rows = scontrol(text);
        assert_eq!(rows.len(), 2, "what is no array is not ours");
        assert_eq!(rows[0].state, JobState::Failed("JobLaunchFailure".into()));
        assert_eq!(rows[1].elements, [1, 2, 3]);
        let names = "7|(null)|mine\n8|ft-x|renamed\n9|lab|b|ft-y\n";
        assert_eq!(named(names, "ft-x").as_deref(), Some("8"));
        assert_eq!(named(names, "ft-y").as_deref(), Some("9"));
        assert_eq!(named(names, "ft"), None);
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
                JobState::Pending(String::new()),
                JobState::OutOfMemory
            ]
        );
        assert_eq!(sacct(text)[3].elements, [3, 4]);
    }

    #[test]
    fn settings() {
        let config = "MaxArraySize            = 1001\nSLURM_VERSION           = 22.05.8\n";
        assert_eq!(setting(config, "MaxArraySize"), Some("1001"));
        assert_eq!(setting(config, "MinJobAge"), None);
    }

    #[test]
    fn the_daemons_lines_tell_of_memory_and_a_trials_do_not() {
        let killed = "slurmstepd-n1: error: StepId=13.batch exceeded memory limit (244592640 > 209715200), being killed";
        assert!(tells_of_memory(&format!("said\n{killed}\n")));
        assert!(tells_of_memory(
            "slurmstepd: error: Detected 1 oom-kill event(s) in StepId=7.batch. Some of your processes may have been killed"
        ));
        assert!(!tells_of_memory(
            "exceeded memory limit\nslurmstepd: error: *** JOB 13 ON n1 CANCELLED ***\n"
        ));
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
            assert_eq!(rows[0].state, JobState::Pending(reason.to_owned()));
        }
    }
}
