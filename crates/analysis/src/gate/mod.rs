//! The gate: may this change go in? Rules per metric, one family of tests, one answer.
//!
//! Only what is sure blocks: a metric is regressed when its whole interval lies beyond the margin that its rule allows,
//! at an error rate that all metrics share (Holm). Identical code is therefore called regressed no more often than
//! `alpha` says, however many metrics there are.

mod rule;
mod sequential;

pub use rule::GateRule;
pub use sequential::gate_sequential;

use crate::compare::family;
use crate::compare::{
    Beyond, Comparison, Contrast, Deciding, FailureCount, Failures, MetricComparison, Role, Word,
};
use crate::dataset::Dataset;
use crate::sequential::Trajectory;
use crate::{AnalysisError, CompareOptions, Inputs, compare};
use fairtrial_model::Outcome;
use fairtrial_text::share::p_value;
use serde::Serialize;

/// Version of the gate's JSON form.
pub const GATE_SCHEMA: u32 = 1;

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

/// The answer of a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GateWord {
    /// Something is worse than its rule allows.
    Regressed,
    /// Something is better, nothing is worse.
    Improved,
    /// Nothing is worse than its rule allows.
    Equivalent,
    /// The data leave it open.
    Inconclusive,
    /// Too much was broken by the machine, or lost since, to conclude anything.
    Invalid,
}

impl GateWord {
    /// The word itself.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Regressed => "regressed",
            Self::Improved => "improved",
            Self::Equivalent => "equivalent",
            Self::Inconclusive => "inconclusive",
            Self::Invalid => "invalid",
        }
    }
}

/// Everything that a gate found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Gate {
    /// [`GATE_SCHEMA`].
    pub schema: u32,
    /// The answer.
    pub word: GateWord,
    /// Why, in sentences.
    pub reasons: Vec<String>,
    /// Two-sided error rate of all rules together.
    pub alpha: f64,
    /// What a reader of the answer must know about its rules.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What is wrong with the sources: what a reader must know before trusting any of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
    /// What the machine broke.
    pub infra: Vec<InfraShare>,
    /// Whether an inconclusive answer may be let through: not where every trial of a candidate failed and the control's
    /// did not, however few they were.
    pub excusable: bool,
    /// The rules, one line per contrast and metric.
    pub lines: Vec<GateLine>,
    /// The comparison behind it; absent for a run that stopped by looking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Comparison>,
    /// The looks behind it, for a run that stopped by looking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sequential: Option<Trajectory>,
}

impl Gate {
    /// The answer where nothing can be concluded, and why.
    pub fn invalid(why: impl Into<String>, alpha: f64) -> Self {
        Self {
            schema: GATE_SCHEMA,
            word: GateWord::Invalid,
            reasons: vec![why.into()],
            alpha,
            notes: Vec::new(),
            problems: Vec::new(),
            infra: Vec::new(),
            excusable: false,
            lines: Vec::new(),
            comparison: None,
            sequential: None,
        }
    }
}

/// One rule's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GateLine {
    /// The two sides.
    pub sides: String,
    /// The metric, or `failures`.
    pub metric: String,
    /// The answer.
    pub word: GateWord,
    /// Why.
    pub reason: String,
}

/// What the machine broke on one side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct InfraShare {
    /// The side.
    pub side: String,
    /// Trials that ended `infra`.
    pub infra: usize,
    /// All its trials.
    pub trials: usize,
}

impl InfraShare {
    fn share(&self) -> f64 {
        self.infra as f64 / self.trials.max(1) as f64
    }
}

