//! The entry points: check the data, draw, and hand over to the formulas.

use super::acceleration::{
    leave_one_out, leave_one_out_contrast, leave_one_out_means, leave_one_pair_out,
};
use super::distribution::Distribution;
use super::endpoints::{Estimate, ends};
use super::plan::{Method, Plan};
use super::replicates::{self, Draws, Replicates};
use super::result::{BootstrapInterval, Header, Resampling};
use super::statistic::{Contrast, Design, Statistic, mean as mean_of};
use super::studentised::{self, MeanAndError};
use crate::sample::{self, at_least};
use crate::{Interval, Outcome, Undefined};

/// Most resamples that are taken: 8 bytes each stay in memory.
const MOST_RESAMPLES: usize = 100_000_000;

/// Bootstrap interval of a mean.
pub fn mean(sample: &[f64], plan: &Plan) -> Outcome<BootstrapInterval> {
    statistic(sample, &Statistic::Mean, plan)
}

/// Bootstrap interval of the candidate's mean minus the control's.
pub fn mean_difference(
    control: &[f64],
    candidate: &[f64],
    design: Design,
    plan: &Plan,
) -> Outcome<BootstrapInterval> {
    contrast(
        [control, candidate],
        &Contrast::MeanDifference,
        design,
        plan,
    )
}

/// Bootstrap interval of any statistic of one sample.
pub fn statistic(
    sample: &[f64],
    statistic: &Statistic<'_>,
    plan: &Plan,
) -> Outcome<BootstrapInterval> {
    check_plan(plan)?;
    check_sample("sample", sample, 2)?;
    check_method(plan.method, statistic)?;
    let draws = Draws {
        count: plan.resamples,
        seed: plan.seed,
    };
    let subject = Subject::of_sample(
        sample,
        statistic,
        Resampling::Drawn {
            resamples: draws.count,
            seed: draws.seed,
        },
    )?;
    if plan.method == Method::Studentised {
        return subject.studentised(&studentised::draw(&[sample], draws), plan);
    }
    let values = replicates::of_statistic(sample, statistic, draws);
    subject.interval(Replicates::new(values)?, plan, || {
        vec![leave_one_out(sample, statistic)]
    })
}

/// Bootstrap interval of any contrast of a control and a candidate, given as `[control, candidate]`.
pub fn contrast(
    arms: [&[f64]; 2],
    contrast: &Contrast<'_>,
    design: Design,
    plan: &Plan,
) -> Outcome<BootstrapInterval> {
    check_plan(plan)?;
    check_arms(arms, design)?;
    check_contrast(plan.method, contrast)?;
    if design == Design::Paired && matches!(contrast, Contrast::MeanDifference) {
        return paired_mean_difference(arms, plan);
    }
    let draws = Draws {
        count: plan.resamples,
        seed: plan.seed,
    };
    let subject = Subject::of_arms(
        arms,
        contrast,
        Resampling::Drawn {
            resamples: draws.count,
            seed: draws.seed,
        },
    )?;
    let is_difference = matches!(contrast, Contrast::MeanDifference);
    if plan.method == Method::Studentised {
        return subject.studentised(&studentised::draw(&arms, draws), plan);
    }
    let values = if is_difference {
        replicates::of_mean_difference(arms[0], arms[1], draws)
    } else {
        replicates::of_contrast(arms, contrast, design, draws)
    };
    subject.interval(Replicates::new(values)?, plan, || {
        contrast_jackknife(arms, contrast, design)
    })
}

fn paired_mean_difference(arms: [&[f64]; 2], plan: &Plan) -> Outcome<BootstrapInterval> {
    let differences = differences(arms)?;
    let mut interval = statistic(&differences, &Statistic::Mean, plan)?;
    interval.statistic = "mean of the paired differences".into();
    Ok(interval)
}

/// Candidate minus control, pair by pair; an overflow is refused here.
pub(super) fn differences(arms: [&[f64]; 2]) -> Outcome<Vec<f64>> {
    let differences = sample::differences(arms[0], arms[1]);
    check_sample("paired differences", &differences, 2)?;
    Ok(differences)
}

/// The leave-one-out values that the acceleration is made of.
pub(super) fn contrast_jackknife(
    arms: [&[f64]; 2],
    contrast: &Contrast<'_>,
    design: Design,
) -> Vec<Vec<f64>> {
    let [control, candidate] = arms;
    match (design, contrast) {
        (Design::Paired, _) => vec![leave_one_pair_out(control, candidate, contrast)],
        (Design::Unpaired, Contrast::MeanDifference) => {
            let (left, right) = (mean_of(control), mean_of(candidate));
            vec![
                leave_one_out_means(control)
                    .into_iter()
                    .map(|m| right - m)
                    .collect(),
                leave_one_out_means(candidate)
                    .into_iter()
                    .map(|m| m - left)
                    .collect(),
            ]
        }
        (Design::Unpaired, _) => leave_one_out_contrast(control, candidate, contrast).into(),
    }
}

/// What is estimated, before the distribution is known.
pub(super) struct Subject {
    name: String,
    n: Vec<usize>,
    estimate: f64,
    studentised: MeanAndError,
    resampling: Resampling,
}

