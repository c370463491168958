//! Times of single operations, and the figures that the original reports about them.

use fairtrial_experiment::Failure;
use fairtrial_stats::descriptive::{QuantileRule, quantile_sorted};
use serde_json::{Value, json};
use std::time::Instant;

/// Seconds of each operation.
#[derive(Debug, Default)]
pub(super) struct Operations(Vec<f64>);

impl Operations {
    /// Does one and keeps its time.
    pub(super) fn time<T>(
        &mut self,
        operation: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let began = Instant::now();
        let outcome = operation()?;
        self.0.push(began.elapsed().as_secs_f64());
        Ok(outcome)
    }

    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    pub(super) fn total(&self) -> f64 {
        self.0.iter().sum()
    }

    /// The figures; `rate` is what the number per second is called.
    pub(super) fn report(&self, rate: &str) -> Value {
        let (count, total) = (self.count(), self.total());
        let mut ascending = self.0.clone();
        ascending.sort_by(f64::total_cmp);
        let (Some(least), Some(most)) = (ascending.first(), ascending.last()) else {
            return json!({"total_operations": 0, "total_time": 0.0});
        };
        let mean = total / count as f64;
        let squares: f64 = self.0.iter().map(|seconds| (seconds - mean).powi(2)).sum();
        let sd = if count > 1 {
            (squares / (count - 1) as f64).sqrt()
        } else {
            0.0
        };
        let mut report = json!({
            "total_operations": count, "total_time": total, "avg_operation_time": mean,
            "min_operation_time": least, "max_operation_time": most, "std_operation_time": sd,
        });
        report[rate] = json!(count as f64 / total.max(1e-12));
        for (name, share) in [("p50", 0.5), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99)] {
            if name != "p99" || count >= 100 {
                let quantile = quantile_sorted(&ascending, share, QuantileRule::Linear);
                report["percentiles"][name] = json!(quantile);
            }
        }
        report
    }
}
