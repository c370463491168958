//! What is wrong with a table: in itself, and against the list of experiments that feed it.

use crate::table::Table;
use fairtrial_text::column::{NumberStyle, read_number};
use fairtrial_text::nearest::nearest;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

/// The experiments that should have a row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Expected {
    /// Their keys, in order.
    pub keys: Vec<String>,
    /// Former keys, with the key of today.
    pub renamed: Vec<(String, String)>,
    /// Titles of the columns that metrics fill.
    pub columns: Vec<String>,
}

/// Something to know about a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What kind.
    pub kind: FindingKind,
    /// Whether it is an error or only worth a look.
    pub error: bool,
    /// The line, from 1, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// Kinds of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// Two rows with one key.
    DuplicateKey,
    /// Two columns with one title.
    DuplicateColumn,
    /// A row without a key.
    NoKey,
    /// An alignment that is neither left nor right.
    BadAlign,
    /// An option that means nothing.
    UnknownOption,
    /// A row with too few or too many cells.
    Ragged,
    /// A blank line.
    BlankLine,
    /// A word in a column of numbers.
    NotANumber,
    /// A number that is written another way than the rest of its column.
    MixedFormat,
    /// Lines end in different ways.
    MixedEndings,
    /// A row whose experiment is gone.
    Stale,
    /// An experiment without a row.
    Missing,
    /// A row under a former key.
    Renamed,
    /// A column that a metric should fill is not there.
    NoColumn,
}

/// Checks a table; with `expected`, also against the experiments that feed it.
pub fn check(table: &Table, expected: Option<&Expected>) -> Vec<Finding> {
    let mut findings = Findings(Vec::new());
    titles(table, &mut findings);
    shape(table, &mut findings);
    keys(table, &mut findings);
    for column in 0..table.columns().len() {
        numbers(table, column, &mut findings);
    }
    if let Some(expected) = expected {
        against(table, expected, &mut findings);
    }
    findings.0
}

struct Findings(Vec<Finding>);

impl Findings {
    fn error(&mut self, kind: FindingKind, line: Option<usize>, message: String) -> &mut Finding {
        self.push(kind, line, message, true)
    }

    fn warning(&mut self, kind: FindingKind, line: Option<usize>, message: String) -> &mut Finding {
        self.push(kind, line, message, false)
    }

    fn push(
        &mut self,
        kind: FindingKind,
        line: Option<usize>,
        message: String,
        error: bool,
    ) -> &mut Finding {
        self.0.push(Finding {
            kind,
            error,
            line,
            message,
            help: None,
        });
        let last = self.0.len() - 1;
        &mut self.0[last]
    }
}

impl Finding {
    fn help(&mut self, help: impl Into<String>) {
        self.help = Some(help.into());
    }
}

fn titles(table: &Table, findings: &mut Findings) {
    let mut seen = HashMap::new();
    for (place, column) in table.columns().iter().enumerate() {
        let title = &column.title;
        if seen.insert(title.as_str(), place).is_some() {
            let message = format!("two columns are called `{title}`");
            findings
                .error(FindingKind::DuplicateColumn, Some(1), message)
                .help("rename one of them");
        }
        if let Some(error) = &column.error {
            findings
                .error(
                    FindingKind::BadAlign,
                    Some(1),
                    format!("column `{title}`: {error}"),
                )
                .help("write `align left` or `align right`");
        }
        for option in &column.unknown {
            let message = format!("column `{title}`: the option `{option}` means nothing");
            findings
                .warning(FindingKind::UnknownOption, Some(1), message)
                .help("options are `align left`, `align right`, `hover TEXT` and `hidden`");
        }
    }
}

fn shape(table: &Table, findings: &mut Findings) {
    let wanted = table.columns().len();
    for row in table.all_lines() {
        let line = Some(row.line_number());
        match row.width() {
            0 => {
                findings.warning(FindingKind::BlankLine, line, "a blank line".to_owned());
            }
            width if width != wanted => {
                let message = format!("{width} cells, the title line has {wanted}");
                findings
                    .error(FindingKind::Ragged, line, message)
                    .help("a text with a comma in it needs quotation marks");
            }
            _ => {}
        }
    }
    let ending = table.ending();
    let all = std::iter::once(&table.header).chain(&table.lines);
    let other = all
        .filter(|line| line.end > line.bytes.end)
        .find(|line| &table.bytes[line.bytes.end..line.end] != ending);
    if let Some(line) = other {
        let message = "this line ends in another way than most (LF or CRLF)".to_owned();
        findings.warning(FindingKind::MixedEndings, Some(line.number), message);
    }
}

