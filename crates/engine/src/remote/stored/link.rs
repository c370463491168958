//! A scheduler, the store between it and its nodes, and what is known of both.

use crate::between::inputs::Inputs;
use crate::between::{Names, Sign};
use crate::remote::contract::{Batch, Engine, PlaceError, Submitted};
use fairtrial_journal::RunDir;
use fairtrial_spec::Spec;
use fairtrial_store::{Patience, Store};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A scheduler with a store between.
pub(in crate::remote) struct Stored {
    pub(super) inner: Box<dyn Engine>,
    pub(super) url: String,
    pub(super) store: Store,
    pub(super) base_dir: PathBuf,
    pub(super) carry: Vec<String>,
    /// The folder with results, which is no input.
    pub(super) data: PathBuf,
    pub(super) known: Mutex<BTreeMap<u64, Known>>,
    /// Whether the store and the inputs were looked at.
    pub(super) examined: AtomicBool,
    /// Whether it was fetched from before.
    pub(super) looked: AtomicBool,
    /// Batches that may have jobs.
    pub(super) open: Mutex<BTreeSet<String>>,
    /// Batches of which nothing is left in the store.
    pub(super) swept: Mutex<BTreeSet<String>>,
}

impl Stored {
    /// Puts a store between a scheduler and its nodes. `folder` is where runs lie.
    pub(in crate::remote) fn over(
        inner: Box<dyn Engine>,
        url: &str,
        spec: &Spec,
        folder: &Path,
    ) -> Result<Self, PlaceError> {
        Ok(Self {
            inner,
            url: url.to_owned(),
            store: Store::open(url, Patience::Long)?,
            base_dir: PathBuf::from(&spec.base_dir),
            carry: spec.engine.carry.clone(),
            data: folder.parent().unwrap_or(folder).to_owned(),
            known: Mutex::default(),
            examined: AtomicBool::new(false),
            looked: AtomicBool::new(false),
            open: Mutex::default(),
            swept: Mutex::default(),
        })
    }

    pub(super) fn inputs(&self) -> Result<Inputs, PlaceError> {
        let found = Inputs::find(&self.base_dir, &self.carry, &self.data);
        found.map_err(|error| PlaceError::unfit(self.inner.name(), error.to_string()))
    }

    /// The run of a submission, and the names of its objects.
    pub(super) fn run_of(&self, batch: &Submitted) -> Result<(RunDir, Names), PlaceError> {
        let run = batch.folder.parent().and_then(RunDir::at);
        let no_run = || PlaceError::unfit(self.inner.name(), "the chunks lie in no run");
        let run = run.ok_or_else(no_run)?;
        let names = Names::of(&Batch::run_key(&run));
        Ok((run, names))
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is known of a chunk's objects.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// Parts that were taken, by start and number.
    pub(super) taken: BTreeSet<(u32, u32)>,
    /// The last sign of life of each start, and how the object was tagged that it came from.
    pub(super) signs: BTreeMap<u32, Sign>,
    pub(super) tags: BTreeMap<String, String>,
}

impl Known {
    /// The names of the objects that are known of.
    pub(super) fn names(&self, names: &Names, number: u64) -> Vec<String> {
        let starts = self
            .signs
            .keys()
            .flat_map(|start| [names.claim(number, *start), names.beat(number, *start)]);
        let parts = self.taken.iter();
        let parts = parts.map(|(start, part)| names.part(number, *start, *part));
        starts.chain(parts).collect()
    }

    pub(super) fn hear(&mut self, start: u32, sign: Sign) {
        let newer = |known: &Sign| known.beat.count <= sign.beat.count;
        if self.signs.get(&start).is_none_or(newer) {
            self.signs.insert(start, sign);
        }
    }
}
