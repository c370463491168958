//! One file per command, its arguments on top.

pub(crate) mod analyze;
mod attend;
pub(crate) mod cancel;
pub(crate) mod check;
mod choices;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod exec;
pub(crate) mod init;
pub(crate) mod list;
mod list_experiments;
pub(crate) mod logs;
pub(crate) mod plan;
pub(crate) mod power;
pub(crate) mod run;
pub(crate) mod schema;
mod select;
pub(crate) mod status;
pub(crate) mod summarize;
pub(crate) mod sweep;
pub(crate) mod variance;
pub(crate) mod wait;
