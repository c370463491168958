//! A mixed model with one random intercept: `outcome ~ arm + (1 | task)`, for unbalanced suites.
//!
//! REML with everything profiled out but the ratio of the two variances, which is then a search in one dimension.

use std::f64::consts::TAU;

use serde::Serialize;

use crate::descriptive::{Moments, sum};
use crate::dist::student_t;
use crate::linear::{Fit, Normal, solve};
use crate::sample::{self, representable};
use crate::variance_components::collect;
use crate::{Explain, Interval, Level, Outcome, Undefined};
use fairtrial_text::count::counted;
use fairtrial_text::significant::short;

/// A fitted model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RandomIntercept {
    /// What was computed.
    pub method: &'static str,
    /// Observations.
    pub n: usize,
    /// Tasks (groups).
    pub tasks: usize,
    /// The control's mean over tasks.
    pub intercept: f64,
    /// Its standard error.
    pub intercept_standard_error: f64,
    /// The candidate's effect.
    pub effect: f64,
    /// Its standard error.
    pub effect_standard_error: f64,
    /// The t interval of the effect, with observations - tasks - 1 degrees of freedom.
    pub interval: Interval,
    /// Variance between tasks.
    pub task_variance: f64,
    /// Variance within a task and arm.
    pub residual_variance: f64,
    /// The restricted log-likelihood.
    pub log_likelihood: f64,
    /// Whether the best fit has no variance between tasks.
    pub at_boundary: bool,
}

/// Sums of one task that the likelihood needs.
struct Task {
    n: f64,
    candidates: f64,
    sum: f64,
}

struct Model {
    tasks: Vec<Task>,
    /// Sums over all observations: X'X, X'y and y'y.
    whole: Normal<2>,
    squares: f64,
    n: f64,
}

struct Profile {
    fit: Fit<2>,
    variance: f64,
    log_likelihood: f64,
}

/// Fits `outcome ~ arm + (1 | task)` by REML; `candidate[i]` says whether observation i belongs to the candidate.
pub fn random_intercept<K: Ord>(
    outcomes: &[f64],
    candidate: &[bool],
    tasks: &[K],
    level: Level,
) -> Outcome<RandomIntercept> {
    let level = level.checked()?;
    let moments = checked(outcomes, candidate.len(), tasks.len())?;
    // Centred and scaled, so that no sum of squares can overflow or cancel.
    let unit = representable("the spread", moments.sd())?;
    let scaled: Vec<f64> = outcomes.iter().map(|y| (y - moments.mean) / unit).collect();
    let model = Model::new(&scaled, candidate, tasks);
    if model.tasks.len() < 2 {
        return Err(Undefined::TooFew {
            method: "a mixed model (tasks)".into(),
            have: model.tasks.len(),
            need: 2,
        });
    }
    let (ratio, best) = model.maximise().ok_or_else(|| {
        Undefined::NoSolution(
            "the model has no fit: an arm is empty, or nothing varies within the tasks".into(),
        )
    })?;
    let df = model.n - model.tasks.len() as f64 - 1.0;
    if df < 1.0 {
        return Err(Undefined::TooFew {
            method: "a mixed model".into(),
            have: outcomes.len(),
            need: model.tasks.len() + 2,
        });
    }
    let se = |i: usize| unit * (best.variance * best.fit.inverse[i][i]).sqrt();
    let effect = unit * best.fit.coefficients[1];
    let effect_se = representable("the standard error", se(1))?;
    let interval = Interval::around(effect, effect_se, level, |tail| {
        student_t::inverse_sf(tail, df)
    });
    Ok(RandomIntercept {
        method: "mixed model with a random intercept per task (REML)",
        n: outcomes.len(),
        tasks: model.tasks.len(),
        intercept: representable(
            "the intercept",
            moments.mean + unit * best.fit.coefficients[0],
        )?,
        intercept_standard_error: representable("the standard error", se(0))?,
        effect: representable("the effect", effect)?,
        effect_standard_error: effect_se,
        interval: interval.representable()?,
        task_variance: representable("the variance", unit * unit * best.variance * ratio)?,
        residual_variance: representable("the variance", unit * unit * best.variance)?,
        // Back to the scale of the outcomes: each of the n - 2 contrasts is larger by the unit.
        log_likelihood: representable(
            "the likelihood",
            best.log_likelihood - (model.n - 2.0) * unit.ln(),
        )?,
        at_boundary: ratio == 0.0,
    })
}

