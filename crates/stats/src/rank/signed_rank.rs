//! Wilcoxon's signed-rank test for pairs.

use serde::Serialize;

use crate::dist::normal;
use crate::sample::{self, dropped};
use crate::{Dropped, Explain, Outcome, Side, Undefined};
use fairtrial_text::count::counted;
use fairtrial_text::share::p_value;

use super::counting::{signed_sum_distribution, tails};
use super::method::{Continuity, RankMethod};
use super::midranks::{Midranks, tie_term};

/// Up to this many differences the exact count takes a few milliseconds.
const EXACT_LIMIT: usize = 200;
/// Beyond this the exact count takes minutes, and the approximation has long been as good.
const EXACT_MOST: usize = 1000;

/// What happens to pairs without a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum Zeros {
    /// They are left out and counted (Wilcoxon).
    #[default]
    Drop,
    /// They take the lowest ranks, which are then left out (Pratt).
    Pratt,
    /// Their ranks go half to each side.
    Split,
}

/// Choices of the signed-rank test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct SignedRankOptions {
    /// How the p value is found.
    pub method: RankMethod,
    /// What happens to zero differences.
    pub zeros: Zeros,
    /// Which deviations count.
    pub side: Side,
}

impl Default for SignedRankOptions {
    fn default() -> Self {
        Self {
            method: RankMethod::Auto,
            zeros: Zeros::Drop,
            side: Side::TwoSided,
        }
    }
}

/// The signed-rank test.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SignedRank {
    /// What was computed.
    pub method: &'static str,
    /// Differences that were not zero.
    pub n: usize,
    /// Zero differences that were left out.
    pub dropped: Option<Dropped>,
    /// Sum of the ranks of positive differences.
    pub w_plus: f64,
    /// Sum of the ranks of negative differences.
    pub w_minus: f64,
    /// The normal deviate, in the approximation.
    pub z: Option<f64>,
    /// The p value of "symmetric around zero".
    pub p: f64,
    /// Which deviations count.
    pub side: Side,
    /// The smallest p that this many differences can give, in the exact test.
    pub smallest_p: Option<f64>,
}

/// The signed-rank test of differences that are already formed.
pub fn signed_rank_of(differences: &[f64], options: SignedRankOptions) -> Outcome<SignedRank> {
    sample::finite("the differences", differences)?;
    test(differences, sample::max_abs(differences), options)
}

/// Signs and ranks after the zeros have been dealt with.
struct Signed {
    positive: Vec<bool>,
    doubled: Vec<u64>,
    /// Doubled rank sum of the zeros, where they are split.
    split: u64,
    /// Zeros that take ranks without counting (Pratt).
    pratt: usize,
    /// All that takes a rank.
    ranked: usize,
    ties: Vec<u64>,
}

fn test(differences: &[f64], scale: f64, options: SignedRankOptions) -> Outcome<SignedRank> {
    sample::finite("the differences", differences)?;
    let tolerance = 1e-12 * scale;
    let zeros = differences.iter().filter(|d| d.abs() <= tolerance).count();
    let n = differences.len() - zeros;
    if n == 0 {
        return Err(Undefined::ZeroVariance {
            what: "the difference between the arms".into(),
            value: 0.0,
        });
    }
    if n > EXACT_MOST && options.method == RankMethod::Exact {
        return Err(Undefined::NoSolution(format!(
            "the exact signed-rank test is offered up to {EXACT_MOST} differences: use the approximation"
        )));
    }
    let signed = rank(differences, tolerance, options.zeros);
    let plus: u64 = signed
        .doubled
        .iter()
        .zip(&signed.positive)
        .filter(|(_, p)| **p)
        .map(|(r, _)| r)
        .sum();
    let total: u64 = signed.doubled.iter().sum();
    let half_split = signed.split as f64 / 4.0;
    let (p, z) = match chosen(options.method, n) {
        RankMethod::Asymptotic(continuity) => approximate(&signed, plus, continuity, options.side),
        _ => (exact(&signed.doubled, plus, options.side), None),
    };
    Ok(SignedRank {
        method: if z.is_some() {
            "Wilcoxon signed rank (normal approximation)"
        } else {
            "Wilcoxon signed rank (exact)"
        },
        n,
        dropped: (options.zeros == Zeros::Drop)
            .then(|| dropped(zeros, "zero difference"))
            .flatten(),
        w_plus: plus as f64 / 2.0 + half_split,
        w_minus: (total - plus) as f64 / 2.0 + half_split,
        z,
        p,
        side: options.side,
        smallest_p: z.is_none().then(|| smallest(n, options.side)),
    })
}

