//! Pass/fail outcomes of two arms, paired by task or independent.

mod barnard;
mod difference;
mod fisher;
mod paired;
mod tango;
mod unconditional;

pub use barnard::{Barnard, barnard};
pub use difference::{DifferenceMethod, ProportionDifference, proportion_difference};
pub use fisher::{Fisher, StratifiedFisher, fisher, stratified_fisher};
pub use paired::{McNemar, McNemarMethod, PairedCounts, mcnemar};
pub use tango::{PairedDifference, PairedDifferenceMethod, paired_proportion_difference};
