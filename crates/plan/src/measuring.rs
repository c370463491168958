//! How trials are measured, apart from what they are: metrics can be read again from what trials left, trials cannot.

use crate::error::PlanError;
use crate::plan::Plan;
use fairtrial_model::MetricDeclaration;
use fairtrial_spec::Spec;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The names of the metrics whose numbers are made differently by two specs, with those that only one of them has.
pub fn measured_differently(before: &Spec, now: &Spec) -> Vec<String> {
    let names: BTreeSet<&String> = [before, now]
        .iter()
        .flat_map(|spec| spec.metrics.iter().map(|metric| &metric.name))
        .collect();
    let made = |spec: &Spec, name: &String| {
        let mut declared = spec.metrics.iter();
        declared.find(|metric| metric.name == *name).map(made)
    };
    let differs = |name: &&String| made(before, name) != made(now, name);
    names.into_iter().filter(differs).cloned().collect()
}

/// A declaration without what is only shown or judged by.
fn made(metric: &MetricDeclaration) -> MetricDeclaration {
    MetricDeclaration {
        direction: None,
        unit: None,
        precision: None,
        margin: None,
        reference: None,
        ..metric.clone()
    }
}

impl Plan {
    /// The same trials with these metrics read from them.
    pub fn measuring(
        &self,
        metrics: &[MetricDeclaration],
        only: Option<&str>,
    ) -> Result<Self, PlanError> {
        let mut spec = self.spec().as_ref().clone();
        spec.metrics = metrics.to_vec();
        Self::new(Arc::new(spec), only)
    }
}
