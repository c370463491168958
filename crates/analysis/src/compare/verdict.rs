//! The verdict: one interval against zero and the margin, and one word.

use super::edges::Edges;
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
    pub(crate) margin: Option<Edges>,
    /// Whether improved and regressed must clear the margin (timings) or only zero.
    pub(crate) beyond_margin: bool,
}

impl Rule {
    /// The word for an interval of candidate - control and the p value of "no difference" beside it. A difference needs
    /// both: intervals of rates leave 0 outside more often than their level says where trials are few.
    pub(crate) fn word(&self, interval: &Interval, p: Option<f64>) -> Word {
        let (low, high) = (interval.low, interval.high);
        let margin = self.margin.unwrap_or(Edges::NONE);
        let (no_less, no_more) = (low > -margin.below, high < margin.above);
        let to_clear = self.to_clear();
        let (more, less) = (low > to_clear.above, high < -to_clear.below);
        let (better, worse, no_loss) = match self.direction {
            Some(Direction::Down) => (less, more, no_more),
            _ => (more, less, no_less),
        };
        let differs = tests_differ(interval, p);
        if self.margin.is_some() && no_less && no_more {
            Word::Equivalent
        } else if self.direction.is_none() {
            Word::Inconclusive
        } else if better && differs {
            Word::Improved
        } else if worse && differs {
            Word::Regressed
        } else if self.margin.is_some() && no_loss {
            Word::NotWorse
        } else {
            Word::Inconclusive
        }
    }

    /// What an interval must clear to be improved or regressed.
    fn to_clear(self) -> Edges {
        self.margin
            .filter(|_| self.beyond_margin)
            .unwrap_or(Edges::NONE)
    }

    /// The part of a true effect that an interval must clear, however the effect points: upwards, where of a share the
    /// least is left.
    pub(crate) fn edge(&self) -> f64 {
        self.to_clear().above
    }

    /// How far the truth would lie from the nearest edge that still has to be cleared, if the estimate were the truth.
    pub(crate) fn distance(&self, value: f64) -> f64 {
        let to_clear = self.to_clear();
        let to_differ = (value - to_clear.above).max(-value - to_clear.below);
        let Some(margin) = self.margin else {
            return to_differ.max(0.0);
        };
        let (from_below, from_above) = (value + margin.below, margin.above - value);
        let to_not_worse = match self.direction {
            Some(Direction::Down) => from_above,
            _ => from_below,
        };
        to_differ.max(from_below.min(from_above)).max(to_not_worse)
    }
}

/// Whether the test, where there is one, finds a difference at the interval's level.
pub(crate) fn tests_differ(interval: &Interval, p: Option<f64>) -> bool {
    p.is_none_or(|p| p <= interval.level.alpha)
}

#[cfg(test)]
mod tests {
    use super::super::edges::Edges;
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
            margin: margin.and_then(Edges::of_difference),
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
                margin: margin.and_then(Edges::of_difference),
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
            rule.word(&interval, None)
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
