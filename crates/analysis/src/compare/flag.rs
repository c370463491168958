//! What a reader must know before trusting a verdict.

use super::beside::Flip;
use serde::Serialize;
use std::fmt;

/// Tasks that a flag names, where all of them may be concerned.
const MOST_NAMED: usize = 5;

/// A doubt about a verdict.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "flag", rename_all = "snake_case")]
pub enum Flag {
    /// One unit carries the verdict.
    Fragile {
        /// Which, and what the verdict is without it.
        flip: Flip,
    },
    /// The distribution-free test disagrees with the verdict's method.
    ShapeSensitive {
        /// Its p value.
        sign_flip_p: f64,
    },
    /// Two units on a side.
    TwoUnits,
    /// Three to five units on a side.
    FewUnits,
    /// The units are iterations of one process per side.
    OneProcess,
    /// The sides share no seed, so that nothing can be paired.
    NoSharedUnits,
    /// Which way is better is not known.
    NoDirection,
    /// The spec does not declare the metric.
    Undeclared,
    /// Tasks without values that can be compared, on a side or on both: the numbers are about the others.
    TasksLeftOut {
        /// Which.
        tasks: Vec<String>,
    },
    /// Fixed tasks were asked for or usual, and each of them is one unit instead.
    TasksAsUnits {
        /// Those with one unit on a side.
        tasks: Vec<String>,
    },
    /// The sides are not alike in what the spec asks them to share.
    Unfair {
        /// In what.
        keys: Vec<String>,
    },
    /// Whole numbers so large that their last digits cannot be kept.
    RoundedIntegers,
    /// The numbers of the two sides are about different parts of their curves.
    OtherParts {
        /// The first and the last step of the control's, on average.
        control: [f64; 2],
        /// The same of the candidate's.
        candidate: [f64; 2],
    },
    /// Trials that did not reach their threshold, so that steps are counted up to the first of their ends.
    NotReached {
        /// Of the control.
        control: usize,
        /// Of the candidate.
        candidate: usize,
    },
    /// Skewed to the right and above zero: a log scale would fit better.
    Skewed,
}

impl Flag {
    /// The short name that tables show.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Fragile { .. } => "fragile",
            Self::ShapeSensitive { .. } => "shape-sensitive",
            Self::TwoUnits => "n=2",
            Self::FewUnits => "few units",
            Self::OneProcess => "one process per side",
            Self::NoSharedUnits => "no shared seeds",
            Self::NoDirection => "no direction",
            Self::Undeclared => "undeclared",
            Self::TasksLeftOut { .. } => "tasks left out",
            Self::TasksAsUnits { .. } => "tasks as units",
            Self::Unfair { .. } => "unfair",
            Self::RoundedIntegers => "large whole numbers",
            Self::OtherParts { .. } => "other parts",
            Self::NotReached { .. } => "not reached",
            Self::Skewed => "skewed",
        }
    }
}

impl fmt::Display for Flag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fragile { flip } => {
                write!(f, "fragile: without {} the verdict would be {}", flip.unit, flip.becomes)
            }
            Self::ShapeSensitive { sign_flip_p } => write!(
                f,
                "shape-sensitive: the sign-flip test, which assumes no shape, disagrees (p = {sign_flip_p:.3})"
            ),
            Self::TwoUnits => f.write_str("n=2: two units say very little about their spread"),
            Self::FewUnits => f.write_str(
                "few units: with fewer than 6 the sign of the difference is often wrong and a found effect is overstated",
            ),
            Self::OneProcess => f.write_str(
                "one process per side: the interval covers the iterations' noise, not that between processes",
            ),
            Self::NoSharedUnits => f.write_str("no shared seeds: the sides are compared as two independent groups"),
            Self::NoDirection => f.write_str("no direction: which way is better is not declared (--direction up|down)"),
            Self::Undeclared => f.write_str("undeclared: the spec says nothing about this metric"),
            Self::TasksLeftOut { tasks } => write!(
                f,
                "tasks left out: in {} values are missing on a side or on both, so the numbers are about the other tasks",
                tasks.join(", ")
            ),
            Self::TasksAsUnits { tasks } => {
                let more = tasks.len().saturating_sub(MOST_NAMED);
                let named = tasks[..tasks.len() - more].join(", ");
                let more = if more == 0 { String::new() } else { format!(" and {more} more") };
                write!(
                    f,
                    "tasks as units: one value on a side has no spread (in {named}{more}), so every task is one observation \
                     and the result is about tasks like these"
                )
            }
            Self::Unfair { keys } => {
                write!(f, "unfair: the sides are not alike in {}", keys.join(", "))
            }
            Self::RoundedIntegers => f.write_str(
                "large whole numbers: above 9,007,199,254,740,992 (2^53) their last digits are not kept, and values that \
                 differ in those alone are the same here; subtract what they have in common before reporting them",
            ),
            Self::OtherParts { control, candidate } => {
                let steps = |[from, to]: [f64; 2]| {
                    let [from, to] = [from, to].map(|step| (10.0 * step).round() / 10.0);
                    if from == to {
                        format!("step {to}")
                    } else {
                        format!("steps {from} to {to}")
                    }
                };
                write!(
                    f,
                    "other parts: the control's numbers are about {} of the curves, the candidate's about {}",
                    steps(*control),
                    steps(*candidate)
                )
            }
            Self::NotReached { control, candidate } => write!(
                f,
                "not reached: {control} of the control's trials and {candidate} of the candidate's did not get to the \
                 threshold; steps are counted up to the smallest last step of these, so the means are restricted ones"
            ),
            Self::Skewed => f.write_str("skewed: all values are above 0 and skewed; --method log-ratio would fit better"),
        }
    }
}
