//! Tables for a terminal: they fit its width, or say which columns they left out.

mod answer;
mod columns;
mod comparison;
mod curves;
mod gate;
pub(crate) mod page;
mod power;
mod sequential;
mod summary;
mod sweep;
mod variance;

pub use answer::answer;
pub use comparison::comparison;
pub use curves::analysis;
pub use gate::gate;
pub use page::wrap;
pub use power::power;
pub use sequential::trajectory;
pub use summary::summary;
pub use sweep::sweep;
pub use variance::variance;

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
