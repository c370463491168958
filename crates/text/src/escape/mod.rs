//! Words of others (names, causes, notes, cells), made harmless for whoever shows them: one rule for each reader.

mod csv;
mod json;
mod markdown;
mod sentence;
mod terminal;
mod xml;

pub use csv::csv;
pub use json::{JsonWriter, json};
pub use markdown::markdown;
pub use sentence::{markdown_sentence, xml_sentence};
pub use terminal::{
    terminal, terminal_line, terminal_line_painted, terminal_painted, terminal_removed,
};
pub use xml::{xml, xml_text};
