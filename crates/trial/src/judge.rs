//! From how a process ended to the outcome of its trial.

use crate::job::JobLimits;
use crate::wire::{Ended, Killed, LaunchFailure, RUN_THE_PROGRAM};
use fairtrial_model::{
    BROKEN_FACT, CAUSE_FACT, Cause, Exit, INFRA_FACT, MemorySource, NOTES_FACT, OOM_FACT, Outcome,
    Record, Resources,
};

/// Outcome, cause and exit of an ended program, before its metrics are looked at.
pub(crate) struct Verdict {
    pub(crate) outcome: Outcome,
    pub(crate) cause: Option<Cause>,
    pub(crate) exit: Option<Exit>,
}

/// Judges an end. What the launcher did comes first, then what the kernel did, then the program's own word.
pub(crate) fn judge(ended: &Ended, limits: &JobLimits, program: &str) -> Verdict {
    if let Some(failure) = &ended.failure {
        let permanent = matches!(
            failure.errno,
            libc::ENOENT
                | libc::EACCES
                | libc::ENOEXEC
                | libc::ENOTDIR
                | libc::EINVAL
                | libc::E2BIG
        );
        let cause = Cause::Launch {
            message: describe(failure, program),
            permanent,
        };
        return Verdict {
            outcome: Outcome::Infra,
            cause: Some(cause),
            exit: None,
        };
    }
    let exit = exit_of(ended.status);
    let (outcome, cause) = match (ended.killed, exit) {
        (Some(Killed::Wall), _) => (
            Outcome::Timeout,
            Some(Cause::WallTime {
                limit_s: limits.wall.unwrap_or(0.0),
            }),
        ),
        (Some(Killed::Cpu), _) => (Outcome::Timeout, Some(cpu_time(limits))),
        (Some(Killed::Asked), _) => (Outcome::Cancelled, Some(Cause::User)),
        // Before the program's own word: a script goes on after a step that was killed, and what it says then is of less
        // work than it was asked for.
        (None, exit) if ended.oom_kills > 0 => (
            Outcome::Oom,
            Some(Cause::Memory {
                limit_bytes: limits.memory_bytes,
                went_on: exit == Exit::Code(0),
            }),
        ),
        (None, Exit::Code(0)) => (Outcome::Ok, None),
        (None, Exit::Signal(signal)) if is_cpu_end(signal, ended, limits) => {
            (Outcome::Timeout, Some(cpu_time(limits)))
        }
        (None, Exit::Code(code)) => (Outcome::Failed, Some(Cause::ExitCode { code })),
        (None, Exit::Signal(signal)) => (Outcome::Failed, Some(Cause::Signal { signal })),
    };
    Verdict {
        outcome,
        cause,
        exit: Some(exit),
    }
}

/// Takes a program at its word where it ended by itself: one whose work a memory limit ended is `oom`, one that knows that
/// a provider, its sandbox or its task let it down is `infra`, and one that failed may say why. What ended it from outside stands.
pub(crate) fn own_word(record: &mut Record) {
    let mut take = |key: &str| record.facts.remove(key);
    let (cause, infra, broken) = (take(CAUSE_FACT), take(INFRA_FACT), take(BROKEN_FACT));
    let (oom, notes) = (take(OOM_FACT), take(NOTES_FACT));
    let notes = notes.unwrap_or_default();
    record.notes.extend(notes.lines().map(str::to_owned));
    let by_itself = matches!(
        (&record.outcome, &record.cause),
        (Outcome::Ok, _) | (Outcome::Failed, Some(Cause::ExitCode { .. }))
    );
    if !by_itself {
        return;
    }
    if let Some(limit) = oom {
        record.outcome = Outcome::Oom;
        record.cause = Some(Cause::Memory {
            limit_bytes: limit.parse().ok(),
            went_on: false,
        });
        return;
    }
    let permanent = broken.is_some();
    if let Some(message) = broken.or(infra) {
        record.outcome = Outcome::Infra;
        record.cause = Some(Cause::Said { message, permanent });
    } else if let (Outcome::Failed, Some(message)) = (record.outcome, cause) {
        record.cause = Some(Cause::Said {
            message,
            permanent: false,
        });
    }
}

