//! The judgement of one metric: estimate, interval, word, and the reasons beside it.

use super::beside::{self, Beside};
use super::case::{Case, DataKind, Scale};
use super::dropped::DroppedUnit;
use super::family::FamilyPlace;
use super::judged::{Judged, judged};
use super::plan_more::{self, MoreTrials};
use super::relative;
use super::units::UnitKind;
use super::verdict::Word;
use super::{Flag, Role};
use super::{left_out, parts};
use crate::TrialSet;
use crate::summary::Numbers;
use fairtrial_model::Direction;
use fairtrial_stats::Interval;
use serde::Serialize;

/// Fewer units than this cannot reach the usual level by the sign-flip test, and their mean often has the wrong sign.
const FEW_UNITS: usize = 6;

/// One metric of one contrast, judged.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MetricComparison {
    /// The metric.
    pub metric: String,
    /// Whether it decides or stands beside.
    pub role: Role,
    /// Which way is better.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
    /// Unit for display.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Decimals for display.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precision: Option<u8>,
    /// The kind of data.
    pub kind: DataKind,
    /// The verdict.
    pub verdict: Verdict,
    /// The control's units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control: Option<Numbers>,
    /// The candidate's units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidate: Option<Numbers>,
    /// The effect; absent where there is too little.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<Effect>,
    /// What was counted.
    pub count: UnitCount,
    /// Units left out, by name.
    pub dropped: Vec<DroppedUnit>,
    /// How the interval was made, in one line.
    pub method: String,
    /// Its place among the tests that were made.
    pub family: FamilyPlace,
    /// What stands beside the verdict.
    pub beside: Beside,
    /// The control's trials behind the numbers.
    pub control_trials: TrialSet,
    /// The candidate's trials behind the numbers.
    pub candidate_trials: TrialSet,
}

/// The verdict with its reason.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// The word.
    pub word: Word,
    /// Why, in a sentence.
    pub reason: String,
    /// What would settle an inconclusive verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more: Option<MoreTrials>,
    /// What a reader must know before trusting it.
    pub flags: Vec<Flag>,
    /// Whether it was taken back: too few trials of a side count, or the failures could turn it. More trials of the same
    /// kind are then not what is missing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub withheld: bool,
}

impl Verdict {
    /// Takes the verdict back: the numbers stand, but nothing is concluded from them. Where there was too little to say
    /// anything, that is said still.
    pub(crate) fn withhold(&mut self, why: &str) {
        if self.word != Word::Insufficient {
            self.word = Word::Inconclusive;
            why.clone_into(&mut self.reason);
            self.withheld = true;
        }
        self.not_by_its_units();
    }

    /// Drops what holds only where the units decided: more of them would not settle it, and none of them carries it.
    pub(crate) fn not_by_its_units(&mut self) {
        self.more = None;
        self.flags
            .retain(|flag| !matches!(flag, Flag::Fragile { .. }));
    }
}

/// A value with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Ranged {
    /// The estimate.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// Candidate against control.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Effect {
    /// The scale of the verdict.
    pub scale: Scale,
    /// The control's mean (geometric, on the ratio scale).
    pub control: f64,
    /// The candidate's mean.
    pub candidate: f64,
    /// Candidate - control in the metric's unit.
    pub absolute: Ranged,
    /// The same as a share of the control, whose own noise is in the interval; absent where that has no bounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relative: Option<Ranged>,
    /// Why there is no `relative`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_relative: Option<String>,
    /// One minus the confidence of the interval.
    pub alpha: f64,
    /// The p value of "no difference", where the method has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// Degrees of freedom.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub df: Option<f64>,
    /// The smallest difference that matters, in the metric's unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    /// Whether the whole interval lies beyond the margin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clears_margin: Option<bool>,
}

/// How many units stand behind a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct UnitCount {
    /// What one observation is.
    pub unit: UnitKind,
    /// Whether they are pairs.
    pub paired: bool,
    /// The control's (pairs, where paired).
    pub control: usize,
    /// The candidate's.
    pub candidate: usize,
    /// Tasks that are averaged with equal weights.
    pub tasks: usize,
}

impl UnitCount {
    /// `15 pairs (seeds)`, `12 against 14 rollouts`.
    pub fn words(&self) -> String {
        let word = self.unit.word();
        let of_tasks = if self.tasks > 1 {
            format!(" in {} tasks", self.tasks)
        } else {
            String::new()
        };
        if self.paired {
            let s = if self.control == 1 { "" } else { "s" };
            format!("{} pair{s} by {word}{of_tasks}", self.control)
        } else {
            format!(
                "{} against {} {word}s{of_tasks}",
                self.control, self.candidate
            )
        }
    }
}

/// Judges a case at its place in the family.
pub(crate) fn assess(case: &Case, family: FamilyPlace, power: f64) -> MetricComparison {
    let answered = case.answer(&case.sample, family.alpha);
    let effect = answered
        .as_ref()
        .ok()
        .and_then(|answer| effect(case, answer.value, &answer.interval, (answer.p, answer.df)));
    let mut flags = flags(case);
    let Judged {
        word,
        reason,
        withheld,
    } = judged(case, &answered, family.alpha);
    let mut left_out = (!matches!(word, Word::Identical | Word::Insufficient))
        .then(|| beside::leave_one_out(case, word, family.alpha))
        .flatten();
    // What is missing decided, not the units that are there: without one of them the verdict would be the same.
    if let Some(left_out) = left_out.as_mut().filter(|_| withheld) {
        left_out.flips = None;
    }
    let beside = beside::beside(case, family.alpha, power, left_out);
    flags.extend(beside.flags(
        case,
        answered.as_ref().ok().and_then(|answer| answer.p),
        family.alpha,
    ));
    let more = match (word, &answered) {
        (Word::Inconclusive, Ok(answer)) if !withheld => {
            plan_more::more(case, answer.value, family.alpha, power)
        }
        _ => None,
    };
    let method = match &answered {
        Ok(answer) => method_line(case, &answer.method),
        Err(_) => "none".to_owned(),
    };
    MetricComparison {
        metric: case.declaration.name.clone(),
        role: case.role,
        direction: case.declaration.direction,
        unit: case.declaration.unit.clone(),
        precision: case.declaration.precision,
        kind: case.kind,
        verdict: Verdict {
            word,
            reason,
            more,
            flags,
            withheld,
        },
        control: numbers(case, |stratum| &stratum.control),
        candidate: numbers(case, |stratum| &stratum.candidate),
        effect,
        count: count(case),
        dropped: case.units.dropped(),
        method,
        family,
        beside,
        control_trials: case.units.control_trials.clone(),
        candidate_trials: case.units.candidate_trials.clone(),
    }
}

