//! Ranks with ties averaged, kept as whole numbers by doubling them.

/// The ranks of a sample.
#[derive(Debug, Clone)]
pub(crate) struct Midranks {
    /// Twice the rank of each value, in the order of the sample.
    pub(crate) doubled: Vec<u64>,
    /// The sizes of the groups of equal values, in ascending order of the values.
    pub(crate) ties: Vec<u64>,
}

impl Midranks {
    /// Ranks finite values; values within `tolerance` of the first of a group are equal.
    pub(crate) fn of(xs: &[f64], tolerance: f64) -> Self {
        let mut order: Vec<usize> = (0..xs.len()).collect();
        order.sort_by(|a, b| xs[*a].total_cmp(&xs[*b]));
        let mut doubled = vec![0; xs.len()];
        let mut ties = Vec::new();
        let mut start = 0;
        while start < order.len() {
            let first = xs[order[start]];
            let size = order[start..]
                .iter()
                .take_while(|i| xs[**i] - first <= tolerance)
                .count()
                .max(1);
            // Ranks start+1 ..= start+size have the mean start + (size+1)/2.
            let rank = 2 * start as u64 + size as u64 + 1;
            order[start..start + size]
                .iter()
                .for_each(|i| doubled[*i] = rank);
            ties.push(size as u64);
            start += size;
        }
        Self { doubled, ties }
    }

    /// `sum (t^3 - t)` over the groups of equal values.
    pub(crate) fn tie_term(&self) -> f64 {
        tie_term(&self.ties)
    }
}

pub(crate) fn tie_term(ties: &[u64]) -> f64 {
    ties.iter().map(|t| (*t as f64).powi(3) - *t as f64).sum()
}
