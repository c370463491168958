//! The points of a sweep, each worked out from its number.

use fairtrial_model::Params;
use fairtrial_spec::{Axis, Strategy, Sweep};
use fairtrial_stats::rng::{Purpose, Stream};
use std::collections::HashSet;

/// How many points a sweep has; one where it sweeps nothing.
pub(crate) fn count(sweep: &Sweep) -> u128 {
    if sweep.axes.is_empty() {
        return 1;
    }
    match sweep.strategy {
        Strategy::Cartesian => sweep.combinations(),
        Strategy::Zip => sweep
            .axes
            .iter()
            .map(|axis| axis.values.len() as u128)
            .min()
            .unwrap_or(0),
        Strategy::Random { samples } => sweep.combinations().min(samples as u128),
    }
}

/// What the points of a sweep need besides the sweep: for a random one its draws, places of the axes' values each.
#[derive(Debug, Default)]
pub(crate) struct Draws(Vec<Box<[usize]>>);

impl Draws {
    /// Draws the points of a random sweep, none twice: a second trial of the same point and seed would say nothing new.
    /// Each comes from a stream of its own, which goes on where it meets an earlier point, so that a point does not depend
    /// on how many come after it.
    pub(crate) fn of(sweep: &Sweep, seed: u64) -> Self {
        if !matches!(sweep.strategy, Strategy::Random { .. }) || sweep.axes.is_empty() {
            return Self::default();
        }
        let mut seen = HashSet::new();
        let draw = |point: u64| {
            let mut stream = Stream::new(seed, Purpose::new("sweep"), point);
            loop {
                let places: Box<[usize]> = sweep
                    .axes
                    .iter()
                    .map(|axis| stream.below(axis.values.len()))
                    .collect();
                if seen.insert(places.clone()) {
                    return places;
                }
            }
        };
        Self((0..count(sweep) as u64).map(draw).collect())
    }
}

/// Adds the parameters of one point to `params`.
pub(crate) fn fill(sweep: &Sweep, draws: &Draws, point: usize, params: &mut Params) {
    match sweep.strategy {
        Strategy::Cartesian => fill_cartesian(&sweep.axes, point, params),
        Strategy::Zip => {
            for axis in &sweep.axes {
                set(axis, point, params);
            }
        }
        Strategy::Random { .. } => {
            let places = draws.0.get(point).into_iter().flatten();
            for (axis, place) in sweep.axes.iter().zip(places) {
                set(axis, *place, params);
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
