//! A sweep on a terminal.

use super::Terminal;
use super::page::Page;
use crate::comparison::{tone, verdict_sentence};
use crate::grid::Tone;
use crate::sweep::{choice_section, effect_sections, headline};
use fairtrial_analysis::compare::SweepChoice;
use fairtrial_analysis::sensitivity::Sensitivity;

/// The points in order where one is best, and what each parameter does.
pub fn sweep(
    choice: Option<&SweepChoice>,
    effects: &[Sensitivity],
    alpha: f64,
    terminal: Terminal,
) -> String {
    let mut page = Page::new(terminal);
    if let Some(choice) = choice {
        page.heading(&headline(choice));
        if let Some(against) = &choice.against_control {
            let sentence = format!("Against the control there, {}", verdict_sentence(against));
            page.sentence(&sentence, tone(against.verdict.word));
        }
        page.section(&choice_section(choice, alpha));
    }
    for section in effects.iter().flat_map(effect_sections) {
        page.section(&section);
    }
    if page.is_empty() {
        page.sentence("Nothing is swept.", Tone::Plain);
    }
    page.finish()
}
