//! Titles with options: `Correct (%)|align right|hover share of episodes|hidden`.

use serde::Serialize;

/// A column as its title says it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Column {
    /// The title without options, trimmed.
    pub title: String,
    /// How cells are aligned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub align: Option<Align>,
    /// Text shown when the pointer is over the title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hover: Option<String>,
    /// Whether renderers leave it out.
    pub hidden: bool,
    /// Options that mean nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<String>,
    /// An option that is wrong.
    #[serde(skip)]
    pub error: Option<HeaderError>,
}

/// How cells are aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Align {
    /// To the left.
    Left,
    /// To the right.
    Right,
}

impl Align {
    /// The word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
        }
    }
}

/// An option that is wrong, in the words of the original renderer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("Invalid alignment value: {value}. Must be 'left' or 'right'")]
pub struct HeaderError {
    /// What stands after `align`.
    pub value: String,
}

impl Column {
    /// Reads a title cell. Options stand in any order; a later one wins over an earlier one.
    pub fn parse(cell: &str) -> Self {
        let mut parts = cell.split('|').map(str::trim);
        let mut column = Self {
            title: parts.next().unwrap_or_default().to_owned(),
            align: None,
            hover: None,
            hidden: false,
            unknown: Vec::new(),
            error: None,
        };
        for part in parts {
            if let Some(hover) = part.strip_prefix("hover ") {
                column.hover = Some(hover.to_owned());
            } else if let Some(value) = part.strip_prefix("align ") {
                match value {
                    "left" => column.align = Some(Align::Left),
                    "right" => column.align = Some(Align::Right),
                    value => {
                        column.error.get_or_insert(HeaderError {
                            value: value.to_owned(),
                        });
                    }
                }
            } else if part == "hidden" {
                column.hidden = true;
            } else {
                column.unknown.push(part.to_owned());
            }
        }
        column
    }
}

#[cfg(test)]
mod tests {
    use super::{Align, Column};

    #[test]
    fn options_in_any_order() {
        let column =
            Column::parse(" Correct - >1st Epoch (%)|hidden | hover the share |align right");
        assert_eq!(column.title, "Correct - >1st Epoch (%)");
        assert_eq!(column.align, Some(Align::Right));
        assert_eq!(column.hover.as_deref(), Some("the share"));
        assert!(column.hidden && column.unknown.is_empty() && column.error.is_none());
        let odd = Column::parse("A|align center|hiden");
        assert_eq!(
            odd.error.unwrap().to_string(),
            "Invalid alignment value: center. Must be 'left' or 'right'"
        );
        assert_eq!(odd.unknown, ["hiden"]);
    }
}
