//! The chance of each commit to be the one, by the sides of the candidates.

use super::difference::FIRST_LOOK;
use super::evidence::Evidence;
use super::location::{Location, standard_error};
use super::rules::BisectRules;

/// The most that one candidate may say, as the logarithm of the odds: beyond 10,000 to 1 the noise itself may be another
/// than it is taken for.
const MOST_ODDS: f64 = 9.2;

/// The chances of the places between two ends that differ.
#[derive(Debug, Clone)]
pub(super) struct Posterior {
    /// Both ends and every commit between them that can be measured.
    pub(super) places: Vec<usize>,
    /// The chance that the change is after the place of the same number and not after the next one.
    pub(super) chances: Vec<f64>,
}

impl Posterior {
    /// Every commit is as likely as any other before something is measured, those that cannot be measured too.
    pub(super) fn of(evidence: &Evidence, (from, to): (usize, usize), rules: &BisectRules) -> Self {
        let inner = evidence.between(from, to);
        let mut places = vec![from];
        places.extend(&inner);
        places.push(to);
        let ends = Location::of(&evidence.differences(from, to));
        let size = ends.map_or(0.0, |ends| ends.estimate);
        let measured = evidence.measured();
        let odds: Vec<f64> = (inner.iter())
            .map(|place| {
                if measured.contains(place) {
                    log_odds(evidence, (from, *place, to), (rules, size))
                } else {
                    0.0
                }
            })
            .collect();
        // The change at or before a candidate puts it on the side of the later end.
        let weight = |class: usize| {
            let prior = ((places[class + 1] - places[class]) as f64).ln();
            let sides = odds.iter().enumerate();
            let told: f64 = sides
                .map(|(place, odds)| {
                    if place >= class {
                        0.5 * odds
                    } else {
                        -0.5 * odds
                    }
                })
                .sum();
            prior + told
        };
        let weights: Vec<f64> = (0..=inner.len()).map(weight).collect();
        let most = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let shares: Vec<f64> = weights.iter().map(|it| (it - most).exp()).collect();
        let sum: f64 = shares.iter().sum();
        let chances = shares.iter().map(|it| it / sum).collect();
        Self { places, chances }
    }

    /// The likeliest pair of neighbours around the change, with its chance.
    pub(super) fn best(&self) -> ((usize, usize), f64) {
        let likelier = |best: usize, other: usize| {
            if self.chances[other] > self.chances[best] {
                other
            } else {
                best
            }
        };
        let best = (0..self.chances.len()).fold(0, likelier);
        (
            (self.places[best], self.places[best + 1]),
            self.chances[best],
        )
    }

    /// The chance that the change is at or before a place.
    pub(super) fn at_or_before(&self, place: usize) -> f64 {
        let classes = self.places.iter().skip(1).zip(&self.chances);
        let before = classes.filter(|(end, _)| **end <= place);
        before.map(|(_, chance)| chance).sum()
    }

    /// The least range around the best that has at least this chance.
    pub(super) fn credible(&self, wanted: f64) -> ((usize, usize), f64) {
        let ((low, _), mut chance) = self.best();
        let mut first = self.places.iter().position(|it| *it == low).unwrap_or(0);
        let mut last = first;
        while chance < wanted && (first > 0 || last + 1 < self.chances.len()) {
            let before = first.checked_sub(1).map(|it| self.chances[it]);
            let after = self.chances.get(last + 1).copied();
            if before.unwrap_or(-1.0) >= after.unwrap_or(-1.0) {
                first -= 1;
                chance += self.chances[first];
            } else {
                last += 1;
                chance += self.chances[last];
            }
        }
        ((self.places[first], self.places[last + 1]), chance)
    }
}

/// The logarithm of the odds that a candidate is like the later end and not like the earlier one, which differ by `size`, by
/// the blocks that all three took part in; 0 where there are too few.
fn log_odds(
    evidence: &Evidence,
    (from, place, to): (usize, usize, usize),
    (rules, size): (&BisectRules, f64),
) -> f64 {
    let all = [from, place, to];
    let (mut up, mut rest) = (Vec::new(), Vec::new());
    for block in evidence.with(&all) {
        up.push(block[&place] - block[&from]);
        rest.push(block[&to] - block[&place]);
    }
    if rules.exact {
        let sides = up.last().zip(rest.last());
        return sides.map_or(0.0, |(up, rest)| {
            if up.abs() > rest.abs() {
                2.0 * MOST_ODDS
            } else {
                -2.0 * MOST_ODDS
            }
        });
    }
    let n = up.len();
    if n < FIRST_LOOK {
        return 0.0;
    }
    let (Some(up), Some(rest)) = (Location::of(&up), Location::of(&rest)) else {
        return 0.0;
    };
    // Half of what the candidate is nearer to the one end than to the other. Each of the two differences is symmetric where
    // the noise is alike, whatever its law; a difference from the middle of the ends is not.
    let nearer = 0.5 * (up.estimate - rest.estimate);
    let influences = up.influences.iter().zip(&rest.influences);
    let error = standard_error(influences.map(|(up, rest)| 0.5 * (up - rest)));
    let half = 0.5 * size;
    let df = n as f64 - 1.0;
    // Student's likelihood, in which the spread is unknown.
    let far = |at: f64| ((nearer - at) / error).powi(2) / df;
    let odds = 0.5 * (df + 1.0) * ((1.0 + far(-half)) / (1.0 + far(half))).ln();
    odds.clamp(-MOST_ODDS, MOST_ODDS)
}
