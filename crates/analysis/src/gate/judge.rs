//! Asks the gate: the comparison under the rules, failures, and what the machine broke.

use super::answer::{GATE_SCHEMA, Gate, GateLine, GateReason, GateWord, InfraShare, LineReason};
use super::rules::{self, GateRule};
use super::sides::sides;
use super::starved::starved;
use crate::compare::comparison::compare;
use crate::compare::data::side::Inputs;
use crate::compare::failures::{FailureCount, Failures};
use crate::compare::method::family;
use crate::compare::objections::objection::Objection;
use crate::compare::options::{Beyond, CompareOptions, Deciding, Role};
use crate::compare::result::{Comparison, Contrast};
use crate::compare::word::Word;
use crate::dataset::Dataset;
use crate::error::AnalysisError;
use fairtrial_model::Outcome;

/// What a gate is asked.
#[derive(Debug, Clone)]
pub struct GateOptions {
    /// Rules; without any, every declared metric that says which way is better is one.
    pub rules: Vec<GateRule>,
    /// The share of a side's trials that the machine may break before nothing is concluded.
    pub most_infra: f64,
    /// How sides are compared.
    pub compare: CompareOptions,
}

impl Gate {
    /// Nothing is concluded from what is left of a run: which records were lost is not up to chance.
    pub(super) fn unless_lost(mut self, sources: &[Dataset]) -> Self {
        let lost = sources.iter().filter_map(|data| data.loss.as_ref());
        let lost: Vec<GateReason> = lost
            .map(|loss| GateReason::Lost { loss: loss.clone() })
            .collect();
        if !lost.is_empty() {
            self.word = GateWord::Invalid;
            self.reasons = lost;
        }
        self
    }
}

/// Asks the gate. Rules are applied to the declarations of the sources.
pub fn gate(inputs: Inputs<'_>, options: &GateOptions) -> Result<Gate, AnalysisError> {
    if let Inputs::Two(baseline, candidate) = inputs
        && baseline.is_same_run(candidate)
    {
        return Err(AnalysisError::Question(format!(
            "{} is the run that is judged, and a run cannot be its own baseline: run the benchmark again, or name an \
             earlier run",
            baseline.label
        )));
    }
    let rules = rules::asked(inputs, &options.rules)?;
    rules::made_alike(inputs, &rules, &options.compare.accept)?;
    let notes = rules::disputed(inputs, &rules)?;
    let sources: Vec<Dataset> = inputs
        .datasets()
        .map(|data| rules::applied(data, &rules))
        .collect();
    let ruled = match &sources[..] {
        [only] => Inputs::Arms(only),
        [control, candidate, ..] => Inputs::Two(control, candidate),
        [] => return Err(AnalysisError::Question("nothing to compare".to_owned())),
    };
    let asked = CompareOptions {
        metrics: rules.iter().map(|rule| rule.metric.clone()).collect(),
        deciding: Deciding::All,
        beyond: Beyond::Margin,
        ..options.compare.clone()
    };
    let comparison = compare(ruled, &asked)?;
    let infra: Vec<InfraShare> = infra(&comparison, &sources);
    let lines: Vec<GateLine> = comparison.contrasts.iter().flat_map(metric_lines).collect();
    Ok(Gate {
        notes,
        ..concluded(lines, infra, comparison, options).unless_lost(&sources)
    })
}

/// The answer that lines about metrics give, together with the failures of a comparison and what the machine broke.
pub(super) fn concluded(
    mut lines: Vec<GateLine>,
    infra: Vec<InfraShare>,
    comparison: Comparison,
    options: &GateOptions,
) -> Gate {
    lines.extend(failures(&comparison));
    let (mut word, mut reasons) = answer(&lines, &infra, options.most_infra);
    if word == GateWord::Invalid {
        // The machine is to blame, which is said already.
    } else if let Some(starved) = starved(word, &lines, &comparison) {
        (word, reasons) = (GateWord::Invalid, starved);
    } else {
        reasons.extend(open_failures(word, &comparison));
    }
    Gate {
        schema: GATE_SCHEMA,
        word,
        reasons,
        alpha: comparison.alpha,
        notes: Vec::new(),
        problems: comparison.problems.clone(),
        infra,
        lines,
        comparison: Some(comparison),
        sequential: None,
    }
}

/// One line per metric that decides.
fn metric_lines(contrast: &Contrast) -> Vec<GateLine> {
    let deciding = contrast
        .metrics
        .iter()
        .filter(|metric| metric.role == Role::Primary);
    deciding
        .map(|metric| GateLine {
            sides: sides(contrast),
            metric: metric.metric.clone(),
            word: word(metric.verdict.word),
            reason: LineReason::Verdict {
                verdict: metric.verdict.clone(),
                scale: metric.effect.as_ref().map(|effect| effect.scale),
                has_margin: metric
                    .effect
                    .as_ref()
                    .is_none_or(|effect| effect.margin.is_some()),
            },
        })
        .collect()
}

