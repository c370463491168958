//! Colour for lines that say what changes.

use fairtrial_report::console::Color;

/// Text in colour, where the terminal has it.
pub(super) struct Paint(pub(super) Color);

impl Paint {
    fn with(&self, code: &str, text: &str) -> String {
        match self.0 {
            Color::On => format!("\x1b[{code}m{text}\x1b[0m"),
            Color::Off => text.to_owned(),
        }
    }

    pub(super) fn bold(&self, text: &str) -> String {
        self.with("1", text)
    }

    pub(super) fn red(&self, text: &str) -> String {
        self.with("31", text)
    }

    pub(super) fn green(&self, text: &str) -> String {
        self.with("32", text)
    }

    pub(super) fn yellow(&self, text: &str) -> String {
        self.with("33", text)
    }
}
