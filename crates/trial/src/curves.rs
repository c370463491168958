//! The curves of a trial that has ended: long ones are packed beside their files, whose digests stand in its record.

use fairtrial_model::{MetricDeclaration, SeriesInfo};
use fairtrial_series::TrialCurves;
use std::collections::BTreeMap;
use std::path::Path;

type AllSeries = BTreeMap<String, SeriesInfo>;

/// Packs them at the trial's end.
pub(crate) fn pack(series: &mut AllSeries, dir: &Path, declared: &[MetricDeclaration]) {
    let digests = curves(series, dir, declared).pack();
    tell(series, &digests);
}

/// The digests of files that were read again.
pub(crate) fn digest(series: &mut AllSeries, dir: &Path, declared: &[MetricDeclaration]) {
    let digests = curves(series, dir, declared).digests();
    tell(series, &digests);
}

fn curves<'a>(
    series: &'a AllSeries,
    dir: &'a Path,
    declared: &'a [MetricDeclaration],
) -> TrialCurves<'a> {
    TrialCurves {
        dir,
        series,
        declared,
    }
}

fn tell(series: &mut AllSeries, digests: &BTreeMap<String, String>) {
    for info in series.values_mut() {
        info.sha256 = digests.get(&info.file).cloned();
    }
}
