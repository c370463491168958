//! The seeds that a stopping rule may need.

use crate::error::AnalysisError;
use fairtrial_spec::{Spec, StopRule};

/// The spec with its seeds as the rule's budget: the documented list goes on where it is too short.
pub fn with_budget(spec: &Spec, rule: &StopRule) -> Result<Spec, AnalysisError> {
    let max = rule.max as usize;
    let mut spec = spec.clone();
    let documented = spec
        .seeds
        .iter()
        .enumerate()
        .all(|(place, seed)| *seed == fairtrial_model::documented_seeds(place));
    if spec.seeds.len() < max && !documented {
        return Err(AnalysisError::Question(format!(
            "the stopping rule may need {max} seeds, but the spec lists {}; list more, or give a count",
            spec.seeds.len()
        )));
    }
    let from = spec.seeds.len();
    spec.seeds
        .extend((from..max).map(fairtrial_model::documented_seeds));
    spec.seeds.truncate(max);
    Ok(spec)
}
