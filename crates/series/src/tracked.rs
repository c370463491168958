//! The points that the trial's own process logged with a tracker: W&B, TensorBoard, MLflow.

use crate::points::CurvePoints;
use fairtrial_interop::{Collected, InteropError, Keep, format_named, locate};
use fairtrial_model::TrackerKind;
use std::path::Path;

/// The points under a key in a tracker's folder.
pub(crate) fn read(
    folder: &Path,
    tracker: TrackerKind,
    key: &str,
) -> Result<CurvePoints, InteropError> {
    let located = locate(&[folder.to_owned()], Some(format_named(tracker.scheme())?))?;
    let found = Collected::read(&located, Keep::Points(key.to_owned()))?;
    let id = found.metric_named(key);
    let curves = found.curves.iter().filter_map(|curves| curves.get(&id?));
    let (steps, values) = curves
        .flat_map(|curve| curve.points.iter().copied())
        .unzip();
    Ok(CurvePoints {
        steps,
        values,
        notes: found.notes,
    })
}
