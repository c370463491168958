//! A gate's answer on a terminal.

use super::page::Page;
use super::terminal::Terminal;
use crate::gate::{evidence_sections, gate_tone, headline, rules_section, warnings};
use crate::grid::Tone;
use fairtrial_analysis::gate::Gate;

/// The answer first, then the rules and the numbers behind them.
pub fn gate(gate: &Gate, terminal: Terminal) -> String {
    let mut page = Page::new(terminal);
    page.sentence(&headline(gate), gate_tone(gate.word));
    for sentence in warnings(gate) {
        page.sentence(&sentence, Tone::Caution);
    }
    page.section(&rules_section(gate));
    for section in evidence_sections(gate) {
        page.section(&section);
    }
    page.finish()
}
