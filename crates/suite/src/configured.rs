//! How an experiment is registered with what is the same for all left out.

use fairtrial_experiment::{Experiment, Failure, Headline, Param, ParamSchema, Registration};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// An experiment that is made from its parameters.
pub(crate) trait Configured: Experiment + Sized + 'static {
    /// Its parameters.
    type Params: DeserializeOwned;

    /// Makes it.
    fn new(params: Self::Params) -> Self;
}

/// Builds an experiment from parameters that fit its schema.
fn build<E: Configured>(params: &Map<String, Value>) -> Result<Box<dyn Experiment>, Failure> {
    let params = serde_json::from_value(Value::Object(params.clone()))?;
    Ok(Box::new(E::new(params)))
}

/// One case of an iteration: its labels, and what was measured under them.
pub(crate) fn case(labels: &Value, measured: &Value) -> Value {
    let mut case = measured.clone();
    case["case"] = labels.clone();
    case
}

/// What an experiment says about itself, without what is the same for all.
pub(crate) struct About {
    pub(crate) slug: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) tags: &'static [&'static str],
    pub(crate) params: Vec<Param>,
}

impl About {
    pub(crate) fn registration<E: Configured>(self) -> Registration {
        Registration {
            slug: self.slug,
            summary: self.summary,
            tags: self.tags,
            params: ParamSchema::of(self.params),
            metrics: Vec::new(),
            build: build::<E>,
        }
    }

    /// The same with the metrics that it is about besides how long it takes.
    pub(crate) fn with_metrics<E: Configured>(self, metrics: &[Headline]) -> Registration {
        let mut registration = self.registration::<E>();
        registration.metrics = vec![Headline::duration()];
        registration.metrics.extend_from_slice(metrics);
        registration
    }
}
