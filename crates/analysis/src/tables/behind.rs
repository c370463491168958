//! A run that stands behind rows of a table: its rows, its machine, and where its trials left their files.

use super::rows::{RunRow, run_rows};
use crate::dataset::{Dataset, Fact, FactKind};
use crate::error::AnalysisError;
use fairtrial_journal::provenance::Environment;
use fairtrial_journal::{DataRoot, RunDir};
use fairtrial_spec::Spec;

/// What a run has behind its rows.
#[derive(Debug, Clone)]
pub struct Behind {
    pub(super) source: String,
    pub(super) rows: Vec<RunRow>,
    /// What tells its machine from another.
    pub(super) facts: Vec<Fact>,
    pub(super) root: DataRoot,
}

impl Behind {
    /// Reads what a run has for a table, by the table's name in the run's spec.
    pub fn read(
        run: &RunDir,
        spec: &Spec,
        environment: Option<&Environment>,
        table: &str,
    ) -> Result<Self, AnalysisError> {
        let mut facts = Dataset::from_run(run, spec, environment)?.facts;
        facts.retain(|fact| fact.kind == FactKind::Machine);
        Ok(Self {
            source: source_of(run),
            rows: run_rows(run, spec, table)?,
            facts,
            root: run.root().clone(),
        })
    }
}

/// What the origins of a table call a run.
pub fn source_of(run: &RunDir) -> String {
    format!("{}/{}", run.name(), run.stamp())
}
