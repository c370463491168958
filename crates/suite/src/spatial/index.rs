//! One face for all indexes, so that every experiment asks them the same questions.

use super::hash_grid::HashGrid;
use super::points::Point;
use super::quadtree::Quadtree;
use kdtree::KdTree;
use kdtree::distance::squared_euclidean;
use rstar::primitives::GeomWithData;
use rstar::{AABB, RTree};
use serde::Deserialize;

/// Which index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Algorithm {
    /// The k-d tree of `kdtree`.
    KdTree,
    /// The R*-tree of `rstar`.
    RTree,
    /// A region quadtree.
    Quadtree,
    /// A grid of cells in a hash map.
    SpatialHash,
}

impl Algorithm {
    /// All of them.
    pub(super) const ALL: [Self; 4] =
        [Self::Quadtree, Self::SpatialHash, Self::KdTree, Self::RTree];

    /// Its name in parameters and metrics.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::KdTree => "kd_tree",
            Self::RTree => "r_tree",
            Self::Quadtree => "quadtree",
            Self::SpatialHash => "spatial_hash",
        }
    }

    /// Builds an index over points of a square world; `reach` is the radius that will be asked for.
    pub(super) fn build(self, points: &[Point], world: f64, reach: f64) -> Index {
        let numbered = || points.iter().zip(0_u64..);
        match self {
            Self::KdTree => {
                let mut tree = KdTree::new(2);
                for (point, id) in numbered() {
                    plant(&mut tree, *point, id);
                }
                Index::KdTree(tree)
            }
            Self::RTree => {
                let items = numbered().map(|(point, id)| GeomWithData::new(*point, id));
                Index::RTree(RTree::bulk_load(items.collect()))
            }
            Self::Quadtree => {
                let mut tree = Quadtree::new(world);
                for (point, id) in numbered() {
                    tree.insert(*point, id);
                }
                Index::Quadtree(tree)
            }
            Self::SpatialHash => {
                let mut grid = HashGrid::new(reach);
                for (point, id) in numbered() {
                    grid.insert(*point, id);
                }
                Index::SpatialHash(grid)
            }
        }
    }
}

/// An index over numbered points.
pub(super) enum Index {
    KdTree(KdTree<f64, u64, Point>),
    RTree(RTree<GeomWithData<Point, u64>>),
    Quadtree(Quadtree),
    SpatialHash(HashGrid),
}

impl Index {
    /// How many points lie within a radius.
    pub(super) fn within(&self, centre: Point, radius: f64) -> usize {
        match self {
            Self::KdTree(tree) => tree
                .within_count(&centre, radius * radius, &squared_euclidean)
                .unwrap_or(0),
            Self::RTree(tree) => tree.locate_within_distance(centre, radius * radius).count(),
            Self::Quadtree(tree) => tree.within(centre, radius),
            Self::SpatialHash(grid) => grid.within(centre, radius),
        }
    }

    /// How many points lie in a square around a place.
    pub(super) fn in_square(&self, centre: Point, half: f64) -> usize {
        let [x, y] = centre;
        let (low, high) = ([x - half, y - half], [x + half, y + half]);
        let inside =
            |point: Point| (0..2).all(|axis| point[axis] >= low[axis] && point[axis] <= high[axis]);
        match self {
            Self::KdTree(tree) => tree
                .bounding_box(&low, &high)
                .map_or(0, |found| found.len()),
            Self::RTree(tree) => tree
                .locate_in_envelope(AABB::from_corners(low, high))
                .count(),
            Self::Quadtree(tree) => tree.in_square(low, high),
            Self::SpatialHash(grid) => grid.count_in(low, high, inside),
        }
    }

    /// The nearest point's number.
    pub(super) fn nearest(&self, place: Point) -> Option<u64> {
        match self {
            Self::KdTree(tree) => {
                let found = tree.nearest(&place, 1, &squared_euclidean).ok()?;
                found.first().map(|(_, id)| **id)
            }
            Self::RTree(tree) => tree.nearest_neighbor(place).map(|found| found.data),
            Self::Quadtree(tree) => tree.nearest(place),
            Self::SpatialHash(grid) => grid.nearest(place),
        }
    }

    /// Moves a point.
    pub(super) fn update(&mut self, id: u64, from: Point, to: Point) {
        match self {
            Self::KdTree(tree) => {
                // The only error is a place that is not finite, and worlds have none.
                let _ = tree.remove(&from, &id);
                plant(tree, to, id);
            }
            Self::RTree(tree) => {
                tree.remove(&GeomWithData::new(from, id));
                tree.insert(GeomWithData::new(to, id));
            }
            Self::Quadtree(tree) => {
                tree.remove(from, id);
                tree.insert(to, id);
            }
            Self::SpatialHash(grid) => {
                grid.remove(from, id);
                grid.insert(to, id);
            }
        }
    }
}

/// Adds a point; the tree refuses only places that are not finite, and worlds have none.
fn plant(tree: &mut KdTree<f64, u64, Point>, point: Point, id: u64) {
    let added = tree.add(point, id);
    debug_assert!(added.is_ok(), "{point:?} is no place");
}

#[cfg(test)]
mod tests {
    use super::super::points::Pattern;
    use super::{Algorithm, Point};

    fn distance(a: Point, b: Point) -> f64 {
        (a[0] - b[0]).hypot(a[1] - b[1])
    }

    #[test]
    fn every_index_answers_as_looking_at_every_point_does() {
        for pattern in Pattern::ALL {
            let mut points = pattern.points(400, 100.0, 7);
            let places = Pattern::Uniform.points(60, 100.0, 8);
            let moved = pattern.points(400, 100.0, 9);
            for algorithm in Algorithm::ALL {
                let mut index = algorithm.build(&points, 100.0, 10.0);
                let before = points.clone();
                for id in 0..200_usize {
                    index.update(id as u64, points[id], moved[id]);
                    points[id] = moved[id];
                }
                for place in &places {
                    let within = points
                        .iter()
                        .filter(|p| distance(**p, *place) <= 10.0)
                        .count();
                    assert_eq!(
                        index.within(*place, 10.0),
                        within,
                        "{algorithm:?} {pattern:?}"
                    );
                    let best = points
                        .iter()
                        .map(|p| distance(*p, *place))
                        .fold(f64::MAX, f64::min);
                    let found = index.nearest(*place).unwrap();
                    let found = distance(points[found as usize], *place);
                    assert!((found - best).abs() < 1e-9, "{algorithm:?} {pattern:?}");
                    let in_square = index.in_square(*place, 5.0);
                    let square = points
                        .iter()
                        .filter(|p| (0..2).all(|axis| (p[axis] - place[axis]).abs() <= 5.0))
                        .count();
                    assert_eq!(in_square, square, "{algorithm:?} {pattern:?}");
                }
                points = before;
            }
        }
    }
}
