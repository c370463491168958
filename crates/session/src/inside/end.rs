//! How a driver ends.

/// How a driver ends, as the trial's exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DriverEnd {
    Fine,
    Failed,
    Machine,
}

impl DriverEnd {
    pub(super) const fn code(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::Failed => 1,
            Self::Machine => 3,
        }
    }
}
