//! What a column of a table is good for: a metric, a remark, or nothing, with the rows that say why.

use super::cell::Cell;
use fairtrial_text::count::and_more;

/// Rows that a message names.
const NAMED: usize = 3;
/// Titles of columns that count something, in small letters.
const COUNTERS: [&str; 16] = [
    "epoch",
    "step",
    "_step",
    "global_step",
    "timestep",
    "iteration",
    "iter",
    "id",
    "index",
    "idx",
    "row",
    "run",
    "run_id",
    "trial",
    "trial_id",
    "unnamed: 0",
];
/// Ends of names under which training programs log how far they have come.
const STEP_ENDS: [&str; 4] = ["_step", "_steps", "_epoch", "total_timesteps"];
/// So many numbers that go up by one are no accident.
const COUNTED: usize = 5;

/// Whether a metric that another tool logged says how far a program had come: it stands on the axis of the others.
pub(super) fn is_progress(name: &str) -> bool {
    let last = name.rsplit(['/', '.']).next().unwrap_or(name);
    let last = last.to_lowercase();
    COUNTERS.contains(&last.as_str()) || STEP_ENDS.iter().any(|end| last.ends_with(end))
}

/// Cells of one kind: how many, and the first of them by row and text.
#[derive(Default)]
struct Kind<'a> {
    count: usize,
    first: Vec<(usize, &'a str)>,
}

impl<'a> Kind<'a> {
    fn push(&mut self, row: usize, text: &'a str) {
        self.count += 1;
        if self.first.len() < NAMED {
            self.first.push((row, text));
        }
    }

    const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// ``row 3 (`x`), row 5 (`y`)``, and how many more.
    fn rows(&self) -> String {
        let named = self.first.iter();
        let named: Vec<String> = named
            .map(|(row, text)| format!("row {} (`{text}`)", row + 2))
            .collect();
        and_more(&named, self.count - self.first.len())
    }
}

/// What the cells of a column are.
#[derive(Default)]
pub(super) struct Cells<'a> {
    numbers: Kind<'a>,
    percents: Kind<'a>,
    unclear: Kind<'a>,
    words: Kind<'a>,
    booleans: Kind<'a>,
    /// Whether the numbers go up by one from row to row, from 0 or 1 on.
    by_one: bool,
}

/// What a column is good for.
pub(super) enum Use {
    /// Numbers: all of them with a percent sign, or none.
    Metric { percent: bool },
    /// Words, or nothing at all.
    Remark,
    /// Words with a few numbers among them, such as names of commits.
    Mixed,
    /// Nothing, for this reason.
    Wrong(String),
}

impl<'a> Cells<'a> {
    pub(super) fn of(rows: &'a [csv::StringRecord], place: usize) -> Self {
        let mut cells = Self {
            by_one: true,
            ..Self::default()
        };
        let mut next = None;
        for (row, all) in rows.iter().enumerate() {
            let text = all.get(place).unwrap_or_default();
            match Cell::read(text) {
                Cell::Missing => {}
                Cell::Number(number) => {
                    cells.by_one &= next.map_or(number == 0.0 || number == 1.0, |n| n == number);
                    next = Some(number + 1.0);
                    cells.numbers.push(row, text);
                }
                Cell::Percent(_) => cells.percents.push(row, text),
                Cell::Boolean(_) => cells.booleans.push(row, text),
                Cell::Unclear => cells.unclear.push(row, text),
                Cell::Words => cells.words.push(row, text),
            }
        }
        if !cells.words.is_empty() || cells.like_numbers() > 0 {
            // Among other things, `true` is a word as any other.
            let Kind { count, first } = std::mem::take(&mut cells.booleans);
            cells.words.count += count;
            cells.words.first.extend(first);
            cells.words.first.sort_unstable();
            cells.words.first.truncate(NAMED);
        }
        cells
    }

    /// Whether a column of numbers counts rows, by its title or by going up by one from row to row.
    pub(super) fn count(&self, title: &str) -> bool {
        let title = title.to_lowercase();
        self.booleans.is_empty()
            && (COUNTERS.contains(&title.as_str()) || self.by_one && self.numbers.count >= COUNTED)
    }

    /// Cells that are numbers, or would be.
    const fn like_numbers(&self) -> usize {
        self.numbers.count + self.percents.count + self.unclear.count
    }

    pub(super) const fn are_words(&self) -> bool {
        !self.words.is_empty() && self.like_numbers() == 0
    }

    pub(super) fn are_for(&self, title: &str) -> Use {
        let like_numbers = self.like_numbers();
        if !self.booleans.is_empty() {
            return Use::Metric { percent: false };
        }
        if self.words.count > like_numbers {
            return match like_numbers {
                0 => Use::Remark,
                _ => Use::Mixed,
            };
        }
        if let Some((row, text)) = self.unclear.first.first() {
            return Use::Wrong(format!(
                "column `{title}`, row {} (`{text}`): write a decimal point (`0.95`); a comma is read between thousands \
                 alone (`1,234.5`)",
                row + 2
            ));
        }
        if !self.words.is_empty() {
            return Use::Wrong(format!(
                "column `{title}` holds numbers, but none in {}: write a number, or nothing (or `NA`) where there is none",
                self.words.rows()
            ));
        }
        match (self.numbers.is_empty(), self.percents.is_empty()) {
            (true, true) => Use::Remark,
            (false, false) => Use::Wrong(format!(
                "column `{title}` has a percent sign in {}, and none in {}: `90%` and `0.9` are read as 90 and 0.9, so write \
                 all of them one way",
                self.percents.rows(),
                self.numbers.rows()
            )),
            (_, no_percent) => Use::Metric {
                percent: !no_percent,
            },
        }
    }
}
