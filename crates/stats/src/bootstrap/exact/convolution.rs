//! The distribution of a resampled mean by FFT: the empirical distribution on a grid, its transform to the power n.
//!
//! Each value goes onto its four neighbouring grid points with the weights of cubic interpolation, which keeps the
//! first three moments: with two points the variance would grow with n. The window is wide enough, by Bernstein's
//! inequality, that what wraps around has a chance below 1e-12.

use super::fourier::{Complex, Fourier};

/// One resampled mean in a sum of independent ones: the terms are the values over n, with a sign.
pub(super) struct Part {
    pub(super) terms: Vec<f64>,
}

impl Part {
    pub(super) fn mean(sample: &[f64]) -> Self {
        let n = sample.len() as f64;
        Self {
            terms: sample.iter().map(|x| x / n).collect(),
        }
    }

    pub(super) fn minus_mean(sample: &[f64]) -> Self {
        let n = sample.len() as f64;
        Self {
            terms: sample.iter().map(|x| -x / n).collect(),
        }
    }

    fn center(&self) -> f64 {
        self.terms.iter().sum::<f64>() / self.terms.len() as f64
    }

    /// The variance of the resampled mean.
    pub(super) fn variance(&self) -> f64 {
        let center = self.center();
        self.terms.iter().map(|t| (t - center).powi(2)).sum()
    }

    /// The largest value of the sample that the terms were made from.
    pub(super) fn largest(&self) -> f64 {
        self.terms.iter().fold(0.0, |m: f64, t| m.max(t.abs())) * self.terms.len() as f64
    }

    fn farthest(&self) -> f64 {
        let center = self.center();
        self.terms
            .iter()
            .fold(0.0, |m: f64, t| m.max((t - center).abs()))
    }

    fn smallest(&self) -> f64 {
        self.terms.iter().copied().fold(f64::INFINITY, f64::min)
    }
}

const GRID: usize = 1 << 15;
/// Minus the logarithm of the chance that may fall outside the window.
const OUTSIDE: f64 = 27.6;

/// The distribution on a grid: the chance up to the upper edge of each cell.
pub(super) struct Convolved {
    first: f64,
    step: f64,
    cumulative: Vec<f64>,
    pub(super) standard_error: f64,
}

impl Convolved {
    /// The distribution of the sum of the parts, which must vary.
    pub(super) fn of(parts: &[Part]) -> Self {
        let variance: f64 = parts.iter().map(Part::variance).sum();
        let farthest = parts.iter().map(Part::farthest).fold(0.0, f64::max);
        let step = 2.0 * half_window(variance, farthest) / GRID as f64;
        let step = parts
            .iter()
            .fold(step, |step, part| align(step, &part.terms));
        let mass = transform(parts, step);
        let center: f64 = parts
            .iter()
            .map(|p| p.terms.len() as f64 * p.center())
            .sum();
        let origin: f64 = parts
            .iter()
            .map(|p| p.terms.len() as f64 * p.smallest())
            .sum();
        unwrap(
            &mass,
            ((center - origin) / step, origin, step),
            variance.sqrt(),
        )
    }

    /// The chance at or below `x`, linear inside a cell (half of a cell's chance at its middle).
    pub(super) fn cdf(&self, x: f64) -> f64 {
        let position = (x - self.first) / self.step + 0.5;
        if position <= 0.0 {
            return 0.0;
        }
        let cell = (position as usize).min(self.cumulative.len() - 1);
        let before = if cell == 0 {
            0.0
        } else {
            self.cumulative[cell - 1]
        };
        before + (self.cumulative[cell] - before) * (position - cell as f64).min(1.0)
    }

    pub(super) fn quantile(&self, p: f64) -> f64 {
        let cell = self
            .cumulative
            .partition_point(|&c| c < p)
            .min(self.cumulative.len() - 1);
        let before = if cell == 0 {
            0.0
        } else {
            self.cumulative[cell - 1]
        };
        let inside = self.cumulative[cell] - before;
        let fraction = if inside > 0.0 {
            ((p - before) / inside).clamp(0.0, 1.0)
        } else {
            0.5
        };
        self.first + self.step * (cell as f64 - 0.5 + fraction)
    }
}

/// The distance from the mean beyond which the chance is below exp(-OUTSIDE), by Bernstein's inequality.
fn half_window(variance: f64, farthest: f64) -> f64 {
    let drift = OUTSIDE * farthest / 3.0;
    (drift + (drift * drift + 2.0 * OUTSIDE * variance).sqrt()) * 1.05
}

/// A step a little larger than `step` on which all terms lie exactly, when they are multiples of a common one.
fn align(step: f64, terms: &[f64]) -> f64 {
    let mut gap = 0.0f64;
    for term in terms {
        gap = common_divisor((term - terms[0]).abs(), gap, 1e-7 * step);
        // Continuous data end here after a few terms.
        if gap > 0.0 && gap < step {
            return step;
        }
    }
    let on_grid = |t: &f64| {
        let multiple = (t - terms[0]) / gap;
        (multiple - multiple.round()).abs() < 1e-7
    };
    if gap == 0.0 || !terms.iter().all(on_grid) {
        return step;
    }
    gap / (gap / step).floor()
}

