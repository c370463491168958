//! A run that stopped by looking has its answer: its comparison says that one, with the interval that holds at every look.

use super::look::ArmLook;
use super::trajectory::Trajectory;
use crate::compare::method::kind::Scale;
use crate::compare::objections::objection::ObjectionKind;
use crate::compare::ranged::Ranged;
use crate::compare::result::{Comparison, Effect, MethodUsed, MetricComparison};

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
                // That a method which looks once has no answer to so few values says nothing about the looks either.
                let only_looks = verdict.held_back_by().all(|objection| {
                    use ObjectionKind::{NoInterval, OneValue, StoppedEarly};
                    matches!(objection.kind, StoppedEarly | NoInterval { .. } | OneValue)
                });
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
    let centres = metric.centres;
    let (Some(found), Some([control, candidate])) = (&look.result, centres.sides) else {
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
        Scale::Ratio => control * difference.exp_m1(),
        Scale::Difference => difference,
    };
    metric.effect = Some(Effect {
        scale: trajectory.scale,
        control,
        candidate,
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
    metric.method = Some(MethodUsed {
        name: format!("{}, look {}", found.method, found.look),
        logarithms: trajectory.scale == Scale::Ratio,
        between_points: centres.between_points,
        medians: centres.medians,
        note: metric.method.as_ref().and_then(|method| method.note),
    });
}
