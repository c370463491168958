//! One look: every arm against the control, by the group-sequential t.

use super::ArmAnswer;
use crate::compare::Word;
use fairtrial_model::{Direction, Margin};
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
    /// Whether the whole interval lies inside the margin.
    pub inside_margin: bool,
    /// Why its answer does not count: too many pairs are broken, or failures could turn it.
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
}

impl Stop {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Improved => Word::Improved.text(),
            Self::Regressed => Word::Regressed.text(),
            Self::Equivalent => Word::Equivalent.text(),
            Self::Different => "different",
            Self::AllDecided => "every arm has its answer",
            Self::Futile | Self::Exhausted => Word::Inconclusive.text(),
        }
    }
}

/// The margin in the metric's unit.
pub(super) fn margin(declared: Option<Margin>, control_mean: f64) -> Option<f64> {
    let size = match declared? {
        Margin::Absolute(size) => size,
        Margin::Relative(share) => share * control_mean.abs(),
    };
    (size.is_finite() && size > 0.0).then_some(size)
}

pub(super) fn take(
    boundaries: &TBoundaries,
    differences: &[f64],
    margin: Option<f64>,
    arm: &str,
) -> ArmLook {
    let futility = Futility {
        min_effect: margin,
        ..Futility::default()
    };
    let (result, why_none) = match look(boundaries, differences, Some(&futility)) {
        Ok(result) => (Some(result), None),
        Err(why) => (None, Some(why.to_string())),
    };
    let inside = |result: &LookResult| {
        margin.is_some_and(|margin| result.interval.low > -margin && result.interval.high < margin)
    };
    ArmLook {
        arm: arm.to_owned(),
        inside_margin: result.as_ref().is_some_and(inside),
        result,
        why_none,
        withheld: None,
    }
}

impl ArmLook {
    /// The arm's answer, where this look gives one. A sure difference too small to matter is equivalent.
    pub(super) fn stop(&self, direction: Option<Direction>) -> Option<Stop> {
        if self.inside_margin {
            return Some(Stop::Equivalent);
        }
        let better = |up: bool| match direction {
            None => Stop::Different,
            Some(Direction::Up) if up => Stop::Improved,
            Some(Direction::Down) if !up => Stop::Improved,
            Some(_) => Stop::Regressed,
        };
        match self.result.as_ref()?.decision {
            Decision::Greater => Some(better(true)),
            Decision::Less => Some(better(false)),
            Decision::Futile => Some(Stop::Futile),
            Decision::Exhausted => Some(Stop::Exhausted),
            Decision::Continue => None,
        }
    }
}

/// The answer of all arms together.
pub(super) fn together(answers: &[ArmAnswer]) -> Option<Stop> {
    match answers {
        [only] => only.stop,
        _ => Some(Stop::AllDecided),
    }
}
