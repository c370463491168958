//! A run as one compressed file, `STAMP.tar.zst`: a tar of all that the run and its trials left, in zstd frames that can be read
//! one by one, and an index at the end. Any tool that knows tar and zstd unpacks it.

mod content;
mod footer;
mod frames;
mod index;
mod reader;
mod tar;
mod unpacked;
mod writer;

pub(crate) use content::{Source, sources};
pub(crate) use footer::Footer;
pub(crate) use reader::Archive;
pub(crate) use unpacked::{ArchivedRun, put};
pub(crate) use writer::write;

/// How the file's name ends; what stands before is the run's stamp.
pub const ENDING: &str = ".tar.zst";