/// Euclid's algorithm, with remainders below `nothing` taken as zero.
fn common_divisor(mut a: f64, mut b: f64, nothing: f64) -> f64 {
    while b > nothing {
        (a, b) = (b, (a - b * (a / b).round()).abs());
    }
    if a > nothing { a } else { 0.0 }
}

/// The chances on the circle of grid points.
fn transform(parts: &[Part], step: f64) -> Vec<f64> {
    let fourier = Fourier::of(GRID);
    let mut product = vec![Complex::new(1.0 / GRID as f64, 0.0); GRID / 2 + 1];
    for part in parts {
        let spectrum = fourier.forward(&binned(part, step));
        for (total, value) in product.iter_mut().zip(spectrum) {
            *total = *total * value.power(part.terms.len());
        }
    }
    // The ends of a real transform are real; rounding must not say otherwise.
    product[0].im = 0.0;
    product[GRID / 2].im = 0.0;
    fourier.inverse(&product)
}

fn binned(part: &Part, step: f64) -> Vec<f64> {
    let mut density = vec![0.0; GRID];
    let origin = part.smallest();
    let each = 1.0 / part.terms.len() as f64;
    for term in &part.terms {
        let position = (term - origin) / step;
        let nearest = position.round();
        let on_point = (position - nearest).abs() < 1e-7;
        let below = if on_point { nearest } else { position.floor() };
        let f = if on_point { 0.0 } else { position - below };
        let weights = [
            -f * (f - 1.0) * (f - 2.0) / 6.0,
            (f + 1.0) * (f - 1.0) * (f - 2.0) / 2.0,
            -(f + 1.0) * f * (f - 2.0) / 2.0,
            (f + 1.0) * f * (f - 1.0) / 6.0,
        ];
        for (offset, weight) in (GRID - 1..).zip(weights) {
            density[(below as usize + offset) % GRID] += each * weight;
        }
    }
    density
}

/// Cuts the circle opposite the mean and sums up.
fn unwrap(mass: &[f64], (center, origin, step): (f64, f64, f64), standard_error: f64) -> Convolved {
    let first_point = center.round() - (GRID / 2) as f64;
    let start = first_point.rem_euclid(GRID as f64) as usize;
    let mut cumulative = Vec::with_capacity(GRID);
    let (mut total, mut highest) = (0.0f64, 0.0f64);
    for i in 0..GRID {
        total += mass[(start + i) % GRID];
        highest = highest.max(total);
        cumulative.push(highest);
    }
    let all = total.max(f64::MIN_POSITIVE);
    for c in &mut cumulative {
        *c = (*c / all).min(1.0);
    }
    Convolved {
        first: origin + first_point * step,
        step,
        cumulative,
        standard_error,
    }
}

#[cfg(test)]
mod tests {
    use super::super::enumeration::Enumerated;
    use super::*;
    use crate::bootstrap::distribution::Distribution;

    #[test]
    fn agrees_with_the_enumeration_of_all_resamples() {
        let sample = [0.31, 1.7, -0.42, 2.9, 0.05, 0.77, 1.13, -1.9, 0.64, 3.3];
        let parts = [Part::mean(&sample)];
        let all = Enumerated::of(&parts).unwrap();
        let convolved = Convolved::of(&parts);
        for p in [0.005, 0.025, 0.2, 0.5, 0.9, 0.975] {
            let (a, b) = (all.quantile(p), convolved.quantile(p));
            assert!(
                (a - b).abs() < 5e-3 * convolved.standard_error,
                "{p}: {a} {b}"
            );
        }
        assert!((all.standard_error() / convolved.standard_error - 1.0).abs() < 1e-12);
    }

    #[test]
    fn keeps_the_variance_at_large_n() {
        let sample: Vec<f64> = (0..100_000)
            .map(|i| f64::from(i).sqrt().sin() + f64::from(i % 97))
            .collect();
        let mut d = super::super::Exact::Convolved(Convolved::of(&[Part::mean(&sample)]));
        let spread = d.quantile(0.841_344_746_068_543) - d.quantile(0.158_655_253_931_457);
        assert!(
            (spread / (2.0 * d.standard_error()) - 1.0).abs() < 1e-5,
            "{spread}"
        );
    }

    #[test]
    fn whole_numbers_stay_on_their_lattice() {
        let sample: Vec<f64> = (0..60).map(|i| f64::from(i * 7 % 31)).collect();
        let d = Convolved::of(&[Part::mean(&sample)]);
        let q = d.quantile(0.3) * 60.0;
        assert!((q - q.round()).abs() < 0.05, "{q}");
    }
}
