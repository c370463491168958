//! What charts share: their heading, and intervals that reach beyond the edge.

use crate::{Figure, Panel};

/// What stands around every chart.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Heading {
    /// The title.
    pub title: String,
    /// A sentence under it.
    pub subtitle: String,
    /// What is missing or cut, without which the chart would be read wrong.
    pub notes: Vec<String>,
}

impl Heading {
    /// The figure of one panel under this heading.
    pub(super) fn over(&self, panel: Panel, description: String) -> Figure {
        let subtitle = Some(self.subtitle.clone()).filter(|text| !text.is_empty());
        Figure {
            title: self.title.clone(),
            subtitle: subtitle.into_iter().collect(),
            notes: self.notes.clone(),
            description,
            columns: 1,
            panels: vec![panel],
        }
    }
}

/// What an arrow at the end of an interval means.
pub(super) const GOES_ON: &str = "An arrow says that an interval reaches beyond the edge.";

/// What an axis must show of a value with its interval: the value, and each end as far as `reach` from it. An end that
/// is NaN is none, and takes no room.
pub(super) fn within([low, value, high]: [f64; 3], reach: f64) -> impl Iterator<Item = f64> {
    let low = (!low.is_nan()).then(|| low.max(value - reach));
    let high = (!high.is_nan()).then(|| high.min(value + reach));
    [low, Some(value), high].into_iter().flatten()
}