const fn word(found: Word) -> GateWord {
    match found {
        Word::Regressed => GateWord::Regressed,
        Word::Improved => GateWord::Improved,
        Word::Equivalent | Word::NotWorse | Word::Identical => GateWord::Equivalent,
        Word::Inconclusive | Word::Insufficient => GateWord::Inconclusive,
    }
}

/// A candidate that fails more often is worse, whatever its other numbers say. The metrics use up half of the error
/// rate in the direction that blocks; these tests, one per contrast, share the other half.
fn failures(comparison: &Comparison) -> Vec<GateLine> {
    let contrasts = &comparison.contrasts;
    let p_values = contrasts.iter().map(|contrast| {
        // One without any failure was looked at as well: leaving it out would choose the family by the data.
        let p = contrast.failures.p.unwrap_or(1.0);
        may_be_judged(contrast).then_some(p)
    });
    let places = family::places(&p_values.collect::<Vec<_>>(), comparison.alpha);
    let judged = contrasts.iter().zip(places);
    judged
        .filter_map(|(contrast, place)| failing_more(contrast, place.adjusted_p?, comparison.alpha))
        .collect()
}

/// The line of a contrast whose candidate fails more often, by the p value that accounts for the other contrasts.
fn failing_more(contrast: &Contrast, p: f64, alpha: f64) -> Option<GateLine> {
    let failures = &contrast.failures;
    let share = |count: FailureCount| count.failed as f64 / count.trials.max(1) as f64;
    let worse = share(failures.candidate) > share(failures.control);
    (worse && p <= alpha).then(|| GateLine {
        sides: sides(contrast),
        metric: "failures".to_owned(),
        word: GateWord::Regressed,
        reason: LineReason::Failures {
            failures: failures.clone(),
            p,
        },
    })
}

/// Whether nothing speaks against a verdict about the whole contrast.
fn may_be_judged(contrast: &Contrast) -> bool {
    !contrast.objections.iter().any(Objection::holds_back)
}

/// Where the data leave it open, how often which side failed is part of the answer.
fn open_failures(word: GateWord, comparison: &Comparison) -> Vec<GateReason> {
    let failing = |contrast: &&Contrast| {
        let Failures {
            control, candidate, ..
        } = &contrast.failures;
        word == GateWord::Inconclusive && control.failed + candidate.failed > 0
    };
    let contrasts = comparison.contrasts.iter().filter(failing);
    contrasts
        .map(|contrast| GateReason::Failing {
            sides: sides(contrast),
            failures: contrast.failures.clone(),
        })
        .collect()
}

/// What the machine broke on every side that takes part.
pub(super) fn infra(comparison: &Comparison, sources: &[Dataset]) -> Vec<InfraShare> {
    let mut found: Vec<InfraShare> = Vec::new();
    for contrast in &comparison.contrasts {
        for side in [&contrast.control, &contrast.candidate] {
            let Some(data) = sources.iter().find(|data| data.label == side.source) else {
                continue;
            };
            let name = side.arm.as_ref().map_or_else(
                || side.source.clone(),
                |arm| format!("{arm} of {}", side.source),
            );
            let of = share(data, side.arm.as_deref(), &name);
            if !found.contains(&of) {
                found.push(of);
            }
        }
    }
    found
}

fn share(data: &Dataset, arm: Option<&str>, side: &str) -> InfraShare {
    let mine = || {
        let trials = data.trials.iter();
        trials.filter(|trial| arm.is_none() || data.arms.get(trial.arm).as_deref() == arm)
    };
    InfraShare {
        side: side.to_owned(),
        infra: mine()
            .filter(|trial| trial.outcome == Outcome::Infra)
            .count(),
        trials: mine().count(),
    }
}

/// Broken machines first, then what is sure, then what is open.
fn answer(
    lines: &[GateLine],
    infra: &[InfraShare],
    most_infra: f64,
) -> (GateWord, Vec<GateReason>) {
    let broken = infra.iter().filter(|side| side.share() > most_infra);
    let broken: Vec<GateReason> = broken.cloned().map(GateReason::Infra).collect();
    if !broken.is_empty() {
        return (GateWord::Invalid, broken);
    }
    for word in [
        GateWord::Regressed,
        GateWord::Inconclusive,
        GateWord::Improved,
    ] {
        let of = lines.iter().filter(|line| line.word == word);
        let of: Vec<GateReason> = of.cloned().map(GateReason::Line).collect();
        if !of.is_empty() {
            return (word, of);
        }
    }
    (GateWord::Equivalent, vec![GateReason::NothingWorse])
}
