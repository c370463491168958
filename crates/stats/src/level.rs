//! The level of a test or an interval: how sure, and on which side.

use serde::Serialize;

use crate::dist::normal;
use crate::undefined::{Outcome, Undefined};

/// Which deviations count as evidence, and where an interval is bounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// Both directions: half of alpha beyond each end.
    TwoSided,
    /// Only "greater": the interval has a lower end alone.
    Greater,
    /// Only "less": the interval has an upper end alone.
    Less,
}

/// One minus the confidence, and the side.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Level {
    /// The chance to miss that is accepted.
    pub alpha: f64,
    /// Where it is spent.
    pub side: Side,
}

impl Level {
    /// The usual one.
    pub const TWO_SIDED_95: Self = Self {
        alpha: 0.05,
        side: Side::TwoSided,
    };

    /// A two-sided level.
    pub const fn two_sided(alpha: f64) -> Self {
        Self {
            alpha,
            side: Side::TwoSided,
        }
    }

    /// Refuses an alpha outside (0, 1), and one so near to an end that `1 - alpha` no longer holds it.
    pub(crate) fn checked(self) -> Outcome<Self> {
        const NEAREST: f64 = 1e-12;
        if self.alpha >= NEAREST && self.alpha <= 1.0 - NEAREST {
            return Ok(self);
        }
        Err(Undefined::BadArgument {
            name: "alpha".into(),
            value: self.alpha,
            expected: "a chance between 0 and 1, at least 1e-12 away from both".into(),
        })
    }

    /// The tail probability below the lower end, where there is one.
    pub(crate) fn lower_tail(self) -> Option<f64> {
        match self.side {
            Side::TwoSided => Some(self.alpha / 2.0),
            Side::Greater => Some(self.alpha),
            Side::Less => None,
        }
    }

    /// The tail probability above the upper end, where there is one.
    pub(crate) fn upper_tail(self) -> Option<f64> {
        match self.side {
            Side::TwoSided => Some(self.alpha / 2.0),
            Side::Greater => None,
            Side::Less => Some(self.alpha),
        }
    }

    /// The normal deviate that cuts off the tail of one end (half of alpha for a two-sided level).
    pub(crate) fn outer_deviate(self) -> f64 {
        let tail = if self.side == Side::TwoSided {
            0.5 * self.alpha
        } else {
            self.alpha
        };
        normal::inverse_sf(tail)
    }

    /// "95 % interval" and its one-sided relatives.
    pub(crate) fn words(self) -> String {
        // Rounded, because 1 - 0.05 does not print as 0.95.
        let percent = ((1.0 - self.alpha) * 1e8).round() / 1e6;
        match self.side {
            Side::TwoSided => format!("{percent} % interval"),
            Side::Greater => format!("{percent} % lower bound"),
            Side::Less => format!("{percent} % upper bound"),
        }
    }
}

impl Side {
    /// The p value from the chances beyond the statistic on its upper and its lower side.
    pub(crate) fn p_value(self, above: f64, below: f64) -> f64 {
        match self {
            Self::TwoSided => (2.0 * above.min(below)).min(1.0),
            Self::Greater => above,
            Self::Less => below,
        }
    }
}
