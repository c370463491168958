//! The exact sign-flip variant: if the arms are interchangeable within a pair, every pattern of signs is equally likely.
//! At each look the patterns with the largest |sum| are rejected, as many as the spending allows among those that no
//! earlier look rejected. No assumption about the distribution; no answer before six pairs.

use serde::Serialize;

use super::Design;
use crate::rng::{Purpose, Source, Stream};
use crate::sample::{at_least, max_abs};
use crate::{Explain, Outcome, Undefined};
use fairtrial_text::significant::short;

/// All patterns up to this many pairs, draws beyond.
const ENUMERATED: usize = 20;
/// Patterns drawn beyond, the observed one included.
const DRAWN: usize = 1_000_000;
const PURPOSE: Purpose = Purpose::new("sequential/sign-flip");

/// One look of the sign-flip variant.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SignFlipLook {
    /// Pairs so far.
    pub n: usize,
    /// The sum of the differences.
    pub sum: f64,
    /// Reject when |sum| reaches this; none where the spending allows no pattern yet.
    pub boundary: Option<f64>,
    /// The share of patterns rejected up to and including this look.
    pub spent: f64,
    /// Whether this look rejects.
    pub rejected: bool,
}

/// All looks so far.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SignFlipLooks {
    /// The method.
    pub method: &'static str,
    /// Pairs so far.
    pub n: usize,
    /// The looks.
    pub looks: Vec<SignFlipLook>,
    /// The first look that rejects, counted from 1; what comes after it does not count.
    pub stopped_at: Option<usize>,
    /// The seed, where patterns were drawn and not enumerated.
    pub seed: Option<u64>,
}

impl Explain for SignFlipLooks {
    fn reading(&self) -> String {
        match self.stopped_at.and_then(|look| self.looks.get(look - 1)) {
            Some(look) => format!(
                "The arms are not interchangeable: after {} pairs the sum of the differences, {}, is beyond its boundary.",
                look.n,
                short(look.sum)
            ),
            None => format!(
                "After {} pairs nothing speaks against the arms being interchangeable.",
                self.n
            ),
        }
    }
}

/// Takes every planned look that the differences reach.
pub fn sign_flip_looks(design: &Design, differences: &[f64], seed: u64) -> Outcome<SignFlipLooks> {
    design.checked()?;
    at_least("a sign-flip look", "the differences", differences, 2)?;
    let reached: Vec<usize> = design
        .schedule
        .looks()
        .iter()
        .copied()
        .filter(|&n| n <= differences.len())
        .collect();
    let Some(&last) = reached.last() else {
        return Err(Undefined::TooFew {
            method: "the first planned look".into(),
            have: differences.len(),
            need: design.schedule.looks()[0],
        });
    };
    let drawn = last > ENUMERATED;
    let mut patterns = if drawn {
        Patterns::drawn(seed)
    } else {
        Patterns::all()
    };
    let slack = 1e-12 * max_abs(differences) * last as f64;
    let mut looks: Vec<SignFlipLook> = Vec::new();
    for &n in &reached {
        patterns.extend(&differences[..n]);
        let allowed = design
            .spending
            .cumulative(design.alpha, n as f64 / design.schedule.budget() as f64);
        let boundary = patterns.reject(allowed, slack);
        let sum: f64 = differences[..n].iter().sum();
        let rejected = boundary.is_some_and(|b| sum.abs() >= b - slack);
        looks.push(SignFlipLook {
            n,
            sum,
            boundary,
            spent: patterns.spent(),
            rejected,
        });
    }
    let stopped_at = looks
        .iter()
        .position(|look| look.rejected)
        .map(|index| index + 1);
    Ok(SignFlipLooks {
        method: "group-sequential sign-flip",
        n: last,
        looks,
        stopped_at,
        seed: drawn.then_some(seed),
    })
}

/// The sums of the differences under sign patterns, and which of them an earlier look rejected.
struct Patterns {
    sums: Vec<f64>,
    rejected: Vec<bool>,
    pairs: usize,
    streams: Option<Vec<Stream>>,
}

impl Patterns {
    /// All of them; the first sign is fixed, because |sum| does not change when all signs do.
    fn all() -> Self {
        Self {
            sums: vec![0.0],
            rejected: vec![false],
            pairs: 0,
            streams: None,
        }
    }

    /// Drawn ones behind the observed pattern, which comes first.
    fn drawn(seed: u64) -> Self {
        let source = Source {
            seed,
            purpose: PURPOSE,
        };
        let streams = (0..DRAWN.div_ceil(Source::BLOCK))
            .map(|block| source.block(block as u64))
            .collect();
        Self {
            sums: vec![0.0; DRAWN],
            rejected: vec![false; DRAWN],
            pairs: 0,
            streams: Some(streams),
        }
    }

    fn extend(&mut self, differences: &[f64]) {
        for (index, &d) in differences.iter().enumerate().skip(self.pairs) {
            match &mut self.streams {
                Some(streams) => {
                    for (stream, block) in
                        streams.iter_mut().zip(self.sums.chunks_mut(Source::BLOCK))
                    {
                        add_with_signs(stream, block, d);
                    }
                    // The observed pattern has all signs as they are; undo what its draw did.
                    self.sums[0] = differences[..=index].iter().sum();
                }
                None if index == 0 => self.sums[0] = d,
                None => self.split(d),
            }
        }
        self.pairs = differences.len();
    }

    /// Every pattern goes on with either sign; children share their parent's fate.
    fn split(&mut self, d: f64) {
        let count = self.sums.len();
        self.sums.extend_from_within(..);
        self.rejected.extend_from_within(..);
        for sum in &mut self.sums[..count] {
            *sum += d;
        }
        for sum in &mut self.sums[count..] {
            *sum -= d;
        }
    }

    fn spent(&self) -> f64 {
        self.rejected.iter().filter(|&&r| r).count() as f64 / self.rejected.len() as f64
    }

    /// Rejects the largest |sum| among the patterns left, as long as `allowed` is not exceeded; ties go together.
    fn reject(&mut self, allowed: f64, slack: f64) -> Option<f64> {
        let before = self.rejected.iter().filter(|&&r| r).count();
        let room = (allowed * self.sums.len() as f64 * (1.0 + 1e-12)).floor() as usize;
        let mut alive: Vec<f64> = self
            .sums
            .iter()
            .zip(&self.rejected)
            .filter(|(_, r)| !**r)
            .map(|(s, _)| s.abs())
            .collect();
        alive.sort_unstable_by(|a, b| b.total_cmp(a));
        let mut taken = room.saturating_sub(before).min(alive.len());
        while taken > 0 && taken < alive.len() && alive[taken - 1] - alive[taken] <= slack {
            taken -= 1;
        }
        if taken == 0 {
            return None;
        }
        let boundary = alive[taken - 1];
        for (sum, rejected) in self.sums.iter().zip(&mut self.rejected) {
            *rejected |= sum.abs() >= boundary - slack;
        }
        Some(boundary)
    }
}

fn add_with_signs(stream: &mut Stream, block: &mut [f64], d: f64) {
    for chunk in block.chunks_mut(64) {
        let mut bits = stream.next_u64();
        for sum in chunk {
            *sum += if bits & 1 == 1 { d } else { -d };
            bits >>= 1;
        }
    }
}
