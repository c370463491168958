//! Lines of an answer: what each is about, how many have room, and columns under each other.

use crate::console::page::height;
use crate::grid::Tone;
use fairtrial_text::escape::terminal;
use unicode_width::UnicodeWidthStr;

/// How much of an answer is shown where not all of it has room.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cut {
    /// Kinds of failures that are shown with what they said.
    pub(super) explained: usize,
    /// Metrics that have a line each.
    pub(super) metrics: ShownVerdicts,
    /// Objections that are shown, and notes about the records.
    pub(super) concerns: usize,
    /// Columns of the terminal.
    pub(super) width: usize,
}

/// Which metrics have a line each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShownVerdicts {
    /// The primary one, and the others that say which way is better.
    Declared,
    /// The primary one.
    Primary,
}

impl Cut {
    const fn new(explained: usize, metrics: ShownVerdicts, concerns: usize) -> Self {
        Self {
            explained,
            metrics,
            concerns,
            width: 0,
        }
    }
}

/// From all of it to the least.
const CUTS: [Cut; 7] = [
    Cut::new(2, ShownVerdicts::Declared, 4),
    Cut::new(1, ShownVerdicts::Declared, 4),
    Cut::new(1, ShownVerdicts::Primary, 4),
    Cut::new(1, ShownVerdicts::Primary, 2),
    Cut::new(1, ShownVerdicts::Primary, 1),
    Cut::new(0, ShownVerdicts::Primary, 1),
    Cut::new(0, ShownVerdicts::Primary, 0),
];

/// One line of the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) text: String,
    pub(crate) tone: Tone,
}

impl Line {
    pub(super) fn new(text: impl Into<String>, tone: Tone) -> Self {
        let text = text.into();
        Self { text, tone }
    }
}

/// The most telling lines that have `room` in a terminal of this width.
pub(super) fn fitting(width: usize, room: usize, cut_to: impl Fn(&Cut) -> Vec<Line>) -> Vec<Line> {
    let mut last = Vec::new();
    for cut in CUTS {
        let lines = cut_to(&Cut { width, ..cut });
        let heights = lines.iter().map(|line| height(&line.text, width));
        if heights.sum::<usize>() <= room {
            return lines;
        }
        last = lines;
    }
    last
}

/// Cells under each other, two blanks between them; empty columns take no room.
pub(super) fn aligned(rows: Vec<(Vec<String>, Tone)>) -> Vec<Line> {
    let clean = |(cells, tone): (Vec<String>, Tone)| {
        let cells = cells.iter().map(|cell| terminal(cell).into_owned());
        (cells.collect::<Vec<_>>(), tone)
    };
    let rows: Vec<(Vec<String>, Tone)> = rows.into_iter().map(clean).collect();
    let columns = rows.iter().map(|(cells, _)| cells.len()).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|(cells, _)| cells.get(column));
        cells.map(|cell| cell.width()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |(cells, tone): &(Vec<String>, Tone)| {
        let padded = cells.iter().zip(&widths).filter(|(_, width)| **width > 0);
        let padded =
            padded.map(|(cell, width)| format!("{cell}{}", " ".repeat(width - cell.width())));
        Line::new(padded.collect::<Vec<_>>().join("  ").trim_end(), *tone)
    };
    rows.iter().map(line).collect()
}

/// A name of at most so many letters: names differ at both ends, so the middle goes.
pub(super) fn shortened(name: &str, letters: usize) -> String {
    let count = name.chars().count();
    if count <= letters {
        return name.to_owned();
    }
    let front = letters / 3;
    let back = letters - front - 1;
    let start: String = name.chars().take(front).collect();
    let end: String = name.chars().skip(count - back).collect();
    format!("{start}…{end}")
}

#[cfg(test)]
mod tests {
    use super::shortened;

    #[test]
    fn a_long_name_keeps_both_ends() {
        assert_eq!(shortened("short", 9), "short");
        assert_eq!(shortened("a_very_long_name_of_an_arm", 12), "a_ve…_an_arm");
    }
}
