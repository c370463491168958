//! A run that stopped by looking has its answer: its comparison says that one, with the interval that holds at every look.

use super::look::ArmLook;
use super::trajectory::Trajectory;
use crate::compare::method::kind::Scale;
use crate::compare::objections::objection::ObjectionKind;
use crate::compare::ranged::Ranged;
use crate::compare::result::{Comparison, Effect, MetricComparison};

impl Comparison {
    /// The same with the run's own answer, wherever one that looks once is held back because of it.
    #[must_use]
    pub fn answered_by(mut self, trajectory: &Trajectory) -> Self {
        if trajectory.taken_back.is_some() {
            return self;
        }
        for contrast in &mut self.contrasts {
            let is_control = contrast.control.arm.as_ref() == Some(&trajectory.control);
            let arm = contrast.candidate.arm.as_deref().filter(|_| is_control);
            let look = arm.and_then(|arm| trajectory.last_look(arm));
            let Some(look) = look else { continue };
            for metric in &mut contrast.metrics {
                let verdict = &metric.verdict;
                let only_looks = verdict
                    .held_back_by()
                    .all(|objection| objection.kind == ObjectionKind::StoppedEarly);
                let its = metric.metric == trajectory.metric;
                if its && verdict.is_held_back() && only_looks {
                    answer(metric, look, trajectory);
                }
            }
        }
        self
    }
}

fn answer(metric: &mut MetricComparison, look: &ArmLook, trajectory: &Trajectory) {
    metric.verdict = look.verdict.clone();
    let (Some(found), Some(control), Some(candidate)) =
        (&look.result, &metric.control, &metric.candidate)
    else {
        return;
    };
    let on_scale = Ranged {
        value: found.estimate,
        low: found.interval.low,
        high: found.interval.high,
    };
    let share = match trajectory.scale {
        Scale::Ratio => Some(on_scale.map(f64::exp_m1)),
        Scale::Difference => None,
    };
    let own_unit = |difference: f64| match trajectory.scale {
        // What is typical: rare slow runs move the mean, and no ratio of pairs.
        Scale::Ratio => control.median * difference.exp_m1(),
        Scale::Difference => difference,
    };
    metric.effect = Some(Effect {
        scale: trajectory.scale,
        control: control.mean,
        candidate: candidate.mean,
        absolute: on_scale.map(own_unit),
        relative: share,
        no_relative: None,
        alpha: trajectory.arm_alpha,
        p: None,
        df: None,
        margin: look.margin.map(own_unit),
        clears_margin: None,
    });
    metric.count.control = found.n;
    metric.count.candidate = found.n;
    if let Some(method) = &mut metric.method {
        method.name = format!("{}, look {}", found.method, found.look);
    }
}
