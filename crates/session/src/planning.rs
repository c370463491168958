//! What a plan may take: its slots, and its time by an earlier run.

use crate::session::Session;
use fairtrial_journal::Index;
use fairtrial_model::Stamp;
use fairtrial_plan::Plan;
use fairtrial_spec::{Spec, Work};

/// How long a plan may take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Seconds for all trials.
    pub seconds: f64,
    /// On so many slots.
    pub slots: usize,
    /// By this run.
    pub earlier: Earlier,
}

/// What an earlier run's trials took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Earlier {
    /// The run.
    pub stamp: Stamp,
    /// Mean wall seconds of a trial.
    pub seconds: f64,
    /// Of so many trials.
    pub count: u64,
}

impl Session {
    /// How long a plan may take, from the newest earlier run of the same name that has times.
    pub fn estimate(&self, plan: &Plan) -> Option<Estimate> {
        let spec = plan.spec();
        let earlier = self.earlier_mean(spec)?;
        let slots = slots(spec);
        Some(Estimate {
            seconds: earlier.seconds * plan.len() as f64 / slots as f64,
            slots,
            earlier,
        })
    }

    /// The mean time of a trial in the newest run of the same name that has times.
    pub(crate) fn earlier_mean(&self, spec: &Spec) -> Option<Earlier> {
        let root = self.data_root();
        if !root.rollouts_dir().join(&spec.name).is_dir() {
            return None;
        }
        let mut index = Index::open(&root).ok()?;
        index.catch_up().ok()?;
        let runs = index.runs().ok()?;
        let mut newest = runs.into_iter().filter(|run| run.name == spec.name).rev();
        newest.find_map(|run| {
            Some(Earlier {
                stamp: run.stamp,
                seconds: run.mean_wall_s?,
                count: run.timed,
            })
        })
    }
}

/// The slots a spec asks for, or one per physical core (and per GPU that is lent); one alone where experiments are
/// timed, because trials beside each other would be in each other's times.
pub(crate) fn slots(spec: &Spec) -> usize {
    let timed = spec
        .tasks
        .iter()
        .any(|task| matches!(task.work, Work::Experiment { .. }));
    if spec.serial {
        return 1;
    }
    let unsaid = || {
        if timed {
            1
        } else {
            fairtrial_journal::provenance::physical_cores().max(spec.engine.gpus.len())
        }
    };
    spec.parallel.unwrap_or_else(unsaid).max(1)
}
