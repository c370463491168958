//! What an interval is held against: 0, and the smallest difference that matters.

use crate::compare::margin::Edges;
use crate::compare::method::kind::Scale;
use crate::compare::options::Beyond;
use fairtrial_model::{Beyond as Declared, Direction, Margin, MetricDeclaration};

/// Smallest change of a timing that matters where no margin is declared, as a share of the control.
const TIMING_THRESHOLD: f64 = 0.01;

/// What the interval is held against, on the scale of the estimate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rule {
    pub(crate) direction: Option<Direction>,
    /// The smallest difference that matters.
    pub(crate) margin: Option<Edges>,
    /// Whether improved and regressed must clear the margin (timings) or only zero.
    pub(crate) beyond_margin: bool,
}

/// What a rule is made for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RuleFor<'a> {
    pub(crate) declaration: &'a MetricDeclaration,
    pub(crate) scale: Scale,
    /// Whether the metric is a duration, which has a threshold where none is declared.
    pub(crate) timing: bool,
    /// The size of the control's mean, in the metric's unit.
    pub(crate) base: f64,
    pub(crate) beyond: Beyond,
}

impl Rule {
    /// What an interval of a metric is held against.
    pub(crate) fn new(of: RuleFor<'_>) -> Self {
        let by_kind = of.timing.then_some(Margin::Relative(TIMING_THRESHOLD));
        let margin = match (of.declaration.margin.or(by_kind), of.scale) {
            (Some(Margin::Absolute(size)), Scale::Difference) => Edges::of_difference(size),
            (Some(Margin::Relative(share)), Scale::Difference) => {
                Edges::of_difference(share * of.base)
            }
            (Some(Margin::Relative(share)), Scale::Ratio) => Edges::of_ratio(share),
            (Some(Margin::Absolute(size)), Scale::Ratio) => Edges::of_ratio(size / of.base),
            (None, _) => None,
        };
        let declared = match of.declaration.beyond {
            Some(beyond) => beyond == Declared::Margin,
            None => of.timing,
        };
        Self {
            direction: of.declaration.direction,
            margin,
            beyond_margin: margin.is_some() && (of.beyond == Beyond::Margin || declared),
        }
    }

    /// The same where better and worse must clear the margin, as at a gate.
    pub(crate) fn at_a_gate(self) -> Self {
        Self {
            beyond_margin: true,
            ..self
        }
    }

    /// What an interval must clear to be improved or regressed.
    pub(crate) fn to_clear(self) -> Edges {
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
