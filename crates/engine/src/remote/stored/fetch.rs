//! What nodes left in the store, brought into the chunks' folders.

use super::link::{Known, Stored, lock};
use crate::between::part::{self, Arrived};
use crate::between::{Kind, Names, Sign};
use crate::chunk::{Chunk, ChunkDir, Revoked};
use crate::remote::contract::{PlaceError, Submitted};
use fairtrial_journal::RunDir;
use fairtrial_store::StoredObject;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;

impl Stored {
    /// Brings what came since the last look. What cannot be brought now keeps none of the others back.
    pub(super) fn fetch(&self, batches: &[Submitted]) -> Result<(), PlaceError> {
        let mut failed = None;
        // All batches of a call are of one run.
        let Some(first) = batches.first() else {
            return Ok(());
        };
        let (run, names) = self.run_of(first)?;
        if !self.looked.swap(true, Ordering::Relaxed) {
            // An earlier controller was cut off while it took one.
            part::remove_unfinished(&run)?;
        }
        let mut by_chunk: BTreeMap<u64, Vec<(Kind, StoredObject)>> = BTreeMap::new();
        for found in self.store.list(&names.chunks())? {
            if let Some((number, kind)) = names.read(&found.name) {
                by_chunk.entry(number).or_default().push((kind, found));
            }
        }
        for batch in batches {
            lock(&self.open).insert(batch.key.clone());
            for number in batch.first..batch.first + batch.elements {
                let Some(objects) = by_chunk.get(&number) else {
                    continue;
                };
                if let Err(error) = self.fetch_chunk(&run, &names, number, objects) {
                    failed = failed.or(Some(error));
                }
            }
        }
        failed.map_or(Ok(()), Err)
    }

    fn fetch_chunk(
        &self,
        run: &RunDir,
        names: &Names,
        number: u64,
        objects: &[(Kind, StoredObject)],
    ) -> Result<(), PlaceError> {
        let dir = ChunkDir::of(run, number);
        if dir.revoked() == Some(Revoked::Closed) {
            return Ok(());
        }
        let started = |(kind, _): &(Kind, StoredObject)| matches!(kind, Kind::Claim(_));
        if !objects.iter().any(started) {
            return Ok(());
        }
        let chunk = dir.read()?;
        let mut known = lock(&self.known).remove(&number).unwrap_or_default();
        let fetched = self.fetch_new(run, names, (number, &chunk), objects, &mut known);
        // The sign of life last: one that says "ended" comes after the last record.
        let shown = fetched.and_then(|()| match known.signs.values().next_back() {
            Some(sign) if dir.beat().as_ref() != Some(&sign.beat) => {
                Ok(dir.write_beat(&sign.beat)?)
            }
            _ => Ok(()),
        });
        lock(&self.known).insert(number, known);
        shown
    }

    fn fetch_new(
        &self,
        run: &RunDir,
        names: &Names,
        (number, chunk): (u64, &Chunk),
        objects: &[(Kind, StoredObject)],
        known: &mut Known,
    ) -> Result<(), PlaceError> {
        let mut due: BTreeSet<(u32, u32)> = objects
            .iter()
            .filter_map(|(kind, _)| match kind {
                Kind::Part(start, part) => Some((*start, *part)),
                _ => None,
            })
            .collect();
        // A list may lag behind: whoever wrote its third part has written two before.
        for (start, part) in due.clone() {
            due.extend((0..part).map(|earlier| (start, earlier)));
        }
        for (start, part) in due {
            if known.taken.contains(&(start, part)) {
                continue;
            }
            let name = names.part(number, start, part);
            let Some(bytes) = self.store.get(&name)? else {
                return Err(self.not_yet(&name));
            };
            let arrived = Arrived::open(&bytes, run, number, chunk)?;
            arrived.bring_folders(run)?;
            let owner = arrived.sign.as_ref().map(|sign| &sign.beat.owner);
            arrived.take(&ChunkDir::of(run, number), owner)?;
            known.taken.insert((start, part));
            if let Some(sign) = arrived.sign {
                known.hear(start, sign);
            }
        }
        let newest = objects.iter().filter_map(|(kind, _)| match kind {
            Kind::Claim(start) => Some(*start),
            _ => None,
        });
        let newest = newest.max().unwrap_or(0);
        for (kind, found) in objects {
            let start = match kind {
                Kind::Beat(start) => *start,
                // Where something newer was heard, what it began with says nothing.
                Kind::Claim(start) if !known.signs.contains_key(start) => *start,
                _ => continue,
            };
            if start < newest || known.tags.get(&found.name) == Some(&found.tag) {
                continue;
            }
            let sign = self.store.get(&found.name)?;
            let sign = sign.and_then(|text| serde_json::from_slice::<Sign>(&text).ok());
            let Some(sign) = sign else { continue };
            // What it says of its end counts with the records from before.
            for part in 0..sign.parts {
                if !known.taken.contains(&(start, part)) {
                    return Err(self.not_yet(&names.part(number, start, part)));
                }
            }
            known.hear(start, sign);
            known.tags.insert(found.name.clone(), found.tag.clone());
        }
        Ok(())
    }

    fn not_yet(&self, name: &str) -> PlaceError {
        PlaceError::Answer {
            engine: self.inner.name(),
            message: format!("{}: `{name}` was written and is not shown yet", self.url),
        }
    }

    /// Why the last start of a chunk's job could not go on, where it said so.
    pub(super) fn error_of(
        &self,
        batch: &Submitted,
        element: u64,
    ) -> Result<Option<String>, PlaceError> {
        let (_, names) = self.run_of(batch)?;
        let number = batch.first + element;
        let errors = self.store.list(&names.chunk(number))?;
        let errors = errors.iter().filter_map(|found| {
            let (_, kind) = names.read(&found.name)?;
            matches!(kind, Kind::Error(_)).then_some((found.written, &found.name))
        });
        let Some((_, name)) = errors.max() else {
            return Ok(None);
        };
        let text = self.store.get(name)?;
        Ok(text.map(|text| String::from_utf8_lossy(&text).into_owned()))
    }
}
