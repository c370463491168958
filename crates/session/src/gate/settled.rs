//! What a run with a stopping rule has settled before its gate is asked.

/// What a run with a stopping rule has settled before its gate is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettledOption {
    /// The rules.
    Rules,
    /// The error rate.
    Alpha,
    /// The pairing.
    Pairing,
    /// How intervals are made.
    Method,
    /// The trials that count.
    Only,
}

impl SettledOption {
    /// What it is called.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Rules => "the rules",
            Self::Alpha => "the error rate",
            Self::Pairing => "the pairing",
            Self::Method => "the method",
            Self::Only => "the trials",
        }
    }
}
