//! How often the trials of a source had to give their CPU to other programs.

use fairtrial_journal::observation::Used;

/// Involuntary switches, beside the CPU time in which they happened.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Interruptions {
    /// How many there were.
    pub switches: u64,
    /// CPU seconds.
    pub cpu: f64,
}

impl Interruptions {
    /// Those of one more trial, where the system counts them.
    pub(crate) fn add(&mut self, used: &Used) {
        if let (Some(switches), Some(user)) = (used.involuntary_switches, used.user) {
            self.switches += switches;
            self.cpu += user + used.sys.unwrap_or(0.0);
        }
    }

    /// For each second of CPU time.
    pub(crate) fn per_second(self) -> Option<f64> {
        (self.cpu > 0.0).then(|| self.switches as f64 / self.cpu)
    }
}
