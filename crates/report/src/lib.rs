//! Analysis results as console tables, Markdown, HTML, CSV and JSON.
//!
//! Nothing is computed here: a number that a table shows stands in the analysis result. Every presentation of a result
//! is made from the same [`grid::Grid`], so that console, Markdown and CSV cannot say different things.
#![forbid(unsafe_code)]

mod answer;
pub mod bench;
pub mod bisect;
mod comparison;
pub mod console;
pub mod csv;
pub mod curves;
mod gate;
pub mod grid;
pub mod history;
#[cfg(feature = "html")]
pub mod html;
mod judges;
pub mod junit;
pub mod markdown;
pub mod page;
pub mod power;
mod ranking;
mod rollout_words;
mod rollouts;
pub mod seal;
mod sequential;
mod summary;
pub mod sweep;
pub mod variance;
pub mod verify;
mod words;

pub use answer::{ComparisonAnswer, RunAnswer};
pub use console::{Color, Terminal};
pub use sequential::looks_so_far;
pub use summary::{ShownMetrics, SummaryRows, SummaryView};
pub use words::stop_reason;
