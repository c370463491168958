//! A grid as lines of text: columns side by side, a rule under the titles and no other lines, because numbers are
//! easier to compare without a cage.

use crate::grid::{Align, Grid, Tone};
use unicode_width::UnicodeWidthStr;

/// Blanks between two columns.
const BETWEEN: usize = 2;
/// How far the rule reaches beyond the last column.
const OVERHANG: usize = 1;
/// Least width that a word column is squeezed to where nothing else helps.
const NARROWEST: usize = 8;

/// A text of one column in one line of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) tone: Tone,
    /// Blanks in front of it.
    pub(super) before: usize,
}

/// The lines of a table, each as its pieces from left to right.
pub(super) fn lines(grid: &Grid, width: Option<usize>) -> Vec<Vec<Piece>> {
    let titles = grid.columns.iter().map(|of| (&*of.title, Tone::Plain));
    let header: Vec<(&str, Tone)> = titles.collect();
    let rows = grid.rows.iter().map(|row| {
        let cells = row.iter().map(|cell| (&*cell.text, cell.tone));
        cells.collect::<Vec<_>>()
    });
    let rows: Vec<Vec<(&str, Tone)>> = rows.collect();
    let mut widths = natural(&header, &rows);
    if let Some(room) = width {
        squeeze(grid, &mut widths, room.saturating_sub(OVERHANG));
    }
    let mut lines = row_lines(grid, &header, &widths);
    let rule = widths.iter().sum::<usize>() + BETWEEN * widths.len().saturating_sub(1);
    lines.push(vec![Piece {
        text: "─".repeat(rule + OVERHANG),
        tone: Tone::Plain,
        before: 0,
    }]);
    lines.extend(rows.iter().flat_map(|row| row_lines(grid, row, &widths)));
    lines
}

/// Every column as wide as its widest text.
fn natural(header: &[(&str, Tone)], rows: &[Vec<(&str, Tone)>]) -> Vec<usize> {
    let needed = |text: &str| text.lines().map(UnicodeWidthStr::width).max().unwrap_or(0);
    let mut widths: Vec<usize> = header.iter().map(|(text, _)| needed(text)).collect();
    for row in rows {
        for (width, (text, _)) in widths.iter_mut().zip(row) {
            *width = (*width).max(needed(text));
        }
    }
    widths
}

/// Takes room from the widest word columns, one by one, until the table fits or all are narrow. Numbers stay whole.
fn squeeze(grid: &Grid, widths: &mut [usize], room: usize) {
    let between = BETWEEN * widths.len().saturating_sub(1);
    while widths.iter().sum::<usize>() + between > room {
        let words = grid.columns.iter().zip(widths.iter_mut());
        let widest = words
            .filter(|(of, width)| of.align == Align::Left && **width > NARROWEST)
            .map(|(_, width)| width)
            .max();
        match widest {
            Some(width) => *width -= 1,
            None => return,
        }
    }
}

/// One row, over as many lines as its highest cell.
fn row_lines(grid: &Grid, row: &[(&str, Tone)], widths: &[usize]) -> Vec<Vec<Piece>> {
    let cells: Vec<Vec<String>> = row
        .iter()
        .zip(widths)
        .map(|((text, _), width)| text.lines().flat_map(|line| broken(line, *width)).collect())
        .collect();
    let height = cells.iter().map(Vec::len).max().unwrap_or(0);
    let line = |number: usize| {
        let mut blanks = 0;
        let mut pieces = Vec::new();
        for (place, lines) in cells.iter().enumerate() {
            let text = lines.get(number).map_or("", String::as_str);
            let free = widths[place].saturating_sub(text.width());
            let (left, right) = match grid.columns[place].align {
                Align::Left => (0, free),
                Align::Right => (free, 0),
            };
            pieces.push(Piece {
                text: text.to_owned(),
                tone: row[place].1,
                before: blanks + left,
            });
            blanks = right + BETWEEN;
        }
        pieces
    };
    (0..height.max(1)).map(line).collect()
}

/// A line in lines of at most `width`: broken at blanks, and within a word that is longer than a line.
fn broken(whole: &str, width: usize) -> Vec<String> {
    if whole.width() <= width {
        return vec![whole.to_owned()];
    }
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in whole.split(' ') {
        if !line.is_empty() && line.width() + 1 + word.width() <= width {
            line.push(' ');
            line.push_str(word);
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        for c in word.chars() {
            if !line.is_empty() && line.width() + c.to_string().width() > width {
                lines.push(std::mem::take(&mut line));
            }
            line.push(c);
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{broken, lines};
    use crate::grid::{Cell, Column, Grid, Tone};

    fn shown(grid: &Grid, width: Option<usize>) -> Vec<String> {
        let line = |pieces: Vec<super::Piece>| {
            let text = |piece: &super::Piece| format!("{}{}", " ".repeat(piece.before), piece.text);
            let line: String = pieces.iter().map(text).collect();
            line.trim_end().to_owned()
        };
        lines(grid, width).into_iter().map(line).collect()
    }

    fn grid(rows: &[[&str; 2]]) -> Grid {
        let mut grid = Grid::new(vec![Column::words("task"), Column::numbers("score")]);
        for row in rows {
            grid.push(row.iter().map(|text| Cell::from(*text)).collect());
        }
        grid
    }

    #[test]
    fn words_stand_on_the_left_and_numbers_on_the_right() {
        assert_eq!(
            shown(&grid(&[["train", "0.5"], ["世界", "12.25"]]), None),
            [
                "task   score",
                "─────────────",
                "train    0.5",
                "世界   12.25"
            ]
        );
        assert_eq!(shown(&grid(&[]), None), ["task  score", "────────────"]);
    }

    #[test]
    fn what_has_no_room_is_broken_and_numbers_stay_whole() {
        let grid = grid(&[
            ["one two three four", "123456789.25"],
            ["a_very_long_word", "1"],
        ]);
        let narrow = shown(&grid, Some(25));
        let expected = [
            "task               score",
            "─────────────────────────",
            "one two     123456789.25",
            "three four",
            "a_very_lon             1",
            "g_word",
        ];
        assert_eq!(narrow, expected);
        // Less than the narrowest is not tried.
        assert_eq!(shown(&grid, Some(3)), shown(&grid, Some(22)));
    }

    #[test]
    fn a_tone_goes_with_every_line_of_its_cell() {
        let mut grid = Grid::new(vec![Column::words("why")]);
        grid.push(vec![Cell::from("failed at once").toned(Tone::Bad)]);
        let lines = lines(&grid, Some(8));
        assert_eq!(lines.len(), 4);
        assert!(lines[2..].iter().all(|line| line[0].tone == Tone::Bad));
    }

    #[test]
    fn long_words_break_anywhere() {
        assert_eq!(broken("abcdef gh", 4), ["abcd", "ef", "gh"]);
        assert_eq!(broken("", 4), [""]);
    }
}
