//! `variance`: how noisy runs are, and how many of them are enough.
//!
//! Two answers stand side by side. The documented one looks for the first N at which the coefficient of variation of
//! the first N runs falls below a threshold. The useful one asks how precise the mean of N runs is. They differ because
//! a coefficient of variation estimates a constant: more runs measure it better and do not make it smaller.

use crate::curves::History;
use crate::curves::SummaryRule;
use crate::curves::SummaryType;
use crate::curves::given_once;
use crate::curves::one_kind;
use crate::curves::why_none;
use crate::error::AnalysisError;
use fairtrial_model::{Outcome, SummaryKind};
use fairtrial_spec::DEFAULT_ALPHA;
use fairtrial_stats::Level;
use fairtrial_stats::descriptive::{CoefficientOfVariation, coefficient_of_variation};
use fairtrial_stats::planning::{CvCurve, CvRule, PrecisionCurve, cv_curve, precision_curve};
use serde::Serialize;
use std::fmt;

/// Version of the JSON form.
pub const VARIANCE_SCHEMA: u32 = 1;
/// Runs beyond which no plan is made.
const LONGEST: usize = 2000;
/// Runs that the first try looks at.
const SHORT: usize = 128;

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct VarianceQuestion {
    /// The metric.
    pub metric: String,
    /// The relative spread, and the relative half-width of the mean's interval, that is asked for.
    pub threshold: f64,
    /// How a curve becomes its area, where the spec declares no summary or another one is asked for.
    pub summary: SummaryRule,
    /// Whether the summary that the spec declares goes first.
    pub declared: DeclaredSummary,
    /// One minus the confidence of the intervals.
    pub alpha: f64,
}

/// What becomes of the summary that a run's spec declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeclaredSummary {
    /// The numbers are those of the records, as for `power` and `compare`.
    Used,
    /// Another summary was asked for.
    Ignored,
}

impl VarianceQuestion {
    /// The documented defaults for a metric.
    pub fn new(metric: impl Into<String>) -> Self {
        Self {
            metric: metric.into(),
            threshold: 0.05,
            summary: SummaryRule::default(),
            declared: DeclaredSummary::Used,
            alpha: DEFAULT_ALPHA,
        }
    }

    /// Refuses what means nothing.
    pub fn check(&self) -> Result<(), AnalysisError> {
        self.summary.check()?;
        let bad = |name, value: f64, expected| {
            Err(AnalysisError::Option {
                name,
                value: value.to_string(),
                expected,
            })
        };
        if !(self.threshold > 0.0 && self.threshold.is_finite()) {
            return bad(
                "--threshold",
                self.threshold,
                "a share above 0, as 0.05 for 5 %",
            );
        }
        if !(self.alpha > 0.0 && self.alpha < 1.0) {
            return bad(
                "--alpha",
                self.alpha,
                "a chance between 0 and 1, both excluded",
            );
        }
        Ok(())
    }
}

/// What one number of a run says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// The area under its curve.
    Auc,
    /// The slope of its curve.
    Derivative,
    /// The one value that it reports, where there is no curve.
    Value,
    /// What its spec's summary makes of its curve.
    Summary,
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auc => "AUC",
            Self::Derivative => "Derivative",
            Self::Value => "Value",
            Self::Summary => "Summary",
        })
    }
}

/// One run's numbers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunSpread {
    /// The run.
    pub id: String,
    /// One for each of [`Variance::spreads`].
    pub numbers: Vec<f64>,
}

/// A run that has no numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// The run.
    pub id: String,
    /// Why.
    pub why: String,
}

/// Everything that `variance` found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Variance {
    /// [`VARIANCE_SCHEMA`].
    pub schema: u32,
    /// The metric.
    pub metric: String,
    /// The threshold.
    pub threshold: f64,
    /// How a curve became a number: by the name of the flag, or as the spec declares it; `value` where runs report single
    /// numbers.
    pub summary: String,
    /// The runs in the order given.
    pub runs: Vec<RunSpread>,
    /// Runs without numbers.
    pub left_out: Vec<LeftOut>,
    /// Of the areas and of the slopes, or of the single numbers.
    pub spreads: Vec<Spread>,
}

