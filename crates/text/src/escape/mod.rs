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

/// Whether a character changes how the text around it is shown instead of being shown: control characters, line
/// separators, and those that turn the direction of reading round.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{feff}')
}
