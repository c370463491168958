//! A chunk on a node that shares no disk with the controller: its work and its files come from an object store, into a
//! folder of this job's own, and what it does goes back there.

use super::courier::Courier;
use super::stored_request::StoredExecRequest;
use super::{ExecControls, ExecEnd, ExecRequest, exec};
use crate::between::part::Arrived;
use crate::between::{Kind, Names, RunObject, STORE_SCHEMA, Sign, inputs_name};
use crate::chunk::{Beat, Chunk, ChunkDir, Phase};
use crate::error::EngineError;
use fairtrial_journal::{JournalError, RunDir};
use fairtrial_model::{Record, Sha256, hex};
use fairtrial_store::{Put, StoredObject, unpack};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// Runs a chunk whose work is in a store. `tell` gets every record that this process wrote.
pub fn exec_stored(
    request: &StoredExecRequest,
    controls: &ExecControls,
    tell: &mut dyn FnMut(&Record),
) -> Result<ExecEnd, EngineError> {
    let (store, number) = (&request.store, request.chunk);
    let names = Names::of(&request.run);
    let Some(object) = store.get(&names.run())? else {
        return Ok(ExecEnd::Nothing);
    };
    let object: RunObject = request.read(&names.run(), &object)?;
    let Some(work) = store.get(&names.work(number))? else {
        return Ok(ExecEnd::Nothing);
    };
    let chunk: Chunk = request.read(&names.work(number), &work)?;
    let Some(start) = request.claim(&names, chunk.beat_s)? else {
        return Ok(ExecEnd::Elsewhere);
    };
    let done = request.run_claimed(&names, start, &object, (&chunk, &work), controls, tell);
    if let Err(error) = &done {
        // Who reads it there may have no other word of this job.
        let _ = store.put(&names.error(number, start), error.to_string().as_bytes());
    }
    done
}

impl StoredExecRequest {
    fn refuse(&self, message: String) -> EngineError {
        EngineError::Refused {
            chunk: self.chunk,
            message,
        }
    }

    fn read<T: serde::de::DeserializeOwned>(
        &self,
        name: &str,
        text: &[u8],
    ) -> Result<T, EngineError> {
        serde_json::from_slice(text).map_err(|error| self.refuse(format!("`{name}`: {error}")))
    }

    /// Takes the chunk for this start of its job, unless another lives that has it; gives the number of the start.
    fn claim(&self, names: &Names, beat_s: f64) -> Result<Option<u32>, EngineError> {
        let mut start = 1;
        loop {
            let text = serde_json::to_vec(&self.first_sign()).unwrap_or_default();
            if self.store.put_new(&names.claim(self.chunk, start), &text)? == Put::Written {
                return Ok(Some(start));
            }
            let seen = self.look(names)?;
            let newest = seen.newest_start().max(start);
            if newest == start && !self.is_over(names, &seen, start, beat_s)? {
                return Ok(None);
            }
            start = newest.max(start) + u32::from(newest == start);
        }
    }

    fn first_sign(&self) -> Sign {
        Sign {
            beat: Beat {
                count: 0,
                phase: Phase::Running,
                owner: self.owner.clone(),
                running: None,
                done: 0,
            },
            parts: 0,
            nonce: self.nonce.clone(),
        }
    }

    /// Whether a start has left, or gave no sign for several beats.
    fn is_over(
        &self,
        names: &Names,
        seen: &Seen,
        start: u32,
        beat_s: f64,
    ) -> Result<bool, EngineError> {
        if self.has_left(names, seen, start)? {
            return Ok(true);
        }
        let wait = Duration::from_secs_f64(beat_s.max(0.1) * 3.0);
        let (began, step) = (Instant::now(), wait / 6);
        let before = seen.of(start);
        while began.elapsed() < wait {
            std::thread::sleep(step);
            let now = self.look(names)?;
            if now.newest_start() > start {
                return Ok(false);
            }
            if now.of(start) != before {
                return self.has_left(names, &now, start);
            }
        }
        Ok(true)
    }