fn chosen(method: RankMethod, n: usize) -> RankMethod {
    match method {
        RankMethod::Auto if n <= EXACT_LIMIT => RankMethod::Exact,
        RankMethod::Auto => RankMethod::Asymptotic(Continuity::Corrected),
        other => other,
    }
}

fn smallest(n: usize, side: Side) -> f64 {
    let one = 0.5f64.powi(n.min(1074) as i32);
    if side == Side::TwoSided {
        2.0 * one
    } else {
        one
    }
}

fn rank(differences: &[f64], tolerance: f64, zeros: Zeros) -> Signed {
    let is_zero = |d: &f64| d.abs() <= tolerance;
    let kept: Vec<f64> = differences
        .iter()
        .copied()
        .filter(|d| zeros != Zeros::Drop || !is_zero(d))
        .collect();
    let sizes: Vec<f64> = kept
        .iter()
        .map(|d| if is_zero(d) { 0.0 } else { d.abs() })
        .collect();
    let ranks = Midranks::of(&sizes, tolerance);
    let (mut positive, mut doubled, mut split, mut count) = (Vec::new(), Vec::new(), 0, 0);
    for (d, r) in kept.iter().zip(&ranks.doubled) {
        if is_zero(d) {
            split += r;
            count += 1;
        } else {
            positive.push(*d > 0.0);
            doubled.push(*r);
        }
    }
    let pratt = if zeros == Zeros::Pratt { count } else { 0 };
    // Pratt's zeros are the lowest group; they do not count as ties.
    let ties = if pratt > 0 {
        ranks.ties[1..].to_vec()
    } else {
        ranks.ties
    };
    Signed {
        positive,
        doubled,
        split: if pratt > 0 { 0 } else { split },
        pratt,
        ranked: kept.len(),
        ties,
    }
}

fn exact(doubled: &[u64], plus: u64, side: Side) -> f64 {
    let chance = signed_sum_distribution(doubled);
    let (below, above) = tails(&chance, plus as usize);
    side.p_value(above, below)
}

fn approximate(
    signed: &Signed,
    plus: u64,
    continuity: Continuity,
    side: Side,
) -> (f64, Option<f64>) {
    let triple = |n: usize| n as f64 * (n as f64 + 1.0) * (2.0 * n as f64 + 1.0);
    let pairs = |n: usize| n as f64 * (n as f64 + 1.0) / 4.0;
    let mean = pairs(signed.ranked) - pairs(signed.pratt);
    let variance =
        (triple(signed.ranked) - triple(signed.pratt) - tie_term(&signed.ties) / 2.0) / 24.0;
    let w = plus as f64 / 2.0 + signed.split as f64 / 4.0;
    let plain = (w - mean) / variance.sqrt();
    let step = match (continuity, side) {
        (Continuity::Plain, _) => 0.0,
        (_, Side::Greater) => 0.5,
        (_, Side::Less) => -0.5,
        (_, Side::TwoSided) if w == mean => 0.0,
        (_, Side::TwoSided) => 0.5f64.copysign(w - mean),
    };
    let z = plain - step / variance.sqrt();
    (side.p_value(normal::sf(z), normal::cdf(z)), Some(z))
}

impl Explain for SignedRank {
    fn reading(&self) -> String {
        let left_out = self.dropped.as_ref().map_or(String::new(), |d| {
            format!(", {} without a difference left out", d.count)
        });
        let limit = match self.smallest_p {
            Some(p) if p > 0.05 => format!(
                " With {} no result can reach 0.05.",
                counted(self.n, "difference")
            ),
            _ => String::new(),
        };
        format!(
            "{} over {}{left_out}: {} that the differences are symmetric around zero.{limit}",
            self.method,
            counted(self.n, "difference"),
            p_value(self.p)
        )
    }
}
