//! Fewer points, the same picture: what a drawing of so many columns can show of a long line.
//!
//! Every column keeps its first, lowest, highest and last point, so that spikes stay. Two points in one column would
//! fall on the same pixels otherwise.

/// Thins a stretch of finite points, ordered as drawn, to at most about four per column.
pub(crate) fn thin(points: &[(f64, f64)], columns: usize) -> Vec<(f64, f64)> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return Vec::new();
    };
    let span = last.0 - first.0;
    let ascending = points.windows(2).all(|pair| pair[0].0 <= pair[1].0);
    if points.len() <= 2 * columns || !ascending || span <= 0.0 {
        return points.to_vec();
    }
    let column = |x: f64| (((x - first.0) / span) * columns as f64) as usize;
    let mut kept = Vec::with_capacity(4 * columns);
    for stretch in points.chunk_by(|a, b| column(a.0) == column(b.0)) {
        keep(stretch, &mut kept);
    }
    kept
}

fn keep(stretch: &[(f64, f64)], kept: &mut Vec<(f64, f64)>) {
    let ends = 0..stretch.len();
    let lowest = ends
        .clone()
        .min_by(|a, b| stretch[*a].1.total_cmp(&stretch[*b].1));
    let highest = ends.max_by(|a, b| stretch[*a].1.total_cmp(&stretch[*b].1));
    let mut places = vec![0, stretch.len() - 1];
    places.extend(lowest);
    places.extend(highest);
    places.sort_unstable();
    places.dedup();
    kept.extend(places.into_iter().map(|place| stretch[place]));
}

#[cfg(test)]
mod tests {
    use super::thin;

    #[test]
    fn spikes_and_ends_stay() {
        let mut points: Vec<(f64, f64)> = (0..10_000).map(|x| (f64::from(x), 0.5)).collect();
        points[1234].1 = 9.0;
        points[8001].1 = -9.0;
        let thinned = thin(&points, 200);
        assert!(thinned.len() <= 804, "{}", thinned.len());
        assert!(thinned.contains(&(1234.0, 9.0)) && thinned.contains(&(8001.0, -9.0)));
        assert_eq!((thinned[0].0, thinned.last().unwrap().0), (0.0, 9999.0));
    }

    #[test]
    fn short_or_unordered_lines_are_left_alone() {
        let short = [(0.0, 1.0), (1.0, 2.0)];
        assert_eq!(thin(&short, 200), short);
        let back: Vec<(f64, f64)> = (0..1000).rev().map(|x| (f64::from(x), 0.0)).collect();
        assert_eq!(thin(&back, 10).len(), 1000);
        assert!(thin(&[], 10).is_empty());
    }
}