/// Both answers for one measure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Spread {
    /// What varies.
    pub of: Measure,
    /// The documented answer.
    pub documented: CvCurve,
    /// What the documented rule says about the same runs in reverse order.
    pub documented_reversed: Option<usize>,
    /// How precise the mean is; absent where that cannot be said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precision: Option<Precision>,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_none: Option<String>,
}

/// How precise the mean of N runs is, whatever their order.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Precision {
    /// The spread of single runs with its interval: a constant that more runs only measure better.
    pub spread: CoefficientOfVariation,
    /// Expected half-width of the mean's interval against N, as far as it is worth showing.
    pub points: Vec<PrecisionAt>,
    /// The half-width that the runs at hand give, relative.
    pub now: f64,
    /// The smallest N that reaches the threshold; absent where more than 2,000 are needed.
    pub needed: Option<usize>,
    /// The same if the true spread lies at the lower end of its interval.
    pub needed_low: Option<usize>,
    /// The same at the upper end.
    pub needed_high: Option<usize>,
    /// What was computed.
    pub method: &'static str,
}

/// One N.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PrecisionAt {
    /// Runs.
    pub n: usize,
    /// Expected half-width of the mean's interval, relative to the mean.
    pub relative: f64,
    /// The same if the true spread lies at the lower end of its interval.
    pub low: f64,
    /// The same at the upper end; infinite where the spread is not bounded.
    #[serde(serialize_with = "infinity_as_null")]
    pub high: f64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn infinity_as_null<S: serde::Serializer>(x: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    x.is_finite().then_some(*x).serialize(serializer)
}

/// Analyzes the spread of runs.
pub fn variance(runs: &[History], question: &VarianceQuestion) -> Result<Variance, AnalysisError> {
    question.check()?;
    given_once(runs)?;
    one_kind(runs)?;
    let counted = || runs.iter().filter(|run| run.outcome == Outcome::Ok);
    let single = counted().count() > 0 && counted().all(|run| run.series.len() == 1);
    let declared = match question.declared {
        DeclaredSummary::Used => declared(runs, question)?,
        DeclaredSummary::Ignored => None,
    };
    let (measures, summary, numbers) = if let Some(declared) = declared {
        declared
    } else if single {
        let (measures, numbers): (&[Measure], _) = (&[Measure::Value], values(runs)?);
        (measures, "value".to_owned(), numbers)
    } else {
        let summary = question.summary.kind.name().to_owned();
        let numbers = areas_and_slopes(runs, question)?;
        (&AREA_AND_SLOPE[..], summary, numbers)
    };
    let (mut counted_runs, mut left_out) = (Vec::new(), Vec::new());
    for (run, numbers) in runs.iter().zip(numbers) {
        let id = run.id.clone();
        match numbers {
            _ if run.outcome != Outcome::Ok => left_out.push(LeftOut {
                id,
                why: run.notes.join("; "),
            }),
            Ok(numbers) => counted_runs.push((run, numbers)),
            Err(why) => left_out.push(LeftOut { id, why }),
        }
    }
    let found = by_seed(&counted_runs);
    if found.len() < 2 {
        let why = left_out
            .first()
            .map_or(String::new(), |run| format!("; {}: {}", run.id, run.why));
        let curves: Vec<&History> = counted().collect();
        let way_out = match measures {
            [Measure::Summary] => None,
            _ => question.summary.way_out(&curves),
        };
        return Err(AnalysisError::Question(format!(
            "a spread needs at least 2 runs with `{}`, there are {}{why}{}",
            question.metric,
            found.len(),
            way_out.unwrap_or_default()
        )));
    }
    let spreads = measures.iter().enumerate().map(|(place, of)| {
        let values: Vec<f64> = found.iter().map(|run| run.numbers[place]).collect();
        spread(*of, &values, question)
    });
    Ok(Variance {
        schema: VARIANCE_SCHEMA,
        metric: question.metric.clone(),
        threshold: question.threshold,
        summary,
        spreads: spreads.collect::<Result<_, _>>()?,
        runs: found,
        left_out,
    })
}

