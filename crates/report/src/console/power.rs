//! A plan on a terminal.

use super::page::Page;
use super::terminal::Terminal;
use crate::grid::Tone;
use crate::power::{headline, pairing_sentence, section};
use fairtrial_analysis::power::PowerReport;

/// The plan as `power` prints it.
pub fn power(report: &PowerReport, terminal: Terminal) -> String {
    let mut page = Page::new(terminal);
    page.heading(&headline(report));
    if let Some(sentence) = pairing_sentence(report) {
        page.sentence(&sentence, Tone::Plain);
    }
    page.section(&section(report));
    page.finish()
}
