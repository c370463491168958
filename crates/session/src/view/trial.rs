//! One trial with everything that is known of it.

use super::file::{FileEntry, MOST_AT_ONCE};
use super::row::TrialRow;
use super::run_view::RunView;
use crate::error::SessionError;
use fairtrial_journal::RecordFile;
use fairtrial_model::Record;
use fairtrial_series::{CurveSeries, Reading, TrialCurves};
use fairtrial_stats::series::thin_stretches;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Parts of its steps of which a long curve hands over the first, the lowest, the highest and the last point; more cannot
/// be told apart on a screen.
const PARTS: usize = 150;
/// Bytes of the command's script that are shown.
const SCRIPT: usize = 16 * 1024;

/// A trial.
#[derive(Debug, Serialize)]
pub struct TrialDetail {
    /// Its row.
    pub row: TrialRow,
    /// In words.
    pub label: String,
    /// Its status in a word.
    pub status: &'static str,
    /// The attempt that is shown.
    pub attempt: u32,
    /// The folder of that attempt, from the data root on.
    pub dir: String,
    /// The script that runs it again; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub script: Option<String>,
    /// Its record; absent where that attempt has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<Record>,
    /// What it logged over steps.
    pub series: Vec<SeriesPoints>,
    /// Its files.
    pub files: Vec<FileEntry>,
    /// Whether there are more files than are listed.
    pub more_files: bool,
}

/// A curve.
#[derive(Debug, Serialize)]
pub struct SeriesPoints {
    /// The metric.
    pub metric: String,
    /// The arm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arm: Option<String>,
    /// Step and value; absent where there is a gap.
    pub points: Vec<(f64, f64)>,
}

impl RunView {
    /// A trial, in its newest attempt or this one.
    pub fn trial(
        &self,
        trial: u64,
        attempt: Option<u32>,
        live: bool,
    ) -> Result<TrialDetail, SessionError> {
        let row = usize::try_from(trial).ok();
        let Some(row) = row.and_then(|place| self.rows.get(place)) else {
            return Err(SessionError::Input(format!("there is no trial {trial}")));
        };
        let state = self.state.trial(trial);
        let attempt = attempt.unwrap_or(row.attempts);
        let record = (state.finished == attempt && state.outcome.is_some())
            .then(|| RecordFile::open(&self.run.journal())?.record(&state))
            .transpose()?
            .flatten();
        let dir = self.dir_of(trial, attempt);
        let path = self.run.folder_of(&dir.to_string_lossy());
        let (files, more_files) = self.files(trial, attempt);
        let script = files.iter().any(|file| file.path == "command.sh");
        let script = script.then(|| self.file_part((trial, attempt), "command.sh", Some(0)));
        Ok(TrialDetail {
            label: row.label(),
            status: row.status(live),
            attempt,
            dir: dir.to_string_lossy().into_owned(),
            script: script.and_then(Result::ok).map(|part| shortened(part.text)),
            series: self.series(&path, row, record.as_ref()),
            row: row.clone(),
            record,
            files,
            more_files,
        })
    }

    /// The curves of the trials that run, for whoever draws them beside those that ended.
    pub fn curves_in_flight(&self) -> Vec<(&TrialRow, Vec<SeriesPoints>)> {
        let running = self.rows.iter().filter(|row| row.in_flight);
        let curves = running.take(64).map(|row| {
            let dir = self.run.trial_dir(row.trial, row.attempts);
            (row, self.series(&dir, row, None))
        });
        curves.collect()
    }

    /// The curves of the declared metrics that are in a folder. A file that is being written is read as far as it is.
    fn series(&self, dir: &Path, row: &TrialRow, record: Option<&Record>) -> Vec<SeriesPoints> {
        let declared = self.spec.as_ref().map_or(&[][..], |spec| &spec.metrics);
        let none = BTreeMap::new();
        let curves = TrialCurves {
            dir,
            series: record.map_or(&none, |record| &record.series),
            declared,
        };
        let reading = match record {
            Some(_) => Reading::Columns,
            None => Reading::Files,
        };
        let metrics: Vec<&str> = declared.iter().map(|metric| metric.name.as_str()).collect();
        let of = |(metric, series): (&&str, Result<CurveSeries, _>)| {
            let series = series.ok()?;
            let points = series.points().ok()?;
            let mut points = thin_stretches(&points.pairs(), PARTS);
            points.retain(|(step, value)| step.is_finite() && value.is_finite());
            (points.len() > 1).then(|| SeriesPoints {
                metric: (*metric).to_owned(),
                arm: row.arm.clone(),
                points,
            })
        };
        let opened = curves.open(&metrics, reading);
        metrics.iter().zip(opened).filter_map(of).collect()
    }
}

fn shortened(mut text: String) -> String {
    if text.len() > SCRIPT {
        let cut = text.floor_char_boundary(SCRIPT);
        text.truncate(cut);
        text.push_str("\n# ... (the file has more)\n");
    }
    text
}

const _: () = assert!(MOST_AT_ONCE as usize > SCRIPT);