/// The rollouts of a seed are one run, whose numbers are the means of theirs: they are not independent.
fn by_seed(runs: &[(&History, Vec<f64>)]) -> Vec<RunSpread> {
    let mut seeds: Vec<Vec<&(&History, Vec<f64>)>> = Vec::new();
    for run in runs {
        let same = |of: &&mut Vec<&(&History, Vec<f64>)>| {
            let first = of[0].0;
            let one_place = first.task == run.0.task && first.point == run.0.point;
            one_place && first.run == run.0.run && first.shares_seed(run.0)
        };
        match seeds.iter_mut().find(same) {
            Some(seed) => seed.push(run),
            None => seeds.push(vec![run]),
        }
    }
    let together = |rollouts: Vec<&(&History, Vec<f64>)>| {
        let (first, numbers) = rollouts[0];
        let mean = |place: usize| {
            let all = rollouts.iter().map(|(_, numbers)| numbers[place]);
            all.sum::<f64>() / rollouts.len() as f64
        };
        RunSpread {
            id: match rollouts.len() {
                1 => first.id.clone(),
                many => format!("{} and {} more rollouts", first.id, many - 1),
            },
            numbers: (0..numbers.len()).map(mean).collect(),
        }
    };
    seeds.into_iter().map(together).collect()
}

/// A run's numbers, or why it has none.
type Numbers = Result<Vec<f64>, String>;

