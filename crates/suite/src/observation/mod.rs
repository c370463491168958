//! Agents on a grid that look around themselves: what observing costs, and what observations hold in memory.

pub(crate) mod flow;
pub(crate) mod perception;
pub(crate) mod storage;
pub(crate) mod world;

use fairtrial_experiment::{Better, Headline, Param};

/// What observing is about.
fn observes_per_sec() -> Headline {
    Headline::new("observes_per_sec", "1/s", Better::Up)
}

/// Where the work is done; there is one place, and specs of the original name it.
fn device() -> Param {
    Param::text("device", "cpu")
        .one_of(["cpu"])
        .doc("Where the work is done")
}
