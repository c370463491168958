//! Where points lie: evenly, in clusters, along a line, or evenly with clumps by chance.

use fairtrial_stats::rng::{Purpose, Stream};
use serde::Deserialize;

/// A point of the plane.
pub(super) type Point = [f64; 2];

/// A distribution of points in a square world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Pattern {
    /// One point per cell of an even grid, somewhere in its cell.
    Uniform,
    /// Around a few centres.
    Clustered,
    /// Along the diagonal.
    Linear,
    /// Anywhere, independently.
    Random,
}

impl Pattern {
    /// All of them.
    pub(super) const ALL: [Self; 4] = [Self::Uniform, Self::Clustered, Self::Linear, Self::Random];

    /// Its name in parameters and metrics.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Clustered => "clustered",
            Self::Linear => "linear",
            Self::Random => "random",
        }
    }

    /// Points of this distribution.
    pub(super) fn points(self, count: usize, world: f64, seed: u64) -> Vec<Point> {
        let mut random = Stream::new(seed, Purpose::new("spatial points"), self as u64);
        let side = (count as f64).sqrt().ceil().max(1.0);
        let centres: Vec<Point> = (0..8)
            .map(|_| [random.unit() * world, random.unit() * world])
            .collect();
        let mut point = |place: usize| -> Point {
            match self {
                Self::Uniform => {
                    let (row, column) = (place as f64 / side, place as f64 % side);
                    let cell = world / side;
                    [
                        (column.floor() + random.unit()) * cell,
                        (row.floor() + random.unit()) * cell,
                    ]
                }
                Self::Clustered => {
                    let centre = centres[random.below(centres.len())];
                    centre.map(|axis| axis + random.normal() * world * 0.03)
                }
                Self::Linear => {
                    let along = random.unit() * world;
                    [along, along + random.normal() * world * 0.005]
                }
                Self::Random => [random.unit() * world, random.unit() * world],
            }
        };
        let inside = |point: Point| point.map(|axis| axis.clamp(0.0, world));
        (0..count).map(|place| inside(point(place))).collect()
    }
}
