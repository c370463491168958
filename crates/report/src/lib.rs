//! Analysis results as console tables, Markdown, HTML, CSV and JSON.
//!
//! Nothing is computed here: a number that a table shows stands in the analysis result. Every presentation of a result
//! is made from the same [`grid::Grid`], so that console, Markdown and CSV cannot say different things.
#![forbid(unsafe_code)]

mod comparison;
pub mod console;
pub mod csv;
mod gate;
pub mod grid;
pub mod html;
pub mod junit;
pub mod markdown;
pub mod page;
pub mod pipeline;
pub mod power;
mod rollouts;
pub mod seal;
mod sequential;
mod summary;
pub mod sweep;
pub mod variance;
pub mod verify;

pub use console::{Color, Terminal};
