//! What the documented flags ask for beside the verdict: the bootstrap, the t test with its assumptions, the plan.

use super::pairs::Design;
use super::question::{PowerQuestion, Question};
use super::value::Values;
use crate::compare::result::MetricComparison;
use crate::compare::word::Word;
use fairtrial_stats::assumptions::{Centre, Levene, ShapiroWilk, levene, shapiro_wilk};
use fairtrial_stats::bootstrap::{self, BootstrapInterval, mean_difference};
use fairtrial_stats::planning::{
    OriginalQuestion, OriginalSampleSize, OriginalScale, SampleSize, SmallestEffect, TDesign,
    original_sample_size, sample_size, smallest_effect,
};
use fairtrial_stats::two_arm::{self, TTest, paired_effect};
use fairtrial_stats::{Level, Outcome, Side, Undefined, descriptive};
use fairtrial_text::share::p_value;
use serde::Serialize;

/// The bootstrap of the mean difference, or why there is none.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Bootstrap {
    /// The interval.
    Interval(Box<BootstrapInterval>),
    /// Why there is none.
    Undefined {
        /// The reason.
        why: String,
    },
}

impl Bootstrap {
    /// The interval, where there is one.
    pub fn interval(&self) -> Option<&BootstrapInterval> {
        match self {
            Self::Interval(interval) => Some(interval),
            Self::Undefined { .. } => None,
        }
    }

    /// The effect that the documented CSV shows: the estimate, or the original's "corrected" one under its method.
    pub fn effect(&self) -> Option<f64> {
        let found = self.interval()?;
        Some(found.corrected_estimate.unwrap_or(found.estimate))
    }
}

/// A test of the shape of one sample.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Normality {
    /// Which sample.
    pub of: &'static str,
    /// The test; absent where it has no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shapiro_wilk: Option<ShapiroWilk>,
    /// Why it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_none: Option<String>,
}

/// The t test, always with what it assumes and never held back by it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TTestReport {
    /// The test; absent where it has no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<TTest>,
    /// Why it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_none: Option<String>,
    /// The level below which an assumption is doubtful.
    pub assumption_alpha: f64,
    /// Whether the differences (or each side) look normal.
    pub normality: Vec<Normality>,
    /// Whether the sides have one spread; only shown, because Welch's test does not need it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spread: Option<Levene>,
    /// Assumptions that look doubtful.
    pub doubts: Vec<String>,
}

/// How many runs an effect needs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PowerPlan {
    /// What was asked.
    pub question: PowerQuestion,
    /// Spread of the differences, or of one run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sd: Option<f64>,
    /// The answer, by the non-central t and rounded up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required: Option<SampleSize>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_none: Option<String>,
    /// The smallest effect that the runs at hand could be expected to find, in the metric's unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detectable: Option<f64>,
    /// The same in standard deviations, with its level.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub smallest: Option<SmallestEffect>,
    /// What the original prints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original: Option<OriginalSampleSize>,
}

pub(super) fn bootstrap(values: &Values, question: &Question) -> Bootstrap {
    let plan = &question.bootstrap;
    let design = match values.design {
        Design::Paired => bootstrap::Design::Paired,
        Design::Unpaired => bootstrap::Design::Unpaired,
    };
    let (control, candidate) = (&values.control, &values.candidate);
    let found = if question.drawn {
        mean_difference(control, candidate, design, plan)
    } else {
        bootstrap::exact::mean_difference(control, candidate, design, (plan.method, plan.level))
    };
    match found {
        Ok(interval) => Bootstrap::Interval(Box::new(interval)),
        Err(why) => Bootstrap::Undefined {
            why: why.to_string(),
        },
    }
}

/// None, where the run stopped by looking: resamples of what it stopped at know nothing of the other looks.
pub(super) fn no_bootstrap() -> Bootstrap {
    Bootstrap::Undefined {
        why: "the run stopped by looking at it".to_owned(),
    }
}

/// Says so where the bootstrap interval alone would have read differently from the verdict.
pub(super) fn disagreement(bootstrap: &Bootstrap, comparison: &MetricComparison) -> Option<String> {
    let found = bootstrap.interval()?;
    let effect = comparison.effect.as_ref()?;
    let by_t = effect.absolute.low > 0.0 || effect.absolute.high < 0.0;
    let by_bootstrap = !found.interval.contains(0.0);
    let decided = matches!(
        comparison.verdict.word,
        Word::Improved | Word::Regressed | Word::Inconclusive
    );
    (decided && found.interval.level.side == Side::TwoSided && by_t != by_bootstrap).then(|| {
        let own = comparison.method.as_ref().map_or("t", |method| method.name.as_str());
        let (excludes, holds) = if by_bootstrap { ("bootstrap", own) } else { (own, "bootstrap") };
        format!(
            "the {excludes} interval excludes 0 and the {holds} interval does not; the verdict follows the {own}, because \
             with {} runs a bootstrap interval is too short",
            found.n.iter().min().unwrap_or(&0)
        )
    })
}

