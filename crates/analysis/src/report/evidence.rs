//! What all parts of a report read.

use crate::dataset::Dataset;
use fairtrial_journal::RunDir;
use fairtrial_model::Record;
use fairtrial_spec::Spec;

/// What all parts read.
pub(crate) struct Evidence<'a> {
    pub(crate) run: &'a RunDir,
    pub(crate) spec: &'a Spec,
    pub(crate) records: Vec<Record>,
    pub(crate) data: Dataset,
    pub(crate) alpha: f64,
}