fn keys(table: &Table, findings: &mut Findings) {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for row in table.rows() {
        let (key, line) = (row.key(), row.line_number());
        if key.is_empty() {
            findings.error(
                FindingKind::NoKey,
                Some(line),
                "the row has no key".to_owned(),
            );
        } else if let Some(first) = seen.get(&key) {
            let message = format!("`{key}` stands on line {first} too");
            findings
                .error(FindingKind::DuplicateKey, Some(line), message)
                .help("remove one of the two rows, or rename it");
        } else {
            seen.insert(key, line);
        }
    }
}

/// A column in which most cells are numbers is a column of numbers.
fn numbers(table: &Table, column: usize, findings: &mut Findings) {
    if column == table.key_place() {
        return;
    }
    let title = &table.columns()[column].title;
    let cells: Vec<(usize, String)> = table
        .rows()
        .filter_map(|row| Some((row.line_number(), row.cell(column)?)))
        .filter(|(_, text)| !text.trim().is_empty())
        .collect();
    let read: Vec<_> = cells.iter().map(|(_, text)| read_number(text)).collect();
    let found = read.iter().flatten().count();
    if found * 2 <= cells.len() {
        return;
    }
    let mut by_format: BTreeMap<(u8, u8), Vec<usize>> = BTreeMap::new();
    for ((line, text), number) in cells.iter().zip(&read) {
        match number {
            None => {
                let message = format!("column `{title}`: `{}` is not a number", text.trim());
                findings.warning(FindingKind::NotANumber, Some(*line), message);
            }
            Some(number) => {
                let kind = match number.style {
                    NumberStyle::Plain { .. } => 0,
                    NumberStyle::Scientific { .. } => 1,
                    NumberStyle::Seconds | NumberStyle::Clock { .. } => 2,
                };
                by_format
                    .entry((kind, number.decimals))
                    .or_default()
                    .push(*line);
            }
        }
    }
    let most = by_format.values().map(Vec::len).max().unwrap_or(0);
    for lines in by_format.values().filter(|lines| lines.len() * 4 <= most) {
        for line in lines {
            let message = format!("column `{title}`: written another way than the rest");
            findings.warning(FindingKind::MixedFormat, Some(*line), message);
        }
    }
}

fn against(table: &Table, expected: &Expected, findings: &mut Findings) {
    let there: Vec<(String, usize)> = table
        .rows()
        .map(|row| (row.key(), row.line_number()))
        .collect();
    let has = |key: &str| there.iter().any(|(known, _)| known == key);
    let missing: Vec<&String> = expected.keys.iter().filter(|key| !has(key)).collect();
    for (key, line) in &there {
        if expected.keys.contains(key) {
            continue;
        }
        if let Some((_, now)) = expected.renamed.iter().find(|(was, _)| was == key) {
            let message = format!("`{key}` is called `{now}` now");
            findings
                .error(FindingKind::Renamed, Some(*line), message)
                .help("`fairtrial table update` renames the row with its next values");
            continue;
        }
        let finding = findings.error(
            FindingKind::Stale,
            Some(*line),
            format!("no experiment feeds the row `{key}`"),
        );
        match nearest(key, missing.iter().map(|key| key.as_str())) {
            Some(near) => finding.help(format!(
                "was it renamed to `{near}`? Then give that task `was = [\"{key}\"]`"
            )),
            None => finding.help("remove the row, or add the experiment to the suite"),
        }
    }
    for key in missing {
        let known = expected
            .renamed
            .iter()
            .any(|(was, now)| now == key && has(was));
        if !known {
            findings
                .error(FindingKind::Missing, None, format!("`{key}` has no row"))
                .help("`fairtrial table update` adds it with its values");
        }
    }
    for title in &expected.columns {
        if let Err(error) = table.column(title) {
            findings
                .error(FindingKind::NoColumn, Some(1), error.to_string())
                .help("`fairtrial table update --add-columns` adds it");
        }
    }
}
