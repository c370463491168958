//! `compare`: two sides, metric by metric, each ending in one verdict word with its evidence.
//!
//! The kind of data picks the method (`docs/guides/compare.md`): shared seeds are pairs, pass/fail goes by proportions
//! or by tasks, timings by ratio, the rest by t. One interval decides: against zero, and against the margin. The JSON
//! form of [`Comparison`] is what `compare --json` prints.

mod assess;
mod beside;
pub(crate) mod case;
mod chances;
mod choice;
mod contest;
pub(crate) mod definition;
mod dropped;
mod edges;
mod failures;
mod fairness;
pub(crate) mod family;
mod fill;
mod flag;
mod joined;
mod judged;
mod left_out;
mod looked;
mod margin;
mod method;
mod mismatch;
mod missing;
mod options;
pub(crate) mod parts;
mod plan_more;
mod ranking;
mod rates;
mod reference;
mod relative;
pub(crate) mod sample;
pub(crate) mod scores;
mod shape;
pub(crate) mod sides;
mod suite;
mod tally;
mod tasks;
mod units;
mod verdict;

pub use assess::{Effect, MetricComparison, Ranged, UnitCount, Verdict};
pub use beside::{Beside, Detectable, Flip, LeaveOneOut, SignFlipBeside, Standardised};
pub use case::{DataKind, Scale};
pub(crate) use case::{is_timing, may_be_pass_or_fail, rule_for};
pub(crate) use choice::conditions;
pub use choice::{ConfirmPlan, PointName, PointStanding, SweepChoice, choose, choose_declared};
pub use dropped::DroppedUnit;
pub use failures::{FailureCount, Failures};
pub use fairness::Fairness;
pub use family::FamilyPlace;
pub(crate) use fill::Fill;
pub use flag::Flag;
pub use margin::parse_margin;
pub use method::Method;
pub use mismatch::Mismatch;
pub use options::{Beyond, CompareOptions, Deciding};
pub use plan_more::MoreTrials;
pub use ranking::{Ranked, Ranking};
pub use reference::{GivenPoints, parse_points};
pub use sides::{Inputs, SideName};
pub use suite::{SuiteBeside, SuiteScore};
pub use tasks::TaskLine;
pub use units::{Pairing, TaskRole, UnitKind};
pub(crate) use verdict::Rule;
pub use verdict::Word;

use crate::AnalysisError;
use crate::dataset::Dataset;
use case::{Asked, Case};
use fairtrial_model::{MetricDeclaration, Params};
use serde::Serialize;
use sides::Planned;

/// Version of the comparison's JSON form.
pub const COMPARISON_SCHEMA: u32 = 1;

/// Whether a metric decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Its verdict is the answer.
    Primary,
    /// Shown beside it; cannot gate.
    Secondary,
}

/// Everything that `compare` found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// [`COMPARISON_SCHEMA`].
    pub schema: u32,
    /// Two-sided error rate of the primary family, and of the secondary one.
    pub alpha: f64,
    /// In what the sides differ besides what is compared.
    pub mismatches: Vec<Mismatch>,
    /// The contrasts, one per candidate and sweep point.
    pub contrasts: Vec<Contrast>,
    /// Arms in order of the primary metric, one list per sweep point; only with three arms or more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rankings: Vec<Ranking>,
    /// What is wrong with the sources.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

/// One candidate against the control, at one sweep point.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Contrast {
    /// The control.
    pub control: SideName,
    /// The candidate.
    pub candidate: SideName,
    /// The sweep point.
    #[serde(skip_serializing_if = "Params::is_empty")]
    pub point: Params,
    /// Why nothing is concluded, where too few trials of a side count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub withheld: Option<String>,
    /// How often each side failed.
    pub failures: Failures,
    /// What the sides were asked to share, and whether they do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fairness: Vec<Fairness>,
    /// The metrics, the primary one first.
    pub metrics: Vec<MetricComparison>,
    /// The metrics by task, where there is more than one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<TaskLine>,
}

impl Comparison {
    /// The verdicts of the primary metric.
    pub fn primary(&self) -> impl Iterator<Item = &MetricComparison> {
        let metrics = self.contrasts.iter().flat_map(|contrast| &contrast.metrics);
        metrics.filter(|metric| metric.role == Role::Primary)
    }
}

