//! When the mean of one command is known well enough.

use fairtrial_stats::Level;
use fairtrial_stats::one_arm::mean_interval;

/// Values between two looks grow by this factor: looking costs little, and looking often stops early by chance.
const GROWTH: f64 = 1.1;

/// Says when the 95 % interval of a mean is narrow enough.
#[derive(Debug, Clone)]
pub struct Precision {
    share: f64,
    values: Vec<f64>,
    /// How many values the next look is at.
    next: usize,
    reached: bool,
}

impl Precision {
    /// Known to so much of the mean each way (0.01 is 1 %), looked at from so many values on.
    pub fn within(share: f64, from: usize) -> Self {
        Self {
            share,
            values: Vec::new(),
            next: from.max(2),
            reached: false,
        }
    }

    /// Takes in a value; says whether the mean is known well enough.
    pub fn take(&mut self, value: f64) -> bool {
        self.values.push(value);
        if !self.reached && self.values.len() >= self.next {
            self.next = ((self.next as f64 * GROWTH) as usize).max(self.next + 1);
            self.reached = mean_interval(&self.values, Level::TWO_SIDED_95)
                .is_ok_and(|found| found.interval.high - found.mean <= self.share * found.mean);
        }
        self.reached
    }
}

#[cfg(test)]
mod tests {
    use super::Precision;

    #[test]
    fn steady_values_are_enough_at_the_first_look_and_noisy_ones_later() {
        let mut steady = Precision::within(0.01, 10);
        let enough = (0..100).position(|i| steady.take(1.0 + 0.001 * f64::from(i % 2)));
        assert_eq!(enough, Some(9));
        let mut noisy = Precision::within(0.01, 10);
        let enough = (0..2000).position(|i| noisy.take(1.0 + 0.1 * f64::from(i % 2)));
        // 1.96 * 0.05 / sqrt(n) = 0.0105 at n = 87.
        assert!(enough.is_some_and(|n| (80..110).contains(&n)), "{enough:?}");
        let mut never = Precision::within(0.01, 10);
        assert!(!(0..50).any(|i| never.take(f64::from(i))));
    }
}
