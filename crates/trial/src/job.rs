//! One trial made ready to run: every placeholder filled, every path absolute.

use crate::outputs::Makes;
use fairtrial_model::{
    Access, Code, MetricDeclaration, NoticeSignal, Saved, Timed, TrialId, TrialKey,
};
use std::path::PathBuf;
use std::sync::Arc;

/// Everything that running one attempt of one trial takes.
#[derive(Debug, Clone)]
pub struct TrialJob {
    /// Which trial.
    pub key: TrialKey,
    /// Its content identity.
    pub id: TrialId,
    /// Which attempt, from 1.
    pub attempt: u32,
    /// Program and arguments.
    pub argv: Vec<String>,
    /// What the trial inherits, as `NAME=value`, without a name that is in `env`; shared by many trials.
    pub inherited: Arc<[String]>,
    /// Its own variables, as `NAME=value`.
    pub env: Vec<String>,
    /// Working directory, absolute.
    pub workdir: PathBuf,
    /// The attempt's own directory, absolute; its parent exists, it does not.
    pub dir: PathBuf,
    /// The same, relative to the data root, for the record.
    pub dir_in_data: String,
    /// The text of `command.sh`, which repeats it by hand; absent where there is no command.
    pub script: Option<String>,
    /// What is run, as it is now.
    pub code: Option<Code>,
    /// Limits.
    pub limits: JobLimits,
    /// Bytes kept of each output stream.
    pub log_limit: u64,
    /// Whether the system throws away its standard output.
    pub discards_output: bool,
    /// Who may read its directory.
    pub access: Access,
    /// What to collect.
    pub metrics: Arc<[MetricDeclaration]>,
    /// What it makes for others.
    pub makes: Makes,
    /// Where it saves its state, where it says that it does.
    pub checkpoint: Option<JobCheckpoint>,
    /// Whether its files may be put elsewhere than in its directory when it has ended well.
    pub packs: bool,
    /// How it is timed as a whole, where it is: it then has no directory unless it fails.
    pub timed: Option<Arc<Timed>>,
}

/// The state that a trial goes on from.
#[derive(Debug, Clone)]
pub struct JobCheckpoint {
    /// The folder that all its attempts share, absolute; it is there.
    pub dir: PathBuf,
    /// The same, relative to the data root, for the record.
    pub dir_in_data: String,
    /// What stands there now.
    pub found: Saved,
    /// What the trial's processes are sent when its end is near.
    pub signal: NoticeSignal,
    /// The folders of the attempts before this one, oldest first.
    pub earlier: Vec<PathBuf>,
}

impl JobCheckpoint {
    /// What the system calls the signal.
    pub(crate) fn signal_number(&self) -> i32 {
        match self.signal {
            NoticeSignal::Term => libc::SIGTERM,
            NoticeSignal::Usr1 => libc::SIGUSR1,
            NoticeSignal::Usr2 => libc::SIGUSR2,
            NoticeSignal::Int => libc::SIGINT,
        }
    }
}

/// Seconds that a part has at least: what earlier parts overdrew while they saved does not leave nothing.
const LEAST_PART_S: f64 = 1.0;

/// Limits of one attempt.
#[derive(Debug, Clone, Default)]
pub struct JobLimits {
    /// Wall seconds.
    pub wall: Option<f64>,
    /// Wall seconds of those that earlier parts of the trial took.
    pub spent: f64,
    /// CPU seconds of the whole trial.
    pub cpu: Option<f64>,
    /// Bytes of memory.
    pub memory_bytes: Option<u64>,
    /// Processes at once.
    pub processes: Option<u64>,
    /// Seconds between the polite and the forced end, or between the notice and that end.
    pub grace: f64,
}

impl JobLimits {
    /// The wall seconds that earlier parts of the trial left to this one.
    pub(crate) fn left(&self) -> Option<f64> {
        let left = |wall: f64| (wall - self.spent).max(LEAST_PART_S.min(wall));
        self.wall.map(left)
    }
}

#[cfg(test)]
mod tests {
    use super::JobLimits;

    #[test]
    fn a_part_has_what_earlier_parts_left_of_the_limit() {
        let left = |wall, spent| {
            let limits = JobLimits {
                wall,
                spent,
                ..JobLimits::default()
            };
            limits.left()
        };
        assert_eq!(left(None, 5.0), None);
        assert_eq!(left(Some(60.0), 0.0), Some(60.0));
        assert_eq!(left(Some(60.0), 45.0), Some(15.0));
        // One that was saving when its time was over has a moment to end.
        assert_eq!(left(Some(60.0), 70.0), Some(1.0));
        assert_eq!(left(Some(0.5), 9.0), Some(0.5));
    }
}
