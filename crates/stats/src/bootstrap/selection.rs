//! Order statistics by selection: a quantile needs two neighbours in the order, not a sorted array.

/// The type-7 quantile (linear interpolation, NumPy's default) of values that hold no NaN; reorders them.
/// The caller makes sure that there is at least one value and that `p` lies in [0, 1].
pub(crate) fn quantile_type7(values: &mut [f64], p: f64) -> f64 {
    let position = p * (values.len() - 1) as f64;
    let below = (position.floor() as usize).min(values.len() - 1);
    let fraction = position - below as f64;
    let (_, &mut low, rest) = values.select_nth_unstable_by(below, f64::total_cmp);
    if fraction == 0.0 || rest.is_empty() {
        return low;
    }
    let high = rest.iter().copied().fold(f64::INFINITY, f64::min);
    interpolate(low, high, fraction)
}

/// Between two values, as NumPy does it: exact at both ends and never outside them.
fn interpolate(low: f64, high: f64, fraction: f64) -> f64 {
    if low == high {
        return low;
    }
    if fraction < 0.5 {
        low + (high - low) * fraction
    } else {
        high - (high - low) * (1.0 - fraction)
    }
}

/// The mean of the middle half: `floor(n / 4)` values dropped at each end, no fractional weights; reorders the values.
pub(crate) fn interquartile_mean(values: &mut [f64]) -> f64 {
    let cut = values.len() / 4;
    let kept = values.len() - 2 * cut;
    if cut > 0 {
        values.select_nth_unstable_by(cut, f64::total_cmp);
        values[cut..].select_nth_unstable_by(kept - 1, f64::total_cmp);
    }
    values[cut..cut + kept].iter().sum::<f64>() / kept as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_interpolate_between_neighbours() {
        let mut values = vec![4.0, 1.0, 3.0, 2.0];
        assert_eq!(quantile_type7(&mut values, 0.0), 1.0);
        assert_eq!(quantile_type7(&mut values, 1.0), 4.0);
        assert_eq!(quantile_type7(&mut values, 0.5), 2.5);
        assert_eq!(quantile_type7(&mut [7.0], 0.3), 7.0);
    }

    #[test]
    fn the_interquartile_mean_drops_whole_values() {
        assert_eq!(interquartile_mean(&mut [9.0, 1.0, 2.0, 4.0]), 3.0);
        assert_eq!(interquartile_mean(&mut [5.0, 1.0, 3.0]), 3.0);
        assert_eq!(interquartile_mean(&mut [100.0, 2.0, 3.0, 4.0, -50.0]), 3.0);
    }
}