pub(super) fn t_test(values: &Values, alpha: f64, assumption_alpha: f64) -> TTestReport {
    let (control, candidate) = (&values.control[..], &values.candidate[..]);
    let (design, samples) = match values.design {
        Design::Paired => {
            let differences: Vec<f64> = control.iter().zip(candidate).map(|(a, b)| b - a).collect();
            (two_arm::Design::Paired, vec![("differences", differences)])
        }
        Design::Unpaired => {
            let both = vec![
                ("control", control.to_vec()),
                ("candidate", candidate.to_vec()),
            ];
            (two_arm::Design::Unpaired, both)
        }
    };
    let normality: Vec<Normality> = samples
        .iter()
        .map(|(of, sample)| normality(of, sample))
        .collect();
    let spread = match values.design {
        Design::Paired => None,
        Design::Unpaired => levene(&[control, candidate], Centre::Mean).ok(),
    };
    let (test, why_none) = parts(two_arm::t_test(
        control,
        candidate,
        design,
        Level::two_sided(alpha),
    ));
    TTestReport {
        test,
        why_none,
        assumption_alpha,
        doubts: normality
            .iter()
            .filter_map(|of| of.doubt(assumption_alpha))
            .collect(),
        normality,
        spread,
    }
}

fn normality(of: &'static str, sample: &[f64]) -> Normality {
    let (shapiro_wilk, why_none) = parts(shapiro_wilk(sample));
    Normality {
        of,
        shapiro_wilk,
        why_none,
    }
}

impl Normality {
    fn doubt(&self, alpha: f64) -> Option<String> {
        let test = self.shapiro_wilk.as_ref().filter(|test| test.p < alpha)?;
        Some(format!(
            "the {} do not look normal (Shapiro-Wilk {}): read the t result together with the sign-flip test",
            if self.of == "differences" {
                "differences".to_owned()
            } else {
                format!("{}'s values", self.of)
            },
            p_value(test.p)
        ))
    }
}

pub(super) fn power(values: &Values, question: PowerQuestion, level: Level) -> PowerPlan {
    let (design, scale, n) = match values.design {
        Design::Paired => (TDesign::Paired, OriginalScale::Paired, values.control.len()),
        Design::Unpaired => (
            TDesign::Unpaired,
            OriginalScale::Unpaired,
            values.control.len().min(values.candidate.len()),
        ),
    };
    let target = if level.side == Side::Less {
        -question.target.abs()
    } else {
        question.target.abs()
    };
    let sd = sd(values);
    let planned = sd
        .clone()
        .and_then(|sd| sample_size(design, target / sd, question.power, level));
    let (required, why_none) = parts(planned);
    let smallest = smallest_effect(design, n, question.power, level).ok();
    let original = original_sample_size(
        &values.control,
        &values.candidate,
        OriginalQuestion {
            scale,
            target: question.target,
            power: question.power,
            level,
        },
    );
    PowerPlan {
        question,
        detectable: smallest
            .as_ref()
            .zip(sd.as_ref().ok())
            .map(|(smallest, sd)| smallest.effect * sd),
        sd: sd.ok(),
        required,
        why_none,
        smallest,
        original: original.ok(),
    }
}

/// The spread that planning needs: of the differences, or of one run (pooled).
fn sd(values: &Values) -> Outcome<f64> {
    let sd = match values.design {
        Design::Paired => paired_effect(&values.control, &values.candidate)?.sd_difference,
        Design::Unpaired => {
            let (a, b) = (
                descriptive::variance(&values.control)?,
                descriptive::variance(&values.candidate)?,
            );
            f64::midpoint(a, b).sqrt()
        }
    };
    if sd > 0.0 {
        Ok(sd)
    } else {
        Err(Undefined::NoSolution(
            "the runs do not vary, so that nothing can be planned".into(),
        ))
    }
}

fn parts<T>(outcome: Outcome<T>) -> (Option<T>, Option<String>) {
    match outcome {
        Ok(value) => (Some(value), None),
        Err(why) => (None, Some(why.to_string())),
    }
}
