//! Places many trials: a controller that decides what runs next, slots that run it, retries, budgets, and the end.
//!
//! The controller's rules live in [`dispatch`] without any process or file; [`local`] gives it slots on this machine.
//! Everything a person sees comes from [`RunEvent`]s; this crate prints nothing and knows no statistics.
#![forbid(unsafe_code)]

pub mod agent_tasks;
mod attempt;
mod attempt_id;
mod between;
mod capacity;
mod chunk;
mod code;
mod controller;
mod controls;
mod dispatch;
mod driver_line;
mod error;
mod events;
mod evidence;
mod exec;
mod experiment;
mod job;
mod measuring;
mod node_memory;
mod packing;
mod parts;
mod preflight;
mod prepare;
mod put_away;
mod rehearsal;
pub mod remote;
mod repeat_script;
mod request;
mod reuse;
mod rollout;
mod scoring;
mod session;
mod slots;
mod spending;
mod strays;
mod threads;
mod timed;
mod unchanged;
mod views;
mod warm_up;

pub use attempt_id::AttemptId;
pub use chunk::Owner;
pub use code::since::{CodeChange, OtherCode, Ran, code_since};
pub use code::watch::CodeNow;
pub use controls::Controls;
pub use error::EngineError;
pub use events::{Cap, Ending, JobGroup, RunEvent, StopReason};
pub use evidence::{Difference, Evidence, check_against, check_evidence};
pub use exec::stored::exec_stored;
pub use exec::stored_request::StoredExecRequest;
pub use exec::{ExecControls, ExecEnd, ExecRequest, exec};
pub use experiment::output_dir;
pub use measuring::{MeasureRequest, MetricRead, Remeasured, measure_again};
pub use preflight::{Missing, preflight};
pub use prepare::{sealed, write_plan};
pub use put_away::bring_back;
pub use rehearsal::{Printed, Rehearsal, Rehearsed};
pub use request::{Outputs, RunReport, RunRequest, Start, Stay, StopRule, Verbosity};
pub use reuse::{Looked, Reusable, reusable};
pub use rollout::{image_cache, task_cache};
pub use scoring::{Rescored, ScoreRequest, score_again};
pub use session::run;
pub use timed::run_beside;
