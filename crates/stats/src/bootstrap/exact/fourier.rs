//! The Fourier transform of real numbers on a circle of `2^k` points: even and odd points as one complex number, radix 2,
//! in Stockham's order. What brings every other length and every processor's own instructions takes longer to build than
//! everything here takes to run.

use std::f64::consts::PI;
use std::ops::{Add, Mul, Sub};

/// A complex number.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Complex {
    pub(super) re: f64,
    pub(super) im: f64,
}

impl Complex {
    pub(super) const fn new(re: f64, im: f64) -> Self {
        Self { re, im }
    }

    const fn conjugate(self) -> Self {
        Self::new(self.re, -self.im)
    }

    /// By repeated squaring.
    pub(super) fn power(self, mut exponent: usize) -> Self {
        let (mut base, mut found) = (self, Self::new(1.0, 0.0));
        while exponent > 0 {
            if exponent % 2 == 1 {
                found = found * base;
            }
            base = base * base;
            exponent /= 2;
        }
        found
    }
}

impl Add for Complex {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::new(self.re + other.re, self.im + other.im)
    }
}

impl Sub for Complex {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::new(self.re - other.re, self.im - other.im)
    }
}

impl Mul for Complex {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self::new(
            self.re * other.re - self.im * other.im,
            self.re * other.im + self.im * other.re,
        )
    }
}

/// Transforms of one length.
pub(super) struct Fourier {
    /// `exp(-2 pi i k / points)`, for the first half of the circle.
    turns: Vec<Complex>,
}

impl Fourier {
    /// For so many points: a power of two, at least four.
    pub(super) fn of(points: usize) -> Self {
        let turn = |k| {
            let (sin, cos) = (-2.0 * PI * k as f64 / points as f64).sin_cos();
            Complex::new(cos, sin)
        };
        Self {
            turns: (0..points / 2).map(turn).collect(),
        }
    }

    /// The spectrum up to the middle; the rest mirrors it.
    pub(super) fn forward(&self, values: &[f64]) -> Vec<Complex> {
        let pairs = values.as_chunks::<2>().0;
        let mut folded: Vec<Complex> = pairs.iter().map(|[a, b]| Complex::new(*a, *b)).collect();
        self.transform(&mut folded);
        let half = folded.len();
        let at = |k: usize| {
            let (this, mirrored) = (folded[k % half], folded[(half - k) % half].conjugate());
            let (even, odd) = (this + mirrored, this - mirrored);
            // A quarter turn back, and half of the sum.
            let odd = Complex::new(odd.im, -odd.re) * self.turn(k);
            (even + odd) * Complex::new(0.5, 0.0)
        };
        (0..=half).map(at).collect()
    }

    /// The values of a spectrum up to the middle, times the number of points.
    pub(super) fn inverse(&self, spectrum: &[Complex]) -> Vec<f64> {
        let half = self.turns.len();
        let at = |k: usize| {
            let (this, mirrored) = (spectrum[k], spectrum[half - k].conjugate());
            let odd = (this - mirrored) * self.turn(k).conjugate();
            // The inverse is the transform of the conjugate, conjugated.
            (this + mirrored + Complex::new(-odd.im, odd.re)).conjugate()
        };
        let mut folded: Vec<Complex> = (0..half).map(at).collect();
        self.transform(&mut folded);
        folded.iter().flat_map(|z| [z.re, -z.im]).collect()
    }

    fn turn(&self, k: usize) -> Complex {
        let half_way = Complex::new(-1.0, 0.0);
        self.turns.get(k).copied().unwrap_or(half_way)
    }

    /// The complex transform of half of the points.
    fn transform(&self, values: &mut Vec<Complex>) {
        let length = values.len();
        let mut other = vec![Complex::default(); length];
        let mut stride = 1;
        while stride < length {
            let (low, high) = values.split_at(length / 2);
            let blocks = other.chunks_exact_mut(2 * stride);
            let sources = low.chunks_exact(stride).zip(high.chunks_exact(stride));
            for ((block, (low, high)), turn) in blocks
                .zip(sources)
                .zip(self.turns.iter().step_by(2 * stride))
            {
                let (sums, differences) = block.split_at_mut(stride);
                for (((sum, difference), a), b) in
                    sums.iter_mut().zip(differences).zip(low).zip(high)
                {
                    *sum = *a + *b;
                    *difference = (*a - *b) * *turn;
                }
            }
            std::mem::swap(values, &mut other);
            stride *= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Complex, Fourier};
    use std::f64::consts::PI;

    /// By the definition.
    fn slowly(values: &[f64], k: usize) -> Complex {
        let n = values.len();
        let term = |(j, value): (usize, &f64)| {
            let angle = -2.0 * PI * ((j * k) % n) as f64 / n as f64;
            Complex::new(value * angle.cos(), value * angle.sin())
        };
        let terms = values.iter().enumerate().map(term);
        terms.fold(Complex::default(), |sum, term| sum + term)
    }

    #[test]
    fn the_transform_is_that_of_the_definition_and_comes_back() {
        for points in [4, 8, 64, 512] {
            let value = |i: usize| ((i * i) as f64).sin() + if i == 3 { 2.0 } else { 0.0 };
            let values: Vec<f64> = (0..points).map(value).collect();
            let fourier = Fourier::of(points);
            let spectrum = fourier.forward(&values);
            assert_eq!(spectrum.len(), points / 2 + 1);
            for (k, found) in spectrum.iter().enumerate() {
                let off = *found - slowly(&values, k);
                assert!(off.re.hypot(off.im) < 1e-11, "{points} {k}: {off:?}");
            }
            for (back, value) in fourier.inverse(&spectrum).iter().zip(&values) {
                assert!((back / points as f64 - value).abs() < 1e-14, "{points}");
            }
        }
    }

    #[test]
    fn powers_are_products() {
        let z = Complex::new(0.6, -0.9);
        assert_eq!(z.power(0), Complex::new(1.0, 0.0));
        let product = (0..13).fold(Complex::new(1.0, 0.0), |p, _| p * z);
        let off = z.power(13) - product;
        assert!(off.re.hypot(off.im) < 1e-13, "{off:?}");
    }
}
