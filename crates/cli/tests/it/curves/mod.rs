//! What verdicts about curves are made of: numbers that mean what their metric says, over the same part of every curve,
//! with one number per seed. The runs and tables here once turned verdicts round.

pub(crate) mod lab;
mod packed;
mod runs;
mod step_names;
mod steps;
mod units;
mod windows;
