//! What is asked, and what comes out.

use super::difference::Difference;

/// What is to be done.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// Measure these in the same blocks.
    Measure(Vec<usize>),
    /// Nothing: this is the answer, in the order of the range.
    Answer(Vec<Finding>),
}

/// A part of the answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Finding {
    /// A commit changed the metric.
    Change(Change),
    /// The two ends do not differ by what matters, or by nothing that can be seen.
    Same {
        /// One end.
        from: usize,
        /// The other.
        to: usize,
        /// What is known of their difference.
        difference: Difference,
    },
    /// More blocks than allowed would be needed to say which commit of these it is, or whether there is one.
    Open {
        /// The last one that is surely before it.
        from: usize,
        /// The last one that it may be.
        to: usize,
        /// What is known of their difference.
        difference: Difference,
        /// The chance that the change lies between them; absent where it is not known whether there is one.
        probability: Option<f64>,
    },
}

/// A change of the metric.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The last commit before it.
    pub from: usize,
    /// The commit that made it; where commits before it were skipped, they may be it as well.
    pub to: usize,
    /// By how much.
    pub difference: Difference,
    /// The chance that this is right.
    pub probability: f64,
    /// What else lies before it, between an end and `from`.
    pub before: Option<(usize, Difference)>,
    /// What else lies after it, between `to` and an end.
    pub after: Option<(usize, Difference)>,
}
