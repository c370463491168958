//! One look of a group-sequential test: the statistic against its boundary, the repeated interval, and what to do next.
//!
//! The boundary is that of t. The sign-flip test goes by the same chance at each look: its p value against that of the
//! boundary, and its interval at that level, so that word and interval agree.

use serde::Serialize;

use super::futility::{ConditionalPower, Futility, SoFar};
use super::t_boundary::TBoundaries;
use crate::descriptive::Moments;
use crate::dist::student_t;
use crate::permutation::flipped_mean;
use crate::rank::{SignedRankOptions, paired_location, signed_rank_of};
use crate::sample::{at_least, representable};
use crate::{Dropped, Explain, Interval, Level, Outcome, Undefined};
use fairtrial_text::significant::short;

/// The least chance that can be told apart from none.
const LEAST_CHANCE: f64 = 1e-12;

/// By which test a look judges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LookTest {
    /// Student's t.
    T,
    /// The sign-flip test of the mean.
    SignFlip,
    /// Wilcoxon's signed-rank test, with the Hodges-Lehmann estimate: of the typical pair, which rare slow runs do not move.
    SignedRank,
}

/// What a look says to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// The mean difference is above zero: stop.
    Greater,
    /// The mean difference is below zero: stop.
    Less,
    /// Go on to the next look.
    Continue,
    /// The rest of the budget can hardly change the answer: stopping is advised, not required.
    Futile,
    /// The budget is used up without an answer.
    Exhausted,
}

/// The result of one look.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LookResult {
    /// The method.
    pub method: &'static str,
    /// Which look, counted from 1.
    pub look: usize,
    /// Pairs so far.
    pub n: usize,
    /// The mean difference.
    pub estimate: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// The t statistic; of the sign-flip test, the one with the same p value.
    pub t: f64,
    /// The boundary for |t| at this look.
    pub critical: f64,
    /// The repeated interval: valid at every look and when stopping, unlike the usual one.
    pub interval: Interval,
    /// The chance that the rest of the budget brings an answer; none at the last look or where it was not asked for.
    pub conditional_power: Option<ConditionalPower>,
    /// What to do.
    pub decision: Decision,
    /// What was left out.
    pub dropped: Vec<Dropped>,
}

impl Explain for LookResult {
    fn reading(&self) -> String {
        let verdict = match self.decision {
            Decision::Greater => "The difference is above zero; stop here.",
            Decision::Less => "The difference is below zero; stop here.",
            Decision::Continue => "No answer yet; go on.",
            Decision::Futile => {
                "No answer yet, and the rest of the budget will probably not bring one; stopping is advised."
            }
            Decision::Exhausted => "The budget is used up without an answer.",
        };
        format!(
            "{verdict} Look {} after {} pairs: mean difference {}; {} (repeated interval, valid at every look).",
            self.look,
            self.n,
            short(self.estimate),
            self.interval.words()
        )
    }
}

/// Looks at the differences so far. Their number must be one of the planned looks.
pub fn look(
    boundaries: &TBoundaries,
    differences: &[f64],
    futility: Option<&Futility>,
    test: LookTest,
) -> Outcome<LookResult> {
    at_least("a look", "the differences", differences, 2)?;
    let n = differences.len();
    let schedule = &boundaries.design.schedule;
    let index = schedule.place_of(n)?;
    let moments = Moments::of(differences);
    let critical = boundaries.critical[index];
    let alpha = boundaries.design.alpha;
    let (method, seen) = match test {
        LookTest::T => (
            "group-sequential t",
            by_t(&moments, differences, critical, alpha)?,
        ),
        LookTest::SignFlip => (
            "group-sequential sign-flip test",
            by_sign_flips(&moments, differences, critical, alpha)?,
        ),
        LookTest::SignedRank => (
            "group-sequential signed-rank test",
            by_signed_ranks(&moments, differences, critical, alpha)?,
        ),
    };
    let Statistic {
        estimate,
        t,
        interval,
    } = seen;
    let conditional_power = futility.and_then(|f| {
        f.power(
            boundaries,
            SoFar {
                n,
                t,
                sd: moments.sd(),
            },
        )
    });
    let rest = Rest {
        last: index + 1 == schedule.looks().len(),
        power: conditional_power,
        below: futility.map_or(0.0, |f| f.below),
    };
    Ok(LookResult {
        method,
        look: index + 1,
        n,
        estimate,
        standard_error: moments.standard_error(),
        t,
        critical,
        interval,
        conditional_power,
        decision: decide(t, critical, &rest),
        dropped: Vec::new(),
    })
}

