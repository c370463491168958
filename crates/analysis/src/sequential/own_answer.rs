//! A run that stopped by looking has its answer: its comparison says that one, with the interval that holds at every look.

use super::look::{ArmLook, NoResult};
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
                // That a method which looks once has no answer to so few values says nothing about the looks either; nor do
                // pairs that the stop cut in two. Those that broke before it are an objection of the look itself.
                let only_looks = verdict.held_back_by().all(|objection| {
                    use ObjectionKind::{
                        MissingPairs, MissingUnits, NoInterval, OneValue, StoppedEarly,
                    };
                    matches!(
                        objection.kind,
                        StoppedEarly
                            | NoInterval { .. }
                            | OneValue
                            | MissingPairs { .. }
                            | MissingUnits { .. }
                    )
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
    let (Some(found), Some([control, candidate])) = (found(look), centres.sides) else {
        return;
    };
    let on_scale = found.on_scale;
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
    if let Some(n) = found.n {
        metric.count.control = n;
        metric.count.candidate = n;
    }
    metric.method = Some(MethodUsed {
        name: found.method,
        logarithms: trajectory.scale == Scale::Ratio,
        between_points: centres.between_points,
        medians: centres.medians,
        note: metric.method.as_ref().and_then(|method| method.note),
    });
}

/// What a look found, on the scale of the looks.
struct Found {
    on_scale: Ranged,
    method: String,
    /// The pairs of a repeated interval.
    n: Option<usize>,
}

fn found(look: &ArmLook) -> Option<Found> {
    if let Some(result) = &look.result {
        return Some(Found {
            on_scale: Ranged {
                value: result.estimate,
                low: result.interval.low,
                high: result.interval.high,
            },
            method: format!("{}, look {}", result.method, result.look),
            n: Some(result.n),
        });
    }
    match look.why_none {
        Some(NoResult::Exact { difference }) => Some(Found {
            on_scale: Ranged {
                value: difference,
                low: difference,
                high: difference,
            },
            method: "exact difference".to_owned(),
            n: None,
        }),
        _ => None,
    }
}
