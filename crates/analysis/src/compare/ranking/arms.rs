//! Three arms or more in order, with intervals, and who may be as good as the best.

use crate::compare::data::contrasts::PlannedContrast;
use crate::compare::data::side::{ComparedSide, Inputs};
use crate::compare::method::kind::Scale;
use crate::compare::objections::stopped_early;
use crate::compare::options::CompareOptions;
use crate::compare::question::MetricQuestion;
use crate::compare::ranking::standings::{RankingQuestion, Standing};
use fairtrial_model::Params;
use serde::Serialize;

/// Arms in order, best first. The best was picked by these numbers, so its own number is too good.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ranking {
    /// The sweep point.
    #[serde(skip_serializing_if = "Params::is_empty")]
    pub point: Params,
    /// The metric.
    pub metric: String,
    /// The arms.
    pub arms: Vec<RankedArm>,
    /// The scale of the comparison; on that of ratios, means are geometric.
    pub scale: Scale,
    /// One minus the confidence of the intervals.
    pub alpha: f64,
    /// The pairs of arms over which the p values are adjusted.
    pub pairs: usize,
}

/// One arm in its place.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RankedArm {
    /// The arm.
    pub arm: String,
    /// What it comes to.
    #[serde(flatten)]
    pub standing: Standing,
}

/// A ranking per sweep point, where there are three arms of one source or more, or three sources, and the metric has a
/// direction.
pub(crate) fn rank(
    inputs: Inputs<'_>,
    planned: &[PlannedContrast<'_>],
    metric: &MetricQuestion,
    options: &CompareOptions,
) -> Vec<Ranking> {
    let stopped_early = stopped_early::find(&metric.declaration.name, inputs).is_some();
    let (Some(direction), false) = (metric.declaration.direction, stopped_early) else {
        return Vec::new();
    };
    if matches!(inputs, Inputs::Two(..)) {
        return Vec::new();
    }
    let question = RankingQuestion {
        metric,
        options,
        direction,
        alpha: options.alpha,
    };
    let mut ranked: Vec<Ranked<'_>> = Vec::new();
    for contrast in planned {
        let one = Ranked {
            point: contrast.point(),
            control: contrast.control.arm.as_deref(),
        };
        if !ranked.contains(&one) {
            ranked.push(one);
        }
    }
    let rank = |ranked: Ranked<'_>| at_point(&question, planned, ranked);
    ranked.into_iter().filter_map(rank).collect()
}

/// What is ranked together: the contrasts at one point against one arm.
#[derive(Clone, Copy, PartialEq)]
struct Ranked<'a> {
    point: &'a Params,
    control: Option<&'a str>,
}

fn at_point(
    question: &RankingQuestion<'_>,
    planned: &[PlannedContrast<'_>],
    ranked: Ranked<'_>,
) -> Option<Ranking> {
    let is_here = |contrast: &&PlannedContrast<'_>| {
        contrast.point() == ranked.point && contrast.control.arm.as_deref() == ranked.control
    };
    let here = || planned.iter().filter(is_here);
    let control = here().next().map(|first| &first.control);
    let sides = control.into_iter().chain(here().map(|one| &one.candidate));
    let sides: Vec<ComparedSide<'_>> = sides.cloned().collect();
    if sides.len() < 3 {
        return None;
    }
    let standings = question.standings(&sides)?;
    // Arms of one source go by their names; the same arm of several sources needs theirs.
    let one_source = sides
        .iter()
        .all(|side| side.data.label == sides[0].data.label);
    let arms = standings.order.into_iter().map(|standing| {
        let name = sides[standing.place].name();
        RankedArm {
            arm: if one_source {
                name.short().to_owned()
            } else {
                name.full()
            },
            standing,
        }
    });
    Some(Ranking {
        point: ranked.point.clone(),
        metric: question.metric.declaration.name.clone(),
        arms: arms.collect(),
        scale: standings.scale,
        alpha: question.alpha,
        pairs: standings.pairs,
    })
}
