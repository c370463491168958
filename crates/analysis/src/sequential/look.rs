//! One look: every arm against the control, by the group-sequential t or sign-flip test, or by a sequence that holds at
//! any time.

use super::judged_by::JudgedBy;
use super::looking::Looking;
use crate::compare::data::rounding::alike;
use crate::compare::objections::objection::{Objection, ObjectionKind};
use crate::compare::rule::Rule;
use crate::compare::verdict::{Evidence, Verdict, unopposed, verdict};
use crate::compare::word::Word;
use fairtrial_stats::sequential::{Decision, Futility, LookResult};
use fairtrial_stats::{Interval, Level, Undefined};
use serde::Serialize;

/// All arms at one number of pairs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Look {
    /// Pairs.
    pub n: usize,
    /// The arms.
    pub arms: Vec<ArmLook>,
}

/// One arm at one look.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ArmLook {
    /// The arm.
    pub arm: String,
    /// The result; absent where the differences do not vary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<LookResult>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_none: Option<NoResult>,
    /// The smallest difference that matters, on the scale of the result; of ratios, the one upwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    /// What the look says by itself; absent while it says nothing. It does not count where the verdict is held back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Stop>,
    /// The verdict at this look.
    pub verdict: Verdict,
    /// The same as a gate reads it: only what is surely beyond the margin is better or worse. A look that leaves the run's
    /// question open may still answer a gate's.
    pub at_a_gate: Verdict,
}

/// Why a look has no result.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum NoResult {
    /// Every value is the same on both sides.
    Same,
    /// The metric is deterministic: the difference is exact, and there is no chance to account for.
    Exact {
        /// Candidate - control, on the scale of the looks.
        difference: f64,
    },
    /// The method has no answer.
    Undefined {
        /// Why.
        why: Undefined,
    },
}

/// Why a sequential run ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// Better than the control.
    Improved,
    /// Worse.
    Regressed,
    /// Different, where which way is better is not declared.
    Different,
    /// Not different by as much as matters.
    Equivalent,
    /// The rest of the budget would hardly change "undecided".
    Futile,
    /// Several arms, each with its own answer.
    AllDecided,
    /// The budget is used up.
    Exhausted,
    /// Every pair of the whole budget has the same value on both sides.
    Identical,
}

impl Stop {
    /// Whether it says what a candidate is like.
    pub const fn is_verdict(self) -> bool {
        matches!(
            self,
            Self::Improved | Self::Regressed | Self::Different | Self::Equivalent | Self::Identical
        )
    }

    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Improved => Word::Improved.text(),
            Self::Regressed => Word::Regressed.text(),
            Self::Equivalent => Word::Equivalent.text(),
            Self::Identical => Word::Identical.text(),
            Self::Different => "different",
            Self::AllDecided => "every arm has its answer",
            Self::Futile | Self::Exhausted => Word::Inconclusive.text(),
        }
    }
}

/// What one arm's differences say at a look, before anything speaks against it.
pub(super) struct Seen {
    pub(super) result: Option<LookResult>,
    pub(super) why_none: Option<NoResult>,
    pub(super) answer: Option<Stop>,
    pub(super) evidence: Evidence,
}

/// Looks at one arm's differences.
pub(super) fn see(looking: &Looking, differences: &[f64], rule: &Rule, by: JudgedBy) -> Seen {
    if by.deterministic
        && let Some(exact) = exact(differences, rule)
    {
        return exact;
    }
    let futility = Futility {
        min_effect: margin(rule),
        ..Futility::default()
    };
    let budget = looking.schedule().budget();
    let same = differences.iter().all(|difference| *difference == 0.0);
    match looking.look(differences, &futility, by.test(differences)) {
        Ok(result) => Seen {
            answer: answer(&result, rule, budget),
            evidence: evidence(&result),
            result: Some(result),
            why_none: None,
        },
        // Before the last look that is no answer: where one pair of ten differs, the first ten are alike in a third of
        // all runs, and no interval bounds what the others may show.
        Err(_) if same => {
            let at_the_end = differences.len() >= budget;
            Seen {
                result: None,
                why_none: Some(NoResult::Same),
                answer: at_the_end.then_some(Stop::Identical),
                evidence: if at_the_end {
                    Evidence::Same
                } else {
                    Evidence::Nothing
                },
            }
        }
        Err(why) => Seen {
            result: None,
            why_none: Some(NoResult::Undefined { why }),
            answer: None,
            evidence: Evidence::Nothing,
        },
    }
}

