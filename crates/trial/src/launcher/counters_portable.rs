//! Elsewhere than on Linux nothing is counted by the processor for programs.

use fairtrial_model::HardwareCounter;
use std::collections::BTreeMap;
use std::io;

/// No counters.
#[derive(Debug, Default)]
pub(super) struct Counters;

impl Counters {
    /// Refuses what is wanted.
    pub(super) fn open(
        &mut self,
        wanted: &[HardwareCounter],
    ) -> Result<(), (HardwareCounter, io::Error)> {
        let first = wanted.first();
        first.map_or(Ok(()), |counter| {
            Err((*counter, io::ErrorKind::Unsupported.into()))
        })
    }

    /// Nothing.
    pub(super) fn since_last(&mut self, _: &[HardwareCounter]) -> BTreeMap<HardwareCounter, u64> {
        BTreeMap::new()
    }
}

/// Why this machine cannot count that.
pub fn cannot_count(_: HardwareCounter) -> Option<String> {
    Some("only Linux lets programs read the processor's counters".to_owned())
}
