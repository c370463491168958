//! A comparison as tables and sentences: the verdicts first, then what they rest on.

mod detail;
mod evidence;
mod suite;
mod verdicts;

pub(crate) use detail::{
    absolute_size, answer_size, dropped_text, mismatch_sentences, primary_sentences,
    verdict_sentence, watched_sentence, why,
};
pub(crate) use evidence::{failure_section, fairness_section, task_sections};
pub(crate) use verdicts::{centres, glyph, title, tone, verdict_section};
