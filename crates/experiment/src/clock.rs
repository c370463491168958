//! The clocks of a worker.

use rustix::time::{ClockId, clock_gettime};

/// What a clock shows, in nanoseconds.
pub(crate) fn nanos(clock: ClockId) -> u64 {
    let now = clock_gettime(clock);
    (now.tv_sec as u64)
        .saturating_mul(1_000_000_000)
        .saturating_add(now.tv_nsec as u64)
}
