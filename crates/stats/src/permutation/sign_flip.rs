//! The sign-flip test of paired differences: under "no effect", each difference could as well have the other sign.

use serde::Serialize;

use crate::rng::{Purpose, Source, Stream};
use crate::sample;
use crate::{Explain, Outcome, Side, Undefined};
use fairtrial_text::count::counted;
use fairtrial_text::share::p_value;
use fairtrial_text::significant::short;

use super::options::Options;
use super::sums::{pairs_at_least, pairs_at_most, signed_sums};
use super::tally::{Extreme, SLACK, tally};

/// Up to this many differences all sign patterns are counted.
const EXACT_LIMIT: usize = 40;

/// What random sign patterns are drawn for.
pub(super) const SIGN_FLIPS: Purpose = Purpose::new("sign-flip test");

/// The sign-flip test.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SignFlip {
    /// What was computed.
    pub method: &'static str,
    /// Pairs; those without a difference stay in.
    pub n: usize,
    /// Mean difference candidate - control.
    pub estimate: f64,
    /// The p value of "the arms are exchangeable within a pair".
    pub p: f64,
    /// Which deviations count.
    pub side: Side,
    /// Sign patterns looked at: all of them, or the random ones.
    pub patterns: u64,
    /// Whether all patterns were counted.
    pub exact: bool,
    /// The smallest p that this many pairs can give.
    pub smallest_p: f64,
}

/// The sign-flip test of candidate - control.
pub fn sign_flip(control: &[f64], candidate: &[f64], options: Options) -> Outcome<SignFlip> {
    sample::pairs("the sign-flip test", control, candidate, 1)?;
    sign_flip_of(&sample::differences(control, candidate), options)
}

/// The sign-flip test of differences that are already formed.
pub fn sign_flip_of(differences: &[f64], options: Options) -> Outcome<SignFlip> {
    sample::finite("the differences", differences)?;
    let n = differences.len();
    let scale = sample::max_abs(differences);
    if scale == 0.0 {
        return Err(Undefined::ZeroVariance {
            what: "the difference between the arms".into(),
            value: 0.0,
        });
    }
    // Scaled to at most 1, so that no sum can overflow.
    let scaled: Vec<f64> = differences.iter().map(|d| d / scale).collect();
    let sum: f64 = scaled.iter().sum();
    let slack = SLACK * scaled.iter().map(|d| d.abs()).sum::<f64>();
    let exact = n <= EXACT_LIMIT;
    let (extreme, patterns) = if exact {
        (enumerate(&scaled, sum, slack), 1u64 << n)
    } else {
        if options.draws == 0 {
            return Err(Undefined::BadArgument {
                name: "draws".into(),
                value: 0.0,
                expected: "at least 1".into(),
            });
        }
        (draw(&scaled, sum, slack, options), u64::from(options.draws))
    };
    let hits = extreme.of(options.side);
    let p = if exact {
        hits as f64 / patterns as f64
    } else {
        (hits as f64 + 1.0) / (patterns as f64 + 1.0)
    };
    let least = if options.side == Side::TwoSided {
        2.0
    } else {
        1.0
    };
    Ok(SignFlip {
        method: if exact {
            "sign-flip test (all patterns)"
        } else {
            "sign-flip test (random patterns)"
        },
        n,
        estimate: sum / n as f64 * scale,
        p,
        side: options.side,
        patterns,
        exact,
        smallest_p: if exact {
            least / patterns as f64
        } else {
            1.0 / (patterns as f64 + 1.0)
        },
    })
}

fn enumerate(scaled: &[f64], sum: f64, slack: f64) -> Extreme {
    let (left, right) = scaled.split_at(scaled.len() / 2);
    let (left, right) = (signed_sums(left), signed_sums(right));
    let above = pairs_at_least(&left, &right, sum - slack);
    let below = pairs_at_most(&left, &right, sum + slack);
    let size = sum.abs() - slack;
    let both = if size <= 0.0 {
        1 << scaled.len()
    } else {
        pairs_at_least(&left, &right, size) + pairs_at_most(&left, &right, -size)
    };
    Extreme { above, below, both }
}

/// Random sign patterns; eight differences at a time are looked up in a table of their 256 signed sums.
fn draw(scaled: &[f64], sum: f64, slack: f64, options: Options) -> Extreme {
    let tables: Vec<Vec<f64>> = scaled.chunks(8).map(sums_by_pattern).collect();
    let source = Source {
        seed: options.seed,
        purpose: SIGN_FLIPS,
    };
    tally(
        source,
        options.draws,
        || (),
        |(), stream| Extreme::judge(random_sum(&tables, stream), sum, slack),
    )
}

fn random_sum(tables: &[Vec<f64>], stream: &mut Stream) -> f64 {
    tables
        .chunks(8)
        .map(|eight| {
            let bits = stream.next_u64().to_le_bytes();
            eight
                .iter()
                .zip(bits)
                .map(|(table, byte)| table[usize::from(byte) % table.len()])
                .sum::<f64>()
        })
        .sum()
}

/// The signed sum of a few differences for every pattern of signs.
pub(super) fn sums_by_pattern(chunk: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; 1 << chunk.len()];
    fill_sums_by_pattern(chunk, &mut sums);
    sums
}

/// The same into a table that has room for them.
pub(super) fn fill_sums_by_pattern(chunk: &[f64], sums: &mut [f64]) {
    sums[0] = 0.0;
    for (place, difference) in chunk.iter().enumerate() {
        // A pattern's bits count from the first difference, so those with this one's sign come behind.
        let (flipped, rest) = sums.split_at_mut(1 << place);
        for (flipped, kept) in flipped.iter_mut().zip(rest) {
            *kept = *flipped + difference;
            *flipped -= difference;
        }
    }
}

impl Explain for SignFlip {
    fn reading(&self) -> String {
        let limit = if self.smallest_p > 0.05 {
            format!(
                " With {} no result can reach 0.05.",
                counted(self.n, "pair")
            )
        } else {
            String::new()
        };
        format!(
            "If the arms were interchangeable, a mean difference as large as {} would come up with {} ({}, {}).{limit}",
            short(self.estimate),
            p_value(self.p),
            self.method,
            counted(self.n, "pair")
        )
    }
}
