//! Tables as Markdown, as files and pull requests show them.

mod comparison;
mod gate;
mod history;
mod posted;
mod report;
mod summary;
mod sweep;
mod table;

pub use comparison::comparison;
pub use gate::gate;
pub use history::history;
pub use posted::posted;
pub use report::{MarkdownReport, report};
pub use summary::{SummaryHeader, summary};
pub use sweep::sweep;
pub use table::table;
