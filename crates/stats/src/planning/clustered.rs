//! Planning with tasks and rollouts: how many tasks, and how many rollouts of each.

use serde::Serialize;

use crate::dist::normal;
use crate::sample;
use crate::{Explain, Level, Outcome, Undefined};
use fairtrial_text::significant::short;

use super::power::{TDesign, power as t_power, sample_size, smallest_effect};

/// The noise of a paired comparison over tasks with several rollouts each (Miller 2024, section 5).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TaskNoise {
    /// Variance of the true difference between the arms over tasks.
    pub between_tasks: f64,
    /// Variance of one rollout of the control within a task.
    pub control_rollout: f64,
    /// Variance of one rollout of the candidate within a task.
    pub candidate_rollout: f64,
    /// Rollouts per task of the control.
    pub control_rollouts: u32,
    /// Rollouts per task of the candidate.
    pub candidate_rollouts: u32,
}

impl TaskNoise {
    /// The variance of one task's observed difference.
    pub fn per_task(&self) -> f64 {
        self.between_tasks
            + self.control_rollout / f64::from(self.control_rollouts)
            + self.candidate_rollout / f64::from(self.candidate_rollouts)
    }

    fn checked(self) -> Outcome<Self> {
        let variances = [
            self.between_tasks,
            self.control_rollout,
            self.candidate_rollout,
        ];
        if let Some(v) = variances
            .into_iter()
            .find(|v| !(v.is_finite() && *v >= 0.0))
        {
            return Err(Undefined::BadArgument {
                name: "variance".into(),
                value: v,
                expected: "finite, at least 0".into(),
            });
        }
        if self.control_rollouts == 0 || self.candidate_rollouts == 0 {
            return Err(Undefined::BadArgument {
                name: "rollouts".into(),
                value: 0.0,
                expected: "at least 1".into(),
            });
        }
        sample::positive("the variance of one task's difference", self.per_task())?;
        Ok(self)
    }
}

/// How many tasks a difference needs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClusteredPlan {
    /// What was computed.
    pub method: &'static str,
    /// The noise.
    pub noise: TaskNoise,
    /// The mean difference to be found.
    pub difference: f64,
    /// Tasks, rounded up, by the non-central t.
    pub tasks: u64,
    /// Tasks by Miller's normal formula, before rounding.
    pub tasks_normal: f64,
    /// The share of one task's noise that more rollouts cannot reduce.
    pub between_share: f64,
    /// The power asked for.
    pub power: f64,
    /// The level of the test.
    pub level: Level,
}

/// The number of tasks that finds `difference` with chance `power`, given the rollouts per task.
pub fn clustered_plan(
    noise: TaskNoise,
    difference: f64,
    power: f64,
    level: Level,
) -> Outcome<ClusteredPlan> {
    let noise = noise.checked()?;
    let sd = noise.per_task().sqrt();
    let size = sample_size(TDesign::Paired, difference / sd, power, level)?;
    let deviates = level.outer_deviate() + normal::quantile(power);
    Ok(ClusteredPlan {
        method: "non-central t over task differences",
        noise,
        difference,
        tasks: size.n,
        tasks_normal: deviates * deviates * noise.per_task() / (difference * difference),
        between_share: noise.between_tasks / noise.per_task(),
        power,
        level,
    })
}

/// The chance that `tasks` tasks find a mean difference.
pub fn clustered_power(
    noise: TaskNoise,
    difference: f64,
    tasks: usize,
    level: Level,
) -> Outcome<f64> {
    let sd = noise.checked()?.per_task().sqrt();
    Ok(t_power(TDesign::Paired, difference / sd, tasks, level)?.power)
}

/// The smallest mean difference that `tasks` tasks can be expected to find, in the metric's unit.
pub fn clustered_smallest_effect(
    noise: TaskNoise,
    tasks: usize,
    power: f64,
    level: Level,
) -> Outcome<f64> {
    let sd = noise.checked()?.per_task().sqrt();
    sample::representable(
        "the effect",
        smallest_effect(TDesign::Paired, tasks, power, level)?.effect * sd,
    )
}

impl Explain for ClusteredPlan {
    fn reading(&self) -> String {
        let advice = if self.between_share > 0.5 {
            "most noise lies between tasks, so that only more tasks help"
        } else {
            "most noise is rollout noise, so that more rollouts per task save tasks"
        };
        format!(
            "To find a mean difference of {} in {} % of experiments takes {} tasks with {} and {} rollouts; {advice}.",
            short(self.difference),
            short(100.0 * self.power),
            self.tasks,
            self.noise.control_rollouts,
            self.noise.candidate_rollouts
        )
    }
}