/// Finite outcomes that vary, one arm and one task for each.
fn checked(outcomes: &[f64], candidates: usize, tasks: usize) -> Outcome<Moments> {
    sample::at_least("a mixed model", "the outcomes", outcomes, 4)?;
    for other in [candidates, tasks] {
        if other != outcomes.len() {
            return Err(Undefined::UnequalLengths {
                left: outcomes.len(),
                right: other,
            });
        }
    }
    let moments = Moments::of(outcomes);
    if moments.is_constant() {
        return Err(Undefined::ZeroVariance {
            what: "the outcomes".into(),
            value: moments.mean,
        });
    }
    Ok(moments)
}

impl Model {
    fn new<K: Ord>(outcomes: &[f64], candidate: &[bool], tasks: &[K]) -> Self {
        let arms: Vec<f64> = candidate.iter().map(|c| f64::from(u8::from(*c))).collect();
        let mut whole = Normal::default();
        for (y, arm) in outcomes.iter().zip(&arms) {
            whole.add([1.0, *arm], *y, 1.0);
        }
        let groups = collect(outcomes, tasks)
            .into_iter()
            .zip(collect(&arms, tasks));
        let tasks = groups
            .map(|(ys, arms)| Task {
                n: ys.len() as f64,
                candidates: sum(arms),
                sum: sum(ys),
            })
            .collect();
        Self {
            tasks,
            whole,
            squares: sum(outcomes.iter().map(|y| y * y)),
            n: outcomes.len() as f64,
        }
    }

    /// The restricted likelihood at a ratio of task variance to residual variance.
    fn profile(&self, ratio: f64) -> Option<Profile> {
        let mut normal = self.whole.clone();
        let mut squares = self.squares;
        let mut log_determinant = 0.0;
        for task in &self.tasks {
            // (I + ratio J)^-1 = I - shrink J
            let shrink = ratio / (1.0 + ratio * task.n);
            normal.add([task.n, task.candidates], task.sum, -shrink);
            squares -= shrink * task.sum * task.sum;
            log_determinant += (ratio * task.n).ln_1p();
        }
        let fit = solve(&normal)?;
        let explained: f64 = fit
            .coefficients
            .iter()
            .zip(&normal.right)
            .map(|(b, r)| b * r)
            .sum();
        let df = self.n - 2.0;
        let variance = (squares - explained) / df;
        if variance.is_nan() || variance <= 1e-14 {
            return None;
        }
        let log_likelihood =
            -0.5 * (df * (TAU * variance).ln() + log_determinant + fit.log_determinant + df);
        Some(Profile {
            fit,
            variance,
            log_likelihood,
        })
    }

    /// The best ratio: a grid over its logarithm, a golden-section search around the best point, and the boundary at 0.
    fn maximise(&self) -> Option<(f64, Profile)> {
        const STEP: f64 = 0.5;
        let value = |u: f64| {
            self.profile(u.exp())
                .map_or(f64::NEG_INFINITY, |p| p.log_likelihood)
        };
        let best = (-40..=40)
            .map(|i| f64::from(i) * STEP)
            .max_by(|a, b| value(*a).total_cmp(&value(*b)))?;
        let ratio = golden_section(best - STEP, best + STEP, value).exp();
        let (inside, boundary) = (self.profile(ratio), self.profile(0.0)?);
        match inside {
            Some(inside) if inside.log_likelihood > boundary.log_likelihood + 1e-10 => {
                Some((ratio, inside))
            }
            _ => Some((0.0, boundary)),
        }
    }
}

/// The maximum of a function with one peak.
fn golden_section(lo: f64, hi: f64, f: impl Fn(f64) -> f64) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let (mut lo, mut hi) = (lo, hi);
    for _ in 0..80 {
        let (a, b) = (hi - GOLDEN * (hi - lo), lo + GOLDEN * (hi - lo));
        if f(a) < f(b) {
            lo = a;
        } else {
            hi = b;
        }
    }
    0.5 * (lo + hi)
}

impl Explain for RandomIntercept {
    fn reading(&self) -> String {
        let boundary = if self.at_boundary {
            " No variance between tasks was found."
        } else {
            ""
        };
        format!(
            "Over {} in {}, the candidate's effect is {} ({}).{boundary}",
            counted(self.n, "observation"),
            counted(self.tasks, "task"),
            short(self.effect),
            self.interval.words()
        )
    }
}
