//! The spread of runs on a terminal: the answer, then the documented report, then why they differ.

use super::page::Page;
use super::terminal::Terminal;
use crate::grid::Tone;
use crate::variance::{differences, documented, headline};
use fairtrial_analysis::variance::Variance;

/// The report as `variance` prints it.
pub fn variance(variance: &Variance, terminal: Terminal) -> String {
    let mut page = Page::new(terminal);
    page.heading(&headline(variance));
    for run in &variance.left_out {
        page.sentence(
            &format!("Left out: {}: {}.", run.id, run.why),
            Tone::Caution,
        );
    }
    let mut text = page.finish();
    text.push('\n');
    text.push_str(&documented(variance));
    let mut page = Page::new(terminal);
    page.gap();
    for sentence in differences(variance) {
        page.sentence(&sentence, Tone::Plain);
    }
    text.push('\n');
    text + &page.finish()
}
