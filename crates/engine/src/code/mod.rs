//! The code of trials: what it is now, and what changed since others ran.

mod below;
mod commit;
mod imports;
mod observed;
mod program;
mod python;
pub(crate) mod since;
pub(crate) mod watch;
