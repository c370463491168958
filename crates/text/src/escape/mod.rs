//! Words of others (names, causes, notes, cells), made harmless for whoever shows them: one rule for each reader.

mod csv;
mod markdown;
mod terminal;
mod xml;

pub use csv::csv;
pub use markdown::markdown;
pub use terminal::{terminal, terminal_line, terminal_painted, terminal_removed};
pub use xml::{xml, xml_text};
