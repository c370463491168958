//! The verdict of `analyze`, by the one place that makes verdicts.

use super::history::{History, RunBehind};
use super::pairs::{Arranged, Design};
use super::question::Question;
use super::summary::SummaryType;
use super::value::RunValue;
use crate::compare::comparison::compare_despite;
use crate::compare::data::scores::without_points;
use crate::compare::data::side::Inputs;
use crate::compare::data::unit::Pairing;
use crate::compare::method::choose::SIGN_FLIP_PAIRS;
use crate::compare::objections::mixed_code;
use crate::compare::objections::objection::{Objection, ObjectionKind};
use crate::compare::options::CompareOptions;
use crate::compare::result::MetricComparison;
use crate::dataset::{Dataset, Origin};
use crate::error::AnalysisError;
use fairtrial_journal::observation::{Key, Metrics, Observation, Used};
use fairtrial_model::{Direction, Margin, Method, MetricDeclaration, Outcome, Params, SummaryKind};
use fairtrial_stats::series::Scale;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Compares the sides' numbers; of each side first the runs in their order, then those without a partner.
pub(super) fn verdict(
    arranged: &Arranged,
    numbers: [(&[RunValue], &[RunValue]); 2],
    question: &Question,
    objections: &[Objection],
) -> Result<(MetricComparison, Option<String>), AnalysisError> {
    let mut data = Dataset::new("analyze", Origin::Records);
    data.control = Some("control".to_owned());
    data.arm_order = vec!["control".to_owned(), "candidate".to_owned()];
    let declared = arranged
        .control
        .iter()
        .find_map(|run| run.declaration.as_ref());
    let (declared, note) = declared
        .map(|declared| declared_for(declared, question))
        .unzip();
    data.declared.extend(declared.clone());
    data.looked_at = looked_at(arranged, question).then(|| question.metric.clone());
    let units = Units::of(arranged);
    let histories = [
        ("control", &arranged.control, &arranged.alone[0]),
        ("candidate", &arranged.candidate, &arranged.alone[1]),
    ];
    for (side, (arm, runs, alone)) in histories.into_iter().enumerate() {
        let (own, others) = numbers[side];
        let values = own.iter().chain(others).zip(runs.iter().chain(alone));
        for (place, (value, run)) in values.enumerate() {
            let seed = units.seed(side, place);
            for (rollout, one) in value.curves().iter().zip(run.curves()).enumerate() {
                let key = (place, seed, rollout as u32);
                data.push(&observation(arm, one, key, &question.metric));
            }
        }
    }
    let options = CompareOptions {
        alpha: question.bootstrap.level.alpha,
        metrics: vec![question.metric.clone()],
        method: Some(method(arranged, declared.as_ref())),
        pairing: match arranged.design {
            Design::Paired => Pairing::Paired,
            Design::Unpaired => Pairing::Unpaired,
        },
        // A learning curve without a declaration is a reward: higher is better.
        direction: question
            .direction
            .or_else(|| declared.as_ref()?.direction)
            .or(Some(Direction::Up)),
        margin: question.margin,
        power: question.power.map_or(0.8, |asked| asked.power),
        ..CompareOptions::default()
    };
    let comparison = compare_despite(Inputs::Arms(&data), &options, objections)?;
    let contrasts = comparison.contrasts.into_iter();
    let first = contrasts.flat_map(|contrast| contrast.metrics).next();
    let mut found =
        first.ok_or_else(|| AnalysisError::Question("there is nothing to compare".to_owned()))?;
    units.name(&mut found);
    Ok((found, note.flatten()))
}

/// Means of the metric's own unit, whatever the metric is: by sign-flips where there are enough pairs, as in a comparison.
fn method(arranged: &Arranged, declared: Option<&MetricDeclaration>) -> Method {
    let pairs = arranged.design == Design::Paired && arranged.control.len() >= SIGN_FLIP_PAIRS;
    match declared.and_then(|declared| declared.method) {
        Some(method) => method,
        None if pairs => Method::SignFlip,
        None => Method::T,
    }
}

/// What a number of a curve is one of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NumberOf {
    Values,
    Slopes,
    Areas,
    Steps,
}

impl NumberOf {
    fn word(self) -> &'static str {
        match self {
            Self::Values => "the metric's values",
            Self::Slopes => "slopes",
            Self::Areas => "areas",
            Self::Steps => "steps",
        }
    }
}

/// The declaration as it holds for the numbers that are asked for, and what of it cannot hold. All stands in the metric's
/// unit: one task needs no reference points, and the numbers beside the verdict are on no other scale than its own.
fn declared_for(
    declared: &MetricDeclaration,
    question: &Question,
) -> (MetricDeclaration, Option<String>) {
    let rule = &question.summary;
    let asked = match (rule.kind, rule.scale) {
        (SummaryType::Slope, _) => NumberOf::Slopes,
        (SummaryType::Auc, Scale::Raw) => NumberOf::Areas,
        _ => NumberOf::Values,
    };
    let of_margin = match declared.summary.as_ref().map(|summary| summary.kind) {
        Some(SummaryKind::Slope) => NumberOf::Slopes,
        Some(SummaryKind::TimeTo) => NumberOf::Steps,
        _ => NumberOf::Values,
    };
    let mut about = declared.clone();
    without_points(&mut about);
    about.reference = None;
    about.summary = None;
    let unit = declared.unit.as_deref();
    about.unit = match asked {
        NumberOf::Slopes => unit.map(|unit| format!("{unit}/step")),
        NumberOf::Areas => unit.map(|unit| format!("{unit} x steps")),
        NumberOf::Values | NumberOf::Steps => unit.map(str::to_owned),
    };
    let fits = asked == of_margin || question.margin.is_some();
    let note = match declared.margin {
        Some(Margin::Absolute(size)) if !fits => {
            about.margin = None;
            Some(format!(
                "the declared margin {size} is about {}, and these are {}: it is left out (--margin says one)",
                of_margin.word(),
                asked.word()
            ))
        }
        _ => None,
    };
    (about, note)
}

