//! A sweep on a terminal.

use super::page::Page;
use super::terminal::Terminal;
use crate::grid::Tone;
use crate::sweep::{against_control, choice_section, effect_sections, headline};
use fairtrial_analysis::compare::SweepChoice;
use fairtrial_analysis::sensitivity::Sensitivity;

/// The points in order by each metric that ranks them, and what each parameter does.
pub fn sweep(
    choices: &[SweepChoice],
    effects: &[Sensitivity],
    alpha: f64,
    terminal: Terminal,
) -> String {
    let mut page = Page::new(terminal);
    for (place, choice) in choices.iter().enumerate() {
        if place > 0 {
            page.gap();
        }
        page.heading(&headline(choice));
        if let Some((sentence, tone)) = against_control(choice) {
            page.sentence(&sentence, tone);
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
