//! Which of SkyPilot's jobs is which element of a batch. The jobs of a launch are numbered in the order of their ranks:
//! that is settled once, when all of them are first seen, and written down, because a queue that leaves out a row would
//! else give its place to the next one.

use super::queue::Row;
use crate::remote::contract::{JobState, PlaceError, Sightings, Submitted};
use fairtrial_journal::{Durability, read_if_there, write_atomic_bytes};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;

/// What is known of jobs.
#[derive(Default)]
pub(super) struct Jobs {
    /// Ids by key, in the order of elements.
    ranks: HashMap<String, Vec<u64>>,
    /// By key and id, as the queue last showed them.
    states: HashMap<String, BTreeMap<u64, JobState>>,
    /// Those whose logs were read after their end.
    read: HashSet<u64>,
}

impl Jobs {
    /// Takes what the queue says of a batch.
    pub(super) fn sight(
        &mut self,
        batch: &Submitted,
        rows: &[Row],
        seen: &mut Sightings,
    ) -> Result<(), PlaceError> {
        let own = rows.iter().filter(|row| row.name == batch.key);
        let shown: BTreeMap<u64, JobState> = own.map(|row| (row.id, row.state.clone())).collect();
        let known = self.states.entry(batch.key.clone()).or_default();
        known.extend(shown.clone());
        self.settle(batch, &shown)?;
        let place = |element| (batch.key.clone(), element);
        if let Some(ids) = self.ranks.get(&batch.key) {
            for (element, id) in (0..).zip(ids) {
                if let Some(state) = shown.get(id) {
                    seen.insert(place(element), state.clone());
                }
            }
        } else if shown.values().any(|state| !state.is_over()) {
            // Some of them live, and which is not known: nothing is decided about any.
            seen.extend(
                (0..batch.elements)
                    .map(|element| (place(element), JobState::Pending(String::new()))),
            );
        }
        seen.retain(|_, state| *state != JobState::Missing);
        Ok(())
    }

    /// Finds out which job is which element, where that is not known: as written down, or from a queue that shows all.
    fn settle(
        &mut self,
        batch: &Submitted,
        shown: &BTreeMap<u64, JobState>,
    ) -> Result<(), PlaceError> {
        if self.ranks.contains_key(&batch.key) {
            return Ok(());
        }
        let elements = usize::try_from(batch.elements).unwrap_or(usize::MAX);
        let file = file_of(batch);
        let written = read_if_there(&file)?;
        let written = written.and_then(|text| serde_json::from_slice::<Vec<u64>>(&text).ok());
        if let Some(ids) = written.filter(|ids| ids.len() == elements) {
            self.ranks.insert(batch.key.clone(), ids);
        } else if shown.len() >= elements {
            let ids: Vec<u64> = shown.keys().copied().take(elements).collect();
            let text = serde_json::to_vec(&ids).unwrap_or_default();
            write_atomic_bytes(&file, Durability::Content, &text)?;
            self.ranks.insert(batch.key.clone(), ids);
        }
        Ok(())
    }

    pub(super) fn id(&self, batch: &Submitted, element: u64) -> Option<u64> {
        let place = usize::try_from(element).ok()?;
        self.ranks.get(&batch.key)?.get(place).copied()
    }

    /// Jobs of a batch that are not known to be over; of these elements, where it is known which they are.
    pub(super) fn living(&self, batch: &Submitted, elements: Option<&[u64]>) -> Vec<String> {
        let states = self.states.get(&batch.key);
        let ranks = self.ranks.get(&batch.key);
        let over = |id: &u64| {
            let state = states.and_then(|states| states.get(id));
            state.is_some_and(JobState::is_over)
        };
        let ids: Vec<u64> = match (elements, ranks) {
            (Some(elements), _) => {
                let ids = elements.iter();
                ids.filter_map(|element| self.id(batch, *element)).collect()
            }
            (None, Some(ids)) => ids.clone(),
            (None, None) => states
                .into_iter()
                .flat_map(BTreeMap::keys)
                .copied()
                .collect(),
        };
        let living = ids.iter().filter(|id| !over(id));
        living.map(u64::to_string).collect()
    }

    /// Jobs of a batch that are over and whose logs were not read.
    pub(super) fn unread(&self, batch: &Submitted) -> Vec<u64> {
        let states = self.states.get(&batch.key).into_iter().flatten();
        let over = states.filter(|(id, state)| state.is_over() && !self.read.contains(id));
        over.map(|(id, _)| *id).collect()
    }

    pub(super) fn was_read(&mut self, id: u64) {
        self.read.insert(id);
    }
}

/// Where the ids of a batch's jobs are kept.
fn file_of(batch: &Submitted) -> PathBuf {
    batch.folder.join(format!("{}.jobs", batch.key))
}

#[cfg(test)]
mod tests {
    use super::{Jobs, Row};
    use crate::remote::contract::{JobState, Sightings, Submitted};

    fn sighted(jobs: &mut Jobs, batch: &Submitted, rows: &[(u64, JobState)]) -> Vec<String> {
        let row = |(id, state): &(u64, JobState)| Row {
            id: *id,
            name: batch.key.clone(),
            state: state.clone(),
        };
        let rows: Vec<Row> = rows.iter().map(row).collect();
        let mut seen = Sightings::new();
        jobs.sight(batch, &rows, &mut seen).unwrap();
        let words = seen.iter();
        words
            .map(|((_, element), state)| format!("{element} {}", state.word()))
            .collect()
    }

    #[test]
    fn a_row_that_is_not_shown_gives_its_place_to_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let batch = Submitted {
            key: "ft-1".to_owned(),
            handle: Some("ft-1".to_owned()),
            first: 0,
            elements: 3,
            folder: folder.path().to_owned(),
        };
        let (runs, done) = (JobState::Running, JobState::Done);
        let part = [(8, runs.clone()), (9, done.clone())];
        let mut jobs = Jobs::default();
        // Nothing is known of which is which before all were seen, and what is done has left its records all the same.
        assert_eq!(
            sighted(&mut jobs, &batch, &part),
            ["0 pending", "1 pending", "2 pending"]
        );
        assert_eq!(jobs.unread(&batch), [9]);
        assert_eq!(jobs.living(&batch, None), ["8"]);
        let all = [(7, runs.clone()), (8, runs), (9, done)];
        assert_eq!(
            sighted(&mut jobs, &batch, &all),
            ["0 running", "1 running", "2 done"]
        );
        // The same for a controller that comes later.
        for jobs in [&mut jobs, &mut Jobs::default()] {
            assert_eq!(sighted(jobs, &batch, &part), ["1 running", "2 done"]);
            assert_eq!(jobs.living(&batch, Some(&[0, 2])), ["7"]);
        }
    }
}