/// What is measured, how it is called, and every run's numbers.
type Measured = (&'static [Measure], String, Vec<Numbers>);

/// The numbers of the records, where the spec declares a summary and all of them were made by one; else nothing. Beside an
/// area stands the slope, as always.
fn declared(
    runs: &[History],
    question: &VarianceQuestion,
) -> Result<Option<Measured>, AnalysisError> {
    let counted = || runs.iter().filter(|run| run.outcome == Outcome::Ok);
    let Some(first) = counted().find_map(|run| run.recorded.as_ref()) else {
        return Ok(None);
    };
    let summary = |run: &History| run.declaration.as_ref()?.summary.clone();
    let alike = |run: &History| {
        let recorded = run.recorded.as_ref();
        summary(run).is_some() && recorded.is_some_and(|number| number.summary == first.summary)
    };
    if !counted().all(alike) {
        return Ok(None);
    }
    let number = |run: &History| match &run.recorded {
        Some(number) if number.value.is_finite() => Ok(vec![number.value]),
        Some(number) => Err(format!("its value is {}", number.value)),
        None => Err("no value".to_owned()),
    };
    let mut numbers: Vec<Numbers> = runs.iter().map(number).collect();
    let is_area = |run: &History| summary(run).is_some_and(|it| it.kind == SummaryKind::Auc);
    if !counted().any(is_area) {
        return Ok(Some((&[Measure::Summary], first.summary.clone(), numbers)));
    }
    let curves: Vec<&History> = runs.iter().collect();
    let slopes = slope(question).apply(&curves)?;
    for (run, (numbers, slope)) in runs.iter().zip(numbers.iter_mut().zip(slopes)) {
        match (numbers.as_mut(), slope) {
            (Ok(known), Ok(slope)) => known.push(slope.value),
            (Ok(_), Err(why)) => *numbers = Err(why_none(run, &why)),
            (Err(_), _) => {}
        }
    }
    Ok(Some((&AREA_AND_SLOPE, first.summary.clone(), numbers)))
}

/// What a curve without a declared summary is measured by.
const AREA_AND_SLOPE: [Measure; 2] = [Measure::Auc, Measure::Derivative];

fn slope(question: &VarianceQuestion) -> SummaryRule {
    SummaryRule {
        kind: SummaryType::Slope,
        ..question.summary
    }
}

fn values(runs: &[History]) -> Result<Vec<Numbers>, AnalysisError> {
    let value = |run: &History| {
        if run.series.len() != 1 {
            return Ok(Err("no value".to_owned()));
        }
        Ok(match run.series.points()?.values[..] {
            [value] if value.is_finite() => Ok(vec![value]),
            [value] => Err(format!("its value is {value}")),
            _ => Err("no value".to_owned()),
        })
    };
    runs.iter().map(value).collect()
}

fn areas_and_slopes(
    runs: &[History],
    question: &VarianceQuestion,
) -> Result<Vec<Numbers>, AnalysisError> {
    let curves: Vec<&History> = runs.iter().collect();
    let areas = question.summary.apply(&curves)?;
    let slopes = slope(question).apply(&curves)?;
    let numbers = runs.iter().zip(areas).zip(slopes);
    let numbers = numbers.map(|((run, auc), derivative)| match (auc, derivative) {
        (Ok(auc), Ok(derivative)) => Ok(vec![auc.value, derivative.value]),
        (Err(why), _) | (_, Err(why)) => Err(why_none(run, &why)),
    });
    Ok(numbers.collect())
}

fn spread(
    of: Measure,
    values: &[f64],
    question: &VarianceQuestion,
) -> Result<Spread, AnalysisError> {
    let bad = |why: fairtrial_stats::Undefined| AnalysisError::Question(why.to_string());
    let documented = cv_curve(values, CvRule::Below, question.threshold).map_err(bad)?;
    let reversed: Vec<f64> = values.iter().rev().copied().collect();
    let documented_reversed = cv_curve(&reversed, CvRule::Below, question.threshold)
        .map_err(bad)?
        .first_n;
    let (precision, why_none) = match precision(values, question) {
        Ok(precision) => (Some(precision), None),
        Err(why) => (None, Some(why.to_string())),
    };
    Ok(Spread {
        of,
        documented,
        documented_reversed,
        precision,
        why_none,
    })
}

fn precision(values: &[f64], question: &VarianceQuestion) -> fairtrial_stats::Outcome<Precision> {
    let level = Level::two_sided(question.alpha);
    let spread = coefficient_of_variation(values, level)?;
    let (low, high) = (
        spread.interval.low / spread.value,
        spread.interval.high / spread.value,
    );
    let (curve, needed) = curve(values, question, [1.0, low, high])?;
    let shown = shown(values.len(), needed[0]);
    let points = curve.points.iter().take_while(|point| point.n <= shown);
    Ok(Precision {
        now: at(&curve, values.len()),
        points: points
            .map(|point| PrecisionAt {
                n: point.n,
                relative: point.relative,
                low: point.relative * low,
                high: point.relative * high,
            })
            .collect(),
        needed: needed[0],
        needed_low: needed[1],
        needed_high: needed[2],
        method: curve.method,
        spread,
    })
}

/// The curve, and the N at which it reaches the threshold when stretched by each factor. A short curve is tried first:
/// it nearly always suffices, and the long one takes a tenth of a second.
fn curve(
    values: &[f64],
    question: &VarianceQuestion,
    factors: [f64; 3],
) -> fairtrial_stats::Outcome<(PrecisionCurve, [Option<usize>; 3])> {
    let level = Level::two_sided(question.alpha);
    let upto = |longest: usize| {
        let longest = longest.max(values.len());
        let curve = precision_curve(values, None, question.threshold, longest, level)?;
        let reached = |factor: f64| {
            let mut points = curve.points.iter();
            let first = points.find(|point| point.relative * factor <= question.threshold);
            first.map(|point| point.n)
        };
        let needed = factors.map(reached);
        Ok((curve, needed))
    };
    let (short, needed) = upto(SHORT)?;
    let reachable = factors.iter().zip(needed);
    if reachable
        .filter(|(factor, _)| factor.is_finite())
        .all(|(_, n)| n.is_some())
    {
        return Ok((short, needed));
    }
    upto(LONGEST)
}

fn at(curve: &PrecisionCurve, n: usize) -> f64 {
    curve
        .points
        .iter()
        .find(|point| point.n == n)
        .map_or(f64::NAN, |point| point.relative)
}

/// How far the curve is shown: past the runs at hand and past what is needed, where that is not far away.
fn shown(runs: usize, needed: Option<usize>) -> usize {
    let wanted = needed.map_or(0, |needed| needed + needed / 4);
    (2 * runs).max(wanted.min(10 * runs)).clamp(20, LONGEST)
}