    fn has_left(&self, names: &Names, seen: &Seen, start: u32) -> Result<bool, EngineError> {
        let Some(part) = seen.last_part(start) else {
            return Ok(false);
        };
        let Some(bytes) = self.store.get(&names.part(self.chunk, start, part))? else {
            return Ok(false);
        };
        let folder = tempfile::tempdir().map_err(|source| io("make", Path::new(""), source))?;
        let sign = crate::between::part::sign_of(&bytes, folder.path())?;
        Ok(sign.is_some_and(|sign| sign.beat.phase == Phase::Ended))
    }

    fn look(&self, names: &Names) -> Result<Seen, EngineError> {
        let found = self.store.list(&names.chunk(self.chunk))?;
        let kinds = found.into_iter().filter_map(|found| {
            let (_, kind) = names.read(&found.name)?;
            Some((found, kind))
        });
        Ok(Seen {
            objects: kinds.collect(),
        })
    }

    /// Runs the chunk as the start that has it.
    fn run_claimed(
        &self,
        names: &Names,
        start: u32,
        object: &RunObject,
        (chunk, work): (&Chunk, &[u8]),
        controls: &ExecControls,
        tell: &mut dyn FnMut(&Record),
    ) -> Result<ExecEnd, EngineError> {
        if object.schema != STORE_SCHEMA {
            return Err(self.refuse(format!(
                "the run's form in the store is {}, and this is fairtrial {} (form {STORE_SCHEMA}); use the same binary on \
                 every node (`engine.program`)",
                object.schema, self.version
            )));
        }
        let folder = tempfile::Builder::new().prefix("fairtrial-").tempdir();
        let folder = folder.map_err(|source| io("make", &std::env::temp_dir(), source))?;
        let run = self.lay_out(folder.path(), object, work)?;
        let dir = ChunkDir::of(&run, self.chunk);
        // Whoever took the chunk back before it was claimed left that before this look; who does it later sees the claim.
        let seen = self.look(names)?;
        if seen.is_revoked() || seen.newest_start() > start {
            return Ok(ExecEnd::Nothing);
        }
        self.fetch_earlier(names, &seen, (&run, &dir), chunk)?;
        let courier = Courier::new(self, names.clone(), start, (run.clone(), dir), chunk);
        let exec_request = ExecRequest {
            base_dir: Some(folder.path().join("inputs").join(&object.base_dir)),
            run,
            chunk: self.chunk,
            program: self.program.clone(),
            version: self.version.clone(),
            environment: self.environment.clone(),
            now: self.now,
            owner: self.owner.clone(),
        };
        std::thread::scope(|scope| {
            std::thread::Builder::new()
                .spawn_scoped(scope, || courier.keep_going())
                .map_err(EngineError::NoThread)?;
            let end = exec(&exec_request, controls, tell);
            courier.stop();
            // What was done counts, however it ended.
            courier.finish()?;
            end
        })
    }

    /// Makes the folders in which a node finds everything where it is used to find it.
    fn lay_out(
        &self,
        folder: &Path,
        object: &RunObject,
        work: &[u8],
    ) -> Result<RunDir, EngineError> {
        let inputs = folder.join("inputs");
        let name = inputs_name(&object.inputs);
        let bytes = self.store.get(&name)?;
        let bytes = bytes.ok_or_else(|| {
            self.refuse(format!("the archive with its files is not there: `{name}`"))
        })?;
        if hex(&Sha256::digest(&bytes)) != object.inputs {
            return Err(self.refuse(format!("`{name}` is damaged: its bytes have another hash")));
        }
        unpack(&bytes, &inputs)?;
        let path = folder.join("data").join(&object.run);
        let run =
            RunDir::at(&path).ok_or_else(|| self.refuse(format!("no run: {}", object.run)))?;
        let chunk = ChunkDir::of(&run, self.chunk);
        let files = [
            (run.plan(), object.plan.as_bytes()),
            (run.resolved_spec(), object.spec.as_bytes()),
            (chunk.path().join("chunk.json"), work),
        ];
        for (path, bytes) in files {
            let above = path.parent().unwrap_or(folder);
            let written = fs::create_dir_all(above).and_then(|()| fs::write(&path, bytes));
            written.map_err(|source| io("write", &path, source))?;
        }
        Ok(run)
    }

