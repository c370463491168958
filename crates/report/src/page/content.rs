//! What a report consists of: its verdicts and its evidence, part by part.

use crate::grid::{Section, Tone};
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
    /// Tables that a reader opens to see, and what is said where they are.
    Folded(String, Vec<Section>),
    /// A chart, with the name of its file where charts are files.
    Chart(String, Box<Figure>),
    /// The end of a log.
    Log {
        /// Which.
        title: String,
        /// Its lines.
        lines: Vec<String>,
    },
    /// Where a table of all trials is made by the page's script, and what is said without it.
    AllTrials(String),
    /// One trial whole, which a reader opens to see.
    Trial {
        /// Its place in the plan.
        index: u64,
        /// Who it is and how it ended.
        title: String,
        /// What is known of it.
        inside: Vec<Block>,
    },
    /// Commands to type.
    Commands(Vec<String>),
}

impl Block {
    /// Whether it is there to be searched and opened, and is no part of a page of plain text.
    pub fn is_for_screens(&self) -> bool {
        matches!(self, Self::AllTrials(_) | Self::Trial { .. })
    }
}
