//! Three arms or more in order, with intervals, the chance of each to be the best, and who cannot be told from it.

use super::case::{Asked, Case};
use super::sample::Stratum;
use super::sides::{Inputs, Planned, Selected};
use super::{CompareOptions, Role};
use fairtrial_model::{Direction, Params};
use fairtrial_stats::multiplicity::{Adjustment, adjust};
use fairtrial_stats::one_arm::mean_interval;
use fairtrial_stats::rng::{Purpose, Stream};
use fairtrial_stats::{Interval, Level};
use serde::Serialize;

/// Resamples behind the chance of being best.
const RESAMPLES: u64 = 10_000;
/// Values per arm up to which the chance is found; beyond, the order is clear or the arms are alike.
const MOST_VALUES: usize = 5_000;

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
    /// What the best one's number leaves out.
    pub warning: &'static str,
}

/// One arm in its place.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ranked {
    /// The arm.
    pub arm: String,
    /// Its mean.
    pub mean: f64,
    /// The interval of its mean; overlapping intervals are no test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
    /// Its units.
    pub n: usize,
    /// How often it comes out best when the units are drawn again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chance_best: Option<f64>,
    /// The p value against the best arm, adjusted (Holm); absent for the best.
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
    let Inputs::Arms(data) = inputs else {
        return Vec::new();
    };
    let Some(direction) = asked.declaration.direction else {
        return Vec::new();
    };
    let mut points: Vec<&Params> = planned.iter().map(|contrast| &contrast.point).collect();
    points.dedup();
    let mut seen: Vec<&Params> = Vec::new();
    points.retain(|point| {
        !seen.contains(point) && {
            seen.push(point);
            true
        }
    });
    let ranking = |point: &Params| {
        let mut arms: Vec<Selected<'_>> = Vec::new();
        for contrast in planned.iter().filter(|contrast| contrast.point == *point) {
            if arms.is_empty() {
                arms.push(contrast.control.clone());
            }
            arms.push(contrast.candidate.clone());
        }
        debug_assert!(
            arms.iter().all(|arm| std::ptr::eq(arm.data, data)),
            "one source"
        );
        (arms.len() > 2)
            .then(|| ranked(&arms, point, asked, (options, direction)))
            .flatten()
    };
    points.into_iter().filter_map(ranking).collect()
}

fn ranked(
    arms: &[Selected<'_>],
    point: &Params,
    asked: &Asked,
    (options, direction): (&CompareOptions, Direction),
) -> Option<Ranking> {
    let asked = Asked {
        role: Role::Secondary,
        ..asked.clone()
    };
    // Ranked on the metric's own scale, so that the means are the ones a reader knows.
    let options = CompareOptions {
        method: super::Method::T,
        ..options.clone()
    };
    let case = |control: &Selected<'_>, candidate: &Selected<'_>| {
        let pair = Planned {
            control: control.clone(),
            candidate: candidate.clone(),
            point: point.clone(),
        };
        Case::new(pair.rows(&asked.declaration.name), &asked, &options)
    };
    let values: Vec<Vec<f64>> = arms.iter().map(|arm| values(&case(arm, arm))).collect();
    if values.iter().any(Vec::is_empty) {
        return None;
    }
    let means: Vec<f64> = values
        .iter()
        .map(|values| values.iter().sum::<f64>() / values.len() as f64)
        .collect();
    let best = best_of(&means, direction)?;
    let p: Vec<f64> = arms
        .iter()
        .enumerate()
        .map(|(place, arm)| {
            let p = (place != best)
                .then(|| case(&arms[best], arm).p(options.alpha))
                .flatten();
            p.unwrap_or(f64::NAN)
        })
        .collect();
    let adjusted =
        adjust(&p, Adjustment::Holm).map_or_else(|_| vec![None; p.len()], |family| family.adjusted);
    let paired = values.iter().all(|of| of.len() == values[0].len())
        && case(&arms[0], &arms[best.max(1)]).units.paired;
    let chances = chances(&values, paired, direction, options.seed);
    let mut ranked: Vec<Ranked> = (0..arms.len())
        .map(|place| Ranked {
            arm: arms[place].name().short().to_owned(),
            mean: means[place],
            interval: mean_interval(&values[place], Level::two_sided(options.alpha))
                .ok()
                .map(|mean| mean.interval),
            n: values[place].len(),
            chance_best: chances.as_ref().map(|chances| chances[place]),
            p_against_best: adjusted[place],
            not_separable: place == best || adjusted[place].is_none_or(|p| p > options.alpha),
        })
        .collect();
    ranked.sort_by(|a, b| match direction {
        Direction::Up => b.mean.total_cmp(&a.mean),
        Direction::Down => a.mean.total_cmp(&b.mean),
    });
    Some(Ranking {
        point: point.clone(),
        metric: asked.declaration.name.clone(),
        arms: ranked,
        warning: WARNING,
    })
}

/// An arm's units, paired with itself.
fn values(case: &Case) -> Vec<f64> {
    let of = |stratum: &Stratum| stratum.control.clone();
    case.sample.strata.iter().flat_map(of).collect()
}

fn best_of(means: &[f64], direction: Direction) -> Option<usize> {
    let by = |a: &usize, b: &usize| means[*a].total_cmp(&means[*b]);
    match direction {
        Direction::Up => (0..means.len()).max_by(by),
        Direction::Down => (0..means.len()).min_by(by),
    }
}

/// How often each arm is best over resamples of the units; pairs are drawn together.
fn chances(values: &[Vec<f64>], paired: bool, direction: Direction, seed: u64) -> Option<Vec<f64>> {
    if values
        .iter()
        .any(|of| of.len() > MOST_VALUES || of.len() < 2)
    {
        return None;
    }
    let mut wins = vec![0.0; values.len()];
    for resample in 0..RESAMPLES {
        let mut stream = Stream::new(seed, Purpose::new("chance of being best"), resample);
        let mut sums = vec![0.0; values.len()];
        if paired {
            for _ in 0..values[0].len() {
                let unit = stream.below(values[0].len());
                for (sum, of) in sums.iter_mut().zip(values) {
                    *sum += of[unit];
                }
            }
        } else {
            for (sum, of) in sums.iter_mut().zip(values) {
                let total: f64 = (0..of.len()).map(|_| of[stream.below(of.len())]).sum();
                *sum = total / of.len() as f64;
            }
        }
        if let Some(best) = best_of(&sums, direction) {
            wins[best] += 1.0;
        }
    }
    Some(wins.into_iter().map(|won| won / RESAMPLES as f64).collect())
}
