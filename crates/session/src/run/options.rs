//! What a run is asked to be.

use super::stopping_rule::Until;
use crate::spec_file::SpecFile;
use fairtrial_engine::{OtherCode, Outputs, Stay, Verbosity};
use fairtrial_model::Stamp;
use fairtrial_spec::EngineChoice;

/// What a run is asked to be. [`RunOptions::new`] is a new run of a spec as the spec describes it.
#[derive(Debug, Clone)]
pub struct RunOptions {
    /// The spec.
    pub spec: SpecFile,
    /// Only these trials, by a filter (docs/reference/filters.md).
    pub only: Option<String>,
    /// Slots; absent for the spec's, else one per physical core.
    pub parallel: Option<usize>,
    /// Where trials run; absent for the spec's engine.
    pub engine: Option<EngineChoice>,
    /// A new run, or one that goes on.
    pub start: StartFrom,
    /// What becomes of trials whose outputs are there and unchanged.
    pub outputs: Outputs,
    /// Stop as soon as this is so; absent for the spec's own rule.
    pub until: Option<Until>,
    /// What becomes of records whose trials ran other code than they would now.
    pub other_code: OtherCode,
    /// Whether to wait for a scheduler.
    pub stay: Stay,
    /// What is told of each trial.
    pub verbosity: Verbosity,
}

/// Where a run starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartFrom {
    /// With nothing.
    New,
    /// A new run with the records of an earlier one, of this stamp or the newest, whose trials did not change.
    Reuse(Option<Stamp>),
    /// An earlier run itself, of this stamp or the newest.
    Resume(Option<Stamp>, ResumeSpec),
}

/// Which spec a resumed run goes on with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResumeSpec {
    /// The file as it is now.
    Current,
    /// The spec as it was when the run was started.
    Recorded,
}

impl RunOptions {
    /// A new run of a spec as the spec describes it.
    pub fn new(spec: SpecFile) -> Self {
        Self {
            spec,
            only: None,
            parallel: None,
            engine: None,
            start: StartFrom::New,
            outputs: Outputs::Keep,
            until: None,
            other_code: OtherCode::LeftOut,
            stay: Stay::UntilDone,
            verbosity: Verbosity::Ends,
        }
    }
}
