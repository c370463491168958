//! Where the points of a metric lie in a trial's folder, as its declaration says.

use crate::error::{FileError, SeriesError};
use crate::lines::{self, Found, WantedColumn};
use crate::points::CurvePoints;
use crate::{table, tracked};
use fairtrial_model::{MetricDeclaration, MetricSource, TrackerKind};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The file that trials report to.
const REPORTED_FILE: &str = "metrics.jsonl";

/// The form of a file that holds points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FileForm {
    Lines,
    Table,
}

/// A file that holds points, in the trial's folder.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct PointsFile {
    pub(crate) name: String,
    pub(crate) form: FileForm,
}

impl PointsFile {
    /// Reads the wanted keys or columns, in one go.
    pub(crate) fn read(&self, dir: &Path, wanted: &[WantedColumn<'_>]) -> Result<Found, FileError> {
        let path = dir.join(&self.name);
        match self.form {
            FileForm::Lines => lines::read(&path, wanted),
            FileForm::Table => table::read(&path, wanted),
        }
    }
}

/// Where the points of a metric lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PointsOrigin {
    File {
        file: PointsFile,
        /// The key or column.
        key: String,
        /// That of its steps, where it is declared.
        step: Option<String>,
    },
    Tracker {
        tracker: TrackerKind,
        folder: String,
        key: String,
    },
    /// It is one number.
    None,
}

impl PointsOrigin {
    /// Where those of a metric lie; what is not declared is reported.
    pub(crate) fn of(metric: &str, declared: Option<&MetricDeclaration>) -> Self {
        let step = declared.and_then(|declared| declared.step.clone());
        let (name, form, key) = match declared.map(|declared| &declared.source) {
            None | Some(MetricSource::Reported) => (REPORTED_FILE, FileForm::Lines, metric),
            Some(MetricSource::Jsonl { file, key }) => (file.as_str(), FileForm::Lines, &**key),
            Some(MetricSource::Csv { file, column }) => (file.as_str(), FileForm::Table, &**column),
            Some(MetricSource::Tracked {
                tracker,
                folder,
                key,
            }) => {
                return Self::Tracker {
                    tracker: *tracker,
                    folder: folder.clone(),
                    key: key.clone(),
                };
            }
            Some(_) => return Self::None,
        };
        Self::File {
            file: PointsFile {
                name: name.to_owned(),
                form,
            },
            key: key.to_owned(),
            step,
        }
    }

    /// Its file with what is wanted of that.
    pub(crate) fn in_file(&self) -> Option<(&PointsFile, WantedColumn<'_>)> {
        match self {
            Self::File { file, key, step } => Some((
                file,
                WantedColumn {
                    key,
                    step: step.as_deref(),
                },
            )),
            _ => None,
        }
    }

    /// Reads the points as they are written.
    pub(crate) fn read(&self, dir: &Path, metric: &str) -> Result<CurvePoints, SeriesError> {
        match self {
            Self::Tracker {
                tracker,
                folder,
                key,
            } => Ok(tracked::read(&dir.join(folder), *tracker, key)?),
            Self::File { .. } => {
                let read = |(file, wanted): (&PointsFile, _)| file.read(dir, &[wanted]);
                let found = self.in_file().map(read).transpose()?;
                let first = found.and_then(|found| found.points.into_iter().next());
                Ok(first.unwrap_or_else(|| Err(Self::no_curve(dir, metric)))?)
            }
            Self::None => Err(Self::no_curve(dir, metric).into()),
        }
    }

    fn no_curve(dir: &Path, metric: &str) -> FileError {
        FileError::at(dir, format!("`{metric}` is one number and no curve"))
    }
}