/// Compares.
pub fn compare(inputs: Inputs<'_>, options: &CompareOptions) -> Result<Comparison, AnalysisError> {
    check(options)?;
    let planned = sides::plan(inputs, options)?;
    let asked = asked_metrics(inputs, options)?;
    let mismatches = mismatch::find(inputs, &planned, &asked);
    let cases: Vec<Vec<Case>> = planned
        .iter()
        .map(|contrast| cases_of(contrast, &asked, options))
        .collect();
    if cases.iter().all(Vec::is_empty) {
        return Err(AnalysisError::Question(
            "no metric has a value on either side".to_owned(),
        ));
    }
    let places = family_places(&cases, options.alpha);
    let mut contrasts = Vec::with_capacity(planned.len());
    for ((contrast, cases), places) in planned.iter().zip(&cases).zip(places) {
        contrasts.push(judge(contrast, cases, &places, (options, &mismatches)));
    }
    let mut comparison = Comparison {
        schema: COMPARISON_SCHEMA,
        alpha: options.alpha,
        rankings: ranking::rank(inputs, &planned, &asked[0], options),
        mismatches,
        contrasts,
        problems: inputs
            .datasets()
            .flat_map(|data| data.problems.clone())
            .collect(),
    };
    if let Inputs::Arms(Dataset {
        looked_at: Some(metric),
        ..
    }) = inputs
    {
        comparison.withhold_looked_at(metric);
    }
    Ok(comparison)
}

fn check(options: &CompareOptions) -> Result<(), AnalysisError> {
    if let Some(valid) = options.valid.filter(|valid| !(0.0..=1.0).contains(valid)) {
        return Err(AnalysisError::Option {
            name: "valid",
            value: valid.to_string(),
            expected: "a share from 0 to 1",
        });
    }
    for (name, value) in [("alpha", options.alpha), ("power", options.power)] {
        if !(value > 0.0 && value < 1.0) {
            return Err(AnalysisError::Option {
                name,
                value: value.to_string(),
                expected: "a chance between 0 and 1, both excluded",
            });
        }
    }
    Ok(())
}

/// The metrics in question, the primary one first, with what is declared about them and what the user says instead.
fn asked_metrics(
    inputs: Inputs<'_>,
    options: &CompareOptions,
) -> Result<Vec<Asked>, AnalysisError> {
    let mut reported: Vec<String> = Vec::new();
    for name in inputs.datasets().flat_map(Dataset::metric_names) {
        if !reported.contains(&name) {
            reported.push(name);
        }
    }
    let declared = |name: &str| {
        inputs
            .datasets()
            .find_map(|data| data.declaration(name))
            .cloned()
    };
    let mut names: Vec<String> = if options.metrics.is_empty() {
        let mut names: Vec<String> = inputs
            .datasets()
            .flat_map(|data| data.declared.iter().map(|metric| metric.name.clone()))
            .collect();
        if names.is_empty() {
            names.clone_from(&reported);
        }
        if let Some(primary) = &options.primary {
            names.insert(0, primary.clone());
        }
        names
    } else {
        options.metrics.clone()
    };
    let mut seen = Vec::new();
    names.retain(|name| {
        !seen.contains(name) && {
            seen.push(name.clone());
            true
        }
    });
    if let Some(unknown) = names
        .iter()
        .find(|name| !reported.contains(name) && declared(name).is_none())
    {
        return Err(AnalysisError::Question(format!(
            "no trial reports the metric `{unknown}`; there are {}",
            reported.join(", ")
        )));
    }
    if names.is_empty() {
        return Err(AnalysisError::Question(
            "no trial reports a metric".to_owned(),
        ));
    }
    let asked = |(place, name): (usize, String)| -> Result<Asked, AnalysisError> {
        let known = declared(&name);
        let is_declared = known.is_some();
        let mut declaration = known.unwrap_or_else(|| MetricDeclaration::named(name.as_str()));
        declaration.margin = options.margin.or(declaration.margin);
        declaration.direct(options.direction);
        // Points are scores of one metric: those of the user are about the one that decides.
        let given = options.reference.as_ref().filter(|_| place == 0);
        if given.is_some() && !declaration.on_own_scale() {
            return Err(scores::other_scale(&declaration));
        }
        if given.is_some() {
            declaration.reference = given.cloned();
        }
        let contradicts = |direction| {
            let reference = declaration.reference.as_ref();
            reference.is_some_and(|reference| reference.contradicts(direction))
        };
        if declaration.direction.is_some_and(contradicts) {
            return Err(AnalysisError::Question(format!(
                "the reference points of `{name}` have their better end where its direction has the worse one"
            )));
        }
        let tasks = inputs
            .datasets()
            .flat_map(|data| data.reporting_tasks(&name))
            .collect();
        let pass_or_fail = inputs.datasets().all(|data| data.is_pass_or_fail(&name));
        let between = if pass_or_fail {
            scores::without_points(&mut declaration);
            None
        } else {
            scores::between_points(&mut declaration, &tasks)?
        };
        if given.is_some() && between.is_none() && !pass_or_fail {
            return Err(scores::cannot_be_used(&declaration, &tasks));
        }
        Ok(Asked {
            between,
            declaration,
            declared: is_declared || options.direction.is_some(),
            role: if place == 0 || options.deciding == Deciding::All {
                Role::Primary
            } else {
                Role::Secondary
            },
            kind: None,
        })
    };
    names.into_iter().enumerate().map(asked).collect()
}

