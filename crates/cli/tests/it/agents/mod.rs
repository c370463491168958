//! Agent tasks as a user meets them: prepared directories, agents, sandboxes, scores, and scoring again.

mod attacks;
mod changed_tasks;
mod cleaning;
mod containers;
mod document;
mod example;
mod harbor;
mod images;
mod isolation;
mod judge;
pub(crate) mod lab;
mod live_workspaces;
mod making;
mod minimal;
mod newcomer;
mod outcomes;
mod pod;
mod sandboxes;
mod scoring;
mod setup;
mod soundness;
mod validity;
