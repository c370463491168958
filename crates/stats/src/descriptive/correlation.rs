//! How two columns of numbers move together.

use super::moments::Moments;
use super::sum::sum;
use crate::sample;
use crate::undefined::{Outcome, Undefined};

/// Pearson's correlation of two columns of one length, both of which must vary.
pub fn correlation(xs: &[f64], ys: &[f64]) -> Outcome<f64> {
    sample::pairs("a correlation", xs, ys, 2)?;
    let (a, b) = (Moments::of(xs), Moments::of(ys));
    for (what, moments) in [("the first column", &a), ("the second column", &b)] {
        if moments.is_constant() {
            return Err(Undefined::ZeroVariance {
                what: what.into(),
                value: moments.mean,
            });
        }
    }
    let products = xs.iter().zip(ys).map(|(x, y)| (x - a.mean) * (y - b.mean));
    // Each root on its own: the product of the squares can leave the range of numbers.
    let r = sum(products) / (a.squares.sqrt() * b.squares.sqrt());
    sample::representable("the correlation", r).map(|r| r.clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::correlation;
    use crate::undefined::Undefined;

    #[test]
    fn a_line_correlates_fully_and_a_constant_not_at_all() {
        let up = correlation(&[1.0, 2.0, 4.0], &[3.0, 5.0, 9.0]).unwrap();
        let down = correlation(&[1.0, 2.0, 4.0], &[-1.0, -2.0, -4.0]).unwrap();
        assert!((up - 1.0).abs() < 1e-15 && (down + 1.0).abs() < 1e-15);
        assert!(matches!(
            correlation(&[1.0, 2.0], &[3.0, 3.0]),
            Err(Undefined::ZeroVariance { .. })
        ));
        assert!(correlation(&[1.0], &[1.0]).is_err());
        assert!(correlation(&[1.0, f64::NAN], &[1.0, 2.0]).is_err());
    }
}
