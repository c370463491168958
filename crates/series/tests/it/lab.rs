//! A trial's folder with files of points.

use fairtrial_model::{MetricDeclaration, MetricSource, Number, SeriesInfo};
use fairtrial_series::{COLUMNS_FILE, CurvePoints, Reading, TrialCurves};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

pub(crate) struct Trial {
    pub(crate) home: tempfile::TempDir,
    pub(crate) series: BTreeMap<String, SeriesInfo>,
    pub(crate) declared: Vec<MetricDeclaration>,
}

/// What was read of a metric; values by their bits, so that NaN equals itself.
pub(crate) type Read = Result<(Vec<u64>, Vec<u64>, Vec<String>), String>;

impl Trial {
    /// One that reported these metrics, in this text.
    pub(crate) fn reported(text: &str, metrics: &[&str]) -> Self {
        let trial = Self {
            home: tempfile::tempdir().unwrap(),
            series: metrics
                .iter()
                .map(|name| info(name, "metrics.jsonl"))
                .collect(),
            declared: Vec::new(),
        };
        fs::write(trial.file("metrics.jsonl"), text).unwrap();
        trial
    }

    /// Adds a table with a declared column.
    pub(crate) fn with_table(mut self, text: &str, column: &str) -> Self {
        fs::write(self.file("progress.csv"), text).unwrap();
        self.declared.push(MetricDeclaration {
            source: MetricSource::Csv {
                file: "progress.csv".to_owned(),
                column: column.to_owned(),
            },
            ..MetricDeclaration::named(column)
        });
        self.series.extend([info(column, "progress.csv")]);
        self
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    pub(crate) fn curves(&self) -> TrialCurves<'_> {
        TrialCurves {
            dir: self.home.path(),
            series: &self.series,
            declared: &self.declared,
        }
    }

    pub(crate) fn is_packed(&self) -> bool {
        self.file(COLUMNS_FILE).exists()
    }

    pub(crate) fn read(&self, metrics: &[&str], reading: Reading) -> Vec<Read> {
        let opened = self.curves().open(metrics, reading);
        let read = opened.into_iter().map(|series| {
            let series = series.map_err(|error| error.to_string())?;
            let points = series.points().map_err(|error| error.to_string())?;
            assert_eq!(points.notes, series.notes());
            assert_eq!(points.steps.len(), series.len());
            Ok(bits(&points))
        });
        read.collect()
    }
}

pub(crate) fn bits(points: &CurvePoints) -> (Vec<u64>, Vec<u64>, Vec<String>) {
    let of = |numbers: &[f64]| {
        let bits = |number: &f64| {
            if number.is_nan() {
                u64::MAX
            } else {
                number.to_bits()
            }
        };
        numbers.iter().map(bits).collect()
    };
    (of(&points.steps), of(&points.values), points.notes.clone())
}

fn info(metric: &str, file: &str) -> (String, SeriesInfo) {
    let info = SeriesInfo {
        file: file.to_owned(),
        step: None,
        points: 5000,
        first_step: Number(0.0),
        last_step: Number(0.0),
        summary: "last".to_owned(),
        sha256: None,
        not_reached: false,
    };
    (metric.to_owned(), info)
}
