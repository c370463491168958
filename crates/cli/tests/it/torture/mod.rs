//! Torture of the built binary: controllers, launchers and trials are killed, disks fill up, clocks step back, and
//! after each of these the run must be whole. The journal is read here by a reader of the test's own.
//!
//! Every random choice comes from one seed, printed on failure: `FAIRTRIAL_TORTURE_SEED` repeats it.
//! `FAIRTRIAL_TORTURE_ROUNDS` is how often the random cases are played; `cargo xtask torture` sets it high.
#![cfg(target_os = "linux")]

mod archived;
mod audit;
mod checkpoints;
mod clock;
mod commands;
mod control;
mod crash;
mod disk;
mod ends;
mod faults;
mod journal;
mod lab;
mod limits;
mod order;
mod packed;
pub(crate) mod poor_system;
mod processes;
mod queue;
mod reuse;
