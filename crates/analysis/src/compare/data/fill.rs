//! Values that stand in for those of failed trials.

use fairtrial_model::Direction;

/// What stands in for failures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fill {
    pub(crate) control: f64,
    pub(crate) candidate: f64,
}

/// What stands in for failures in each task: a worst value of one task says nothing about another, whose scores may have
/// another size. Nothing does where no trial of a task has a value.
pub(crate) type FillByTask = Vec<Option<Fill>>;

impl Fill {
    /// Failures as bad for the candidate as values get, and as good for it.
    pub(crate) fn extremes(
        direction: Option<Direction>,
        (least, most): (f64, f64),
    ) -> (Self, Self) {
        let (worst, best) = match direction {
            Some(Direction::Down) => (most, least),
            _ => (least, most),
        };
        let against = Self {
            control: best,
            candidate: worst,
        };
        let with = Self {
            control: worst,
            candidate: best,
        };
        (against, with)
    }
}
