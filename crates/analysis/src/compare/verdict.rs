//! The verdict: one interval against zero and the margin, and one word.

use fairtrial_model::Direction;
use fairtrial_stats::Interval;
use serde::Serialize;
use std::fmt;

/// The seven words that a comparison can end in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum Word {
    /// Better, beyond chance.
    #[serde(rename = "improved")]
    Improved,
    /// Worse, beyond chance.
    #[serde(rename = "regressed")]
    Regressed,
    /// The whole interval lies inside the margin.
    #[serde(rename = "equivalent")]
    Equivalent,
    /// Not worse by the margin or more.
    #[serde(rename = "not worse")]
    NotWorse,
    /// The data leave it open.
    #[serde(rename = "inconclusive")]
    Inconclusive,
    /// Every value is the same on both sides.
    #[serde(rename = "identical")]
    Identical,
    /// Too little to say anything.
    #[serde(rename = "insufficient")]
    Insufficient,
}

impl Word {
    /// The word itself.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Improved => "improved",
            Self::Regressed => "regressed",
            Self::Equivalent => "equivalent",
            Self::NotWorse => "not worse",
            Self::Inconclusive => "inconclusive",
            Self::Identical => "identical",
            Self::Insufficient => "insufficient",
        }
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text())
    }
}

/// What the interval is held against, on the scale of the estimate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rule {
    pub(crate) direction: Option<Direction>,
    /// The smallest difference that matters.
    pub(crate) margin: Option<f64>,
    /// Whether improved and regressed must clear the margin (timings) or only zero.
    pub(crate) beyond_margin: bool,
}

impl Rule {
    /// The word for an interval of candidate - control and the p value of "no difference" beside it. A difference needs
    /// both: intervals of rates leave 0 outside more often than their level says where trials are few.
    pub(crate) fn word(&self, interval: &Interval, p: Option<f64>) -> Word {
        let (low, high) = match self.direction {
            Some(Direction::Down) => (-interval.high, -interval.low),
            _ => (interval.low, interval.high),
        };
        let margin = self.margin.unwrap_or(0.0);
        let edge = self.edge();
        let differs = tests_differ(interval, p);
        if margin > 0.0 && low > -margin && high < margin {
            Word::Equivalent
        } else if self.direction.is_none() {
            Word::Inconclusive
        } else if low > edge && differs {
            Word::Improved
        } else if high < -edge && differs {
            Word::Regressed
        } else if margin > 0.0 && low > -margin {
            Word::NotWorse
        } else {
            Word::Inconclusive
        }
    }

    /// What an interval must clear to be improved or regressed.
    pub(crate) fn edge(&self) -> f64 {
        self.margin.filter(|_| self.beyond_margin).unwrap_or(0.0)
    }

    /// How far the truth would lie from the nearest edge that still has to be cleared, if the estimate were the truth.
    pub(crate) fn distance(&self, value: f64) -> f64 {
        let good = match self.direction {
            Some(Direction::Down) => -value,
            _ => value,
        };
        let margin = self.margin.unwrap_or(0.0);
        let edge = self.edge();
        let to_differ = good.abs() - edge;
        let to_equal = margin - good.abs();
        let to_not_worse = if margin > 0.0 { good + margin } else { 0.0 };
        to_differ.max(to_equal).max(to_not_worse)
    }
}

/// Whether the test, where there is one, finds a difference at the interval's level.
pub(crate) fn tests_differ(interval: &Interval, p: Option<f64>) -> bool {
    p.is_none_or(|p| p <= interval.level.alpha)
}

#[cfg(test)]
mod tests {
    use super::{Rule, Word};
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
            margin,
            beyond_margin,
        };
        let interval = Interval {
            low,
            high,
            level: Level::TWO_SIDED_95,
        };
        rule.word(&interval, None)
    }

    #[test]
    fn a_difference_needs_interval_and_test() {
        let words = |margin: Option<f64>, low: f64, high: f64| {
            let rule = Rule {
                direction: Some(Direction::Up),
                margin,
                beyond_margin: false,
            };
            let interval = Interval {
                low,
                high,
                level: Level::TWO_SIDED_95,
            };
            [0.05, 0.051].map(|p| rule.word(&interval, Some(p)))
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
}