/// Whether both sides are of a run that stopped by looking at this very difference.
pub(super) fn looked_at(arranged: &Arranged, question: &Question) -> bool {
    let looked = |run: &&Arc<RunBehind>| run.looked_at.as_ref() == Some(&question.metric);
    let runs = |side: &'_ [History]| -> Vec<Arc<RunBehind>> {
        let of = side.iter().filter_map(|trial| trial.run.as_ref());
        of.filter(looked).cloned().collect()
    };
    let candidates = runs(&arranged.candidate);
    let mut controls = runs(&arranged.control).into_iter();
    controls.any(|run| candidates.contains(&run))
}

/// Trials of one side, or of both sides in one run, that ran different code, as in a comparison.
pub(super) fn mixed_code(arranged: &Arranged) -> Option<Objection> {
    let sides = [&arranged.control, &arranged.candidate];
    let runs = |side: &[History], run: &Arc<RunBehind>| {
        let mut runs = side.iter().filter_map(|trial| trial.run.as_ref());
        runs.any(|of| Arc::ptr_eq(of, run))
    };
    sides.iter().flat_map(|side| side.iter()).find_map(|trial| {
        let run = trial.run.as_ref()?;
        let together = sides.iter().all(|side| runs(side, run));
        let arm = trial.arm.clone().filter(|_| !together);
        let mixture = run.mixed.get(&(trial.task.clone()?, arm))?;
        Some(mixed_code::found(mixture.clone(), run.accepts_code))
    })
}

/// The number of every run's unit, and what the unit is called where that number is no seed of a run.
struct Units {
    /// By side, in the order of its runs.
    seeds: [Vec<u64>; 2],
    names: HashMap<String, String>,
}

impl Units {
    fn of(arranged: &Arranged) -> Self {
        let runs = [&arranged.control, &arranged.candidate];
        let of_side = |side: usize| runs[side].iter().chain(&arranged.alone[side]);
        let known = |side: usize| {
            let seeds: Option<Vec<u64>> = of_side(side).map(|run| run.seed).collect();
            let mut seen = HashSet::new();
            seeds.filter(|seeds| seeds.iter().all(|seed| seen.insert(*seed)))
        };
        let (control, candidate) = (known(0), known(1));
        match (arranged.design, control, candidate) {
            (Design::Paired, Some(control), Some(candidate))
                if control
                    .iter()
                    .zip(&candidate)
                    .take(arranged.control.len())
                    .all(|(a, b)| a == b) =>
            {
                Self {
                    seeds: [control, candidate],
                    names: HashMap::new(),
                }
            }
            (Design::Paired, ..) => {
                let pairs = arranged.control.iter().zip(&arranged.candidate);
                let name = |(place, (a, b)): (usize, (&History, &History))| {
                    (
                        format!("seed {}", place + 1),
                        format!("{} and {}", a.id, b.id),
                    )
                };
                let seeds: Vec<u64> = (1..=arranged.control.len() as u64).collect();
                Self {
                    names: pairs.enumerate().map(name).collect(),
                    seeds: [seeds.clone(), seeds],
                }
            }
            (Design::Unpaired, Some(control), Some(candidate)) => Self {
                seeds: [control, candidate],
                names: HashMap::new(),
            },
            (Design::Unpaired, ..) => {
                let mut names = HashMap::new();
                let seeds = [0, 1].map(|side| {
                    let number = |(place, run): (usize, &History)| {
                        let seed = (2 * place + side) as u64;
                        let arm = ["control", "candidate"][side];
                        names.insert(format!("{arm} seed {seed}"), run.id.clone());
                        names.insert(format!("seed {seed}"), run.id.clone());
                        seed
                    };
                    of_side(side).enumerate().map(number).collect()
                });
                Self { seeds, names }
            }
        }
    }

    fn seed(&self, side: usize, place: usize) -> u64 {
        self.seeds[side][place]
    }

    /// Puts the runs' names in the place of numbers that nobody gave them.
    fn name(&self, found: &mut MetricComparison) {
        let name = |unit: &mut String| {
            if let Some(name) = self.names.get(unit) {
                unit.clone_from(name);
            }
        };
        found.dropped.iter_mut().for_each(|one| name(&mut one.unit));
        for objection in &mut found.verdict.objections {
            if let ObjectionKind::Fragile { unit, .. } = &mut objection.kind {
                name(unit);
            }
        }
    }
}

fn observation<'a>(
    arm: &'a str,
    (value, run): (&'a RunValue, &History),
    (index, seed, rollout): (usize, u64, u32),
    metric: &'a str,
) -> Observation<'a> {
    let outcome = match value.value {
        Some(_) => Outcome::Ok,
        None if run.outcome == Outcome::Ok => Outcome::Failed,
        None => run.outcome,
    };
    Observation {
        trial: Key {
            index: index as u64,
            task: Cow::Borrowed(""),
            arm: Some(Cow::Borrowed(arm)),
            point: Params::new(),
            seed,
            rollout,
        },
        id: Cow::Borrowed(&value.id),
        outcome,
        resources: Used::default(),
        samples: std::collections::BTreeMap::new(),
        series: std::collections::BTreeMap::new(),
        facts: std::collections::BTreeMap::new(),
        notes: Vec::new(),
        code: None,
        dir: Cow::default(),
        reused_from: None,
        metrics: Metrics(
            value
                .value
                .map(|number| (Cow::Borrowed(metric), number))
                .into_iter()
                .collect(),
        ),
    }
}