/// The look at a metric that leaves nothing to chance: the first pairs decide, unless they contradict each other.
fn exact(differences: &[f64], rule: &Rule) -> Option<Seen> {
    let first = *differences.first()?;
    let constant = differences
        .iter()
        .all(|difference| alike(*difference, first));
    constant.then_some(())?;
    let evidence = if first == 0.0 {
        Evidence::Same
    } else {
        Evidence::Interval {
            interval: Interval {
                low: first,
                high: first,
                level: Level::TWO_SIDED_95,
            },
            p: None,
        }
    };
    let answer = match unopposed(&evidence, rule) {
        Word::Improved => Stop::Improved,
        Word::Regressed => Stop::Regressed,
        Word::Equivalent | Word::NotWorse => Stop::Equivalent,
        Word::Identical => Stop::Identical,
        Word::Inconclusive | Word::Insufficient => Stop::Different,
    };
    Some(Seen {
        result: None,
        why_none: Some(NoResult::Exact { difference: first }),
        answer: Some(answer),
        evidence,
    })
}

impl ArmLook {
    /// Whether there is something to hold against a margin: a repeated interval, or the exact difference.
    pub(crate) const fn has_interval(&self) -> bool {
        self.result.is_some() || matches!(self.why_none, Some(NoResult::Exact { .. }))
    }
}

impl Seen {
    /// The look with its verdicts: for the run, and for a gate.
    pub(super) fn judged(
        self,
        arm: &str,
        rule: &Rule,
        [objections, at_a_gate]: [Vec<Objection>; 2],
    ) -> ArmLook {
        let nothing = || match &self.why_none {
            Some(NoResult::Undefined { why }) => {
                let kind = ObjectionKind::NoInterval { why: why.clone() };
                Some(Objection::withholds(kind))
            }
            _ => None,
        };
        let with = |objections: Vec<Objection>| objections.into_iter().chain(nothing()).collect();
        ArmLook {
            arm: arm.to_owned(),
            verdict: verdict(&self.evidence, rule, with(objections)),
            at_a_gate: verdict(&self.evidence, &rule.at_a_gate(), with(at_a_gate)),
            margin: margin(rule),
            answer: self.answer,
            result: self.result,
            why_none: self.why_none,
        }
    }
}

/// Upwards, where a share is the nearer edge; shown in percent it is the same both ways.
fn margin(rule: &Rule) -> Option<f64> {
    rule.margin.map(|margin| margin.above)
}

/// The repeated interval as evidence: it needs no test beside it.
pub(super) fn evidence(result: &LookResult) -> Evidence {
    Evidence::Interval {
        interval: result.interval,
        p: None,
    }
}

/// The answer that a repeated interval gives. A sure difference too small to matter is equivalent.
fn answer(result: &LookResult, rule: &Rule, budget: usize) -> Option<Stop> {
    let surely = matches!(result.decision, Decision::Greater | Decision::Less);
    match unopposed(&evidence(result), rule) {
        Word::Equivalent => Some(Stop::Equivalent),
        Word::Improved => Some(Stop::Improved),
        Word::Regressed => Some(Stop::Regressed),
        _ if surely && rule.direction.is_none() => Some(Stop::Different),
        _ if result.n >= budget => Some(Stop::Exhausted),
        _ if result.decision == Decision::Futile => Some(Stop::Futile),
        _ => None,
    }
}
