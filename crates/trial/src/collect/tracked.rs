//! Values that the trial's own process logged with a tracker: W&B, TensorBoard, MLflow. The training code is left as it is.

use super::collected::CollectError;
use super::reduce::{Reading, SeriesReading, Steps};
use fairtrial_interop::{Collected, InteropError, Keep, format_named, locate};
use fairtrial_model::TrackerKind;
use fairtrial_text::count::first_of;
use std::path::Path;

/// Names of metrics that a message lists.
const LISTED: usize = 10;

/// The points of a metric in a tracker's folder, in the trial's directory.
pub(super) fn series(
    dir: &Path,
    (tracker, folder): (TrackerKind, &str),
    key: &str,
) -> Result<Reading, CollectError> {
    let path = dir.join(folder);
    if !path.exists() {
        return Err(CollectError::NoFile(folder.to_owned()));
    }
    let wrong = |error: InteropError| CollectError::NoValue(error.to_string());
    let format = format_named(tracker.scheme()).map_err(wrong)?;
    let located = locate(&[path], Some(format)).map_err(wrong)?;
    let found = Collected::read(&located, Keep::Points(key.to_owned())).map_err(wrong)?;
    let Some(id) = found.metric_named(key) else {
        let names = found.metrics.iter().map(|metric| &metric.name);
        return Err(CollectError::NoValue(format!(
            "`{key}` was not logged to {folder}; there are {}",
            first_of(names, LISTED)
        )));
    };
    let mut series = SeriesReading::new(folder, Steps::Named("step".to_owned()), true);
    let mut last = None;
    for (execution, curves) in found.executions.iter().zip(&found.curves) {
        let whole = execution.metrics.iter().find(|(metric, _)| *metric == id);
        last = whole.map(|(_, value)| *value).or(last);
        if let Some(curve) = curves.get(&id) {
            for (step, value) in &curve.points {
                series.push(*step, *value);
            }
        }
    }
    match (series.is_empty(), last) {
        (false, _) => Ok(Reading::Series { series, last: None }),
        (true, Some(value)) => Ok(Reading::Scalar(value)),
        (true, None) => Err(CollectError::NoValue(format!(
            "`{key}` has no value in {folder}"
        ))),
    }
}
