//! Compensated summation (Neumaier 1974): the error does not grow with the number of terms.

/// A running sum with its rounding error. Two of them merge, so that parts can be summed apart.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CompensatedSum {
    sum: f64,
    error: f64,
}

impl CompensatedSum {
    /// Adds one term.
    #[inline]
    pub fn add(&mut self, x: f64) {
        let total = self.sum + x;
        self.error += if self.sum.abs() >= x.abs() {
            (self.sum - total) + x
        } else {
            (x - total) + self.sum
        };
        self.sum = total;
    }

    /// Adds another sum.
    pub fn merge(&mut self, other: Self) {
        self.add(other.sum);
        self.error += other.error;
    }

    /// The sum.
    pub fn value(self) -> f64 {
        let total = self.sum + self.error;
        // An overflow makes the error term NaN; the plain sum still says in which direction.
        if total.is_nan() { self.sum } else { total }
    }
}

impl FromIterator<f64> for CompensatedSum {
    fn from_iter<I: IntoIterator<Item = f64>>(terms: I) -> Self {
        let mut sum = Self::default();
        terms.into_iter().for_each(|x| sum.add(x));
        sum
    }
}

/// The compensated sum of the terms.
pub fn sum(terms: impl IntoIterator<Item = f64>) -> f64 {
    terms.into_iter().collect::<CompensatedSum>().value()
}
