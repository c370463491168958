//! Counted memory against structures whose size is known. One test, because the whole process is counted.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use fairtrial_experiment::allocations::{Allocated, CountingAllocator, allocated};
use std::collections::HashMap;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn close<T>(make: impl Fn() -> T, computed: u64) {
    // The second is made of memory that the first gave back, which resident size does not show.
    for _ in 0..2 {
        let (value, found) = allocated(&make);
        drop(value);
        let Allocated { peak, kept } = found.unwrap();
        let share = kept as f64 / computed as f64;
        assert!((share - 1.0).abs() < 0.05, "{kept} of {computed}");
        assert!(peak >= kept, "{peak} {kept}");
    }
}

#[test]
fn known_structures_are_within_five_percent_of_their_size() {
    let n = 1000_u64;
    close(|| vec![[0.0_f64; 2]; n as usize], 16 * n);
    close(|| vec![0_u64; n as usize].into_boxed_slice(), 8 * n);
    // Boxes of 16 bytes each, and the list of them.
    close(
        || (0..n).map(|id| Box::new([id; 2])).collect::<Vec<_>>(),
        24 * n,
    );
    // A hash map of 1000 entries has 2048 places: a key and a value, and a byte for each.
    let map = || {
        (0..n)
            .map(|id| (id, [0.0_f64; 2]))
            .collect::<HashMap<_, _>>()
    };
    close(map, 2048 * 25);
    let ((), found) = allocated(|| drop(vec![0_u8; 1 << 20]));
    let Allocated { peak, kept } = found.unwrap();
    assert!(peak >= 1 << 20 && kept < 1 << 10, "{peak} {kept}");
}
