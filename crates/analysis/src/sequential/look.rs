//! One look: every arm against the control, by the group-sequential t.

use super::ArmAnswer;
use crate::compare::rule::Rule;
use crate::compare::verdict::Word;
use fairtrial_stats::sequential::{Decision, Futility, LookResult, TBoundaries, look};
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
    pub why_none: Option<String>,
    /// The smallest difference that matters, on the scale of the result; of ratios, the one upwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    /// What the look says by itself; absent while it says nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Stop>,
    /// Why its answer does not count: too many pairs are broken, or failures could turn it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub withheld: Option<String>,
    /// What a gate reads from it; absent where there is no result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<Held>,
}

/// The interval of a look held against the margin as a gate does it: only what is surely beyond it is better or worse.
/// A look that leaves the run's question open may still answer a gate's, so that it has doubts of its own.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Held {
    /// The word.
    pub word: Word,
    /// Why it does not count: too many pairs are broken, or failures could turn it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub withheld: Option<String>,
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

/// What a look sees where no pair differs.
const SAME: &str = "every value is the same on both sides";

/// Looks at one arm.
pub(super) fn take(
    boundaries: &TBoundaries,
    differences: &[f64],
    rule: &Rule,
    arm: &str,
) -> ArmLook {
    // Upwards, where a share is the nearer edge; shown in percent it is the same both ways.
    let margin = rule.margin.map(|margin| margin.above);
    let futility = Futility {
        min_effect: margin,
        ..Futility::default()
    };
    let same = differences.iter().all(|difference| *difference == 0.0);
    let (result, why_none) = match look(boundaries, differences, Some(&futility)) {
        Ok(result) => (Some(result), None),
        Err(_) if same => (None, Some(SAME.to_owned())),
        Err(why) => (None, Some(why.to_string())),
    };
    let budget = boundaries.design.schedule.budget();
    let answer = match &result {
        Some(result) => answer(result, rule, budget),
        // Before the last look that is no answer: where one pair of ten differs, the first ten are alike in a third of
        // all runs, and no interval bounds what the others may show.
        None => (same && differences.len() >= budget).then_some(Stop::Identical),
    };
    ArmLook {
        arm: arm.to_owned(),
        answer,
        result,
        why_none,
        margin,
        withheld: None,
        held: None,
    }
}

/// What a gate reads from a result: better and worse must clear the margin.
pub(super) fn held_word(result: &LookResult, rule: &Rule) -> Word {
    let beyond = Rule {
        beyond_margin: true,
        ..*rule
    };
    beyond.word(&result.interval, None)
}

/// The answer that a repeated interval gives. A sure difference too small to matter is equivalent.
fn answer(result: &LookResult, rule: &Rule, budget: usize) -> Option<Stop> {
    let surely = matches!(result.decision, Decision::Greater | Decision::Less);
    match rule.word(&result.interval, None) {
        Word::Equivalent => Some(Stop::Equivalent),
        Word::Improved => Some(Stop::Improved),
        Word::Regressed => Some(Stop::Regressed),
        _ if surely && rule.direction.is_none() => Some(Stop::Different),
        _ if result.n >= budget => Some(Stop::Exhausted),
        _ if result.decision == Decision::Futile => Some(Stop::Futile),
        _ => None,
    }
}

/// The answer of all arms together.
pub(super) fn together(answers: &[ArmAnswer]) -> Option<Stop> {
    match answers {
        [only] => only.stop,
        _ => Some(Stop::AllDecided),
    }
}
