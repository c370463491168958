//! Per-episode files as the spec declares them: how rows make episodes, and what is measured over the episodes.
//!
//! Only the declaration stands here; `fairtrial-episode` reads the files.

use crate::number::Number;
use serde::{Deserialize, Serialize};

/// A file with a row per episode, or several.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EpisodeFile {
    /// Its name in the spec.
    pub name: String,
    /// The file, relative to the trial's directory.
    pub file: String,
    /// Which rows are one episode.
    pub grouping: Grouping,
    /// What an episode's rows are condensed to, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<EpisodeValue>,
    /// Columns that say which episode it is, so that two runs' episodes can be paired; empty means by place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub identity: Vec<String>,
}

/// Which rows are one episode.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grouping {
    /// Every row is one.
    #[default]
    EachRow,
    /// A new one begins when a value of this column comes again.
    Repeats(String),
    /// Rows that follow one another with the same value in this column.
    Same(String),
    /// Always this many rows.
    Rows(u64),
}

/// One value of an episode, made of its rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EpisodeValue {
    /// Its name.
    pub name: String,
    /// How the rows become one.
    pub reduce: Reduce,
    /// The column.
    pub column: String,
    /// A second column that the first is divided by, row by row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<String>,
    /// What a division by zero gives; absent means no value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_zero: Option<Number>,
    /// The value of an episode whose rows have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub empty: Option<Number>,
}

/// How several rows become one value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reduce {
    /// Mean of the rows' numbers.
    Mean,
    /// Sum.
    Sum,
    /// Largest.
    Max,
    /// Smallest.
    Min,
    /// The first row's value, word or number.
    First,
    /// The last row's.
    Last,
    /// Of the words that rows have, the one that stands last in this list.
    Strongest(Vec<String>),
}

/// What is measured over episodes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// The kind.
    pub kind: MeasureKind,
    /// Which episodes by place, in the episode grammar; absent means all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub select: Option<String>,
    /// Which of these by value: all conditions must hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub filter: Vec<Condition>,
    /// One metric per value of this column, put for `{column}` in the metric's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per: Option<String>,
    /// The answer where no episode is left; absent means none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub empty: Option<Number>,
}

/// The kinds of measure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MeasureKind {
    /// How many episodes.
    Count,
    /// The share of them for which all conditions hold.
    Share(Vec<Condition>),
    /// Mean of a value.
    Mean(String),
    /// Sum of a value.
    Sum(String),
    /// The first value.
    First(String),
    /// The last value.
    Last(String),
    /// Smallest value.
    Min(String),
    /// Largest value.
    Max(String),
    /// How many different words.
    Distinct(String),
}

/// A condition on one value of an episode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Condition {
    /// The value or column.
    pub value: String,
    /// What it must be.
    pub test: Test,
}

/// What a value must be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Test {
    /// One of these words or numbers.
    OneOf(Vec<String>),
    /// None of these.
    NoneOf(Vec<String>),
    /// A word that holds this text.
    Contains(String),
    /// There (`true`) or not there.
    Present(bool),
    /// A number of at least this.
    Min(Number),
    /// A number of at most this.
    Max(Number),
}

impl Measure {
    /// Whether the metric is a whole count, which no rounding blurs.
    pub fn is_count(&self) -> bool {
        matches!(self.kind, MeasureKind::Count | MeasureKind::Distinct(_))
    }
}
