//! Rows of a CSV file, with only the columns that somebody asks for.
//!
//! Most lines hold no quotation mark: those are cut at their commas, as far as the last column that is needed. A file
//! with a quotation mark anywhere in a line hands that line, and what it spans, to the `csv` crate.
//!
//! A program that dies while it writes leaves a row cut in the middle, and what is left of a number is still a number: so
//! every row must have as many cells as there are titles, and the last one its line ending.

use crate::error::{Checked, EpisodeError};
use std::cell::Cell;
use std::io::{BufRead, BufReader, Read};

/// How much is read at a time.
const CHUNK: usize = 1 << 18;

/// The rows of one file.
pub(crate) struct Rows<R> {
    file: String,
    reader: BufReader<R>,
    line: Vec<u8>,
    /// Bounds of the cells of the row in `line`.
    cells: Vec<(usize, usize)>,
    /// Titles as they stand in the file, trimmed.
    titles: Vec<String>,
    /// Cells after this one are not cut out.
    last_needed: usize,
    /// Numbers of the row's cells that were asked for, since several values read the same column.
    numbers: Vec<Cell<Memo>>,
    /// Number of the line that the row began on.
    at: u64,
    next: u64,
    /// Whether the line that was taken last had its ending.
    has_ending: bool,
}

impl<R: Read> Rows<R> {
    /// Reads the titles.
    pub(crate) fn open(file: &str, reader: R) -> Result<Self, EpisodeError> {
        let mut rows = Self {
            file: file.to_owned(),
            reader: BufReader::with_capacity(CHUNK, reader),
            line: Vec::new(),
            cells: Vec::new(),
            titles: Vec::new(),
            last_needed: usize::MAX,
            numbers: Vec::new(),
            at: 0,
            next: 1,
            has_ending: false,
        };
        if !rows.advance()? {
            return Err(EpisodeError::Csv {
                file: file.to_owned(),
                message: "it has no title line".to_owned(),
            });
        }
        rows.titles = (0..rows.cells.len())
            .map(|place| String::from_utf8_lossy(rows.cell(place)).trim().to_owned())
            .collect();
        if let Some(first) = rows.titles.first_mut() {
            *first = first.trim_start_matches('\u{feff}').to_owned();
        }
        rows.numbers = vec![Cell::new(Memo::Unread); rows.titles.len()];
        Ok(rows)
    }

    pub(crate) fn file(&self) -> &str {
        &self.file
    }

    /// Place of a column.
    pub(crate) fn column(&self, name: &str) -> Result<usize, EpisodeError> {
        let exact = self.titles.iter().position(|title| title == name);
        exact.ok_or_else(|| EpisodeError::Column {
            file: self.file.clone(),
            column: name.to_owned(),
            near: self
                .titles
                .iter()
                .find(|title| {
                    title.eq_ignore_ascii_case(name)
                        || (name.len() > 3 && title.contains(name))
                        || (title.len() > 3 && name.contains(title.as_str()))
                })
                .cloned(),
        })
    }

    /// Says which columns are needed, so that the others are left alone.
    pub(crate) fn need_up_to(&mut self, last: usize) {
        self.last_needed = last;
    }

    /// Goes to the next row that is not blank; `false` at the end.
    pub(crate) fn advance(&mut self) -> Result<bool, EpisodeError> {
        for number in &mut self.numbers {
            number.set(Memo::Unread);
        }
        loop {
            self.line.clear();
            self.at = self.next;
            if !self.take_line()? {
                return Ok(false);
            }
            let width = if memchr::memchr(b'"', &self.line).is_some() {
                self.quoted()?
            } else {
                self.cut()
            };
            let blank = width <= 1 && self.cell(0).is_empty();
            if !blank {
                self.whole(width)?;
                return Ok(true);
            }
        }
    }

    /// Appends one line, without its ending.
    fn take_line(&mut self) -> Result<bool, EpisodeError> {
        let read = self
            .reader
            .read_until(b'\n', &mut self.line)
            .map_err(|error| EpisodeError::io(&self.file, &error))?;
        self.next += 1;
        self.has_ending = self.line.last() == Some(&b'\n');
        if self.has_ending {
            self.line.pop();
        }
        Ok(read > 0)
    }

    /// Whether nothing of the row was lost.
    fn whole(&self, width: usize) -> Result<(), EpisodeError> {
        let titles = self.titles.len();
        let wrong = if titles > 0 && width != titles {
            let cells = if width == 1 { "cell" } else { "cells" };
            format!("it has {width} {cells} and there are {titles} titles")
        } else if self.has_ending {
            return Ok(());
        } else {
            "it is the last one and has no line ending".to_owned()
        };
        Err(EpisodeError::Damaged {
            file: self.file.clone(),
            line: self.at,
            wrong,
        })
    }