impl Gate {
    /// Nothing is concluded from what is left of a run: which records were lost is not up to chance.
    fn unless_lost(mut self, sources: &[Dataset]) -> Self {
        let lost = sources.iter().filter_map(|data| data.loss.as_ref());
        let lost: Vec<String> = lost
            .map(|loss| format!("{loss}: nothing is concluded"))
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
    let rules = rule::asked(inputs, &options.rules)?;
    rule::made_alike(inputs, &rules, &options.compare.accept)?;
    let notes = rule::disputed(inputs, &rules)?;
    let sources: Vec<Dataset> = inputs
        .datasets()
        .map(|data| rule::applied(data, &rules))
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
fn concluded(
    mut lines: Vec<GateLine>,
    infra: Vec<InfraShare>,
    comparison: Comparison,
    options: &GateOptions,
) -> Gate {
    lines.extend(failures(&comparison));
    let (word, mut reasons) = answer(&lines, &infra, options.most_infra);
    reasons.extend(open_failures(word, &comparison));
    Gate {
        schema: GATE_SCHEMA,
        word,
        reasons,
        alpha: comparison.alpha,
        notes: Vec::new(),
        problems: comparison.problems.clone(),
        infra,
        excusable: excusable(&comparison),
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
            reason: match &contrast.withheld {
                Some(why) => why.clone(),
                None => reason(metric),
            },
        })
        .collect()
}

/// `candidate against control at lr=0.1`; two sources with one arm each go by their own names.
fn sides(contrast: &Contrast) -> String {
    let (control, candidate) = (&contrast.control, &contrast.candidate);
    let names = if control.arm == candidate.arm {
        let arm = candidate
            .arm
            .as_ref()
            .map_or(String::new(), |arm| format!("{arm}: "));
        format!("{arm}{} against {}", candidate.source, control.source)
    } else {
        format!("{} against {}", candidate.short(), control.short())
    };
    if contrast.point.is_empty() {
        names
    } else {
        format!("{names} at {}", contrast.point)
    }
}

const fn word(found: Word) -> GateWord {
    match found {
        Word::Regressed => GateWord::Regressed,
        Word::Improved => GateWord::Improved,
        Word::Equivalent | Word::NotWorse | Word::Identical => GateWord::Equivalent,
        Word::Inconclusive | Word::Insufficient => GateWord::Inconclusive,
    }
}

fn reason(metric: &MetricComparison) -> String {
    let no_margin = metric
        .effect
        .as_ref()
        .is_some_and(|effect| effect.margin.is_none());
    if metric.verdict.word == Word::Inconclusive && no_margin {
        return format!(
            "{}; without a margin nothing can be shown to be equal: declare `margin` or give the rule one",
            metric.verdict.reason
        );
    }
    metric.verdict.reason.clone()
}

/// A candidate that fails more often is worse, whatever its other numbers say. The metrics use up half of the error
/// rate in the direction that blocks; these tests, one per contrast, share the other half.
fn failures(comparison: &Comparison) -> Vec<GateLine> {
    let contrasts = &comparison.contrasts;
    let p_values = contrasts.iter().map(|contrast| {
        // One without any failure was looked at as well: leaving it out would choose the family by the data.
        let p = contrast.failures.p.unwrap_or(1.0);
        contrast.withheld.is_none().then_some(p)
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
        reason: format!("{} ({})", failing_sentence(failures), p_value(p)),
    })
}

/// Where the data leave it open, how often which side failed is part of the answer.
fn open_failures(word: GateWord, comparison: &Comparison) -> Vec<String> {
    let failing = |contrast: &&Contrast| {
        let Failures {
            control, candidate, ..
        } = &contrast.failures;
        word == GateWord::Inconclusive && control.failed + candidate.failed > 0
    };
    let contrasts = comparison.contrasts.iter().filter(failing);
    contrasts
        .map(|contrast| {
            let sentence = failing_sentence(&contrast.failures);
            format!("{}: {sentence}", sides(contrast))
        })
        .collect()
}

/// Whether every candidate of which the control has a working trial has one too.
fn excusable(comparison: &Comparison) -> bool {
    comparison.contrasts.iter().all(|contrast| {
        let Failures {
            control, candidate, ..
        } = &contrast.failures;
        !candidate.is_all() || control.is_all() || control.trials == 0
    })
}

/// `5 of 5 trials of the candidate fail, 0 of 5 of the control`.
fn failing_sentence(failures: &Failures) -> String {
    let words = |count: FailureCount| format!("{} of {}", count.failed, count.trials);
    format!(
        "{} trials of the candidate fail, {} of the control",
        words(failures.candidate),
        words(failures.control)
    )
}

/// What the machine broke on every side that takes part.
fn infra(comparison: &Comparison, sources: &[Dataset]) -> Vec<InfraShare> {
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
fn answer(lines: &[GateLine], infra: &[InfraShare], most_infra: f64) -> (GateWord, Vec<String>) {
    let broken: Vec<String> = infra
        .iter()
        .filter(|side| side.share() > most_infra)
        .map(|side| {
            format!(
                "{} of {} trials of {} could not be run (infra): nothing is concluded",
                side.infra, side.trials, side.side
            )
        })
        .collect();
    if !broken.is_empty() {
        return (GateWord::Invalid, broken);
    }
    let several = lines.iter().any(|line| line.sides != lines[0].sides);
    for word in [
        GateWord::Regressed,
        GateWord::Inconclusive,
        GateWord::Improved,
    ] {
        let of: Vec<String> = lines
            .iter()
            .filter(|line| line.word == word)
            .map(|line| {
                // With several contrasts, a line says whose it is.
                let whose = if several {
                    format!("{}, ", line.sides)
                } else {
                    String::new()
                };
                format!(
                    "{whose}{}: {word}, {}",
                    line.metric,
                    line.reason,
                    word = line.word.text()
                )
            })
            .collect();
        if !of.is_empty() {
            return (word, of);
        }
    }
    let reason = "no metric is worse than its rule allows".to_owned();
    (GateWord::Equivalent, vec![reason])
}
