//! Assumption checks, computed and shown beside a result; they never decide whether it is shown.

mod levene;
mod one_way;
mod shapiro;

pub use levene::{Centre, Levene, levene};
pub use shapiro::{ShapiroWilk, shapiro_wilk};
