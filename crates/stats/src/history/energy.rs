//! The split of a stretch that makes its two sides most different, by energy distance.

use std::ops::Range;

/// Distances between all points of a window, summed up over rectangles.
pub(super) struct Distances {
    /// `sums[i * (w + 1) + j]` is the sum of distances over rows before i and columns before j.
    sums: Vec<f64>,
    width: usize,
}

/// A possible change: the first point of the new level, and how strongly the sides differ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Candidate {
    pub(super) index: usize,
    pub(super) strength: f64,
}

impl Distances {
    pub(super) fn new(window: &[f64]) -> Self {
        let width = window.len() + 1;
        let mut sums = vec![0.0; width * width];
        for (i, a) in window.iter().enumerate() {
            let mut row = 0.0;
            for (j, b) in window.iter().enumerate() {
                row += (a - b).abs();
                sums[(i + 1) * width + j + 1] = sums[i * width + j + 1] + row;
            }
        }
        Self { sums, width }
    }

    fn rectangle(&self, rows: Range<usize>, columns: Range<usize>) -> f64 {
        let at = |i: usize, j: usize| self.sums[i * self.width + j];
        at(rows.end, columns.end) - at(rows.start, columns.end) - at(rows.end, columns.start)
            + at(rows.start, columns.start)
    }

    /// The energy distance between the stretches before and after `split`, the second one ending at `end`.
    fn strength(&self, start: usize, split: usize, end: usize) -> f64 {
        let (left, right) = ((split - start) as f64, (end - split) as f64);
        let all = left + right;
        let between = 2.0 / all * self.rectangle(start..split, split..end);
        // Each pair inside a side is counted twice in its square.
        let inside = |side: Range<usize>, own: f64, other: f64| {
            if own < 2.0 {
                0.0
            } else {
                other / (all * (own - 1.0)) * self.rectangle(side.clone(), side)
            }
        };
        between - inside(start..split, left, right) - inside(split..end, right, left)
    }

    /// The strongest split of a stretch with at least `shortest` points on each side.
    pub(super) fn strongest(&self, stretch: Range<usize>, shortest: usize) -> Option<Candidate> {
        let mut best: Option<Candidate> = None;
        let last_split = stretch.end.checked_sub(shortest)?;
        for split in stretch.start + shortest..=last_split {
            for end in split + shortest..=stretch.end {
                let strength = self.strength(stretch.start, split, end);
                if best.is_none_or(|b| strength > b.strength) {
                    best = Some(Candidate {
                        index: split,
                        strength,
                    });
                }
            }
        }
        best
    }
}
