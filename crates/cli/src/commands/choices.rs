//! Values that several commands take.

use clap::ValueEnum;
use fairtrial_analysis::compare::Pairing;
use fairtrial_analysis::dataset::FactKind;
use fairtrial_model::{Direction, Method};
use fairtrial_session::Picture;

/// Which way is better.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum DirectionChoice {
    /// Higher is better
    Up,
    /// Lower is better
    Down,
}

impl From<DirectionChoice> for Direction {
    fn from(choice: DirectionChoice) -> Self {
        match choice {
            DirectionChoice::Up => Self::Up,
            DirectionChoice::Down => Self::Down,
        }
    }
}

/// What two sides may differ in and be judged all the same.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum AcceptChoice {
    /// Timings from different machines
    Machine,
    /// Metrics whose numbers are made differently (source, summary, conversion, rounding, unit, percent signs)
    Definition,
    /// Tasks of agents that changed, or are scored differently
    Task,
    /// Different versions of the code within one side
    Code,
}

impl From<AcceptChoice> for FactKind {
    fn from(choice: AcceptChoice) -> Self {
        match choice {
            AcceptChoice::Machine => Self::Machine,
            AcceptChoice::Definition => Self::Definition,
            AcceptChoice::Task => Self::Task,
            AcceptChoice::Code => Self::Code,
        }
    }
}

/// Whether runs belong together.
#[derive(Debug, Clone, Copy, ValueEnum, PartialEq, Eq)]
pub(crate) enum PairingChoice {
    /// By seed, where both sides have the same ones
    Auto,
    /// By seed, or not at all
    Seed,
    /// As two groups
    None,
}

impl From<PairingChoice> for Pairing {
    fn from(choice: PairingChoice) -> Self {
        match choice {
            PairingChoice::Auto => Self::Auto,
            PairingChoice::Seed => Self::Paired,
            PairingChoice::None => Self::Unpaired,
        }
    }
}

/// How intervals are made.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum MethodChoice {
    /// By the kind of data
    Auto,
    /// Student's t on the pairs, Welch's t without pairs
    T,
    /// The sign-flip test of the mean of the pairs
    SignFlip,
    /// t on logarithms: a ratio
    LogRatio,
    /// Hodges-Lehmann with its rank-based interval
    Rank,
    /// Tango and McNemar for pairs, Newcombe and Barnard else
    Proportion,
    /// Percentile bootstrap
    Percentile,
    /// `BCa` bootstrap
    Bca,
}

impl From<MethodChoice> for Method {
    fn from(choice: MethodChoice) -> Self {
        match choice {
            MethodChoice::Auto => Self::Auto,
            MethodChoice::T => Self::T,
            MethodChoice::SignFlip => Self::SignFlip,
            MethodChoice::LogRatio => Self::LogRatio,
            MethodChoice::Rank => Self::Rank,
            MethodChoice::Proportion => Self::Proportion,
            MethodChoice::Percentile => Self::Percentile,
            MethodChoice::Bca => Self::Bca,
        }
    }
}

/// What a figure is written as.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(crate) enum PictureChoice {
    /// Lines and letters, at any size
    #[default]
    Svg,
    /// Pixels, on white
    Png,
}

impl From<PictureChoice> for Picture {
    fn from(choice: PictureChoice) -> Self {
        match choice {
            PictureChoice::Svg => Self::Svg,
            PictureChoice::Png => Self::Png,
        }
    }
}

/// `true` and `false` in any case: the documented flags come from a Python configuration.
pub(crate) fn switch(text: &str) -> Result<bool, String> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" | "1" => Ok(true),
        "false" | "no" | "off" | "0" => Ok(false),
        _ => Err(format!("`{text}` is not true or false")),
    }
}

#[cfg(test)]
mod tests {
    use super::switch;

    #[test]
    fn switches_take_both_languages() {
        assert_eq!(switch("True"), Ok(true));
        assert_eq!(switch("false"), Ok(false));
        assert!(switch("maybe").is_err());
    }
}