    /// Finds the cells that are needed; returns how many there are.
    fn cut(&mut self) -> usize {
        if self.line.last() == Some(&b'\r') {
            self.line.pop();
        }
        self.cells.clear();
        let mut start = 0;
        let mut commas = memchr::memchr_iter(b',', &self.line);
        for place in commas.by_ref() {
            self.cells.push((start, place));
            if self.cells.len() > self.last_needed {
                return self.cells.len() + 1 + commas.count();
            }
            start = place + 1;
        }
        self.cells.push((start, self.line.len()));
        self.cells.len()
    }

    /// A row with quotation marks, which may go over several lines; returns how many cells it has.
    fn quoted(&mut self) -> Result<usize, EpisodeError> {
        while memchr::memchr_iter(b'"', &self.line).count() % 2 == 1 {
            self.line.push(b'\n');
            if !self.take_line()? {
                return Err(EpisodeError::Csv {
                    file: self.file.clone(),
                    message: format!("line {}: a quotation mark is not closed", self.at),
                });
            }
        }
        let mut parsed = csv::ByteRecord::new();
        csv::ReaderBuilder::new()
            .has_headers(false)
            .from_reader(&self.line[..])
            .read_byte_record(&mut parsed)
            .map_err(|error| EpisodeError::csv(&self.file, &error))?;
        self.line = parsed.as_slice().to_vec();
        self.cells.clear();
        self.cells.extend((0..parsed.len()).filter_map(|place| {
            let range = parsed.range(place)?;
            Some((range.start, range.end))
        }));
        Ok(self.cells.len())
    }

    /// A cell of the row; one that is not needed may be empty.
    pub(crate) fn cell(&self, place: usize) -> &[u8] {
        self.cells
            .get(place)
            .map_or(&[][..], |(start, end)| &self.line[*start..*end])
    }

    /// The line that the row began on.
    pub(crate) fn line_number(&self) -> u64 {
        self.at
    }

    /// The number in a cell; nothing where it is empty or says so.
    pub(crate) fn number(&self, place: usize) -> Checked<Option<f64>> {
        if let Some(Memo::Read(known)) = self.numbers.get(place).map(Cell::get) {
            return Ok(known);
        }
        let cell = self.cell(place).trim_ascii();
        let found = number_or_missing(cell).map_err(|NotANumber| {
            Box::new(EpisodeError::Number {
                file: self.file.clone(),
                line: self.at,
                column: self.titles.get(place).cloned().unwrap_or_default(),
                text: String::from_utf8_lossy(cell).into_owned(),
            })
        })?;
        if let Some(memo) = self.numbers.get(place) {
            memo.set(Memo::Read(found));
        }
        Ok(found)
    }

    /// A word that is not in a list.
    pub(crate) fn unknown_word(&self, place: usize) -> EpisodeError {
        EpisodeError::Word {
            file: self.file.clone(),
            line: self.at,
            column: self.titles.get(place).cloned().unwrap_or_default(),
            text: String::from_utf8_lossy(self.cell(place)).into_owned(),
        }
    }
}

/// The words for "no value" that pandas writes and reads.
pub(crate) fn is_missing(cell: &[u8]) -> bool {
    matches!(
        cell,
        b"" | b"nan" | b"NaN" | b"None" | b"NA" | b"N/A" | b"null" | b"<NA>"
    )
}

/// What is known of a cell's number.
#[derive(Debug, Clone, Copy)]
enum Memo {
    Unread,
    Read(Option<f64>),
}

/// A cell that holds something else.
struct NotANumber;

/// The number that a cell holds; nothing where it is empty or says so.
fn number_or_missing(cell: &[u8]) -> Result<Option<f64>, NotANumber> {
    match short_decimal(cell) {
        Some(number) => Ok(Some(number)),
        None if is_missing(cell) => Ok(None),
        None => number(cell).map(Some).ok_or(NotANumber),
    }
}

/// The number that a cell holds; booleans are 0 and 1, as pandas writes them.
pub(crate) fn number(cell: &[u8]) -> Option<f64> {
    short_decimal(cell).or_else(|| match cell {
        b"True" | b"true" => Some(1.0),
        b"False" | b"false" => Some(0.0),
        _ => std::str::from_utf8(cell).ok()?.parse().ok(),
    })
}