fn cpu_time(limits: &JobLimits) -> Cause {
    Cause::CpuTime {
        limit_s: limits.cpu.unwrap_or(0.0),
    }
}

/// The kernel ends a process past its CPU limit by SIGXCPU, and by SIGKILL a second later.
fn is_cpu_end(signal: i32, ended: &Ended, limits: &JobLimits) -> bool {
    let used = (ended.user_us + ended.sys_us) as f64 / 1e6;
    limits
        .cpu
        .is_some_and(|limit| signal == libc::SIGXCPU || (signal == libc::SIGKILL && used >= limit))
}

fn exit_of(status: i32) -> Exit {
    if libc::WIFSIGNALED(status) {
        Exit::Signal(libc::WTERMSIG(status))
    } else {
        Exit::Code(libc::WEXITSTATUS(status))
    }
}

/// What a person reads about a program that did not start.
fn describe(failure: &LaunchFailure, program: &str) -> String {
    let system = std::io::Error::from_raw_os_error(failure.errno);
    if failure.stage == RUN_THE_PROGRAM {
        return format!("could not run `{program}`: {system}");
    }
    format!("could not {}: {system}", failure.stage)
}

/// What the program used, with honest sources.
pub(crate) fn resources(ended: &Ended) -> Resources {
    if ended.failure.is_some() {
        return Resources::default();
    }
    let (peak, source) = match ended.cgroup_peak {
        Some(peak) => (peak, MemorySource::Cgroup),
        None if ended.max_rss <= ended.rss_floor => (ended.max_rss, MemorySource::RusageFloor),
        None => (ended.max_rss, MemorySource::Rusage),
    };
    Resources {
        wall: Some(ended.wall_ns as f64 / 1e9),
        user: Some(ended.user_us as f64 / 1e6),
        sys: Some(ended.sys_us as f64 / 1e6),
        peak_memory_bytes: Some(peak),
        peak_memory_source: Some(source),
        minor_faults: Some(ended.minor_faults),
        major_faults: Some(ended.major_faults),
        voluntary_switches: Some(ended.voluntary),
        involuntary_switches: Some(ended.involuntary),
        blocks_in: Some(ended.blocks_in),
        blocks_out: Some(ended.blocks_out),
        run_queue_delay: ended.run_delay_ns.map(|nanos| nanos as f64 / 1e9),
        leftover_processes: (ended.leftovers > 0).then_some(ended.leftovers),
        limits_by: ended.limits_by,
        counted: ended.counted.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::judge;
    use crate::job::JobLimits;
    use crate::wire::{Ended, Killed};
    use fairtrial_model::{Cause, Exit, Outcome};

    /// Outcome and cause of a program that ended with this code, and of which the kernel killed so many for memory.
    fn judged(code: i32, oom_kills: u64, killed: Option<Killed>) -> (Outcome, Option<Cause>) {
        let ended = Ended {
            status: code << 8,
            oom_kills,
            killed,
            ..Ended::default()
        };
        let limits = JobLimits {
            memory_bytes: Some(100),
            ..JobLimits::default()
        };
        let verdict = judge(&ended, &limits, "sh");
        assert_eq!(verdict.exit, Some(Exit::Code(code)));
        (verdict.outcome, verdict.cause)
    }

    #[test]
    fn a_program_that_goes_on_after_a_kill_for_memory_is_out_of_memory() {
        assert_eq!(judged(0, 0, None), (Outcome::Ok, None));
        let memory = |went_on| {
            Some(Cause::Memory {
                limit_bytes: Some(100),
                went_on,
            })
        };
        assert_eq!(judged(0, 1, None), (Outcome::Oom, memory(true)));
        assert_eq!(judged(137, 1, None), (Outcome::Oom, memory(false)));
        assert_eq!(
            memory(true).unwrap().to_string(),
            "one of its processes was killed at its memory limit of 100 bytes; the program itself went on"
        );
        // What the launcher did goes first.
        assert_eq!(judged(0, 1, Some(Killed::Wall)).0, Outcome::Timeout);
    }
}
