//! Fewer points, the same picture: what a drawing of so many columns can show of a long line.
//!
//! Every column keeps its first, lowest, highest and last point, so that spikes stay. Two points in one column would
//! fall on the same pixels otherwise.

/// Thins a stretch of finite points, ordered as drawn, to at most about four per column. The columns of a line that goes
/// back are so many of its points each.
pub fn thin(points: &[(f64, f64)], columns: usize) -> Vec<(f64, f64)> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return Vec::new();
    };
    let span = last.0 - first.0;
    let ascending = points.windows(2).all(|pair| pair[0].0 <= pair[1].0);
    if points.len() <= 2 * columns {
        return points.to_vec();
    }
    let mut kept = Vec::with_capacity(4 * columns);
    if ascending && span > 0.0 {
        let column = |x: f64| (((x - first.0) / span) * columns as f64) as usize;
        let (mut begin, mut current) = (0, column(first.0));
        for (place, point) in points.iter().enumerate() {
            let own = column(point.0);
            if own != current {
                keep(&points[begin..place], &mut kept);
                (begin, current) = (place, own);
            }
        }
        keep(&points[begin..], &mut kept);
    } else {
        for stretch in points.chunks(points.len().div_ceil(columns.max(1))) {
            keep(stretch, &mut kept);
        }
    }
    kept
}

/// Thins a line with gaps, which are points that are not finite: each stretch by its share of the columns, and a gap stays
/// one.
pub fn thin_stretches(points: &[(f64, f64)], columns: usize) -> Vec<(f64, f64)> {
    if points.len() <= 2 * columns {
        return points.to_vec();
    }
    let is_finite = |point: &(f64, f64)| point.0.is_finite() && point.1.is_finite();
    let width = |stretch: &[(f64, f64)]| match stretch {
        [first, .., last] => (last.0 - first.0).abs(),
        _ => 0.0,
    };
    let stretches = || {
        points
            .split(|point| !is_finite(point))
            .filter(|it| !it.is_empty())
    };
    let whole: f64 = stretches().map(width).sum();
    let mut kept = Vec::with_capacity(4 * columns);
    for stretch in stretches() {
        if !kept.is_empty() {
            kept.push((f64::NAN, f64::NAN));
        }
        let share = width(stretch) / whole;
        let own = (share * columns as f64).ceil() as usize;
        kept.extend(thin(stretch, own.clamp(1, columns.max(1))));
    }
    kept
}

fn keep(stretch: &[(f64, f64)], kept: &mut Vec<(f64, f64)>) {
    // The first of the lowest, the last of the highest.
    let (mut lowest, mut highest) = (0, 0);
    for (place, (_, value)) in stretch.iter().enumerate() {
        if value.total_cmp(&stretch[lowest].1).is_lt() {
            lowest = place;
        }
        if value.total_cmp(&stretch[highest].1).is_ge() {
            highest = place;
        }
    }
    let mut places = [0, lowest, highest, stretch.len() - 1];
    places.sort_unstable();
    for (at, place) in places.into_iter().enumerate() {
        if at == 0 || places[at - 1] != place {
            kept.push(stretch[place]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{thin, thin_stretches};

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
    fn short_lines_are_left_alone() {
        let short = [(0.0, 1.0), (1.0, 2.0)];
        assert_eq!(thin(&short, 200), short);
        assert!(thin(&[], 10).is_empty());
    }

    #[test]
    fn a_line_that_goes_back_keeps_its_spikes_too() {
        let mut back: Vec<(f64, f64)> = (0..1000).rev().map(|x| (f64::from(x), 0.0)).collect();
        back[123].1 = 7.0;
        let thinned = thin(&back, 10);
        assert!(thinned.len() <= 40, "{}", thinned.len());
        assert!(thinned.contains(&back[123]));
        assert_eq!((thinned[0], thinned.last()), (back[0], back.last()));
    }

    #[test]
    fn gaps_stay_and_each_stretch_has_its_share() {
        let mut points: Vec<(f64, f64)> = (0..10_000).map(|x| (f64::from(x), 0.5)).collect();
        for point in &mut points[2000..2100] {
            point.1 = f64::NAN;
        }
        points[9000].1 = 3.0;
        let thinned = thin_stretches(&points, 100);
        assert!((20..=410).contains(&thinned.len()), "{}", thinned.len());
        let gaps: Vec<usize> = (0..thinned.len())
            .filter(|at| thinned[*at].1.is_nan())
            .collect();
        assert_eq!(gaps.len(), 1);
        assert_eq!(thinned[gaps[0] - 1].0, 1999.0);
        assert_eq!(thinned[gaps[0] + 1].0, 2100.0);
        assert!(thinned.contains(&(9000.0, 3.0)));
        assert_eq!(thin_stretches(&points[..150], 100).len(), 150);
    }
}
