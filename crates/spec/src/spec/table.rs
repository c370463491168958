//! Results tables kept in the repository, and the rows that tasks feed.

use fairtrial_model::Conversion;
use serde::{Deserialize, Serialize};

/// The row of a results table that a task feeds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feeds {
    /// The table's name in the spec.
    pub table: String,
    /// The row's key, may hold placeholders.
    pub row: String,
    /// Former keys of the row.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub was: Vec<String>,
}

/// A results table kept in the repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableSpec {
    /// Its name in the spec.
    pub name: String,
    /// The CSV file, relative to the spec's folder.
    pub file: String,
    /// Title of the key column; absent means the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The columns that metrics fill, in the user's order.
    pub columns: Vec<TableColumn>,
    /// Title of a column with each row's origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance_column: Option<String>,
}

/// A column that a metric fills.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableColumn {
    /// The column's title without its options.
    pub title: String,
    /// The metric.
    pub metric: String,
    /// Unit of the metric and of the column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub convert: Option<Conversion>,
    /// Decimals, where they were said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decimals: Option<u8>,
    /// What to write where there is no value; absent means that the row is left alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}
