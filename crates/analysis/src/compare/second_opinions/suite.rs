//! A suite of tasks in a few numbers, as benchmarks of many tasks are reported: the chance that a run of the candidate
//! beats one of the control, and, where scores have reference points, both sides on one scale.
//!
//! They stand beside the verdict, which the mean of the differences (on that scale, where there is one) decides: these
//! numbers speak about these tasks, their runs are resampled within each task (for differences in pairs, where the
//! comparison is), and no family counts them.

use crate::compare::data::sample::Stratum;
use crate::compare::method::choose::Case;
use crate::compare::method::kind::{DataKind, Scale};
use crate::compare::ranged::Ranged;
use fairtrial_model::Direction;
use fairtrial_stats::suite::{
    Metric, Scores, SuitePlan, difference, interval, probability_of_improvement,
};
use fairtrial_stats::two_arm::Design;
use fairtrial_stats::{Interval, Level, Outcome, Undefined};
use serde::Serialize;

/// Draws of a score in all, and the resamples that are always and never made.
const DRAWS: usize = 100_000_000;
const RESAMPLES: (usize, usize) = (2_000, 10_000);
/// The score that counts as solved, on the common scale.
const SOLVED: f64 = 1.0;

/// A suite of tasks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SuiteOpinion {
    /// How many tasks.
    pub tasks: usize,
    /// How often runs were drawn.
    pub resamples: usize,
    /// The chance that a run of the candidate is better than one of the control on the same task; larger, where which way
    /// is better is not declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub improvement: Option<Ranged>,
    /// Both sides on the scale of the reference points, where every task has some.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scores: Vec<SuiteScore>,
    /// Why there are none, though points are declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_scores: Option<NoScores>,
}

/// Why there are no scores over the tasks, though reference points are declared.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum NoScores {
    /// A task has no reference points.
    NoPoints {
        /// Which.
        task: String,
    },
    /// The numbers have no answer.
    Undefined {
        /// Why.
        why: Undefined,
    },
}

/// One number for all tasks, on the scale of the reference points.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SuiteScore {
    /// Which.
    pub statistic: &'static str,
    /// The control's.
    pub control: Ranged,
    /// The candidate's.
    pub candidate: Ranged,
    /// Candidate - control.
    pub difference: Ranged,
}

/// The numbers of a case whose tasks are averaged; `None` for other cases, and for pass/fail, whose mean says it all.
pub(crate) fn suite(case: &Case, alpha: f64, seed: u64) -> Option<SuiteOpinion> {
    if !case.units.by_task || case.kind == DataKind::Binary {
        return None;
    }
    let (control, candidate) = case.sample.sizes();
    let resamples = (DRAWS / (control + candidate).max(1)).clamp(RESAMPLES.0, RESAMPLES.1);
    let plan = SuitePlan {
        level: Level::two_sided(alpha),
        resamples,
        ..SuitePlan::new(Metric::Mean, seed)
    };
    let (scores, no_scores) = match on_one_scale(case) {
        Some(Ok(sides)) => match all_scores(&sides, case.sample.design(), &plan) {
            Ok(scores) => (scores, None),
            Err(why) => (Vec::new(), Some(NoScores::Undefined { why })),
        },
        Some(Err(why)) => (Vec::new(), Some(why)),
        None => (Vec::new(), None),
    };
    Some(SuiteOpinion {
        tasks: case.sample.strata.len(),
        resamples,
        improvement: improvement(case, &plan),
        scores,
        no_scores,
    })
}

/// Control and candidate, task by task.
struct SidesByTask {
    control: Vec<Vec<f64>>,
    candidate: Vec<Vec<f64>>,
}

impl SidesByTask {
    fn of(case: &Case, value: impl Fn(f64) -> f64) -> Self {
        let side = |of: fn(&Stratum) -> &Vec<f64>| {
            let strata = case.sample.strata.iter();
            let scaled = |stratum: &Stratum| of(stratum).iter().map(|x| value(*x)).collect();
            strata.map(scaled).collect()
        };
        Self {
            control: side(|stratum| &stratum.control),
            candidate: side(|stratum| &stratum.candidate),
        }
    }
}

/// Logarithms and signs do not change which of two runs is better.
fn improvement(case: &Case, plan: &SuitePlan) -> Option<Ranged> {
    let sign = match case.declaration.direction {
        Some(Direction::Down) => -1.0,
        _ => 1.0,
    };
    let sides = SidesByTask::of(case, |x| sign * x);
    let control = Scores::new(&sides.control).ok()?;
    let candidate = Scores::new(&sides.candidate).ok()?;
    let found = probability_of_improvement(&control, &candidate, plan).ok()?;
    Some(ranged(found.estimate, &found.interval))
}

/// Both sides on the scale of the reference points; `None` where none are declared.
fn on_one_scale(case: &Case) -> Option<Result<SidesByTask, NoScores>> {
    if case.normalised {
        return Some(Ok(SidesByTask::of(case, |x| match case.scale {
            Scale::Difference => x,
            Scale::Ratio => x.exp(),
        })));
    }
    let reference = case.declaration.reference.as_ref()?;
    let mut tasks = case.units.task_names.iter();
    let lacking = tasks.find(|task| reference.points(task).is_none())?;
    let task = lacking.clone();
    Some(Err(NoScores::NoPoints { task }))
}

fn all_scores(sides: &SidesByTask, design: Design, plan: &SuitePlan) -> Outcome<Vec<SuiteScore>> {
    let (control, candidate) = (Scores::new(&sides.control)?, Scores::new(&sides.candidate)?);
    let statistics = [
        ("interquartile mean", Metric::Iqm),
        ("mean", Metric::Mean),
        ("median", Metric::Median),
        ("optimality gap", Metric::OptimalityGap { target: SOLVED }),
    ];
    let one = |(statistic, metric): (&'static str, Metric)| {
        let plan = SuitePlan { metric, ..*plan };
        let left = interval(&control, &plan)?;
        let right = interval(&candidate, &plan)?;
        let apart = difference(&control, &candidate, design, &plan)?;
        Ok(SuiteScore {
            statistic,
            control: ranged(left.estimate, &left.interval),
            candidate: ranged(right.estimate, &right.interval),
            difference: ranged(apart.estimate, &apart.interval),
        })
    };
    statistics.into_iter().map(one).collect()
}

fn ranged(value: f64, interval: &Interval) -> Ranged {
    Ranged {
        value,
        low: interval.low,
        high: interval.high,
    }
}
