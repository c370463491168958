//! Three arms or more in order, with intervals, the chance of each to be the best, and who cannot be told from it.

use super::CompareOptions;
use super::case::{Asked, Scale};
use super::contest::{Contest, Contestant};
use super::sides::{Inputs, Planned};
use fairtrial_model::Params;
use fairtrial_stats::Interval;
use serde::Serialize;

/// Arms in order, best first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ranking {
    /// The sweep point.
    #[serde(skip_serializing_if = "Params::is_empty")]
    pub point: Params,
    /// The metric.
    pub metric: String,
    /// The arms.
    pub arms: Vec<Ranked>,
    /// The scale of the comparison; on that of ratios, means are geometric.
    pub scale: Scale,
    /// One minus the confidence of the intervals.
    pub alpha: f64,
    /// The pairs of arms over which the p values are adjusted.
    pub pairs: usize,
    /// Why nobody's chance to be best is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_chance: Option<String>,
    /// What the best one's number leaves out.
    pub warning: &'static str,
}

/// One arm in its place.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ranked {
    /// The arm.
    pub arm: String,
    /// The mean of the values it has.
    pub mean: f64,
    /// Its trials that failed.
    pub failed: u64,
    /// Its mean with every failure as the worst value seen, which the order goes by; absent where none failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worst_case: Option<f64>,
    /// Why it cannot be the best: too many of its trials have no value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub barred: Option<String>,
    /// The interval of its mean; overlapping intervals are no test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
    /// Its units.
    pub n: usize,
    /// How often it comes out best when the units are drawn again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chance_best: Option<f64>,
    /// The p value against the best arm by the test of the comparison, adjusted over all pairs of arms, because the best
    /// was picked by the same data; absent for the best.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p_against_best: Option<f64>,
    /// Whether the data cannot tell it from the best.
    pub not_separable: bool,
}

const WARNING: &str = "The best arm was picked by these numbers, so its own number is too good; confirm it on fresh seeds.";

/// A ranking per sweep point, where one source has three arms or more and the metric has a direction.
pub(crate) fn rank(
    inputs: Inputs<'_>,
    planned: &[Planned<'_>],
    asked: &Asked,
    options: &CompareOptions,
) -> Vec<Ranking> {
    let (Inputs::Arms(_), Some(direction)) = (inputs, asked.declaration.direction) else {
        return Vec::new();
    };
    let contest = Contest {
        asked,
        options,
        direction,
        alpha: options.alpha,
    };
    let mut points: Vec<&Params> = Vec::new();
    for contrast in planned {
        if !points.contains(&&contrast.point) {
            points.push(&contrast.point);
        }
    }
    points
        .into_iter()
        .filter_map(|point| at_point(&contest, planned, point))
        .collect()
}

fn at_point(contest: &Contest<'_>, planned: &[Planned<'_>], point: &Params) -> Option<Ranking> {
    let here: Vec<&Planned<'_>> = planned
        .iter()
        .filter(|contrast| contrast.point == *point)
        .collect();
    let sides = here
        .first()
        .map(|first| &first.control)
        .into_iter()
        .chain(here.iter().map(|one| &one.candidate));
    let contestants: Vec<Contestant<'_>> = sides
        .map(|side| Contestant {
            side: side.clone(),
            point: point.clone(),
        })
        .collect();
    // Where too little of an arm counts, no arm is the best.
    let withheld = here
        .iter()
        .any(|one| one.too_few(contest.options).is_some());
    if contestants.len() < 3 || withheld {
        return None;
    }
    let standings = contest.standings(&contestants)?;
    let arms = standings.order.into_iter().map(|standing| Ranked {
        arm: contestants[standing.place].side.name().short().to_owned(),
        mean: standing.mean,
        failed: standing.failed,
        worst_case: standing.worst_case,
        barred: standing.barred.clone(),
        interval: standing.interval,
        n: standing.n,
        chance_best: standing.chance_best,
        p_against_best: standing.p_against_best,
        not_separable: standing.not_separable,
    });
    Some(Ranking {
        point: point.clone(),
        metric: contest.asked.declaration.name.clone(),
        arms: arms.collect(),
        scale: standings.scale,
        alpha: contest.alpha,
        pairs: standings.pairs,
        no_chance: standings.no_chance,
        warning: WARNING,
    })
}
