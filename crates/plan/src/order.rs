//! In which order trials start.
//!
//! Blocks are the default: one seed across all arms, tasks and points, shuffled inside the block, so that drift of the
//! machine hits every arm alike and a run that is cut short still holds complete pairs.

use crate::design::Design;
use fairtrial_spec::Order;
use fairtrial_stats::rng::{Purpose, Stream};

/// The numbers of all trials in the order in which they start.
pub(crate) fn order(design: &Design) -> Vec<u32> {
    let mut numbers: Vec<u32> = (0..design.len()).collect();
    let seed = design.spec().order_seed;
    match design.spec().order {
        Order::Spec => {}
        Order::Blocks => {
            numbers.sort_by_key(|number| design.replicate(*number));
            let same_block =
                |left: &u32, right: &u32| design.replicate(*left) == design.replicate(*right);
            for (block, trials) in (0u64..).zip(numbers.chunk_by_mut(same_block)) {
                Stream::new(seed, Purpose::new("order"), block).shuffle(trials);
                trials.sort_by_key(|number| design.level(*number));
            }
        }
        Order::Random => {
            Stream::new(seed, Purpose::new("order"), 0).shuffle(&mut numbers);
            numbers.sort_by_key(|number| design.level(*number));
        }
    }
    numbers
}
