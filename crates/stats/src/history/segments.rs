//! The changes of level in a series of any noise: splits at the most striking place of any scale, each held to its permutations.
//!
//! A stretch is split where one half of some window differs most from the other. Whether it would have been as striking
//! without a change is asked of the same points in random orders, places and windows searched for in all of them alike: of
//! stretches whose points could stand in any order, at most `alpha` are split, whatever their distribution. Windows are
//! those of seeded binary segmentation (Kovács et al. 2023) with the penalty of Frick, Munk and Sieling (2014) for the
//! many short ones; points count by their normal scores, so that one outlier cannot hide a change or make one.

use super::detect::{ChangePoint, ChangePoints};
use super::segment::Sides;
use crate::dist::normal;
use crate::rng::{Purpose, Stream};
use crate::{Outcome, Undefined};
use serde::Serialize;
use std::collections::HashMap;
use std::ops::Range;

const PURPOSE: Purpose = Purpose::new("history/segments");
/// The ratio of one window's length to the next longer one's.
const SHRINK: f64 = std::f64::consts::FRAC_1_SQRT_2;
/// How often changes are fitted between their neighbours at most.
const MOST_PASSES: usize = 4;

/// How segments are searched for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SegmentOptions {
    /// The share of unchanged stretches that are split.
    pub alpha: f64,
    /// Random orders that a split is compared with.
    pub permutations: usize,
    /// The fewest points between two changes.
    pub shortest: usize,
    /// The seed of the orders.
    pub seed: u64,
}

impl Default for SegmentOptions {
    fn default() -> Self {
        Self {
            alpha: 0.01,
            permutations: 999,
            shortest: 3,
            seed: 0,
        }
    }
}

impl SegmentOptions {
    fn checked(&self) -> Outcome<()> {
        crate::sample::open_chance("alpha", self.alpha)?;
        let bad = |name: &str, value: usize, expected: String| {
            Err(Undefined::BadArgument {
                name: name.into(),
                value: value as f64,
                expected,
            })
        };
        if self.allowed() == 0 || self.permutations > 1_000_000 {
            let fewest = (1.0 / self.alpha).ceil() - 1.0;
            let expected = format!("between {fewest} and 1000000, for this alpha");
            return bad("permutations", self.permutations, expected);
        }
        if self.shortest == 0 {
            return bad("shortest", self.shortest, "at least 1".to_owned());
        }
        Ok(())
    }

    /// How many of all orders, the observed one among them, may be as striking as that.
    fn allowed(&self) -> usize {
        // The product of a short decimal and a round number may lie a rounding error below a whole number.
        (self.alpha * (self.permutations + 1) as f64 + 1e-9).floor() as usize
    }
}

/// The fewest points in which a change can be found: with fewer, too many of all orders are as striking as any.
pub fn fewest_points(options: &SegmentOptions) -> usize {
    // Choosing k + 1 of 2k + 2 points instead of k of 2k.
    let (mut half, mut ways) = (1, 2.0);
    // Of all orders, the two that set the upper half apart are as striking.
    while 2.0 / ways > options.alpha {
        half += 1;
        ways *= 2.0 * (2 * half - 1) as f64 / half as f64;
    }
    (2 * half).max(2 * options.shortest)
}

/// The changes of level in a series; points that are NaN are left out and counted.
pub fn level_changes(
    series: &[f64],
    options: &SegmentOptions,
) -> Outcome<ChangePoints<SegmentOptions>> {
    options.checked()?;
    let (values, places, dropped) = super::detect::usable(series)?;
    let mut search = Search {
        values: &values,
        options: *options,
        tested: HashMap::new(),
    };
    let found = search.split(0..values.len());
    let changes = search.fitted(found);
    let point = |(number, (index, p)): (usize, &(usize, f64))| {
        let before = number.checked_sub(1).map_or(0, |number| changes[number].0);
        let after = changes.get(number + 1).map_or(values.len(), |(at, _)| *at);
        let sides = Sides::compare(&values[before..*index], &values[*index..after]);
        ChangePoint::new(places[*index], &sides, *p)
    };
    Ok(ChangePoints {
        method: "seeded binary segmentation with permutation tests",
        n: values.len(),
        options: *options,
        points: changes.iter().enumerate().map(point).collect(),
        dropped,
    })
}

/// The search in one series.
struct Search<'a> {
    values: &'a [f64],
    options: SegmentOptions,
    /// What was found in stretches that were tested.
    tested: HashMap<(usize, usize), Option<(usize, f64)>>,
}

