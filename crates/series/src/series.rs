//! A curve whose points are read when they are needed: of many long ones, those of a few are in memory at a time.

use crate::columns::PackedColumn;
use crate::error::SeriesError;
use crate::origin::PointsOrigin;
use crate::points::Points;
use fairtrial_model::Conversion;
use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

/// A curve, and what is known of it without reading its points.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    facts: StepFacts,
    points: Kept,
}

#[derive(Debug, Clone, PartialEq)]
enum Kept {
    Held(Arc<Points>),
    Packed(Arc<PackedSeries>),
}

/// What is known of the steps of a curve.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct StepFacts {
    pub(crate) points: usize,
    /// The smallest and the largest finite step.
    pub(crate) range: Option<[f64; 2]>,
    /// Whether each is larger than the one before it.
    pub(crate) ascending: bool,
}

impl StepFacts {
    pub(crate) fn of(steps: &[f64]) -> Self {
        let finite = steps.iter().copied().filter(|step| step.is_finite());
        let least = finite.clone().reduce(f64::min);
        let most = finite.reduce(f64::max);
        Self {
            points: steps.len(),
            range: least.zip(most).map(Into::into),
            ascending: steps.is_sorted_by(|one, next| one < next),
        }
    }
}

/// A curve in columns, and where it comes from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PackedSeries {
    pub(crate) column: PackedColumn,
    pub(crate) convert: Option<Conversion>,
    pub(crate) dir: PathBuf,
    pub(crate) metric: String,
    pub(crate) origin: PointsOrigin,
}

impl PackedSeries {
    /// Reads the columns; where they are damaged, the file that they were made from, and they are gone: the next reader makes
    /// them again.
    fn read(&self) -> Result<Points, SeriesError> {
        let points = if let Some(points) = self.column.read() {
            points
        } else {
            self.column.remove();
            self.origin.read(&self.dir, &self.metric)?
        };
        Ok(converted(points, self.convert.as_ref()))
    }
}

/// The points in the unit that the metric's numbers are kept in, so that a declared margin is about them.
pub(crate) fn converted(mut points: Points, convert: Option<&Conversion>) -> Points {
    if let Some(convert) = convert {
        for value in &mut points.values {
            *value = convert.apply(*value);
        }
    }
    points
}

impl Series {
    /// A curve whose points are at hand.
    pub fn held(points: Points) -> Self {
        Self {
            facts: StepFacts::of(&points.steps),
            points: Kept::Held(Arc::new(points)),
        }
    }

    pub(crate) fn packed(series: PackedSeries) -> Self {
        Self {
            facts: series.column.facts,
            points: Kept::Packed(Arc::new(series)),
        }
    }

    /// How many points it has.
    pub fn len(&self) -> usize {
        self.facts.points
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.facts.points == 0
    }

    /// The smallest and the largest step; absent where none is finite.
    pub fn range(&self) -> Option<[f64; 2]> {
        self.facts.range
    }

    /// Whether each step is larger than the one before it.
    pub fn is_ascending(&self) -> bool {
        self.facts.ascending
    }

    /// What a reader should know about the reading.
    pub fn notes(&self) -> &[String] {
        match &self.points {
            Kept::Held(points) => &points.notes,
            Kept::Packed(series) => &series.column.notes,
        }
    }

    /// Its points, which may have to be read.
    pub fn points(&self) -> Result<Cow<'_, Points>, SeriesError> {
        Ok(match &self.points {
            Kept::Held(points) => Cow::Borrowed(points),
            Kept::Packed(series) => Cow::Owned(series.read()?),
        })
    }
}
