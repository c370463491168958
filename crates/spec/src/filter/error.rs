//! Why a filter is refused.

use crate::episodes::EpisodeError;

/// The grammar in a few lines, for messages.
pub const FILTER_GRAMMAR: &str = "\
Write conditions separated by `,` or `and`; all of them must hold:
  task=GLOB  arm=GLOB  seed=N  rollout=N  PARAMETER=VALUE   (alternatives: seed=1072|2043)
  WORD                 a task or an arm of that name (with * and ?)
  \"...\"                taken as written, also , | = * ? and blanks
  0,3,5:8  4:  :8  all places in the plan, the end of a range excluded";

/// Why a filter is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FilterError {
    /// Nothing was written.
    #[error("the filter is empty\n{FILTER_GRAMMAR}")]
    Empty,
    /// Nothing between two separators.
    #[error("a condition is missing near `{0}`\n{FILTER_GRAMMAR}")]
    MissingCondition(String),
    /// A condition without a key or without a value.
    #[error("`{0}` is not a condition\n{FILTER_GRAMMAR}")]
    Condition(String),
    /// A seed or a rollout that is not a whole number.
    #[error("`{key}` is a whole number, `{value}` is not\n{FILTER_GRAMMAR}")]
    Number {
        /// The key.
        key: String,
        /// What was written.
        value: String,
    },
    /// A quotation mark without its partner.
    #[error("a quotation mark is not closed in `{0}`\n{FILTER_GRAMMAR}")]
    Quote(String),
    /// The places are not in the plan.
    #[error("{0}\n{FILTER_GRAMMAR}")]
    Places(#[from] EpisodeError),
}
