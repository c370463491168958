//! The verdict: one interval held against zero and the margin, and what speaks against it, end in one word.
//!
//! This is the only place where a verdict word is made: for metrics, tasks, sweep points, rankings, gates and the looks of
//! a sequential run alike.

use crate::compare::advice::Advice;
use crate::compare::margin::Edges;
use crate::compare::objections::objection::{Objection, ObjectionEffect};
use crate::compare::rule::Rule;
use crate::compare::word::Word;
use fairtrial_model::Direction;
use fairtrial_stats::Interval;
use serde::Serialize;

/// Why the word is what it is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Reason {
    /// The interval excludes no difference.
    ExcludesZero,
    /// The whole interval lies beyond the margin that has to be cleared.
    BeyondMargin,
    /// The whole interval lies inside of the margin.
    InsideMargin {
        /// Whether it excludes no difference all the same.
        differs: bool,
    },
    /// The interval rules out a loss as large as the margin.
    NoLoss,
    /// The interval includes no difference and differences large enough to matter.
    IncludesZero,
    /// The interval excludes no difference, but is not wholly beyond the margin that has to be cleared.
    NotBeyondMargin,
    /// The interval excludes no difference, but which way is better is not declared.
    NoDirection,
    /// The interval excludes no difference, but the test beside it does not.
    TestDisagrees {
        /// The p value of the test.
        p: f64,
        /// What it had to be at most.
        needed: f64,
    },
    /// Every value is the same on both sides.
    Same,
    /// An objection holds the verdict back.
    HeldBack,
}

/// What there is to judge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Evidence {
    /// An interval of candidate - control, and the p value of "no difference" beside it where the method has one.
    Interval { interval: Interval, p: Option<f64> },
    /// Every value is the same on both sides.
    Same,
    /// Nothing; an objection says why.
    Nothing,
}

/// A verdict with what made it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// The word.
    pub word: Word,
    /// Why.
    pub reason: Reason,
    /// What speaks against it, the gravest first.
    pub objections: Vec<Objection>,
    /// What would settle it, where it is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<Advice>,
}

impl Verdict {
    /// Whether an objection holds it back: then more trials of the same kind are not what is missing.
    pub fn is_held_back(&self) -> bool {
        self.reason == Reason::HeldBack
    }

    /// The objections that hold it back, the gravest first.
    pub fn held_back_by(&self) -> impl Iterator<Item = &Objection> {
        let objections = self.objections.iter();
        objections.filter(|objection| objection.holds_back())
    }

    /// What a part of this verdict's data inherits: whatever is held back for the whole is held back for each part.
    pub(crate) fn inherited(&self) -> impl Iterator<Item = Objection> {
        self.held_back_by().cloned()
    }
}

/// Judges: the word that the evidence gives under a rule, held back by the objections.
///
/// An objection that withholds leaves nothing to say (`insufficient`); one that caps leaves the numbers standing and says
/// that nothing is concluded from them (`inconclusive`).
pub(crate) fn verdict(evidence: &Evidence, rule: &Rule, mut objections: Vec<Objection>) -> Verdict {
    objections.sort_by_key(|objection| objection.effect);
    let (word, reason) = plain(evidence, rule);
    let gravest = objections.first().map(|objection| objection.effect);
    let (word, reason) = match gravest {
        Some(ObjectionEffect::Withholds) => (Word::Insufficient, Reason::HeldBack),
        Some(ObjectionEffect::Caps) if word != Word::Insufficient => {
            (Word::Inconclusive, Reason::HeldBack)
        }
        _ => (word, reason),
    };
    Verdict {
        word,
        reason,
        objections,
        advice: None,
    }
}

/// The word of the evidence alone, for asking what would be if it were otherwise.
pub(crate) fn unopposed(evidence: &Evidence, rule: &Rule) -> Word {
    plain(evidence, rule).0
}

fn plain(evidence: &Evidence, rule: &Rule) -> (Word, Reason) {
    match evidence {
        Evidence::Interval { interval, p } => of_interval(interval, *p, rule),
        Evidence::Same => (Word::Identical, Reason::Same),
        Evidence::Nothing => (Word::Insufficient, Reason::HeldBack),
    }
}

/// A difference needs both interval and test: intervals of rates exclude 0 more often than their level says where trials
/// are few.
fn of_interval(interval: &Interval, p: Option<f64>, rule: &Rule) -> (Word, Reason) {
    let (low, high) = (interval.low, interval.high);
    let margin = rule.margin.unwrap_or(Edges::NONE);
    let (no_less, no_more) = (low > -margin.below, high < margin.above);
    let to_clear = rule.to_clear();
    let (more, less) = (low > to_clear.above, high < -to_clear.below);
    let (better, worse, no_loss) = match rule.direction {
        Some(Direction::Down) => (less, more, no_more),
        _ => (more, less, no_less),
    };
    let excludes_zero = low > 0.0 || high < 0.0;
    let needed = interval.level.alpha;
    let disagrees = p.filter(|p| *p > needed);
    let word = if rule.margin.is_some() && no_less && no_more {
        Word::Equivalent
    } else if rule.direction.is_none() {
        Word::Inconclusive
    } else if better && disagrees.is_none() {
        Word::Improved
    } else if worse && disagrees.is_none() {
        Word::Regressed
    } else if rule.margin.is_some() && no_loss {
        Word::NotWorse
    } else {
        Word::Inconclusive
    };
    let reason = match (word, disagrees) {
        (Word::Improved | Word::Regressed, _) if to_clear != Edges::NONE => Reason::BeyondMargin,
        (Word::Improved | Word::Regressed, _) => Reason::ExcludesZero,
        (Word::Equivalent, _) => Reason::InsideMargin {
            differs: excludes_zero,
        },
        (Word::NotWorse, _) => Reason::NoLoss,
        _ if !excludes_zero => Reason::IncludesZero,
        _ if rule.direction.is_none() => Reason::NoDirection,
        _ if !(better || worse) => Reason::NotBeyondMargin,
        (_, Some(p)) => Reason::TestDisagrees { p, needed },
        (_, None) => Reason::IncludesZero,
    };
    (word, reason)
}

