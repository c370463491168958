//! The clocks that the worker of an experiment reads around each iteration, as metrics.

use crate::direction::Direction;
use crate::metric::MetricDeclaration;

/// Name of the wall time of an iteration.
pub const DURATION: &str = "duration_s";

/// Name of its CPU time.
pub const CPU: &str = "cpu_s";

impl MetricDeclaration {
    /// What is known of the worker's clocks though nobody declares them: seconds, and less is better.
    pub fn worker_clocks() -> [Self; 2] {
        [DURATION, CPU].map(|name| Self {
            unit: Some("s".to_owned()),
            direction: Some(Direction::Down),
            ..Self::named(name)
        })
    }
}
