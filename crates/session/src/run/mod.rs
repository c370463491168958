//! One run from its options to its result.

mod attend;
mod cancel;
mod code;
mod conclude;
mod confirm;
mod execute;
mod experiment_files;
mod finish;
pub(crate) mod hooks;
mod kept_caps;
mod options;
mod pause;
mod prepare;
mod preview;
mod remarks;
pub(crate) mod result;
mod reuse;
mod start;
mod status;
pub(crate) mod stopping_rule;
mod wait;

pub(crate) use attend::state as state_of;
pub use cancel::{CancelWait, Cancelled};
pub use options::{ResumeSpec, RunOptions, StartFrom};
pub use prepare::PreparedRun;
pub use preview::{KeptTrials, RunPreview};
pub use result::{ConfirmedBy, RunEnd, RunResult};
pub use status::{Glance, RunStanding};
pub use stopping_rule::{Looks, Until};
