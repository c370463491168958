//! Figures as files: the ending of the name says which kind.

use crate::exit::Failure;
use fairtrial_chart::{DEFAULT_SCALE, Figure, Theme};
use fairtrial_journal::{Durability, write_atomic_bytes};
use std::path::Path;

/// What a figure is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum Picture {
    /// Lines and letters, at any size
    #[default]
    Svg,
    /// Pixels, on white
    Png,
}

impl Picture {
    /// By the file's ending; asked before any work is done.
    pub(crate) fn of(path: &Path) -> Result<Self, Failure> {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("png") => Ok(Self::Png),
            Some("svg") => Ok(Self::Svg),
            _ => Err(Failure::input(format!(
                "{} must end in .png or .svg",
                path.display()
            ))),
        }
    }

    /// The ending of its files' names.
    pub(crate) const fn ending(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
        }
    }

    /// Writes the figure, whole or not at all.
    pub(crate) fn write(self, figure: &Figure, path: &Path) -> Result<(), Failure> {
        let bytes = match self {
            Self::Svg => figure.svg(Theme::Auto).into_bytes(),
            Self::Png => {
                let png = figure.png(Theme::Light, DEFAULT_SCALE);
                png.map_err(|error| Failure::machine(error.to_string()))?
            }
        };
        Ok(write_atomic_bytes(path, Durability::Process, &bytes)?)
    }
}
