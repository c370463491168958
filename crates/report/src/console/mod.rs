//! Tables for a terminal: they fit its width, or say which columns they left out.

mod answer;
mod columns;
mod comparison;
mod curves;
mod each_rollout;
mod gate;
mod history;
pub(crate) mod page;
mod power;
mod rows;
mod sequential;
mod summary;
mod sweep;
mod terminal;
mod variance;

pub use answer::{answer, brief, comparison_answer};
pub use comparison::comparison;
pub use curves::analysis;
pub use each_rollout::each_rollout;
pub use gate::gate;
pub use history::history;
pub use page::wrap;
pub use power::power;
pub use rows::rows;
pub use sequential::trajectory;
pub use summary::{summary, summary_as};
pub use sweep::sweep;
pub use terminal::{Color, Terminal};
pub use variance::variance;
