//! Times the questions that spatial indexes answer, and measures what they hold in memory.

use super::index::{Algorithm, Index};
use super::points::Point;
use fairtrial_experiment::allocations::allocated;
use std::hint::black_box;
use std::time::Instant;

/// Seconds for the build and per operation.
#[derive(Debug, Clone, Copy, Default, serde::Serialize)]
pub(super) struct Times {
    pub(super) build_time: f64,
    pub(super) avg_query_time: f64,
    pub(super) avg_nearest_time: f64,
    pub(super) avg_update_time: f64,
    /// Points that a range query finds on average.
    pub(super) avg_found: f64,
}

/// What to ask.
#[derive(Debug, Clone, Copy)]
pub(super) struct Questions<'a> {
    pub(super) world: f64,
    pub(super) radius: f64,
    /// Where range and nearest queries are asked.
    pub(super) places: &'a [Point],
}

/// Builds an index and times the build.
pub(super) fn build(algorithm: Algorithm, points: &[Point], asked: &Questions<'_>) -> (Index, f64) {
    let began = Instant::now();
    let index = algorithm.build(points, asked.world, asked.radius);
    (index, began.elapsed().as_secs_f64())
}

/// Seconds per call over all places, and the sum of what the calls gave.
pub(super) fn each(places: &[Point], mut ask: impl FnMut(Point) -> usize) -> (f64, usize) {
    let began = Instant::now();
    let mut sum = 0;
    for place in places {
        sum += black_box(ask(*place));
    }
    let count = places.len().max(1) as f64;
    (began.elapsed().as_secs_f64() / count, sum)
}

/// Times everything for one index.
pub(super) fn measure(algorithm: Algorithm, points: &[Point], asked: &Questions<'_>) -> Times {
    let (mut index, build_time) = build(algorithm, points, asked);
    let (avg_query_time, found) = each(asked.places, |place| index.within(place, asked.radius));
    let (avg_nearest_time, _) = each(asked.places, |place| {
        usize::from(index.nearest(place).is_some())
    });
    let mut moved = points.to_vec();
    let mut next = 0;
    let (avg_update_time, _) = each(asked.places, |place| {
        if !moved.is_empty() {
            let id = next % moved.len();
            index.update(id as u64, moved[id], place);
            moved[id] = place;
            next += 1;
        }
        1
    });
    Times {
        build_time,
        avg_query_time,
        avg_nearest_time,
        avg_update_time,
        avg_found: found as f64 / asked.places.len().max(1) as f64,
    }
}

/// Resident memory of this process in bytes; absent where the system does not show it.
pub(crate) fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}

/// Bytes that a value holds; absent where this program's allocator does not count.
pub(super) fn bytes_of<T>(make: impl FnOnce() -> T) -> Option<f64> {
    let (value, found) = allocated(make);
    drop(value);
    found.map(|found| found.kept as f64)
}
