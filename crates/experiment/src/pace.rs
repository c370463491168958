//! How fast the machine is at the moment: the CPU time of a little work that is always the same. Beside other programs (on the
//! other half of a core, on another guest of the host) the same instructions take more CPU time.

use crate::clock::nanos;
use rustix::time::ClockId;
use std::hint::black_box;

/// Wall time between two of them at least: they take a hundredth of the time, and as good as none of short iterations.
const EVERY_NS: u64 = 10_000_000;
/// About 0.1 ms.
const ROUNDS: u64 = 40_000;

/// When the pace was taken last.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    last: Option<u64>,
}

impl Pace {
    /// CPU time of the fixed work, in nanoseconds; nothing where it was taken a moment ago.
    pub(crate) fn due(&mut self) -> Option<u64> {
        let now = nanos(ClockId::Monotonic);
        if self.last.is_some_and(|last| now - last < EVERY_NS) {
            return None;
        }
        self.last = Some(now);
        let before = nanos(ClockId::ThreadCPUTime);
        // Several chains beside each other, as in most programs: one alone would not feel who else uses the core.
        let mut chains = black_box([1_u64, 2, 3, 4]);
        for round in 0..ROUNDS {
            for chain in &mut chains {
                *chain = (*chain ^ round)
                    .wrapping_mul(0x9E37_79B9_7F4A_7C15)
                    .rotate_left(17);
            }
        }
        black_box(chains);
        Some(nanos(ClockId::ThreadCPUTime) - before)
    }
}
