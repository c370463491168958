//! The points of a sweep, each worked out from its number.

use fairtrial_model::Params;
use fairtrial_spec::{Axis, Strategy, Sweep};
use fairtrial_stats::rng::{Purpose, Stream};

/// How many points a sweep has; one where it sweeps nothing.
pub(crate) fn count(sweep: &Sweep) -> u128 {
    if sweep.axes.is_empty() {
        return 1;
    }
    match sweep.strategy {
        Strategy::Cartesian => sweep
            .axes
            .iter()
            .map(|axis| axis.values.len() as u128)
            .product(),
        Strategy::Zip => sweep
            .axes
            .iter()
            .map(|axis| axis.values.len() as u128)
            .min()
            .unwrap_or(0),
        Strategy::Random { samples } => samples as u128,
    }
}

/// Adds the parameters of one point to `params`. Random draws come from a stream of the point's own, so that a point
/// does not depend on how many others there are.
pub(crate) fn fill(sweep: &Sweep, point: usize, seed: u64, params: &mut Params) {
    match sweep.strategy {
        Strategy::Cartesian => fill_cartesian(&sweep.axes, point, params),
        Strategy::Zip => {
            for axis in &sweep.axes {
                set(axis, point, params);
            }
        }
        Strategy::Random { .. } => {
            let mut stream = Stream::new(seed, Purpose::new("sweep"), point as u64);
            for axis in &sweep.axes {
                set(axis, stream.below(axis.values.len()), params);
            }
        }
    }
}

/// The last axis is the fastest; parameters keep the order of the axes.
fn fill_cartesian(axes: &[Axis], mut point: usize, params: &mut Params) {
    let mut places = vec![0; axes.len()];
    for (place, axis) in places.iter_mut().zip(axes).rev() {
        *place = point % axis.values.len();
        point /= axis.values.len();
    }
    for (axis, place) in axes.iter().zip(places) {
        set(axis, place, params);
    }
}

fn set(axis: &Axis, place: usize, params: &mut Params) {
    if let Some(value) = axis.values.get(place) {
        params.set(axis.name.clone(), value.clone());
    }
}
