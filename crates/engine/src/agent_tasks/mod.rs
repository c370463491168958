//! The agent tasks of a spec before a run: what they hold, whether they can run here, and their baselines.

mod later;
mod reader;
mod ready;

pub use later::{ChangedTask, LaterTasks};
pub use reader::{CheckedTask, TaskReader};
pub use ready::{NotReady, lacking, make_ready, uses_containers};