    /// What earlier starts did is done; what they began and did not record is lost, as `exec` finds by its folder.
    fn fetch_earlier(
        &self,
        names: &Names,
        seen: &Seen,
        (run, dir): (&RunDir, &ChunkDir),
        chunk: &Chunk,
    ) -> Result<(), EngineError> {
        let mut running = BTreeMap::new();
        for (start, part) in seen.parts() {
            let Some(bytes) = self.store.get(&names.part(self.chunk, start, part))? else {
                continue;
            };
            let arrived = Arrived::open(&bytes, run, self.chunk, chunk)?;
            arrived.take(dir, None)?;
            if let Some(sign) = arrived.sign {
                running.insert(start, sign.beat);
            }
        }
        for (found, kind) in &seen.objects {
            let Kind::Beat(start) = kind else { continue };
            let sign = self.store.get(&found.name)?;
            let sign = sign.and_then(|text| serde_json::from_slice::<Sign>(&text).ok());
            let Some(Sign { beat, .. }) = sign else {
                continue;
            };
            let newer = running
                .get(start)
                .is_none_or(|known: &Beat| known.count < beat.count);
            if newer {
                running.insert(*start, beat);
            }
        }
        for id in running.into_values().filter_map(|beat| beat.running) {
            let dir = run.trial_dir(id.index, id.attempt);
            fs::create_dir_all(&dir).map_err(|source| io("make", &dir, source))?;
        }
        Ok(())
    }
}

/// The objects of a chunk.
pub(super) struct Seen {
    objects: Vec<(StoredObject, Kind)>,
}

impl Seen {
    fn newest_start(&self) -> u32 {
        let starts = self.objects.iter().filter_map(|(_, kind)| match kind {
            Kind::Claim(start) => Some(*start),
            _ => None,
        });
        starts.max().unwrap_or(0)
    }

    fn is_revoked(&self) -> bool {
        let mut kinds = self.objects.iter();
        kinds.any(|(_, kind)| *kind == Kind::Revoked)
    }

    /// The parts of all starts, in order.
    fn parts(&self) -> Vec<(u32, u32)> {
        let parts = self.objects.iter().filter_map(|(_, kind)| match kind {
            Kind::Part(start, part) => Some((*start, *part)),
            _ => None,
        });
        let mut parts: Vec<(u32, u32)> = parts.collect();
        parts.sort_unstable();
        parts
    }

    fn last_part(&self, of: u32) -> Option<u32> {
        let parts = self.parts().into_iter();
        parts
            .filter(|(start, _)| *start == of)
            .map(|(_, part)| part)
            .next_back()
    }

    /// What a start has written, and how it is tagged.
    fn of(&self, of: u32) -> Vec<(String, String)> {
        let own =
            |kind: &Kind| matches!(kind, Kind::Beat(start) | Kind::Part(start, _) if *start == of);
        let objects = self.objects.iter().filter(|(_, kind)| own(kind));
        let mut seen: Vec<_> = objects
            .map(|(found, _)| (found.name.clone(), found.tag.clone()))
            .collect();
        seen.sort();
        seen
    }
}

pub(super) fn io(action: &'static str, path: &Path, source: std::io::Error) -> EngineError {
    let path = path.to_owned();
    EngineError::Journal(JournalError::Io {
        action,
        path,
        source,
    })
}
