//! A curve whose points are read when they are needed: of many long ones, those of a few are in memory at a time.

use crate::columns::PackedColumn;
use crate::error::SeriesError;
use crate::origin::PointsOrigin;
use crate::points::CurvePoints;
use crate::step_facts::StepFacts;
use fairtrial_model::Conversion;
use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

/// A curve, and what is known of it without reading its points.
#[derive(Debug, Clone, PartialEq)]
pub struct CurveSeries {
    facts: StepFacts,
    points: KeptPoints,
}

#[derive(Debug, Clone, PartialEq)]
enum KeptPoints {
    Held(Arc<CurvePoints>),
    Packed(Arc<PackedSeries>),
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
    fn read(&self) -> Result<CurvePoints, SeriesError> {
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
pub(crate) fn converted(mut points: CurvePoints, convert: Option<&Conversion>) -> CurvePoints {
    if let Some(convert) = convert {
        for value in &mut points.values {
            *value = convert.apply(*value);
        }
    }
    points
}

impl CurveSeries {
    /// A curve whose points are at hand.
    pub fn held(points: CurvePoints) -> Self {
        Self {
            facts: StepFacts::of(&points.steps),
            points: KeptPoints::Held(Arc::new(points)),
        }
    }

    pub(crate) fn packed(series: PackedSeries) -> Self {
        Self {
            facts: series.column.facts,
            points: KeptPoints::Packed(Arc::new(series)),
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
            KeptPoints::Held(points) => &points.notes,
            KeptPoints::Packed(series) => &series.column.notes,
        }
    }

    /// Its points, which may have to be read.
    pub fn points(&self) -> Result<Cow<'_, CurvePoints>, SeriesError> {
        Ok(match &self.points {
            KeptPoints::Held(points) => Cow::Borrowed(points),
            KeptPoints::Packed(series) => Cow::Owned(series.read()?),
        })
    }
}
