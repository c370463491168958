//! A spatial hash: square cells in a hash map. It is a map and arithmetic, so it is ours, held to brute force in the
//! tests of `index`.

use std::collections::HashMap;

type Point = [f64; 2];
type Cell = (i64, i64);

/// The grid. Cells that hold nothing are not there.
#[derive(Debug)]
pub(crate) struct HashGrid {
    cell: f64,
    cells: HashMap<Cell, Vec<(Point, u64)>>,
    /// All points ever lay in these cells; where a search for the nearest may stop.
    low: Cell,
    high: Cell,
}

impl HashGrid {
    /// A grid whose cells have this side.
    pub(crate) fn new(cell: f64) -> Self {
        Self {
            cell: cell.max(1e-9),
            cells: HashMap::new(),
            low: (i64::MAX, i64::MAX),
            high: (i64::MIN, i64::MIN),
        }
    }

    fn cell_of(&self, point: Point) -> Cell {
        let place = |axis: f64| (axis / self.cell).floor() as i64;
        (place(point[0]), place(point[1]))
    }

    pub(crate) fn insert(&mut self, point: Point, id: u64) {
        let cell = self.cell_of(point);
        self.low = (self.low.0.min(cell.0), self.low.1.min(cell.1));
        self.high = (self.high.0.max(cell.0), self.high.1.max(cell.1));
        self.cells.entry(cell).or_default().push((point, id));
    }

    pub(crate) fn remove(&mut self, point: Point, id: u64) {
        let cell = self.cell_of(point);
        if let Some(points) = self.cells.get_mut(&cell) {
            points.retain(|(_, known)| *known != id);
            if points.is_empty() {
                self.cells.remove(&cell);
            }
        }
    }

    /// How many points lie within a radius.
    pub(crate) fn within(&self, centre: Point, radius: f64) -> usize {
        let mut found = 0;
        self.each_within(centre, radius, |_, _| found += 1);
        found
    }

    /// Visits the points within a radius.
    pub(crate) fn each_within(
        &self,
        centre: Point,
        radius: f64,
        mut visit: impl FnMut(Point, u64),
    ) {
        let limit = radius * radius;
        let low = self.cell_of(centre.map(|axis| axis - radius));
        let high = self.cell_of(centre.map(|axis| axis + radius));
        for x in low.0..=high.0 {
            for y in low.1..=high.1 {
                for (point, id) in self.cells.get(&(x, y)).into_iter().flatten() {
                    if squared(*point, centre) <= limit {
                        visit(*point, *id);
                    }
                }
            }
        }
    }

    /// How many points of the cells between two corners are taken.
    pub(crate) fn count_in(&self, low: Point, high: Point, take: impl Fn(Point) -> bool) -> usize {
        let (low, high) = (self.cell_of(low), self.cell_of(high));
        let mut found = 0;
        for x in low.0..=high.0 {
            for y in low.1..=high.1 {
                let points = self.cells.get(&(x, y)).into_iter().flatten();
                found += points.filter(|(point, _)| take(*point)).count();
            }
        }
        found
    }

    /// The nearest point: rings of cells outwards, until the best is nearer than the next ring can be.
    pub(crate) fn nearest(&self, place: Point) -> Option<u64> {
        if self.cells.is_empty() {
            return None;
        }
        let centre = self.cell_of(place);
        let mut best: (f64, Option<u64>) = (f64::INFINITY, None);
        let outermost = [self.low, self.high]
            .into_iter()
            .map(|cell| (cell.0 - centre.0).abs().max((cell.1 - centre.1).abs()))
            .max()
            .unwrap_or(0);
        for ring in 0..=outermost {
            let nearest_possible = (ring - 1).max(0) as f64 * self.cell;
            if best.1.is_some() && best.0 <= nearest_possible * nearest_possible {
                break;
            }
            for cell in ring_cells(centre, ring) {
                for (point, id) in self.cells.get(&cell).into_iter().flatten() {
                    let distance = squared(*point, place);
                    if distance < best.0 {
                        best = (distance, Some(*id));
                    }
                }
            }
        }
        best.1
    }
}

fn ring_cells(centre: Cell, ring: i64) -> impl Iterator<Item = Cell> {
    let (x, y) = centre;
    let rows = move |step: i64| [(x + step, y - ring), (x + step, y + ring)];
    let columns = move |step: i64| [(x - ring, y + step), (x + ring, y + step)];
    let flat = (-ring..=ring).flat_map(rows);
    // The corners are in the rows already; the innermost ring is one cell, which the rows name twice.
    flat.chain((1 - ring..ring).flat_map(columns))
        .take(if ring == 0 { 1 } else { usize::MAX })
}

fn squared(a: Point, b: Point) -> f64 {
    (a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)
}