/// What a test says at a look.
pub(super) struct Statistic {
    pub(super) estimate: f64,
    pub(super) t: f64,
    pub(super) interval: Interval,
}

pub(super) fn by_t(
    moments: &Moments,
    differences: &[f64],
    critical: f64,
    alpha: f64,
) -> Outcome<Statistic> {
    if moments.is_constant() {
        return Err(Undefined::ZeroVariance {
            what: "the difference".into(),
            value: differences[0],
        });
    }
    let standard_error = representable("the standard error", moments.standard_error())?;
    let t = representable("t", moments.mean / standard_error)?;
    let level = Level::two_sided(alpha);
    let interval = Interval::around(moments.mean, standard_error, level, |_| critical);
    let interval = if critical.is_finite() {
        interval.representable()?
    } else {
        interval
    };
    Ok(Statistic {
        estimate: moments.mean,
        t,
        interval,
    })
}

pub(super) fn by_sign_flips(
    moments: &Moments,
    differences: &[f64],
    critical: f64,
    alpha: f64,
) -> Outcome<Statistic> {
    let df = moments.n - 1.0;
    let at_this_look = student_t::two_sided(critical, df).max(LEAST_CHANCE);
    let found = flipped_mean(differences, Level::two_sided(at_this_look))?;
    let interval = Interval {
        level: Level::two_sided(alpha),
        ..found.interval
    };
    Ok(Statistic {
        estimate: found.estimate,
        t: student_t::inverse_sf(0.5 * found.p, df).copysign(found.estimate),
        interval,
    })
}

fn by_signed_ranks(
    moments: &Moments,
    differences: &[f64],
    critical: f64,
    alpha: f64,
) -> Outcome<Statistic> {
    let df = moments.n - 1.0;
    let at_this_look = student_t::two_sided(critical, df).max(LEAST_CHANCE);
    let found = paired_location(differences, Level::two_sided(at_this_look))?;
    let level = Level::two_sided(alpha);
    let unbounded = Interval {
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
        level,
    };
    let interval = found
        .interval
        .map_or(unbounded, |found| Interval { level, ..found });
    let p = signed_rank_of(differences, SignedRankOptions::default())?.p;
    let t = student_t::inverse_sf(0.5 * p.max(LEAST_CHANCE), df);
    // Ties and zeros move the test and the interval by different steps; the interval is what is shown, so it decides.
    let excludes_zero = interval.low > 0.0 || interval.high < 0.0;
    let t = if excludes_zero {
        t.max(critical)
    } else {
        t.min(critical.next_down())
    };
    Ok(Statistic {
        estimate: found.estimate,
        t: t.copysign(found.estimate),
        interval,
    })
}

/// What lies behind this look.
pub(super) struct Rest {
    pub(super) last: bool,
    pub(super) power: Option<ConditionalPower>,
    pub(super) below: f64,
}

pub(super) fn decide(t: f64, critical: f64, rest: &Rest) -> Decision {
    if t >= critical {
        return Decision::Greater;
    }
    if t <= -critical {
        return Decision::Less;
    }
    if rest.last {
        return Decision::Exhausted;
    }
    match rest.power {
        Some(power) if power.up < rest.below && power.down < rest.below => Decision::Futile,
        _ => Decision::Continue,
    }
}
