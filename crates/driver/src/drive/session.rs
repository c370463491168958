//! What is known of an experiment while its worker is asked.

use crate::course::Course;
use crate::instruments::observer::InstrumentFinding;
use crate::request::{DriveTask, DriveTrial};
use crate::samples::Samples;
use crate::tools::{DriveError, Tools};
use crate::worker::{Heard, Lost, quoted};
use fairtrial_experiment::Artifact;
use serde_json::{Map, Value};
use std::path::PathBuf;

pub(super) struct Session<'a> {
    pub(super) task: &'a DriveTask,
    pub(super) trial: &'a DriveTrial,
    pub(super) tools: &'a Tools,
    pub(super) samples: Samples,
    /// The folder for files of instruments.
    pub(super) artifacts: PathBuf,
    /// Files that the worker named.
    pub(super) named: Vec<Artifact>,
    pub(super) findings: Vec<InstrumentFinding>,
    pub(super) params: Map<String, Value>,
    pub(super) versions: Map<String, Value>,
    pub(super) course: Course,
    /// Why the machine cannot go on with it.
    pub(super) broken: Option<DriveError>,
}

/// A line that is none of those that may come now.
pub(super) fn unexpected(heard: &Heard) -> Lost {
    Lost::Garbage(format!("`{}` (not expected here)", quoted(&heard.line)))
}