/// The cases of one contrast; a metric that neither side reports has none, unless it is the primary one.
fn cases_of(contrast: &Planned<'_>, asked: &[Asked], options: &CompareOptions) -> Vec<Case> {
    let cases = asked
        .iter()
        .map(|asked| Case::new(contrast.rows(&asked.declaration.name), asked, options));
    cases
        .filter(|case| case.role == Role::Primary || !case.units.rows.is_empty())
        .collect()
}

/// Every case's place in its family: primary metric × contrasts, and the secondary ones on their own.
fn family_places(cases: &[Vec<Case>], alpha: f64) -> Vec<Vec<FamilyPlace>> {
    let of_role = |role: Role| {
        let of_role = cases.iter().flatten().filter(|case| case.role == role);
        let tests: Vec<family::Test> = of_role.map(|case| case.test(alpha)).collect();
        family::places(&tests, alpha).into_iter()
    };
    let (mut primary, mut secondary) = (of_role(Role::Primary), of_role(Role::Secondary));
    let mut place = |case: &Case| match case.role {
        Role::Primary => primary.next(),
        Role::Secondary => secondary.next(),
    };
    cases
        .iter()
        .map(|cases| cases.iter().filter_map(&mut place).collect())
        .collect()
}

fn judge(
    contrast: &Planned<'_>,
    cases: &[Case],
    places: &[FamilyPlace],
    (options, mismatches): (&CompareOptions, &[Mismatch]),
) -> Contrast {
    let fairness = fairness::check(contrast, &options.equal);
    let too_few = contrast.too_few(options);
    let judged = cases.iter().zip(places);
    let metrics = judged.map(|(case, place)| {
        let mut metric = assess::assess(case, *place, options.power);
        if case.role == Role::Primary && metric.effect.is_some() {
            metric.beside.suite = suite::suite(case, place.alpha, options.seed);
        }
        metric.verdict.flags.extend(fairness::flag(&fairness));
        if let Some(why) = &too_few {
            metric.verdict.withhold(why);
        }
        mismatch::hold_back(metric, mismatches, &options.accept)
    });
    Contrast {
        control: contrast.control.name(),
        candidate: contrast.candidate.name(),
        point: contrast.point.clone(),
        withheld: too_few.clone(),
        failures: failures::count(&contrast.rows("")),
        metrics: metrics.collect(),
        fairness: fairness.clone(),
        tasks: cases
            .iter()
            .flat_map(|case| tasks::lines(case, options))
            .map(|line| match &too_few {
                Some(why) => line.withheld(why),
                None => line,
            })
            .map(|line| mismatch::hold_back_task(line, mismatches, &options.accept))
            .collect(),
    }
}
