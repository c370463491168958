//! One-way analysis of variance, which Levene's test is made of.

use crate::descriptive::{Moments, sum};
use crate::dist::fisher_f;
use crate::sample::{self, representable};
use crate::{Outcome, Undefined};

/// One-way analysis of variance.
pub(super) struct OneWay {
    /// The statistic.
    pub(super) f: f64,
    /// The p value of "one mean".
    pub(super) p: f64,
}

/// One-way analysis of variance of independent arms with one common variance.
pub(super) fn one_way(arms: &[&[f64]]) -> Outcome<OneWay> {
    if arms.len() < 2 {
        return Err(Undefined::TooFew {
            method: "analysis of variance (arms)".into(),
            have: arms.len(),
            need: 2,
        });
    }
    for arm in arms {
        sample::at_least("analysis of variance", "an arm", arm, 1)?;
    }
    let parts: Vec<Moments> = arms.iter().map(|arm| Moments::of(arm)).collect();
    let all: Vec<f64> = arms.concat();
    let grand = Moments::of(&all);
    let (df_between, df_within) = (parts.len() as f64 - 1.0, grand.n - parts.len() as f64);
    if df_within < 1.0 {
        return Err(Undefined::TooFew {
            method: "analysis of variance".into(),
            have: all.len(),
            need: arms.len() + 1,
        });
    }
    let within = sum(parts.iter().map(|p| p.squares)) / df_within;
    if sample::is_constant(within.sqrt(), grand.max_abs) {
        return Err(Undefined::ZeroVariance {
            what: "each arm".into(),
            value: parts[0].mean,
        });
    }
    let between = sum(parts.iter().map(|p| p.n * p.minus(&grand).powi(2))) / df_between;
    let f = representable("F", between / within)?;
    Ok(OneWay {
        f,
        p: fisher_f::sf(f, df_between, df_within),
    })
}
