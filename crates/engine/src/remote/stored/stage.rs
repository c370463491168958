//! What goes to the store before a submission, and what is removed after it.

use super::link::{Stored, lock};
use crate::between::{Names, RunObject, STORE_SCHEMA, inputs_folder, inputs_name};
use crate::chunk::ChunkDir;
use crate::remote::contract::{Batch, PlaceError, Submitted};
use fairtrial_journal::provenance::host_name;
use fairtrial_journal::{Durability, JournalError, RunDir, read_if_there, write_atomic_bytes};
use fairtrial_model::{Sha256, hex};
use fairtrial_store::Put;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// A text that nobody else makes.
pub fn unique() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let (now, process) = (now.unwrap_or_default().as_nanos(), std::process::id());
    let text = format!("{} {process} {now} {count}", host_name());
    hex(&Sha256::digest(text)[..16])
}

impl Stored {
    /// Puts everything there that the jobs of a batch will look for; may be done again.
    pub(super) fn stage(&self, batch: &Batch) -> Result<(), PlaceError> {
        let run = batch.plan.parent().and_then(RunDir::at);
        let no_run = || PlaceError::unfit(self.inner.name(), "the plan lies in no run");
        let run = run.ok_or_else(no_run)?;
        let names = Names::of(&Batch::run_key(&run));
        lock(&self.open).insert(batch.key.clone());
        let object = self.object_of(&run)?;
        self.bring_inputs(&object)?;
        let text = to_bytes(&object);
        if self.store.put_new(&names.run(), &text)? == Put::Taken {
            return Err(PlaceError::unfit(
                self.inner.name(),
                format!(
                    "{}/{} is another run's, which has the same path on another machine: choose another prefix for \
                     `engine.store`",
                    self.url,
                    names.run()
                ),
            ));
        }
        let chunks: Vec<u64> = batch.chunks.clone().collect();
        chunks.into_par_iter().try_for_each(|number| {
            let chunk = ChunkDir::of(&run, number).read()?;
            self.store.put(&names.work(number), &to_bytes(&chunk))?;
            Ok(())
        })
    }

    /// What all jobs of a run need. It is worked out at the first submission: later ones run with the same files.
    fn object_of(&self, run: &RunDir) -> Result<RunObject, PlaceError> {
        let path = note(run);
        if let Some(text) = read_if_there(&path)? {
            let known = serde_json::from_slice(&text);
            let damaged = |error: serde_json::Error| JournalError::Content {
                path: path.clone(),
                message: error.to_string(),
            };
            return Ok(known.map_err(damaged)?);
        }
        let (bytes, hash, base_dir) = self.packed()?;
        let object = RunObject {
            schema: STORE_SCHEMA,
            owner: unique(),
            run: run.relative(),
            plan: read(&run.plan())?,
            spec: read(&run.resolved_spec())?,
            inputs: hash,
            base_dir,
        };
        self.put_inputs(&object.inputs, &bytes)?;
        write_atomic_bytes(&path, Durability::Full, &to_bytes(&object))?;
        Ok(object)
    }

    /// The inputs of a run that began earlier, which a rule of the bucket may have removed.
    fn bring_inputs(&self, object: &RunObject) -> Result<(), PlaceError> {
        if self.has_inputs(&object.inputs)? {
            return Ok(());
        }
        let (bytes, hash, _) = self.packed()?;
        if hash != object.inputs {
            return Err(PlaceError::unfit(
                self.inner.name(),
                "the archive with this run's files is no more in the store, and the files have changed since: bring them \
                 back as they were, or start a new run",
            ));
        }
        self.put_inputs(&hash, &bytes)
    }

    fn packed(&self) -> Result<(Vec<u8>, String, String), PlaceError> {
        let inputs = self.inputs()?;
        let unfit = |error: crate::between::inputs::InputsError| {
            PlaceError::unfit(self.inner.name(), error.to_string())
        };
        let (bytes, hash) = inputs.pack().map_err(unfit)?;
        Ok((bytes, hash, inputs.base_dir))
    }

    fn has_inputs(&self, hash: &str) -> Result<bool, PlaceError> {
        Ok(!self.store.list(&inputs_folder(hash))?.is_empty())
    }

    fn put_inputs(&self, hash: &str, bytes: &[u8]) -> Result<(), PlaceError> {
        if !self.has_inputs(hash)? {
            // Who comes second writes the same bytes.
            self.store.put_new(&inputs_name(hash), bytes)?;
        }
        Ok(())
    }

    /// Removes what is in the store of a batch, and with its last batch the run itself.
    pub(super) fn sweep(&self, batch: &Submitted) -> Result<(), PlaceError> {
        if lock(&self.swept).contains(&batch.key) {
            return Ok(());
        }
        let (_, names) = self.run_of(batch)?;
        let found = self.store.list(&names.all())?;
        let own = batch.first..batch.first + batch.elements;
        let (mut going, mut staying) = (Vec::new(), Vec::new());
        for object in found {
            match names.read(&object.name) {
                Some((number, _)) if own.contains(&number) => going.push(object.name),
                _ => staying.push(object.name),
            }
        }
        // A list may lag behind: what is known to be there goes too. The work first, so that a job which is started again
        // meanwhile finds nothing to do.
        let known: Vec<String> = {
            let mut known = lock(&self.known);
            let of = |number| {
                known
                    .remove(&number)
                    .map(|known| known.names(&names, number))
            };
            own.clone().filter_map(of).flatten().collect()
        };
        let work: Vec<String> = own.map(|number| names.work(number)).collect();
        let mut going: BTreeSet<String> = going.into_iter().chain(known).collect();
        going.retain(|name| !work.contains(name));
        self.store.delete(&work)?;
        self.store.delete(&going.into_iter().collect::<Vec<_>>())?;
        let others = {
            let mut open = lock(&self.open);
            open.remove(&batch.key);
            !open.is_empty()
        };
        if !others && staying.iter().all(|name| *name == names.run()) {
            self.store.delete(&staying)?;
        }
        lock(&self.swept).insert(batch.key.clone());
        Ok(())
    }
}

/// Where a run keeps what it is in the store.
fn note(run: &RunDir) -> PathBuf {
    run.chunks().join("store.json")
}

fn read(path: &Path) -> Result<String, JournalError> {
    let io = |source| JournalError::Io {
        action: "read",
        path: path.to_owned(),
        source,
    };
    std::fs::read_to_string(path).map_err(io)
}

fn to_bytes(value: &impl serde::Serialize) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_default()
}
