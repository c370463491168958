//! A text of a report that holds a secret.

use fairtrial_journal::redact::covers;
use serde::{Deserialize, Serialize};

/// A text that holds a secret of the maker's environment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MaskedText {
    /// The trial, by its place in the run's order.
    pub trial: u64,
    /// The log, relative to the trial's directory; absent for why the trial ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line among those that are shown.
    pub line: usize,
    /// How it reads.
    pub text: String,
    /// How many words it has without the masks. Together with the text around them this finds every word that was put
    /// beside a secret, and tells nothing about one that has no blanks; its length would.
    pub words: usize,
}

impl MaskedText {
    /// Whether this is what the secret was taken out of, as far as one can tell without it.
    pub(super) fn covers(&self, text: &str) -> bool {
        covers(&self.text, text) && words(text) == self.words
    }
}

pub(super) fn words(text: &str) -> usize {
    text.split_whitespace().count()
}