#[cfg(test)]
mod tests {
    use super::{Evidence, Word, unopposed};
    use crate::compare::margin::Edges;
    use crate::compare::rule::Rule;
    use fairtrial_model::Direction;
    use fairtrial_stats::{Interval, Level};

    fn word(
        direction: Option<Direction>,
        margin: Option<f64>,
        beyond_margin: bool,
        low: f64,
        high: f64,
    ) -> Word {
        let rule = Rule {
            direction,
            margin: margin.and_then(Edges::of_difference),
            beyond_margin,
        };
        let interval = Interval {
            low,
            high,
            level: Level::TWO_SIDED_95,
        };
        unopposed(&Evidence::Interval { interval, p: None }, &rule)
    }

    #[test]
    fn a_difference_needs_interval_and_test() {
        let words = |margin: Option<f64>, low: f64, high: f64| {
            let rule = Rule {
                direction: Some(Direction::Up),
                margin: margin.and_then(Edges::of_difference),
                beyond_margin: false,
            };
            let interval = Interval {
                low,
                high,
                level: Level::TWO_SIDED_95,
            };
            [0.05, 0.051].map(|p| {
                unopposed(
                    &Evidence::Interval {
                        interval,
                        p: Some(p),
                    },
                    &rule,
                )
            })
        };
        let inconclusive = Word::Inconclusive;
        assert_eq!(words(None, 0.1, 1.0), [Word::Improved, inconclusive]);
        assert_eq!(words(None, -1.0, -0.1), [Word::Regressed, inconclusive]);
        assert_eq!(words(Some(0.5), 0.1, 1.0), [Word::Improved, Word::NotWorse]);
    }

    #[test]
    fn every_word_has_its_place() {
        let up = Some(Direction::Up);
        assert_eq!(word(up, None, false, 0.1, 2.0), Word::Improved);
        assert_eq!(word(up, None, false, -2.0, -0.1), Word::Regressed);
        assert_eq!(word(up, None, false, -1.0, 1.0), Word::Inconclusive);
        assert_eq!(word(up, Some(1.0), false, -0.5, 0.5), Word::Equivalent);
        assert_eq!(word(up, Some(1.0), false, -0.5, 1.5), Word::NotWorse);
        assert_eq!(word(up, Some(1.0), false, -1.5, 1.5), Word::Inconclusive);
        // A sure difference too small to matter.
        assert_eq!(word(up, Some(1.0), false, 0.1, 0.5), Word::Equivalent);
        assert_eq!(word(up, Some(1.0), false, 0.1, 1.5), Word::Improved);
    }

    #[test]
    fn lower_is_better_turns_the_interval_round() {
        let down = Some(Direction::Down);
        assert_eq!(word(down, None, false, -2.0, -0.1), Word::Improved);
        assert_eq!(word(down, None, false, 0.1, 2.0), Word::Regressed);
        assert_eq!(word(down, Some(1.0), false, -1.5, 0.5), Word::NotWorse);
    }

    #[test]
    fn timings_must_clear_the_threshold() {
        let down = Some(Direction::Down);
        assert_eq!(
            word(down, Some(0.01), true, 0.005, 0.03),
            Word::Inconclusive
        );
        assert_eq!(word(down, Some(0.01), true, 0.011, 0.03), Word::Regressed);
        assert_eq!(word(down, Some(0.01), true, -0.03, -0.005), Word::NotWorse);
    }

    #[test]
    fn without_a_direction_nothing_is_better() {
        assert_eq!(word(None, None, false, 0.1, 2.0), Word::Inconclusive);
        assert_eq!(word(None, Some(3.0), false, 0.1, 2.0), Word::Equivalent);
    }

    #[test]
    fn a_share_is_held_against_ratios_by_its_own_edge_each_way() {
        let words = |direction: Direction, share: f64, low: f64, high: f64| {
            let rule = Rule {
                direction: Some(direction),
                margin: Edges::of_ratio(share),
                beyond_margin: true,
            };
            let interval = Interval {
                low: low.ln(),
                high: high.ln(),
                level: Level::TWO_SIDED_95,
            };
            unopposed(&Evidence::Interval { interval, p: None }, &rule)
        };
        // 22 % less is not a loss of 25 %, though 1 / 1.25 lies above it.
        assert_eq!(words(Direction::Up, 0.25, 0.77, 0.785), Word::Equivalent);
        assert_eq!(words(Direction::Up, 0.25, 0.73, 0.745), Word::Regressed);
        assert_eq!(words(Direction::Down, 0.1, 0.904, 0.906), Word::Equivalent);
        assert_eq!(words(Direction::Down, 0.1, 0.894, 0.899), Word::Improved);
        assert_eq!(words(Direction::Down, 0.1, 1.09, 1.099), Word::Equivalent);
        assert_eq!(words(Direction::Down, 0.1, 1.101, 1.2), Word::Regressed);
        // No loss is one of everything.
        assert_eq!(words(Direction::Up, 1.0, 0.001, 3.0), Word::NotWorse);
    }
}