/// Powers of ten that a float holds exactly and that cells have.
const TENS: [f64; 16] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
];

/// A plain decimal of up to 15 digits, which is most of what such files hold. Digits and power of ten are both exact, so
/// their quotient is the float nearest to the text (Clinger 1990), as the standard library would give.
fn short_decimal(cell: &[u8]) -> Option<f64> {
    let (negative, digits) = match cell {
        [b'-', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    if digits.is_empty() || digits.len() > 16 {
        return None;
    }
    let mut whole: u64 = 0;
    let mut point = None;
    for (place, byte) in digits.iter().enumerate() {
        match byte {
            b'0'..=b'9' => whole = whole * 10 + u64::from(byte - b'0'),
            b'.' if point.is_none() => point = Some(place),
            _ => return None,
        }
    }
    let decimals = match point {
        None if digits.len() > 15 => return None,
        None => 0,
        Some(_) if digits.len() == 1 => return None,
        Some(place) => digits.len() - place - 1,
    };
    let value = whole as f64 / TENS[decimals];
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    use super::{Rows, number, short_decimal};

    fn all(text: &str) -> Vec<Vec<String>> {
        let mut rows = Rows::open("x.csv", text.as_bytes()).unwrap();
        let width = rows.titles.len();
        let mut found = Vec::new();
        while rows.advance().unwrap() {
            let cell = |place| String::from_utf8_lossy(rows.cell(place)).into_owned();
            found.push((0..width).map(cell).collect());
        }
        found
    }

    #[test]
    fn quotes_and_endings() {
        let text = "\u{feff}a, b,c\r\n1,\"x, \"\"y\"\"\nz\",3\r\n\r\n4,5,\n6,7,8\n";
        assert_eq!(
            all(text),
            [
                vec!["1", "x, \"y\"\nz", "3"],
                vec!["4", "5", ""],
                vec!["6", "7", "8"]
            ]
        );
    }

    #[test]
    fn a_row_that_is_not_whole_is_an_error_with_its_line() {
        let cases = [
            ("1,2,3\n4,5\n", 3, "it has 2 cells and there are 3 titles"),
            (
                "1,2,3\n4,5,6,7\n",
                3,
                "it has 4 cells and there are 3 titles",
            ),
            ("1\n", 2, "it has 1 cell and there are 3 titles"),
            (
                "1,2,3\n\n4,5,61",
                4,
                "it is the last one and has no line ending",
            ),
            (
                "1,2,\"x\ny\"\n4,\"5\"\n",
                4,
                "it has 2 cells and there are 3 titles",
            ),
        ];
        for (text, line, wrong) in cases {
            // Whether or not the cells after the first are needed.
            for last in [0, usize::MAX] {
                let text = format!("a,b,c\n{text}");
                let mut rows = Rows::open("x.csv", text.as_bytes()).unwrap();
                rows.need_up_to(last);
                let error = loop {
                    match rows.advance() {
                        Ok(more) => assert!(more, "{text:?}"),
                        Err(error) => break error.to_string(),
                    }
                };
                assert_eq!(
                    error,
                    format!("x.csv line {line}: the row is damaged: {wrong}")
                );
            }
        }
        assert!(Rows::open("x.csv", &b"a,b"[..]).is_err());
    }

    #[test]
    fn short_decimals_are_what_the_standard_library_reads() {
        let texts = [
            "0",
            "-0",
            "7",
            "-12.5",
            "0.1",
            "17.3403",
            "999999999999999",
            "0.00000000000001",
            "123456789.012345",
            "5.",
            ".5",
            "100.00",
            "3.14159265358979",
        ];
        for text in texts {
            let expected: f64 = text.parse().unwrap();
            let found = short_decimal(text.as_bytes()).unwrap();
            assert_eq!(found.to_bits(), expected.to_bits(), "{text}");
        }
        for text in [
            "",
            "-",
            ".",
            "1e5",
            "1.2.3",
            "+1",
            "1 ",
            "12345678901234567",
            "nan",
        ] {
            assert_eq!(short_decimal(text.as_bytes()), None, "{text}");
        }
        assert_eq!(number(b"1e5"), Some(1e5));
        assert_eq!(number(b"1.2.3"), None);
    }

    #[test]
    fn an_open_quotation_mark_is_an_error() {
        let mut rows = Rows::open("x.csv", &b"a\n\"1\n2\n"[..]).unwrap();
        let error = rows.advance().unwrap_err().to_string();
        assert_eq!(
            error,
            "x.csv is not a CSV table: line 2: a quotation mark is not closed"
        );
    }
}
