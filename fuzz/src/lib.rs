//! Broken input for every reader: no reader panics, hangs or fills the memory, whatever it is given.
//!
//! A target is a reader and files that it reads. Input number N of a target is one of its files, changed in ways that files
//! really break and in ways that only an attacker would think of; it depends on N alone. The same targets run as plain tests
//! (`tests/corpus.rs`) and for as long as asked (`cargo xtask fuzz`), there in processes with little memory and little time.
#![forbid(unsafe_code)]

mod agents;
mod change;
mod importers;
mod random;
mod targets;

pub use targets::{Target, targets};

use random::Random;
use std::panic::{AssertUnwindSafe, catch_unwind};

impl Target {
    /// Input number N.
    pub fn input(&self, number: u64) -> Vec<u8> {
        let mut random = Random::of(number);
        let file = random.below(self.files.len());
        change::changed(&self.files[file].1, &mut random)
    }

    /// Whether the reader survives an input, or how it failed.
    pub fn survives(&self, bytes: &[u8]) -> Result<(), String> {
        let read = catch_unwind(AssertUnwindSafe(|| (self.read)(bytes)));
        read.map_err(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|it| (*it).to_owned()));
            text.unwrap_or_else(|| "a panic without words".to_owned())
        })
    }
}