/// Word, reason and effect alone, for where nothing stands beside them.
pub(crate) fn judgement(case: &Case, alpha: f64) -> (Word, String, Option<Effect>) {
    let answered = case.answer(&case.sample, alpha);
    let Judged { word, reason, .. } = judged(case, &answered, alpha);
    let effect = answered
        .ok()
        .and_then(|answer| effect(case, answer.value, &answer.interval, (answer.p, answer.df)));
    (word, reason, effect)
}

fn effect(
    case: &Case,
    value: f64,
    interval: &Interval,
    (p, df): (Option<f64>, Option<f64>),
) -> Option<Effect> {
    let (control, candidate) = (case.control_mean()?, case.candidate_mean()?);
    let rule = case.rule();
    let own = Ranged {
        value,
        low: interval.low,
        high: interval.high,
    };
    let (absolute, relative) = match case.scale {
        Scale::Difference => (own, relative::change(case, own, interval.level)),
        Scale::Ratio => {
            let relative = own.map(f64::exp_m1);
            (relative.map(|share| share * control), Ok(relative))
        }
    };
    let margin_size = rule.margin.map(|margin| match case.scale {
        Scale::Difference => margin.above,
        Scale::Ratio => margin.above.exp_m1() * control,
    });
    Some(Effect {
        scale: case.scale,
        control,
        candidate,
        absolute,
        no_relative: relative.as_ref().err().cloned(),
        relative: relative.ok(),
        alpha: interval.level.alpha,
        p,
        df,
        margin: margin_size,
        clears_margin: rule
            .margin
            .map(|margin| interval.low > margin.above || interval.high < -margin.below),
    })
}

impl Ranged {
    pub(crate) fn map(self, f: impl Fn(f64) -> f64) -> Self {
        Self {
            value: f(self.value),
            low: f(self.low),
            high: f(self.high),
        }
    }
}

fn numbers(case: &Case, side: fn(&super::sample::Stratum) -> &Vec<f64>) -> Option<Numbers> {
    let own = |x: &f64| {
        if case.scale == Scale::Ratio {
            x.exp()
        } else {
            *x
        }
    };
    let values: Vec<f64> = case
        .sample
        .strata
        .iter()
        .flat_map(|stratum| side(stratum).iter().map(own))
        .collect();
    Numbers::of(&values)
}

pub(crate) fn count(case: &Case) -> UnitCount {
    let (control, candidate) = case.sample.sizes();
    UnitCount {
        unit: case.units.kind,
        paired: case.units.paired,
        control,
        candidate,
        tasks: case.sample.strata.len(),
    }
}

fn method_line(case: &Case, method: &str) -> String {
    let on = if case.scale == Scale::Ratio {
        " on logarithms"
    } else {
        ""
    };
    let of = if case.normalised {
        " of scores between the reference points"
    } else {
        ""
    };
    let note = case
        .note
        .as_ref()
        .map_or(String::new(), |note| format!(" ({note})"));
    format!("{method}{on}{of}, {}{note}", count(case).words())
}

/// What is already known to be doubtful before any interval is made.
fn flags(case: &Case) -> Vec<Flag> {
    let (control, candidate) = case.sample.sizes();
    let few = control.min(candidate);
    let mut flags = Vec::new();
    if case.units.kind == UnitKind::Iteration {
        flags.push(Flag::OneProcess);
    }
    if case.units.nothing_shared
        && !case.units.rows.is_empty()
        && case.units.kind != UnitKind::Iteration
    {
        flags.push(Flag::NoSharedUnits);
    }
    if case.declaration.direction.is_none() {
        flags.push(Flag::NoDirection);
    }
    if !case.declared {
        flags.push(Flag::Undeclared);
    }
    let [control_short, candidate_short] = case.rows.not_reached();
    if control_short + candidate_short > 0 {
        flags.push(Flag::NotReached {
            control: control_short,
            candidate: candidate_short,
        });
    }
    flags.extend(parts::of_records(&case.rows, &case.declaration));
    let tasks = left_out::tasks(case);
    // Where there are no other tasks, the verdict says what is missing.
    if !tasks.is_empty() && case.units.has_sample() {
        flags.push(Flag::TasksLeftOut { tasks });
    }
    if case.has_rounded() {
        flags.push(Flag::RoundedIntegers);
    }
    let tasks = case.units.without_spread.clone();
    if !tasks.is_empty() {
        flags.push(Flag::TasksAsUnits { tasks });
    }
    // Of values that are all the same, no sign can be wrong.
    if case.sample.is_constant() {
        return flags;
    }
    if few == 2 {
        flags.push(Flag::TwoUnits);
    } else if few > 2 && few < FEW_UNITS {
        flags.push(Flag::FewUnits);
    }
    flags
}
