//! Ordered lists of partial sums, and counting pairs of them.

/// All sums of `±d` in ascending order.
pub(super) fn signed_sums(values: &[f64]) -> Vec<f64> {
    values.iter().fold(vec![0.0], |sums, d| {
        let size = d.abs();
        merge(sums.iter().map(|s| s - size), sums.iter().map(|s| s + size))
    })
}

fn merge(a: impl Iterator<Item = f64>, b: impl Iterator<Item = f64>) -> Vec<f64> {
    let (mut a, mut b) = (a.peekable(), b.peekable());
    let mut out = Vec::new();
    loop {
        match (a.peek(), b.peek()) {
            (Some(x), Some(y)) if x <= y => out.extend(a.next()),
            (_, Some(_)) => out.extend(b.next()),
            (Some(_), None) => out.extend(a.next()),
            (None, None) => return out,
        }
    }
}

/// How many pairs of one sum from each ascending list add up to at least `goal`.
pub(super) fn pairs_at_least(left: &[f64], right: &[f64], goal: f64) -> u64 {
    let mut start = right.len();
    let mut total = 0;
    for a in left {
        while start > 0 && a + right[start - 1] >= goal {
            start -= 1;
        }
        total += (right.len() - start) as u64;
    }
    total
}

/// How many pairs add up to at most `goal`.
pub(super) fn pairs_at_most(left: &[f64], right: &[f64], goal: f64) -> u64 {
    let mut end = right.len();
    let mut total = 0;
    for a in left {
        while end > 0 && a + right[end - 1] > goal {
            end -= 1;
        }
        total += end as u64;
    }
    total
}
