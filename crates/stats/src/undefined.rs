//! What every result shares: the reason where there is none, what was left out, and a reading in plain words.

use serde::Serialize;

/// Why a quantity has no value. Shown to the user as it stands, so each reason says what would help.
#[derive(Debug, Clone, PartialEq, Serialize, thiserror::Error)]
#[serde(tag = "reason", content = "about", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Undefined {
    /// No observation at all.
    #[error("no observations in {what}")]
    Empty {
        /// The sample, stratum or arm that is empty.
        what: String,
    },
    /// Fewer observations than the method can work with.
    #[error("{method} needs at least {need} observations, there {} {have}", if *have == 1 { "is" } else { "are" })]
    TooFew {
        /// The method that was asked for.
        method: String,
        /// How many there are.
        have: usize,
        /// How many it takes.
        need: usize,
    },
    /// All values are equal, so that the quantity (a t, a correlation, a ratio of spreads) has no meaning.
    #[error("{what} does not vary (every value is {value})")]
    ZeroVariance {
        /// What does not vary.
        what: String,
        /// The one value it takes.
        value: f64,
    },
    /// A value that is NaN or infinite where the method needs a finite number.
    #[error("{what}: value {index} is {value}, not a finite number")]
    NotFinite {
        /// The sample it stands in.
        what: String,
        /// Its place, counted from 0.
        index: usize,
        /// `NaN`, `inf` or `-inf`.
        value: String,
    },
    /// Two samples that must be pairs have different lengths.
    #[error("pairs need two samples of one length, these have {left} and {right}")]
    UnequalLengths {
        /// Length of the first.
        left: usize,
        /// Length of the second.
        right: usize,
    },
    /// An argument outside the range in which the method is defined.
    #[error("{name} = {value}: {expected}")]
    BadArgument {
        /// The argument's name.
        name: String,
        /// What was given.
        value: f64,
        /// What it must be.
        expected: String,
    },
    /// The mathematics has no answer here (an unbounded Fieller set, no sample size that suffices, ...).
    #[error("{0}")]
    NoSolution(String),
}

/// A result, or the reason why there is none.
pub type Outcome<T> = Result<T, Undefined>;

/// Observations that a method left out, and why; shown beside its result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Dropped {
    /// How many.
    pub count: usize,
    /// Why ("zero differences", "not finite", "no partner").
    pub why: String,
}

/// A result that can say in one or two plain sentences what it means.
pub trait Explain {
    /// The reading for a person who knows no statistics.
    fn reading(&self) -> String;
}
