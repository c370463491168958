//! A run on its way to another tool, and what a writer of one text is.

use crate::error::InteropError;
use crate::records::SeedMeaning;
use fairtrial_model::{MetricDeclaration, Params, Record};
use fairtrial_text::escape;

/// A run that is given away.
#[derive(Debug, Clone, Copy)]
pub struct Outgoing<'a> {
    /// The benchmark.
    pub name: &'a str,
    /// The stamp of the run.
    pub stamp: &'a str,
    /// What its seeds are.
    pub seeds: SeedMeaning,
    /// Metrics as they are declared, the primary one first.
    pub metrics: &'a [MetricDeclaration],
    /// The effective record of every trial.
    pub records: &'a [Record],
    /// Where its tasks are one command for each arm that a bench timed: the parameters of these commands, by arm.
    pub commands: Option<&'a [(Option<String>, Params)]>,
}

impl Outgoing<'_> {
    /// The metric that is meant where a format holds one: the first that is declared, else the first that is there.
    pub(super) fn primary(&self) -> Option<&str> {
        let declared = self.metrics.first().map(|metric| metric.name.as_str());
        let there = self.records.iter();
        let mut there = there.flat_map(|record| record.metrics.keys());
        declared.or_else(|| there.next().map(String::as_str))
    }

    /// The parameters of a bench's command; of any other task and arm, these are what tells it from others.
    pub(super) fn parameters(&self, task: &str, arm: Option<&str>) -> Params {
        let name = |name: &str, value: &str| (name.to_owned(), value.into());
        let Some(commands) = self.commands else {
            let arm = arm.map(|arm| name("arm", arm));
            return std::iter::once(name("task", task)).chain(arm).collect();
        };
        let of_arm = commands.iter().find(|(of, _)| of.as_deref() == arm);
        of_arm.map_or_else(Params::new, |(_, params)| params.clone())
    }

    /// The unit of a metric.
    pub(super) fn unit(&self, metric: &str) -> Option<&str> {
        let mut declared = self.metrics.iter();
        let declared = declared.find(|declared| declared.name == metric)?;
        declared.unit.as_deref()
    }
}

/// A format that a whole run is written in, as one text.
pub trait Writer: Sync {
    /// Its name for `--to`.
    fn name(&self) -> &'static str;

    /// The text.
    fn write(&self, run: &Outgoing<'_>) -> Result<String, InteropError>;

    /// How many trials the form has no place for.
    fn left_out(&self, _run: &Outgoing<'_>) -> Result<usize, InteropError> {
        Ok(0)
    }
}

/// A value as JSON.
pub(super) fn as_json(value: &serde_json::Value) -> Result<String, InteropError> {
    let text = serde_json::to_string_pretty(value);
    text.map(|text| escape::json(&text).into_owned() + "\n")
        .map_err(|error| InteropError::Unknown(error.to_string()))
}