impl Subject {
    pub(super) fn of_sample(
        sample: &[f64],
        statistic: &Statistic<'_>,
        resampling: Resampling,
    ) -> Outcome<Self> {
        let estimate = statistic.evaluate(&mut sample.to_vec());
        let studentised = MeanAndError::of(sample);
        Self {
            name: statistic.name(),
            n: vec![sample.len()],
            estimate,
            studentised,
            resampling,
        }
        .checked()
    }

    pub(super) fn of_arms(
        arms: [&[f64]; 2],
        contrast: &Contrast<'_>,
        resampling: Resampling,
    ) -> Outcome<Self> {
        let estimate = contrast.evaluate(&mut arms[0].to_vec(), &mut arms[1].to_vec());
        let n = arms.iter().map(|arm| arm.len()).collect();
        Self {
            name: contrast.name(),
            n,
            estimate,
            studentised: studentised::combine(&arms),
            resampling,
        }
        .checked()
    }

    fn checked(self) -> Outcome<Self> {
        if self.estimate.is_finite() {
            return Ok(self);
        }
        Err(Undefined::NoSolution(format!(
            "the {} of the data is not a finite number",
            self.name
        )))
    }

    fn header(self, standard_error: f64) -> Header {
        Header {
            statistic: self.name,
            n: self.n,
            estimate: self.estimate,
            standard_error,
            resampling: self.resampling,
            dropped: Vec::new(),
        }
    }

    pub(super) fn interval(
        self,
        mut replicates: Replicates,
        plan: &Plan,
        leave_one_out: impl FnOnce() -> Vec<Vec<f64>>,
    ) -> Outcome<BootstrapInterval> {
        let needed = matches!(plan.method, Method::Bca | Method::BcaMetta);
        let estimate = Estimate {
            value: self.estimate,
            leave_one_out: if needed { leave_one_out() } else { Vec::new() },
        };
        let ends = ends(&mut replicates, &estimate, plan.method, plan.level);
        let mut header = self.header(replicates.standard_error());
        header.dropped = replicates.dropped;
        finite(header.with(plan.method, plan.level, ends))
    }

    pub(super) fn studentised(
        self,
        drawn: &[MeanAndError],
        plan: &Plan,
    ) -> Outcome<BootstrapInterval> {
        let (ends, dropped) = studentised::ends(self.studentised, drawn, plan.level)?;
        let means = Replicates::new(drawn.iter().map(|d| d.mean).collect())?;
        let mut header = self.header(means.standard_error());
        header.dropped = dropped;
        finite(header.with(plan.method, plan.level, ends))
    }
}

/// Values near the largest float can overflow inside the formulas; that is refused, not shown.
pub(super) fn finite(interval: BootstrapInterval) -> Outcome<BootstrapInterval> {
    let Interval { low, high, level } = interval.interval;
    let bad_low = low.is_nan() || (level.lower_tail().is_some() && low.is_infinite());
    let bad_high = high.is_nan() || (level.upper_tail().is_some() && high.is_infinite());
    if bad_low || bad_high || !interval.standard_error.is_finite() {
        return Err(Undefined::NoSolution(
            "the values are too large for the arithmetic of the bootstrap".into(),
        ));
    }
    Ok(interval)
}

pub(super) fn check_plan(plan: &Plan) -> Outcome<()> {
    plan.level.checked()?;
    check_resamples(plan.resamples)
}

/// Refuses a count of resamples that says nothing, or that would fill the memory.
pub(crate) fn check_resamples(count: usize) -> Outcome<()> {
    if (2..=MOST_RESAMPLES).contains(&count) {
        return Ok(());
    }
    Err(Undefined::BadArgument {
        name: "resamples".into(),
        value: count as f64,
        expected: format!("between 2 and {MOST_RESAMPLES}"),
    })
}

/// Refuses what no bootstrap can work with: too few values, or one that is not finite.
pub(super) fn check_sample(what: &str, sample: &[f64], need: usize) -> Outcome<()> {
    at_least("the bootstrap", what, sample, need)
}

pub(super) fn check_arms(arms: [&[f64]; 2], design: Design) -> Outcome<()> {
    if design == Design::Paired && arms[0].len() != arms[1].len() {
        return Err(Undefined::UnequalLengths {
            left: arms[0].len(),
            right: arms[1].len(),
        });
    }
    check_sample("control", arms[0], 2)?;
    check_sample("candidate", arms[1], 2)
}

/// Refuses the combinations that give wrong intervals.
pub(super) fn check_method(method: Method, statistic: &Statistic<'_>) -> Outcome<()> {
    statistic.checked()?;
    let corrected = matches!(method, Method::Bca | Method::BcaMetta);
    if corrected && !statistic.is_smooth() {
        return Err(Undefined::NoSolution(format!(
            "BCa is not valid for the {}; use the percentile method or the exact distribution of order statistics",
            statistic.name()
        )));
    }
    if method == Method::Studentised && !matches!(statistic, Statistic::Mean) {
        return Err(studentised_is_for_means());
    }
    Ok(())
}

pub(super) fn check_contrast(method: Method, contrast: &Contrast<'_>) -> Outcome<()> {
    if method == Method::Studentised && !matches!(contrast, Contrast::MeanDifference) {
        return Err(studentised_is_for_means());
    }
    Ok(())
}

fn studentised_is_for_means() -> Undefined {
    Undefined::NoSolution(
        "the studentised bootstrap is offered for means and differences of means only".into(),
    )
}
