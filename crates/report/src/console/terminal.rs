//! The terminal that tables are fitted to.

/// What is known about the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terminal {
    /// Columns.
    pub width: usize,
    /// Whether it shows colour.
    pub color: Color,
}

/// Whether colour may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Color {
    /// With escape codes.
    On,
    /// Plain text.
    Off,
}

impl Terminal {
    /// Plain text of a width.
    pub const fn plain(width: usize) -> Self {
        Self {
            width,
            color: Color::Off,
        }
    }
}
