//! Figures as files: the ending of the name says which kind.

use crate::error::SessionError;
use fairtrial_chart::{DEFAULT_SCALE, Figure, Theme};
use fairtrial_journal::{Durability, write_atomic_bytes};
use std::path::Path;

/// What a figure is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Picture {
    /// Lines and letters, at any size.
    #[default]
    Svg,
    /// Pixels, on white.
    Png,
}

impl Picture {
    /// By the file's ending; asked before any work is done.
    pub fn of(path: &Path) -> Result<Self, SessionError> {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("png") => Ok(Self::Png),
            Some("svg") => Ok(Self::Svg),
            _ => Err(SessionError::Input(format!(
                "{} must end in .png or .svg",
                path.display()
            ))),
        }
    }

    /// The ending of its files' names.
    pub const fn ending(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
        }
    }

    /// Writes the figure, whole or not at all.
    pub fn write(self, figure: &Figure, path: &Path) -> Result<(), SessionError> {
        let bytes = match self {
            Self::Svg => figure.svg(Theme::Auto).into_bytes(),
            Self::Png => {
                let png = figure.png(Theme::Light, DEFAULT_SCALE);
                png.map_err(|error| SessionError::Machine(error.to_string()))?
            }
        };
        Ok(write_atomic_bytes(path, Durability::Process, &bytes)?)
    }
}
