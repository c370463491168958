//! Power, sample size and smallest detectable effect of t tests, by the non-central t distribution.

use serde::Serialize;

use crate::dist::{increasing_root, noncentral_t, student_t};
use crate::sample;
use crate::{Explain, Level, Outcome, Side, Undefined};
use fairtrial_text::significant::short;

/// The largest sample size that is looked for.
pub(super) const LARGEST_N: f64 = 1e9;

/// The design of a t test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TDesign {
    /// Pairs; the effect is in standard deviations of the differences, n counts pairs.
    Paired,
    /// Two independent arms of equal size; the effect is in standard deviations of one arm, n counts runs per arm.
    Unpaired,
}

impl TDesign {
    fn df(self, n: f64) -> f64 {
        match self {
            Self::Paired => n - 1.0,
            Self::Unpaired => 2.0 * n - 2.0,
        }
    }

    fn noncentrality(self, effect: f64, n: f64) -> f64 {
        match self {
            Self::Paired => effect * n.sqrt(),
            Self::Unpaired => effect * (0.5 * n).sqrt(),
        }
    }

    /// "pairs" or "runs per arm".
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Paired => "pairs",
            Self::Unpaired => "runs per arm",
        }
    }

    /// The chance of a significant result, over so many tasks; `n` may be fractional.
    fn power(self, effect: f64, (n, tasks): (f64, f64), level: Level) -> f64 {
        let (df, nc) = (tasks * self.df(n), self.noncentrality(effect, n));
        let above = |tail: f64| noncentral_t::sf(student_t::inverse_sf(tail, df), df, nc);
        let below = |tail: f64| noncentral_t::cdf(-student_t::inverse_sf(tail, df), df, nc);
        match level.side {
            Side::TwoSided => (above(level.alpha / 2.0) + below(level.alpha / 2.0)).min(1.0),
            Side::Greater => above(level.alpha),
            Side::Less => below(level.alpha),
        }
    }
}

/// The power of a planned test.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PowerAt {
    /// What was computed.
    pub method: &'static str,
    /// The design.
    pub design: TDesign,
    /// Pairs, or runs per arm.
    pub n: usize,
    /// The effect in standard deviations.
    pub effect: f64,
    /// The chance of a significant result.
    pub power: f64,
    /// The level of the test.
    pub level: Level,
}

const METHOD: &str = "non-central t";

/// The power of a t test with `n` pairs or runs per arm.
pub fn power(design: TDesign, effect: f64, n: usize, level: Level) -> Outcome<PowerAt> {
    power_over((design, 1.0), effect, n, level)
}

/// The same for a mean over tasks with equal weights, each with `n` of its own. The effect is in standard deviations of
/// that mean as if of one pair or run; `tasks` is how many of equal noise they are worth, which is how many times better
/// than by one task alone the noise is known ([`tasks_worth`]).
pub fn power_over(
    (design, tasks): (TDesign, f64),
    effect: f64,
    n: usize,
    level: Level,
) -> Outcome<PowerAt> {
    let level = level.checked()?;
    some_tasks(tasks)?;
    finite_effect(effect)?;
    if n < 2 {
        return Err(Undefined::TooFew {
            method: "a t test".into(),
            have: n,
            need: 2,
        });
    }
    let found = design.power(effect, (n as f64, tasks), level);
    let power = sample::representable("the power", found)?;
    Ok(PowerAt {
        method: METHOD,
        design,
        n,
        effect,
        power,
        level,
    })
}

/// How many tasks of equal noise tasks are worth, by Satterthwaite: of each task (of each arm, without pairs) the
/// variance of one pair or run and their number. Two of very unequal noise are hardly more than one.
pub fn tasks_worth(design: TDesign, parts: &[(f64, usize)]) -> f64 {
    let of_mean = |(variance, n): &(f64, usize)| variance / *n as f64;
    let sum: f64 = parts.iter().map(of_mean).sum();
    let squares = parts
        .iter()
        .map(|part| of_mean(part).powi(2) / (part.1 as f64 - 1.0));
    let runs: usize = parts.iter().map(|(_, n)| n).sum();
    let one = design.df(runs as f64 / parts.len() as f64);
    let worth = sum * sum / squares.sum::<f64>() / one;
    // Where nothing varies, or nothing is known, it is one.
    if worth.is_finite() && worth > 0.0 {
        worth
    } else {
        1.0
    }
}

fn some_tasks(tasks: f64) -> Outcome<f64> {
    if tasks.is_finite() && tasks > 0.0 {
        return Ok(tasks);
    }
    Err(Undefined::BadArgument {
        name: "tasks".into(),
        value: tasks,
        expected: "a number above 0".into(),
    })
}

fn finite_effect(effect: f64) -> Outcome<f64> {
    if effect.is_finite() {
        return Ok(effect);
    }
    Err(Undefined::BadArgument {
        name: "effect".into(),
        value: effect,
        expected: "a finite number".into(),
    })
}

impl Explain for PowerAt {
    fn reading(&self) -> String {
        format!(
            "{} {} find an effect of {} sd in {} % of experiments.",
            self.n,
            self.design.unit(),
            short(self.effect),
            short(100.0 * self.power)
        )
    }
}

