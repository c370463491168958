//! A run that stopped by looking: an interval that looks once is too narrow for the metric by which it stopped.

use crate::compare::data::side::Inputs;
use crate::compare::objections::objection::{Objection, ObjectionKind};
use crate::dataset::Dataset;

/// Whether the run stopped by this metric.
pub(crate) fn find(metric: &str, inputs: Inputs<'_>) -> Option<Objection> {
    match inputs {
        Inputs::Arms(Dataset {
            looked_at: Some(looked_at),
            ..
        }) if looked_at == metric => Some(Objection::caps(ObjectionKind::StoppedEarly)),
        _ => None,
    }
}
