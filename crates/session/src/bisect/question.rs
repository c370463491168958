//! What a bisect is asked.

use crate::bench::BenchQuestion;
use crate::error::SessionError;

/// What a bisect is asked.
#[derive(Debug, Clone)]
pub struct BisectQuestion {
    /// The revision before the change.
    pub good: String,
    /// The revision with it.
    pub bad: String,
    /// What is built, run and compared.
    pub bench: BenchQuestion,
    /// The error chance of each claim.
    pub alpha: f64,
    /// Blocks of one candidate at most.
    pub most: u32,
}

impl BisectQuestion {
    /// The error chance where none is named.
    pub const ALPHA: f64 = 0.05;
    /// Blocks of one candidate at most, where no number is named.
    pub const MOST: u32 = 400;
    /// Fewer blocks tell nothing.
    pub const LEAST: u32 = 10;

    /// Refuses what makes no sense, whatever the repository.
    pub(super) fn check(&self) -> Result<(), SessionError> {
        let refuse = |why: &str| Err(SessionError::Input(why.to_owned()));
        if self.bench.commands.len() != 1 {
            return refuse("a bisect measures one command: `fairtrial bisect GOOD BAD -- COMMAND`");
        }
        if !(self.alpha > 0.0 && self.alpha < 0.5) {
            return refuse("--alpha is an error chance above 0 and below 0.5");
        }
        Ok(())
    }
}