/// How many runs an effect needs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SampleSize {
    /// What was computed.
    pub method: &'static str,
    /// The design.
    pub design: TDesign,
    /// Pairs, or runs per arm; rounded up.
    pub n: u64,
    /// The same before rounding; absent where two are more than enough.
    pub n_exact: Option<f64>,
    /// The power that `n` really gives.
    pub achieved_power: f64,
    /// The effect in standard deviations.
    pub effect: f64,
    /// The power asked for.
    pub power: f64,
    /// The level of the test.
    pub level: Level,
}

/// The smallest number of pairs, or of runs per arm, that finds `effect` with chance `power`.
///
/// An effect of zero, or one in the wrong direction for a one-sided test, is found by no number of runs.
pub fn sample_size(design: TDesign, effect: f64, power: f64, level: Level) -> Outcome<SampleSize> {
    sample_size_over((design, 1.0), effect, power, level)
}

/// The same in each of several tasks, as in [`power_over`].
pub fn sample_size_over(
    (design, tasks): (TDesign, f64),
    effect: f64,
    power: f64,
    level: Level,
) -> Outcome<SampleSize> {
    let level = level.checked()?;
    some_tasks(tasks)?;
    let chance = |n: f64| design.power(effect, (n, tasks), level);
    finite_effect(effect)?;
    sample::open_chance("power", power)?;
    right_direction(effect, power, level)?;
    if chance(LARGEST_N) < power {
        return Err(too_many(effect));
    }
    let enough = |n: u64| chance(n as f64) >= power;
    let finish = |n: u64, n_exact| SampleSize {
        method: METHOD,
        design,
        n,
        n_exact,
        achieved_power: chance(n as f64),
        effect,
        power,
        level,
    };
    if enough(2) {
        return Ok(finish(2, None));
    }
    let exact = increasing_root(2.0f64.ln(), LARGEST_N.ln(), |u| {
        (chance(u.exp()) - power, f64::NAN)
    })
    .exp();
    // The root may lie a rounding error beside the whole number.
    let first = (exact - 1e-6).ceil().max(2.0) as u64;
    let n = (first..first + 100)
        .find(|n| enough(*n))
        .ok_or_else(|| too_many(effect))?;
    Ok(finish(n, Some(exact)))
}

fn too_many(effect: f64) -> Undefined {
    Undefined::NoSolution(format!(
        "an effect of {} sd needs more than {LARGEST_N:e} runs",
        short(effect)
    ))
}

fn right_direction(effect: f64, power: f64, level: Level) -> Outcome<()> {
    let found = match level.side {
        Side::TwoSided => effect != 0.0,
        Side::Greater => effect > 0.0,
        Side::Less => effect < 0.0,
    };
    if !found {
        return Err(Undefined::NoSolution(
            "no number of runs suffices: the effect is zero or points the wrong way for this test"
                .into(),
        ));
    }
    if power <= level.alpha {
        return Err(Undefined::BadArgument {
            name: "power".into(),
            value: power,
            expected: "above alpha".into(),
        });
    }
    Ok(())
}

impl Explain for SampleSize {
    fn reading(&self) -> String {
        format!(
            "To find an effect of {} sd in {} % of experiments takes {} {}.",
            short(self.effect),
            short(100.0 * self.power),
            self.n,
            self.design.unit()
        )
    }
}

/// The smallest effect that a number of runs can be expected to find.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SmallestEffect {
    /// What was computed.
    pub method: &'static str,
    /// The design.
    pub design: TDesign,
    /// Pairs, or runs per arm.
    pub n: usize,
    /// The effect in standard deviations (negative for a test of "less").
    pub effect: f64,
    /// The power asked for.
    pub power: f64,
    /// The level of the test.
    pub level: Level,
}

/// The minimum detectable effect of `n` pairs or runs per arm.
pub fn smallest_effect(
    design: TDesign,
    n: usize,
    power: f64,
    level: Level,
) -> Outcome<SmallestEffect> {
    smallest_effect_over((design, 1.0), n, power, level)
}

/// The same in each of several tasks, as in [`power_over`].
pub fn smallest_effect_over(
    (design, tasks): (TDesign, f64),
    n: usize,
    power: f64,
    level: Level,
) -> Outcome<SmallestEffect> {
    let level = level.checked()?;
    some_tasks(tasks)?;
    sample::open_chance("power", power)?;
    if n < 2 {
        return Err(Undefined::TooFew {
            method: "a t test".into(),
            have: n,
            need: 2,
        });
    }
    if power <= level.alpha {
        return Err(Undefined::BadArgument {
            name: "power".into(),
            value: power,
            expected: "above alpha".into(),
        });
    }
    let sign = if level.side == Side::Less { -1.0 } else { 1.0 };
    let size = increasing_root(1e-9f64.ln(), 1e9f64.ln(), |u| {
        (
            design.power(sign * u.exp(), (n as f64, tasks), level) - power,
            f64::NAN,
        )
    });
    Ok(SmallestEffect {
        method: METHOD,
        design,
        n,
        effect: sign * size.exp(),
        power,
        level,
    })
}

impl Explain for SmallestEffect {
    fn reading(&self) -> String {
        format!(
            "{} {} can be expected to find effects from {} sd on ({} % of experiments find that one).",
            self.n,
            self.design.unit(),
            short(self.effect.abs()),
            short(100.0 * self.power)
        )
    }
}
