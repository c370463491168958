//! A sequential run on a terminal.

use super::page::Page;
use super::terminal::Terminal;
use crate::sequential::{headline, section, tone};
use fairtrial_analysis::sequential::Trajectory;

/// The looks as `run` prints them at the end.
pub fn trajectory(trajectory: &Trajectory, terminal: Terminal) -> String {
    let mut page = Page::new(terminal);
    page.sentence(&headline(trajectory), tone(trajectory.stop));
    if !trajectory.looks.is_empty() {
        page.section(&section(trajectory));
    }
    page.finish()
}
