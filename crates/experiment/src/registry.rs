//! The experiments that a worker offers.

use crate::contract::{Experiment, Failure};
use crate::describe::{Description, Headline};
use crate::schema::ParamSchema;
use serde_json::{Map, Value};

/// Builds an experiment from complete parameters.
pub type Build = fn(&Map<String, Value>) -> Result<Box<dyn Experiment>, Failure>;

/// An experiment to register.
#[derive(Debug)]
pub struct Registration {
    /// Its name in specs.
    pub slug: &'static str,
    /// What it measures, in one line.
    pub summary: &'static str,
    /// Free tags.
    pub tags: &'static [&'static str],
    /// Its parameters.
    pub params: ParamSchema,
    /// The metrics that it is about, the most important one first; empty for how long it takes.
    pub metrics: Vec<Headline>,
    /// Builds it; the parameters fit the schema and have every default.
    pub build: Build,
}

/// Registered experiments, in the order they were registered.
#[derive(Debug, Default)]
pub struct Registry {
    entries: Vec<Registration>,
}

impl Registry {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an experiment.
    ///
    /// # Panics
    /// When the slug is taken: two experiments under one name are a mistake of the program, not of its input.
    pub fn register(&mut self, registration: Registration) {
        let slug = registration.slug;
        assert!(
            self.get(slug).is_none(),
            "two experiments are registered as `{slug}`"
        );
        self.entries.push(registration);
    }

    /// The experiment with this slug.
    pub fn get(&self, slug: &str) -> Option<&Registration> {
        self.entries.iter().find(|entry| entry.slug == slug)
    }

    /// What is registered.
    pub fn descriptions(&self) -> Vec<Description> {
        self.entries
            .iter()
            .map(|entry| Description {
                slug: entry.slug.to_owned(),
                summary: entry.summary.to_owned(),
                tags: entry.tags.iter().map(|tag| (*tag).to_owned()).collect(),
                params: entry.params.clone(),
                metrics: entry.metrics.clone(),
            })
            .collect()
    }
}
