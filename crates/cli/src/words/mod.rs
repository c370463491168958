//! Words for what the library gives as facts: what went wrong, what to know, and what to type about it.

mod changes;
mod failures;
mod notices;

pub(crate) use changes::code_words;
pub(crate) use notices::{remeasured_words, show_notice, show_spec, show_task};
