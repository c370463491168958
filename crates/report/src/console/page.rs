//! Sections, tables and sentences laid out for a terminal.

use super::columns::{self, Piece};
use super::terminal::{Color, Terminal};
use crate::grid::{Grid, Section, Tone};
use fairtrial_text::escape::terminal_line;
use unicode_width::UnicodeWidthStr;

/// The page of a terminal, built from top to bottom.
pub(crate) struct Page {
    terminal: Terminal,
    text: String,
}

impl Page {
    pub(crate) fn new(terminal: Terminal) -> Self {
        Self {
            terminal,
            text: String::new(),
        }
    }

    pub(crate) fn finish(self) -> String {
        self.text
    }

    /// Lines so far.
    pub(crate) fn height(&self) -> usize {
        self.text.lines().count()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// A sentence, wrapped.
    pub(crate) fn sentence(&mut self, text: &str, tone: Tone) {
        for line in wrap(&terminal_line(text), self.terminal.width) {
            self.line(&paint(&line, code(tone), self.terminal.color));
        }
    }

    /// A line whose blanks stand for columns: as it is where there is room, else wrapped.
    pub(crate) fn columns(&mut self, text: &str, tone: Tone) {
        for line in laid_out(text, self.terminal.width) {
            self.line(&paint(&line, code(tone), self.terminal.color));
        }
    }

    pub(crate) fn heading(&mut self, text: &str) {
        for line in wrap(&terminal_line(text), self.terminal.width) {
            self.line(&paint(&line, Some("1"), self.terminal.color));
        }
    }

    pub(crate) fn gap(&mut self) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }

    /// Heading, table and notes.
    pub(crate) fn section(&mut self, section: &Section) {
        self.gap();
        self.heading(&section.title);
        if !section.grid.rows.is_empty() {
            self.table(section.grid.clone());
        }
        for note in &section.notes {
            self.sentence(note, Tone::Faint);
        }
    }

    /// A table; columns go by their rank until it fits. The files of a report, `--json` and a wider terminal have them.
    pub(crate) fn table(&mut self, mut grid: Grid) {
        let mut lines = self.lines(&grid, None);
        while widest(&lines) > self.terminal.width {
            if !grid.drop_some() {
                lines = self.lines(&grid, Some(self.terminal.width));
                break;
            }
            lines = self.lines(&grid, None);
        }
        for line in lines {
            self.line(&line);
        }
    }

    /// The table's lines, squeezed to a width where one is given.
    fn lines(&self, grid: &Grid, width: Option<usize>) -> Vec<String> {
        let mut grid = grid.clone();
        for column in &mut grid.columns {
            column.title = terminal_line(&column.title).into_owned();
        }
        for cell in grid.rows.iter_mut().flatten() {
            cell.text = terminal_line(&cell.text).replace('\t', " ");
        }
        let line = |pieces: Vec<Piece>| {
            let mut line = String::new();
            for piece in pieces {
                line.push_str(&" ".repeat(piece.before));
                line.push_str(&paint(&piece.text, code(piece.tone), self.terminal.color));
            }
            line.trim_end().to_owned()
        };
        let lines = columns::lines(&grid, width);
        lines.into_iter().map(line).collect()
    }

    fn line(&mut self, text: &str) {
        self.text.push_str(text.trim_end());
        self.text.push('\n');
    }
}

fn code(tone: Tone) -> Option<&'static str> {
    match tone {
        Tone::Plain => None,
        Tone::Good => Some("32"),
        Tone::Bad => Some("31"),
        Tone::Caution => Some("33"),
        Tone::Faint => Some("2"),
    }
}

fn paint(text: &str, code: Option<&str>, color: Color) -> String {
    match (code, color) {
        (Some(code), Color::On) if !text.is_empty() => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
        _ => text.to_owned(),
    }
}

fn widest(lines: &[String]) -> usize {
    lines.iter().map(|line| visible(line)).max().unwrap_or(0)
}

/// Columns that a line takes, without its escape codes.
fn visible(line: &str) -> usize {
    let mut text = String::new();
    let mut in_code = false;
    for c in line.chars() {
        match c {
            '\u{1b}' => in_code = true,
            'm' if in_code => in_code = false,
            _ if in_code => {}
            _ => text.push(c),
        }
    }
    text.width()
}

/// A text in lines of a terminal of this width: as it is where there is room, else wrapped, set in as far as it was.
fn laid_out(text: &str, width: usize) -> Vec<String> {
    let clean = terminal_line(text);
    if clean.width() <= width {
        return vec![clean.into_owned()];
    }
    let blanks = clean.len() - clean.trim_start_matches(' ').len();
    let lines = wrap(&clean, width.saturating_sub(blanks).max(1));
    let set_in = |line: String| format!("{}{line}", " ".repeat(blanks));
    lines.into_iter().map(set_in).collect()
}

/// Lines that a text takes in a terminal of this width.
pub(crate) fn height(text: &str, width: usize) -> usize {
    let lines = laid_out(text, width);
    let heights = lines.iter().map(|line| line.width().div_ceil(width.max(1)));
    heights.map(|lines| lines.max(1)).sum()
}

/// The words of a text; a command of ours is one, because a line end in it would keep it from being pasted.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let open = |last: &&mut String| {
            let command = last.rfind("`fairtrial").map(|from| &last[from + 1..]);
            command.is_some_and(|command| !command.contains('`'))
        };
        match words.last_mut().filter(open) {
            Some(command) => {
                command.push(' ');
                command.push_str(word);
            }
            None => words.push(word.to_owned()),
        }
    }
    words
}

/// Breaks a sentence at blanks so that no line is longer than `width`, where its words allow that.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let words = words(text);
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        // A percent sign stays with its number.
        let sign = words
            .peek()
            .filter(|next| next.starts_with('%'))
            .map_or(0, |next| 1 + next.chars().count());
        let needed = line.chars().count() + 1 + word.chars().count() + sign;
        if !line.is_empty() && needed > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{height, laid_out, visible, wrap};

    #[test]
    fn lines_break_at_blanks_only() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("unbreakable", 3), ["unbreakable"]);
        assert_eq!(wrap("about 80 % of it", 8), ["about", "80 % of", "it"]);
        assert!(wrap("", 10).is_empty());
    }

    #[test]
    fn what_is_set_in_stays_set_in() {
        let lines = laid_out("    what a trial said at length", 16);
        assert_eq!(lines, ["    what a trial", "    said at", "    length"]);
        assert_eq!(laid_out("  a  b", 16), ["  a  b"]);
    }

    #[test]
    fn a_command_is_pasted_from_one_line() {
        let text = "more: `fairtrial compare before after -v` (or `report`)";
        let lines = [
            "more:",
            "`fairtrial compare before after -v`",
            "(or `report`)",
        ];
        assert_eq!(wrap(text, 20), lines);
        assert_eq!(height(text, 20), 4);
        // What is never closed is no command that could be pasted, and not lost either.
        assert_eq!(wrap("`fairtrial a b", 5), ["`fairtrial a b"]);
    }

    #[test]
    fn escape_codes_take_no_room() {
        assert_eq!(visible("\u{1b}[31mfailed\u{1b}[0m ±"), 8);
    }
}
