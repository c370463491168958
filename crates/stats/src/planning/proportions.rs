//! Planning with pass/fail outcomes.

use serde::Serialize;

use crate::dist::{increasing_root, normal};
use crate::sample;
use crate::{Explain, Level, Outcome, Side, Undefined};
use fairtrial_text::significant::short;

use super::power::LARGEST_N;

/// How the power of a comparison of proportions is approximated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum ProportionPlanMethod {
    /// The score test with its two variances (pooled under "no difference"); the default.
    #[default]
    Score,
    /// Cohen's arcsine transformation.
    Arcsine,
    /// McNemar's test on the tasks on which the arms disagree.
    McNemar,
}

/// How many trials a difference of pass rates needs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProportionPlan {
    /// What was computed.
    pub method: ProportionPlanMethod,
    /// Trials per arm (tasks, in a paired design); rounded up.
    pub n: u64,
    /// The same before rounding.
    pub n_exact: f64,
    /// The difference to be found, candidate - control.
    pub difference: f64,
    /// The power asked for.
    pub power: f64,
    /// The level of the test.
    pub level: Level,
}

fn checked(power: f64, level: Level, difference: f64) -> Outcome<()> {
    level.checked()?;
    sample::open_chance("power", power)?;
    let found = match level.side {
        Side::TwoSided => difference != 0.0,
        Side::Greater => difference > 0.0,
        Side::Less => difference < 0.0,
    };
    if !found {
        return Err(Undefined::NoSolution(
            "no number of trials suffices: the difference is zero or points the wrong way for this test".into(),
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

/// Trials per arm that tell two pass rates apart.
pub fn proportions_sample_size(
    control: f64,
    candidate: f64,
    method: ProportionPlanMethod,
    power: f64,
    level: Level,
) -> Outcome<ProportionPlan> {
    sample::open_chance("control", control)?;
    sample::open_chance("candidate", candidate)?;
    checked(power, level, candidate - control)?;
    let n_exact = match method {
        ProportionPlanMethod::Score => {
            let (za, zb) = (level.outer_deviate(), normal::quantile(power));
            (score_root(control, candidate, za, zb) / (candidate - control)).powi(2)
        }
        ProportionPlanMethod::Arcsine => {
            arcsine_n(arcsine_gap(control, candidate).abs(), power, level)
        }
        ProportionPlanMethod::McNemar => {
            return Err(Undefined::NoSolution(
                "McNemar's test needs the share of tasks on which the arms disagree: plan it as paired proportions".into(),
            ));
        }
    };
    finish(method, n_exact, candidate - control, power, level)
}

fn score_root(control: f64, candidate: f64, za: f64, zb: f64) -> f64 {
    let pooled = f64::midpoint(control, candidate);
    let variance = |p: f64| p * (1.0 - p);
    za * (2.0 * variance(pooled)).sqrt() + zb * (variance(control) + variance(candidate)).sqrt()
}

fn arcsine_gap(control: f64, candidate: f64) -> f64 {
    2.0 * (candidate.sqrt().asin() - control.sqrt().asin())
}

/// The power of the arcsine test with `n` per arm; two-sided, both tails count.
fn arcsine_power(gap: f64, n: f64, level: Level) -> f64 {
    let shift = gap * (0.5 * n).sqrt();
    let za = level.outer_deviate();
    let other = if level.side == Side::TwoSided {
        normal::cdf(-za - shift)
    } else {
        0.0
    };
    normal::sf(za - shift) + other
}

fn arcsine_n(gap: f64, power: f64, level: Level) -> f64 {
    increasing_root(-20.0, LARGEST_N.ln(), |u| {
        (arcsine_power(gap, u.exp(), level) - power, f64::NAN)
    })
    .exp()
}

fn finish(
    method: ProportionPlanMethod,
    n_exact: f64,
    difference: f64,
    power: f64,
    level: Level,
) -> Outcome<ProportionPlan> {
    if n_exact.is_nan() || n_exact >= LARGEST_N {
        return Err(Undefined::NoSolution(format!(
            "a difference of {} needs more than {LARGEST_N:e} trials",
            short(difference)
        )));
    }
    let n = (n_exact - 1e-9 * n_exact).ceil().max(1.0) as u64;
    Ok(ProportionPlan {
        method,
        n,
        n_exact,
        difference,
        power,
        level,
    })
}

/// Tasks that a paired comparison needs: `discordance` is the expected share of tasks on which exactly one arm passes,
/// `difference` the expected difference of the pass rates (Miettinen 1968).
pub fn paired_proportions_sample_size(
    discordance: f64,
    difference: f64,
    power: f64,
    level: Level,
) -> Outcome<ProportionPlan> {
    checked(power, level, difference)?;
    if !(discordance > 0.0 && discordance <= 1.0 && difference.abs() <= discordance) {
        return Err(Undefined::BadArgument {
            name: "discordance".into(),
            value: discordance,
            expected: "a share in (0, 1], at least as large as the difference".into(),
        });
    }
    let (za, zb) = (level.outer_deviate(), normal::quantile(power));
    let root = za * discordance.sqrt() + zb * (discordance - difference * difference).sqrt();
    finish(
        ProportionPlanMethod::McNemar,
        (root / difference).powi(2),
        difference,
        power,
        level,
    )
}

/// The power of a comparison of two pass rates with `n` trials per arm, by the score test.
pub fn proportions_power(control: f64, candidate: f64, n: u64, level: Level) -> Outcome<f64> {
    let level = level.checked()?;
    sample::open_chance("control", control)?;
    sample::open_chance("candidate", candidate)?;
    if n == 0 {
        return Err(Undefined::Empty {
            what: "the planned trials".into(),
        });
    }
    let za = level.outer_deviate();
    let pooled = f64::midpoint(control, candidate);
    let variance = |p: f64| p * (1.0 - p);
    let (null, alternative) = (
        (2.0 * variance(pooled)).sqrt(),
        (variance(control) + variance(candidate)).sqrt(),
    );
    let shift = (candidate - control) * (n as f64).sqrt();
    let above = normal::sf((za * null - shift) / alternative);
    let below = normal::cdf((-za * null - shift) / alternative);
    Ok(match level.side {
        Side::TwoSided => (above + below).min(1.0),
        Side::Greater => above,
        Side::Less => below,
    })
}

impl Explain for ProportionPlan {
    fn reading(&self) -> String {
        let unit = if self.method == ProportionPlanMethod::McNemar {
            "tasks"
        } else {
            "trials per arm"
        };
        format!(
            "To find a difference of {} percentage points in {} % of experiments takes {} {unit}.",
            short(100.0 * self.difference),
            short(100.0 * self.power),
            self.n
        )
    }
}
