//! How two commits differ, by the blocks in which both took part.

use super::evidence::Evidence;
use super::location::{Location, standard_error};
use super::rules::BisectRules;
use fairtrial_stats::sequential::t_multiplier;
use serde::Serialize;

/// Blocks before the first look.
pub(super) const FIRST_LOOK: usize = 5;
/// Each look is at so many times the blocks of the one before.
const GROWTH: f64 = 1.1;
/// The spread of the effects that the mixture of the confidence sequence bets on, in standard deviations.
const TAU2: f64 = 1.0;

/// Whether two commits differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Apart {
    /// It cannot be told yet.
    Open,
    /// By less than what matters.
    Alike,
    /// They differ, by at least what matters as far as is known.
    Differ,
}

/// How the later of two commits differs from the earlier one. Numbers are ratios.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Difference {
    /// Blocks in which both took part.
    pub blocks: usize,
    /// The value of the later over that of the earlier one; absent where no block has both.
    pub ratio: Option<f64>,
    /// Its interval, valid at every look (a confidence sequence); absent where there are too few blocks.
    pub interval: Option<[f64; 2]>,
    /// What the first look said that told.
    pub apart: Apart,
    /// The estimate over its standard error, as far as is known.
    #[serde(skip)]
    t: f64,
}

/// An open difference of so many standard errors is worth more blocks.
const SUSPICIOUS: f64 = 2.0;

impl Difference {
    /// Whether it is still open, and so large that it probably matters.
    pub(super) fn is_suspicious(&self, margin: f64) -> bool {
        let large = self.ratio.is_some_and(|it| it.ln().abs() >= margin);
        self.apart == Apart::Open && large && self.t.abs() >= SUSPICIOUS
    }

    /// Between two places; the answer of the first look that has one stays, unless a later one contradicts it.
    pub(super) fn of(
        evidence: &Evidence,
        (from, to): (usize, usize),
        (rules, alpha): (&BisectRules, f64),
    ) -> Self {
        let all = evidence.differences(from, to);
        if rules.exact {
            return exactly(&all, rules.margin);
        }
        let looks: Vec<usize> = looks(all.len()).collect();
        let look = |n: usize| Look::at(&all[..n], alpha);
        let told = |n: &usize| {
            let apart = look(*n)?.told(rules.margin);
            (apart != Apart::Open).then_some(apart)
        };
        let last = looks.last().and_then(|n| look(*n));
        let before = Location::of(&all).map(|it| it.estimate);
        Self {
            blocks: all.len(),
            ratio: last.as_ref().map(|it| it.estimate).or(before).map(f64::exp),
            t: last.as_ref().map_or(0.0, |it| it.estimate / it.error),
            interval: last.and_then(|it| it.bounded()),
            // A difference that is not seen any more was none.
            apart: match looks.last().and_then(told) {
                Some(Apart::Alike) => Apart::Alike,
                _ => looks.iter().find_map(told).unwrap_or(Apart::Open),
            },
        }
    }
}

/// What is seen at a look.
struct Look {
    estimate: f64,
    error: f64,
    /// Half of the width of the confidence sequence.
    half: f64,
}

impl Look {
    fn at(differences: &[f64], alpha: f64) -> Option<Self> {
        let seen = Location::of(differences)?;
        let error = standard_error(seen.influences.iter().copied());
        Some(Self {
            estimate: seen.estimate,
            error,
            half: t_multiplier(differences.len(), TAU2, alpha) * error,
        })
    }

    fn told(&self, margin: f64) -> Apart {
        let (low, high) = (self.estimate - self.half, self.estimate + self.half);
        if low > -margin && high < margin {
            Apart::Alike
        } else if (low > 0.0 || high < 0.0) && self.estimate.abs() >= margin {
            Apart::Differ
        } else {
            Apart::Open
        }
    }

    fn bounded(&self) -> Option<[f64; 2]> {
        let ends = [self.estimate - self.half, self.estimate + self.half];
        self.half.is_finite().then(|| ends.map(f64::exp))
    }
}

/// Of what is counted and not measured, once is enough.
fn exactly(all: &[f64], margin: f64) -> Difference {
    let last = all.last().copied();
    Difference {
        blocks: all.len(),
        t: 0.0,
        ratio: last.map(f64::exp),
        interval: last.map(|it| [it.exp(), it.exp()]),
        apart: match last {
            None => Apart::Open,
            Some(it) if it.abs() < margin => Apart::Alike,
            Some(_) => Apart::Differ,
        },
    }
}

/// The looks among so many blocks.
pub(super) fn looks(blocks: usize) -> impl Iterator<Item = usize> {
    let after = |at: &usize| Some(((*at as f64 * GROWTH) as usize).max(at + 1));
    std::iter::successors(Some(FIRST_LOOK), after).take_while(move |at| *at <= blocks)
}
