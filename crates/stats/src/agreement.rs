//! How far raters agree on the same items beyond what chance would give: kappa with quadratic weights, so that a near miss
//! counts less than a far one. On verdicts of 0 and 1 it is the kappa of Cohen (two raters) and of Fleiss (more) itself.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::bootstrap::{Plan, Replicates, check_resamples, percentile_interval};
use crate::rng::{Purpose, Source};
use crate::{Explain, Interval, Outcome, Undefined};
use fairtrial_text::count::counted;
use fairtrial_text::significant::short;

const PURPOSE: Purpose = Purpose::new("agreement/groups");
/// Items that chance says something about.
const LEAST_ITEMS: usize = 2;
/// Groups below which resampling them says nothing.
const LEAST_GROUPS: usize = 3;
/// A mean square below which scores are all the same.
const NOTHING: f64 = 1e-12;

/// Agreement beyond chance.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Kappa {
    /// What was computed.
    pub method: &'static str,
    /// Raters.
    pub raters: usize,
    /// Items that all of them rated.
    pub items: usize,
    /// 1 where all agree, 0 where they agree as often as chance would, below 0 where less often.
    pub kappa: f64,
}

/// Agreement of raters: `ratings` has the scores of each item, one per rater, in the same order of raters.
///
/// 1 - observed / expected, both mean squared differences between raters. With two raters, chance pairs the scores of
/// the one with those of the other (Cohen 1968); with more, any two scores (Fleiss 1971).
pub fn kappa(ratings: &[Vec<f64>]) -> Outcome<Kappa> {
    let raters = checked(ratings)?;
    let sums = Sums::of(ratings.iter().map(Vec::as_slice), raters);
    let Some(kappa) = sums.kappa() else {
        return Err(Undefined::ZeroVariance {
            what: "the score of the raters".into(),
            value: ratings[0][0],
        });
    };
    Ok(Kappa {
        method: if raters == 2 {
            "Cohen's kappa, quadratic weights"
        } else {
            "Fleiss' kappa, quadratic weights"
        },
        raters,
        items: ratings.len(),
        kappa,
    })
}

/// A percentile bootstrap interval of [`kappa`], made by resampling whole groups of items (the rollouts that they are
/// about): items of one group resemble each other.
pub fn kappa_interval<K: Ord>(
    ratings: &[Vec<f64>],
    groups: &[K],
    plan: &Plan,
) -> Outcome<Interval> {
    plan.level.checked()?;
    check_resamples(plan.resamples)?;
    let raters = checked(ratings)?;
    if ratings.len() != groups.len() {
        return Err(Undefined::UnequalLengths {
            left: ratings.len(),
            right: groups.len(),
        });
    }
    kappa(ratings)?;
    let mut by_group: BTreeMap<&K, Vec<&[f64]>> = BTreeMap::new();
    for (item, group) in ratings.iter().zip(groups) {
        by_group.entry(group).or_default().push(item);
    }
    let each = by_group.into_values();
    let each: Vec<Sums> = each
        .map(|items| Sums::of(items.into_iter(), raters))
        .collect();
    if each.len() < LEAST_GROUPS {
        return Err(Undefined::TooFew {
            method: "an interval by resampling groups of items".into(),
            have: each.len(),
            need: LEAST_GROUPS,
        });
    }
    if each.iter().all(|sums| sums.apart <= NOTHING) {
        return Err(Undefined::NoSolution(
            "the raters agree on every item, so that resampling shows no spread".into(),
        ));
    }
    let source = Source {
        seed: plan.seed,
        purpose: PURPOSE,
    };
    let mut values = vec![0.0; plan.resamples];
    source.fill(&mut values, each.len(), |stream, block| {
        block.fill_with(|| {
            let mut drawn = Sums::nothing(raters);
            for _ in 0..each.len() {
                drawn.add(&each[stream.below(each.len())]);
            }
            drawn.kappa().unwrap_or(f64::NAN)
        });
    });
    let (interval, _) = percentile_interval(&mut Replicates::new(values)?, plan.level)?;
    Ok(interval)
}

/// The number of raters, where every item has a score of each.
fn checked(ratings: &[Vec<f64>]) -> Outcome<usize> {
    let too_few = |method: &str, have, need| Undefined::TooFew {
        method: method.into(),
        have,
        need,
    };
    if ratings.len() < LEAST_ITEMS {
        return Err(too_few("kappa (items)", ratings.len(), LEAST_ITEMS));
    }
    let raters = ratings[0].len();
    if raters < 2 {
        return Err(too_few("kappa (raters)", raters, 2));
    }
    for item in ratings {
        if item.len() != raters {
            return Err(Undefined::UnequalLengths {
                left: raters,
                right: item.len(),
            });
        }
        crate::sample::at_least("kappa", "the scores of an item", item, raters)?;
    }
    Ok(raters)
}

/// What kappa is made of; those of groups add up.
#[derive(Debug, Clone)]
struct Sums {
    items: f64,
    /// By rater: the sum of its scores, and of their squares.
    scores: Vec<(f64, f64)>,
    /// The mean squared difference between two raters, summed over items.
    apart: f64,
}

impl Sums {
    fn nothing(raters: usize) -> Self {
        Self {
            items: 0.0,
            scores: vec![(0.0, 0.0); raters],
            apart: 0.0,
        }
    }

    fn of<'a>(items: impl Iterator<Item = &'a [f64]>, raters: usize) -> Self {
        let mut sums = Self::nothing(raters);
        let many = raters as f64;
        for item in items {
            sums.items += 1.0;
            for (of_rater, score) in sums.scores.iter_mut().zip(item) {
                of_rater.0 += score;
                of_rater.1 += score * score;
            }
            let mean = item.iter().sum::<f64>() / many;
            let squares: f64 = item.iter().map(|score| (score - mean).powi(2)).sum();
            sums.apart += 2.0 * squares / (many - 1.0);
        }
        sums
    }

    fn add(&mut self, other: &Self) {
        self.items += other.items;
        self.apart += other.apart;
        for (mine, its) in self.scores.iter_mut().zip(&other.scores) {
            mine.0 += its.0;
            mine.1 += its.1;
        }
    }

    /// Absent where every score is the same.
    fn kappa(&self) -> Option<f64> {
        let expected = if let [(a, aa), (b, bb)] = self.scores[..] {
            (aa + bb) / self.items - 2.0 * (a / self.items) * (b / self.items)
        } else {
            let all = self.items * self.scores.len() as f64;
            let (sum, squares) = self
                .scores
                .iter()
                .fold((0.0, 0.0), |(sum, squares), (s, q)| (sum + s, squares + q));
            2.0 * (squares / all - (sum / all).powi(2))
        };
        (expected > NOTHING).then(|| 1.0 - self.apart / self.items / expected)
    }
}

impl Explain for Kappa {
    fn reading(&self) -> String {
        format!(
            "{} of {} on {} is {}: 1 is full agreement, 0 what chance gives.",
            self.method,
            counted(self.raters, "rater"),
            counted(self.items, "item"),
            short(self.kappa)
        )
    }
}
