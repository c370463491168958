//! The clocks that the worker of an experiment reads around each iteration, as metrics.

use crate::direction::Direction;
use crate::metric::MetricDeclaration;

/// Name of the wall time of an iteration.
pub const DURATION: &str = "duration_s";

/// Name of its CPU time.
pub const CPU: &str = "cpu_s";

/// Name of its CPU time at a pace of the machine that is always the same.
pub const PACED: &str = "paced_s";

/// All of them.
pub const WORKER_CLOCKS: [&str; 3] = [DURATION, CPU, PACED];

impl MetricDeclaration {
    /// What is known of the worker's clocks though nobody declares them: seconds, and less is better.
    pub fn worker_clocks() -> [Self; 3] {
        WORKER_CLOCKS.map(|name| Self {
            unit: Some("s".to_owned()),
            direction: Some(Direction::Down),
            ..Self::named(name)
        })
    }
}
