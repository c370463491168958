//! Any scheduler whose nodes share no disk with this machine: work goes to an object store before a submission, and what
//! nodes leave there is brought into the chunks' folders, where the rest of the controller finds it as ever.

mod fetch;
mod link;
mod stage;

pub(super) use link::Stored;
pub use stage::unique;

use super::contract::{Adopted, Batch, Engine, PlaceError, Probe, Sightings, StoreRef, Submitted};
use crate::chunk::ChunkDir;
use fairtrial_journal::RunDir;
use fairtrial_spec::{EngineKind, EngineSpec};
use fairtrial_store::{Patience, Store, StoreAddress, StoreError};
use rayon::prelude::*;
use std::sync::atomic::Ordering;

/// Where a run's nodes find their work, for those that see no folder of ours.
pub(super) fn reference(engine: &EngineSpec, run: &RunDir) -> Option<StoreRef> {
    let run = Batch::run_key(run);
    engine.store.clone().map(|url| StoreRef { url, run })
}

/// The same for a run that is only shown.
pub(super) fn shown(engine: &EngineSpec) -> Option<StoreRef> {
    let run = "ft-STAMP".to_owned();
    engine.store.clone().map(|url| StoreRef { url, run })
}

/// Why a spec's store cannot be one, without asking it. On this machine none is used.
pub fn unusable(engine: &EngineSpec) -> Option<StoreError> {
    if engine.kind == EngineKind::Local {
        return None;
    }
    let address = StoreAddress::parse(engine.store.as_ref()?);
    match address {
        Err(error) => Some(error),
        Ok(address) if !fairtrial_store::is_in_this_build(&address) => {
            let store = address.to_string();
            Some(StoreError::NotBuiltIn { store })
        }
        Ok(_) => None,
    }
}

/// Looks whether a store can be used from here: credentials, bucket, conditional writes, clock.
pub fn examine(url: &str) -> Result<(), StoreError> {
    let store = Store::open(url, Patience::Short)?;
    store.examine(&unique())
}

impl Engine for Stored {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn probe(&self) -> Result<Probe, PlaceError> {
        self.inner.probe()
    }

    fn rehearse(&self, batch: &Batch) -> Result<Option<String>, PlaceError> {
        // Only who begins a run asks this: who attends one needs no files, and shall leave nothing behind when killed.
        if !self.examined.swap(true, Ordering::Relaxed) {
            examine(&self.url)?;
            self.inputs()?;
        }
        self.inner.rehearse(batch)
    }

    fn preview(&self, batch: &Batch) -> Result<String, PlaceError> {
        self.inner.preview(batch)
    }

    fn submit(&self, batch: &Batch) -> Result<String, PlaceError> {
        self.stage(batch)?;
        fairtrial_journal::failpoint::hit("remote.after_stage");
        self.inner.submit(batch)
    }

    fn adopt(&self, key: &str) -> Result<Adopted, PlaceError> {
        self.inner.adopt(key)
    }

    fn poll(&self, batches: &[Submitted]) -> Result<Sightings, PlaceError> {
        self.inner.poll(batches)
    }

    fn second_look(&self, batches: &[(&Submitted, Vec<u64>)]) -> Result<Sightings, PlaceError> {
        self.inner.second_look(batches)
    }

    fn cancel(&self, batch: &Submitted, elements: Option<&[u64]>) -> Result<(), PlaceError> {
        self.inner.cancel(batch, elements)
    }

    fn announce_end(&self, batch: &Submitted, elements: &[u64]) -> Result<bool, PlaceError> {
        self.inner.announce_end(batch, elements)
    }

    fn collect(&self, batches: &[Submitted]) -> Result<(), PlaceError> {
        self.inner.collect(batches)?;
        self.fetch(batches)
    }

    fn collects(&self) -> bool {
        true
    }

    fn tell_nodes(&self, batch: &Submitted, elements: &[u64]) -> Result<(), PlaceError> {
        let (run, names) = self.run_of(batch)?;
        elements.par_iter().try_for_each(|element| {
            let number = batch.first + element;
            let Some(why) = ChunkDir::of(&run, number).revoked() else {
                return Ok(());
            };
            let text = serde_json::to_vec(&why).unwrap_or_default();
            Ok(self.store.put(&names.revoked(number), &text)?)
        })
    }

    fn lists_all(&self) -> bool {
        self.inner.lists_all()
    }

    fn hears_nodes(&self) -> bool {
        true
    }

    fn release(&self, batch: &Submitted, reason: &str) -> Option<String> {
        self.inner.release(batch, reason)
    }

    fn cancel_line(&self, batch: &Submitted, elements: &[u64]) -> Option<String> {
        self.inner.cancel_line(batch, elements)
    }

    fn log_tells_of_memory(&self, batch: &Submitted, element: u64) -> bool {
        self.inner.log_tells_of_memory(batch, element)
    }

    /// What the scheduler has, and else what the node left before it gave up.
    fn logs(&self, batch: &Submitted, element: u64) -> Result<String, PlaceError> {
        let there = self.inner.logs(batch, element);
        if there.as_ref().is_ok_and(|text| !text.trim().is_empty()) {
            return there;
        }
        match self.error_of(batch, element)? {
            Some(text) => Ok(text),
            None => there,
        }
    }

    fn cleanup(&self, batch: &Submitted) -> Result<(), PlaceError> {
        self.inner.cleanup(batch)?;
        self.sweep(batch)
    }
}