impl Search<'_> {
    /// Splits a stretch at its most striking place, and both parts again, as long as that holds.
    fn split(&mut self, stretch: Range<usize>) -> Vec<usize> {
        let (mut open, mut found) = (vec![stretch], Vec::new());
        while let Some(stretch) = open.pop() {
            if let Some((place, _)) = self.test(&stretch) {
                found.push(place);
                open.extend([stretch.start..place, place..stretch.end]);
            }
        }
        found.sort_unstable();
        found
    }

    /// The changes, each where it fits best between its neighbours, without those that do not hold there.
    fn fitted(&mut self, mut found: Vec<usize>) -> Vec<(usize, f64)> {
        let mut kept: Vec<(usize, f64)> = Vec::new();
        for _ in 0..MOST_PASSES {
            kept.clear();
            for place in 0..found.len() {
                let before = kept.last().map_or(0, |(at, _)| *at);
                let next = found.get(place + 1).copied();
                kept.extend(self.test(&(before..next.unwrap_or(self.values.len()))));
            }
            let places: Vec<usize> = kept.iter().map(|(at, _)| *at).collect();
            if places == found {
                break;
            }
            found = places;
        }
        kept
    }

    fn test(&mut self, stretch: &Range<usize>) -> Option<(usize, f64)> {
        let key = (stretch.start, stretch.end);
        if let Some(known) = self.tested.get(&key) {
            return *known;
        }
        let found = self.striking(stretch);
        self.tested.insert(key, found);
        found
    }

    /// The most striking split of a stretch and its p value, where it is not to be had without a change.
    fn striking(&self, stretch: &Range<usize>) -> Option<(usize, f64)> {
        let windows = Windows::of(stretch.len(), self.options.shortest)?;
        let mut scores = normal_scores(&self.values[stretch.clone()])?;
        let observed = windows.strongest(&scores);
        let allowed = self.options.allowed();
        let block = stretch.start as u64 ^ ((stretch.len() as u64) << 32);
        let mut stream = Stream::new(self.options.seed, PURPOSE, block);
        // The observed order is one of all. Equal splits must not differ by their rounding.
        let mut as_striking = 1;
        let bar = observed.strength - 1e-9;
        for _ in 0..self.options.permutations {
            stream.shuffle(&mut scores);
            as_striking += usize::from(windows.strongest(&scores).strength >= bar);
            if as_striking > allowed {
                return None;
            }
        }
        let p = as_striking as f64 / (self.options.permutations + 1) as f64;
        Some((stretch.start + observed.at, p))
    }
}

/// One split.
#[derive(Debug, Clone, Copy)]
struct Split {
    at: usize,
    strength: f64,
}

/// The windows in which a stretch is searched, the same in all its orders.
struct Windows {
    /// Start and kind.
    all: Vec<(usize, usize)>,
    kinds: Vec<Kind>,
    shortest: usize,
}

/// The windows of one length.
struct Kind {
    length: usize,
    /// What the difference of the two sides is worth at each split, from `shortest` on.
    worth: Vec<f64>,
    /// What a window must exceed because there are many of its length.
    penalty: f64,
}

impl Windows {
    /// Nothing where the stretch is too short to have two sides.
    fn of(points: usize, shortest: usize) -> Option<Self> {
        let (mut all, mut kinds) = (Vec::new(), Vec::new());
        let mut exact = points as f64;
        while exact >= (2 * shortest) as f64 && exact >= 2.0 {
            let length = exact.round() as usize;
            let apart = (points - length) as f64;
            // Half of a window apart, from one end to the other.
            let steps = (2.0 * apart / length as f64).ceil();
            let starts = (0..=steps as usize).map(|step| {
                if steps == 0.0 {
                    0
                } else {
                    (step as f64 * apart / steps).round() as usize
                }
            });
            all.extend(starts.map(|start| (start, kinds.len())));
            kinds.push(Kind::of(length, (points, shortest)));
            exact *= SHRINK;
        }
        (!all.is_empty()).then_some(Self {
            all,
            kinds,
            shortest,
        })
    }

    /// The most striking split of all windows.
    fn strongest(&self, scores: &[f64]) -> Split {
        let mut sums = Vec::with_capacity(scores.len() + 1);
        sums.push(0.0);
        let mut sum = 0.0;
        for score in scores {
            sum += score;
            sums.push(sum);
        }
        let mut best = Split {
            at: 0,
            strength: f64::NEG_INFINITY,
        };
        for (start, kind) in &self.all {
            let kind = &self.kinds[*kind];
            let first = sums[*start];
            let mean = (sums[start + kind.length] - first) / kind.length as f64;
            let sums = &sums[start + self.shortest..];
            for (place, (sum, worth)) in sums.iter().zip(&kind.worth).enumerate() {
                let before = (place + self.shortest) as f64;
                let strength = (sum - first - before * mean).abs() * worth - kind.penalty;
                if strength > best.strength {
                    best = Split {
                        at: start + place + self.shortest,
                        strength,
                    };
                }
            }
        }
        best
    }
}

impl Kind {
    fn of(length: usize, (points, shortest): (usize, usize)) -> Self {
        let worth = |before: usize| {
            let after = length - before;
            (length as f64 / (before as f64 * after as f64)).sqrt()
        };
        Self {
            length,
            worth: (shortest..=length - shortest).map(worth).collect(),
            penalty: (2.0 * (1.0 + (points as f64 / length as f64).ln())).sqrt(),
        }
    }
}

/// Normal scores of ranks, with mean 0 and spread 1; nothing where all values are equal.
fn normal_scores(values: &[f64]) -> Option<Vec<f64>> {
    let n = values.len();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut scores = vec![0.0; n];
    let mut from = 0;
    while from < n {
        let same = |place: &&usize| values[**place] == values[order[from]];
        let many = order[from..].iter().take_while(same).count();
        // The mean rank of equal values, from 1.
        let rank = from as f64 + f64::midpoint(many as f64, 1.0);
        let score = normal::quantile((rank - 0.375) / (n as f64 + 0.25));
        for place in &order[from..from + many] {
            scores[*place] = score;
        }
        from += many;
    }
    let spread = (scores.iter().map(|score| score * score).sum::<f64>() / n as f64).sqrt();
    if spread < 1e-9 {
        return None;
    }
    for score in &mut scores {
        *score /= spread;
    }
    Some(scores)
}
