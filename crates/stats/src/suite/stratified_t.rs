//! A t interval for the suite mean: the variance of every task's mean, added up, with Satterthwaite's degrees of freedom.
//!
//! With 3 to 20 runs this covers what it says, which the percentile bootstrap of the mean does not.

use serde::Serialize;

use super::metric::{Metric, point};
use super::scores::{Scores, same_tasks};
use crate::descriptive::Moments;
use crate::dist::student_t;
use crate::sample::{is_constant, max_abs, representable};
use crate::{Dropped, Explain, Interval, Level, Outcome, Undefined};
use fairtrial_text::significant::short;

/// The mean of a suite, or the difference of two, with its t interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StratifiedT {
    /// The method.
    pub method: &'static str,
    /// What was estimated, in words.
    pub statistic: String,
    /// How many tasks.
    pub tasks: usize,
    /// How many scores in all.
    pub n: usize,
    /// The value on the data.
    pub estimate: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// Degrees of freedom (Satterthwaite).
    pub df: f64,
    /// The interval.
    pub interval: Interval,
    /// What was left out.
    pub dropped: Vec<Dropped>,
}

impl Explain for StratifiedT {
    fn reading(&self) -> String {
        format!(
            "The {} over {} tasks is {}; {} (stratified t, {} degrees of freedom). It speaks about these tasks, not \
             about others.",
            self.statistic,
            self.tasks,
            short(self.estimate),
            self.interval.words(),
            short(self.df)
        )
    }
}

/// The t interval of the mean of the task means.
pub fn mean_t(scores: &Scores<'_>, level: Level) -> Outcome<StratifiedT> {
    let estimate = point(scores, Metric::Mean)?;
    build(&[scores], ("mean of the task means", estimate), level)
}

/// The t interval of the candidate's suite mean minus the control's; runs are independent between the arms.
pub fn mean_difference_t(
    control: &Scores<'_>,
    candidate: &Scores<'_>,
    level: Level,
) -> Outcome<StratifiedT> {
    same_tasks(control, candidate)?;
    let estimate = point(candidate, Metric::Mean)? - point(control, Metric::Mean)?;
    build(
        &[control, candidate],
        ("difference of the means of the task means", estimate),
        level,
    )
}

fn build(
    arms: &[&Scores<'_>],
    (statistic, estimate): (&str, f64),
    level: Level,
) -> Outcome<StratifiedT> {
    level.checked()?;
    representable("the estimate", estimate)?;
    let (mut errors, mut scale) = (Vec::new(), 0.0f64);
    for arm in arms {
        arm.resamplable()?;
        for runs in arm.tasks() {
            errors.push((Moments::of(runs).standard_error(), runs.len() as f64));
            scale = scale.max(max_abs(runs));
        }
    }
    // In shares of the largest error: squares of very small and very large ones are no numbers.
    let largest = errors
        .iter()
        .fold(0.0f64, |most, (error, _)| most.max(*error));
    let (mut variance, mut squares) = (0.0, 0.0);
    for (error, n) in errors.iter().filter(|(error, _)| *error > 0.0) {
        let own = (error / largest) * (error / largest);
        variance += own;
        squares += own * own / (n - 1.0);
    }
    let tasks = arms[0].tasks().len();
    let standard_error = largest * variance.sqrt() / tasks as f64;
    let standard_error = representable("the standard error", standard_error)?;
    if is_constant(standard_error * (tasks as f64).sqrt(), scale) || squares == 0.0 {
        return Err(Undefined::ZeroVariance {
            what: "every task's score".into(),
            value: estimate,
        });
    }
    let df = representable("degrees of freedom", variance * variance / squares)?;
    let interval = Interval::around(estimate, standard_error, level, |tail| {
        student_t::inverse_sf(tail, df)
    });
    Ok(StratifiedT {
        method: "stratified t",
        statistic: statistic.into(),
        tasks,
        n: arms.iter().map(|a| a.count()).sum(),
        estimate,
        standard_error,
        df,
        interval,
        dropped: Vec::new(),
    })
}
