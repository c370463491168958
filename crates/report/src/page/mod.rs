//! A report before it has a look: the verdict, then the evidence. HTML and Markdown are both made from this, so that
//! they cannot say different things.

mod evidence;
mod figures;
mod forests;
mod origin;
mod verdicts;

use crate::grid::{Section, Tone};
use crate::summary::{Detail, headline, sections};
use fairtrial_analysis::report::ReportData;
use fairtrial_chart::Figure;

/// A whole report.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// The benchmark and the run.
    pub title: String,
    /// How the trials ended, in a line.
    pub headline: String,
    /// What a reader must know first: problems, an unfinished run.
    pub warnings: Vec<String>,
    /// The answers.
    pub verdicts: Vec<VerdictLine>,
    /// What the analysis was registered as.
    pub registered: RegisteredLine,
    /// The evidence.
    pub parts: Vec<Part>,
}

/// One answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerdictLine {
    /// The word.
    pub word: String,
    /// Its stress.
    pub tone: Tone,
    /// What it is about.
    pub about: String,
    /// The sentence with its numbers.
    pub sentence: String,
    /// What stands beside it.
    pub details: Vec<String>,
}

/// Whether the analysis is the registered one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisteredLine {
    /// The sentence.
    pub sentence: String,
    /// Its stress.
    pub tone: Tone,
    /// What deviates.
    pub deviations: Vec<String>,
}

/// One part of the evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Its anchor.
    pub id: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// What is in it.
    pub blocks: Vec<Block>,
}

/// A piece of a part.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// A sentence or more.
    Words(String),
    /// A heading, a table and its notes.
    Table(Section),
    /// A chart, with the name of its file where charts are files.
    Chart(String, Box<Figure>),
    /// The end of a log.
    Log {
        /// Which.
        title: String,
        /// Its lines.
        lines: Vec<String>,
    },
    /// Commands to type.
    Commands(Vec<String>),
}

/// Builds the page of a report.
pub fn page(data: &ReportData) -> Page {
    let parts = [
        Part {
            id: "comparison",
            title: "Comparison",
            blocks: evidence::comparison(data),
        },
        Part {
            id: "charts",
            title: "Charts",
            blocks: figures::charts(data),
        },
        Part {
            id: "failures",
            title: "Failures",
            blocks: evidence::failures(data),
        },
        Part {
            id: "results",
            title: "Results",
            blocks: results(data),
        },
        Part {
            id: "trials",
            title: "Which trials each number came from",
            blocks: origin::trials(data),
        },
        Part {
            id: "provenance",
            title: "Provenance",
            blocks: origin::provenance(data),
        },
        Part {
            id: "reproduce",
            title: "How to reproduce",
            blocks: origin::reproduce(data),
        },
    ];
    Page {
        title: format!("{} {}", data.run.name, data.run.stamp),
        headline: bare(&headline(&data.summary)),
        warnings: verdicts::warnings(data),
        verdicts: verdicts::verdicts(data),
        registered: verdicts::registered(&data.registered),
        parts: parts
            .into_iter()
            .filter(|part| !part.blocks.is_empty())
            .collect(),
    }
}

/// The charts of a report as its pages show them, each with the name of its file.
pub fn charts(data: &ReportData) -> Vec<(String, Figure)> {
    figures::named(data)
}

/// The headline without the run's name, which stands above it.
fn bare(headline: &str) -> String {
    headline
        .split_once(": ")
        .map_or(headline, |(_, counts)| counts)
        .to_owned()
}

fn results(data: &ReportData) -> Vec<Block> {
    let tables = sections(&data.summary, Detail::File).into_iter();
    let mut blocks: Vec<Block> = tables.map(Block::Table).collect();
    if !blocks.is_empty() {
        blocks.push(Block::Words(data.summary.missing_rule.to_owned()));
    }
    blocks
}
