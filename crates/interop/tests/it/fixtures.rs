//! Where the files lie, and how a test looks at what is read from them.

use fairtrial_interop::{
    Collected, Execution, Given, Keep, Layout, Located, Roles, Scope, format_named, locate,
};
use fairtrial_model::{Params, UtcTime};
use std::path::{Path, PathBuf};

/// A file or folder among the fixtures.
pub(crate) fn path(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name);
    assert!(path.exists(), "no fixture {name}");
    path
}

/// What lies at a path, by its content.
pub(crate) fn located(name: &str) -> Located {
    locate(&[path(name)], None).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Everything in a file, with the points of one metric where it is named.
pub(crate) fn read(name: &str) -> Collected {
    let located = located(name);
    Collected::read(&located, Keep::Ends).unwrap_or_else(|error| panic!("{name}: {error}"))
}

pub(crate) fn points(name: &str, metric: &str) -> Vec<Vec<(f64, f64)>> {
    let located = located(name);
    let found = Collected::read(&located, Keep::Points(metric.to_owned())).unwrap();
    let id = found.metric_named(metric);
    let curve = |curves: &std::collections::BTreeMap<_, fairtrial_interop::Curve>| {
        let curve = id.and_then(|id| curves.get(&id));
        curve.map_or_else(Vec::new, |curve| curve.points.clone())
    };
    found.curves.iter().map(curve).collect()
}

/// A field as text.
pub(crate) fn field(execution: &Execution, name: &str) -> String {
    let value = execution.fields.get(name);
    value.map_or_else(|| format!("no field {name}"), Params::display)
}

/// The value of a metric; absent where the execution has none.
pub(crate) fn value(found: &Collected, execution: usize, metric: &str) -> Option<f64> {
    let id = found.metric_named(metric)?;
    let metrics = &found.executions[execution].metrics;
    metrics
        .iter()
        .find(|(known, _)| *known == id)
        .map(|(_, value)| *value)
}

/// The samples of a metric inside an execution.
pub(crate) fn samples(found: &Collected, execution: usize, metric: &str) -> Vec<f64> {
    let id = found.metric_named(metric);
    let all = &found.executions[execution].samples;
    let of = all.iter().find(|samples| Some(samples.metric) == id);
    of.map_or_else(Vec::new, |samples| samples.values.clone())
}

/// The observations of a file: arm, task, seed, and number below the seed.
pub(crate) fn trials(name: &str, scope: Scope, given: &Given) -> Vec<(String, String, u64, u32)> {
    let located = located(name);
    let found = Collected::read(&located, Keep::Ends).unwrap();
    let roles = Roles::guess(&located.format.rules(), &found.executions, scope, given).unwrap();
    let layout = Layout::of(
        &found.executions.iter().collect::<Vec<_>>(),
        &roles,
        &fairtrial_interop::Known::default(),
    );
    let mut rows = Vec::new();
    for (place, key) in layout.keys.iter().enumerate() {
        let record = found.record(place, key, UtcTime::from_micros(0));
        let arm = key.arm.clone().unwrap_or_default();
        let inside = record.samples.values().map(Vec::len).max();
        for iteration in 0..inside.unwrap_or(1) as u32 {
            let number = if inside.is_some() {
                iteration
            } else {
                key.rollout
            };
            rows.push((arm.clone(), key.task.clone(), key.seed, number));
        }
    }
    rows
}

pub(crate) fn forced(name: &str, format: &str) -> Result<Collected, String> {
    let format = format_named(format).unwrap();
    let located = locate(&[path(name)], Some(format)).map_err(|error| error.to_string())?;
    Collected::read(&located, Keep::Ends).map_err(|error| error.to_string())
}
