//! A region quadtree over numbered points. No maintained crate offers one with removal and nearest neighbours, so it
//! is ours, held to brute force in the tests of `index`.

use super::points::Point;

/// Points in a leaf before it splits.
const LEAF: usize = 16;
/// Leaves this deep do not split: points at one place would never separate.
const DEEPEST: u32 = 24;

/// The tree.
#[derive(Debug)]
pub(super) struct Quadtree {
    root: Node,
    world: f64,
}

#[derive(Debug)]
enum Node {
    Leaf(Vec<(Point, u64)>),
    Inner(Box<[Node; 4]>),
}

/// The square that a node covers.
#[derive(Debug, Clone, Copy)]
struct Square {
    low: Point,
    size: f64,
}

impl Square {
    fn child(self, number: usize) -> Self {
        let half = self.size / 2.0;
        let shift = |axis: usize| if number >> axis & 1 == 1 { half } else { 0.0 };
        Self {
            low: [self.low[0] + shift(0), self.low[1] + shift(1)],
            size: half,
        }
    }

    fn child_of(self, point: Point) -> usize {
        let half = self.size / 2.0;
        let upper = |axis: usize| usize::from(point[axis] >= self.low[axis] + half);
        upper(0) | upper(1) << 1
    }

    /// Squared distance from a place to the square.
    fn distance(self, place: Point) -> f64 {
        let axis = |axis: usize| {
            let (low, high) = (self.low[axis], self.low[axis] + self.size);
            (low - place[axis]).max(place[axis] - high).max(0.0)
        };
        axis(0).powi(2) + axis(1).powi(2)
    }

    fn meets(self, low: Point, high: Point) -> bool {
        (0..2).all(|axis| self.low[axis] <= high[axis] && self.low[axis] + self.size >= low[axis])
    }
}

fn squared(a: Point, b: Point) -> f64 {
    (a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)
}

impl Quadtree {
    pub(super) fn new(world: f64) -> Self {
        Self {
            root: Node::Leaf(Vec::new()),
            world,
        }
    }

    fn whole(&self) -> Square {
        Square {
            low: [0.0, 0.0],
            size: self.world,
        }
    }

    pub(super) fn insert(&mut self, point: Point, id: u64) {
        let whole = self.whole();
        insert(&mut self.root, whole, (point, id), 0);
    }

    pub(super) fn remove(&mut self, point: Point, id: u64) {
        let (mut node, mut square) = (
            &mut self.root,
            Square {
                low: [0.0, 0.0],
                size: self.world,
            },
        );
        loop {
            match node {
                Node::Leaf(points) => {
                    points.retain(|(_, known)| *known != id);
                    return;
                }
                Node::Inner(children) => {
                    let number = square.child_of(point);
                    square = square.child(number);
                    node = &mut children[number];
                }
            }
        }
    }

    pub(super) fn within(&self, centre: Point, radius: f64) -> usize {
        let limit = radius * radius;
        self.count(
            |square| square.distance(centre) <= limit,
            |point| squared(point, centre) <= limit,
        )
    }

    pub(super) fn in_square(&self, low: Point, high: Point) -> usize {
        let inside =
            |point: Point| (0..2).all(|axis| point[axis] >= low[axis] && point[axis] <= high[axis]);
        self.count(|square| square.meets(low, high), inside)
    }

    fn count(&self, visit: impl Fn(Square) -> bool, take: impl Fn(Point) -> bool) -> usize {
        let mut found = 0;
        let mut waiting = vec![(&self.root, self.whole())];
        while let Some((node, square)) = waiting.pop() {
            match node {
                Node::Leaf(points) => {
                    found += points.iter().filter(|(point, _)| take(*point)).count();
                }
                Node::Inner(children) => {
                    let below = children
                        .iter()
                        .zip(0..)
                        .map(|(child, number)| (child, square.child(number)));
                    waiting.extend(below.filter(|(_, square)| visit(*square)));
                }
            }
        }
        found
    }

    pub(super) fn nearest(&self, place: Point) -> Option<u64> {
        let mut best: (f64, Option<u64>) = (f64::INFINITY, None);
        nearest(&self.root, self.whole(), place, &mut best);
        best.1
    }
}

fn insert(node: &mut Node, square: Square, entry: (Point, u64), depth: u32) {
    match node {
        Node::Inner(children) => {
            let number = square.child_of(entry.0);
            insert(
                &mut children[number],
                square.child(number),
                entry,
                depth + 1,
            );
        }
        Node::Leaf(points) => {
            points.push(entry);
            if points.len() > LEAF && depth < DEEPEST {
                let mut children = [(); 4].map(|()| Node::Leaf(Vec::new()));
                for entry in points.drain(..) {
                    let number = square.child_of(entry.0);
                    insert(
                        &mut children[number],
                        square.child(number),
                        entry,
                        depth + 1,
                    );
                }
                *node = Node::Inner(Box::new(children));
            }
        }
    }
}

fn nearest(node: &Node, square: Square, place: Point, best: &mut (f64, Option<u64>)) {
    match node {
        Node::Leaf(points) => {
            for (point, id) in points {
                let distance = squared(*point, place);
                if distance < best.0 {
                    *best = (distance, Some(*id));
                }
            }
        }
        Node::Inner(children) => {
            let mut order =
                [0, 1, 2, 3].map(|number| (square.child(number).distance(place), number));
            order.sort_by(|a, b| a.0.total_cmp(&b.0));
            for (distance, number) in order {
                if distance < best.0 {
                    nearest(&children[number], square.child(number), place, best);
                }
            }
        }
    }
}
