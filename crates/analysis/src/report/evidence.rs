//! What all parts of a report read.

use crate::dataset::Dataset;
use fairtrial_journal::RunDir;
use fairtrial_model::Record;
use fairtrial_series::Reading;
use fairtrial_spec::Spec;

/// What all parts read.
pub(crate) struct Evidence<'a> {
    pub(crate) run: &'a RunDir,
    pub(crate) spec: &'a Spec,
    pub(crate) records: Vec<Record>,
    pub(crate) data: Dataset,
    pub(crate) alpha: f64,
    pub(crate) reading: Reading,
}

impl Evidence<'_> {
    /// Whether a metric gets charts: one that is declared; all where none is.
    pub(crate) fn is_shown(&self, metric: &str) -> bool {
        let mut declared = self.spec.metrics.iter().peekable();
        declared.peek().is_none() || declared.any(|declared| declared.name == metric)
    }
}
