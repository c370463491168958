//! What is known of each trial of a run, by its number. Memory is that of the trials that a journal tells of, not of the highest
//! number that one of its lines claims.

use fairtrial_model::Outcome;

/// Trials whose numbers stand together are kept together.
const PAGE: usize = 64;

/// One trial, folded.
///
/// The *effective* record is the finished record with the highest attempt number; of two for one attempt, the later
/// in the file. A late record of an older attempt stays in the journal and is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TrialState {
    /// Where the line of the effective record starts.
    pub(crate) offset: u64,
    pub(crate) len: u32,
    /// Highest attempt that was started.
    pub started: u32,
    /// Highest attempt that has a record; 0 means none.
    pub finished: u32,
    /// How the effective record ended.
    pub outcome: Option<Outcome>,
    /// How many attempts ended as a failure of the arm, which is what retries are counted by.
    pub arm_failures: u16,
    /// How many attempts ended without an answer since the user last started or resumed the run.
    pub unanswered: u8,
}

impl TrialState {
    /// Whether an attempt was started of which no record is known.
    pub fn is_in_flight(&self) -> bool {
        self.started > self.finished
    }

    /// Whether a resumed run leaves it as it is.
    pub fn is_done(&self) -> bool {
        self.outcome.is_some_and(Outcome::is_final)
    }

    /// The number for the next attempt.
    pub fn next_attempt(&self) -> u32 {
        self.started.max(self.finished).saturating_add(1)
    }
}

type Page = Box<[TrialState; PAGE]>;

/// The states by number.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct TrialStates {
    pages: Vec<Option<Page>>,
}

impl TrialStates {
    /// One; of which nothing is known, the default.
    pub(crate) fn get(&self, number: usize) -> TrialState {
        let page = self.pages.get(number / PAGE).and_then(Option::as_ref);
        page.map_or_else(TrialState::default, |page| page[number % PAGE])
    }

    /// One, to be changed.
    pub(crate) fn entry(&mut self, number: usize) -> &mut TrialState {
        let page = number / PAGE;
        if page >= self.pages.len() {
            self.pages.resize(page + 1, None);
        }
        let page = self.pages[page].get_or_insert_with(|| Box::new([TrialState::default(); PAGE]));
        &mut page[number % PAGE]
    }

    /// All in the order of their numbers; of some nothing may be known.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &TrialState)> {
        let pages = (0..).step_by(PAGE).zip(&self.pages);
        let there = pages.filter_map(|(first, page)| Some((first, page.as_ref()?)));
        there.flat_map(|(first, page)| (first..).zip(page.iter()))
    }

    /// All, to be changed.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut TrialState> {
        self.pages
            .iter_mut()
            .flatten()
            .flat_map(|page| page.iter_mut())
    }
}

#[cfg(test)]
mod tests {
    use super::{PAGE, TrialState, TrialStates};

    #[test]
    fn a_high_number_takes_one_page() {
        let mut states = TrialStates::default();
        states.entry((1 << 26) - 1).started = 2;
        states.entry(3).started = 1;
        assert_eq!(states.pages.iter().flatten().count(), 2);
        assert_eq!(states.get(3).started, 1);
        assert_eq!(states.get(4), TrialState::default());
        assert_eq!(states.get(PAGE * 9), TrialState::default());
        let started = states.iter().filter(|(_, state)| state.started > 0);
        let started: Vec<_> = started
            .map(|(number, state)| (number, state.started))
            .collect();
        assert_eq!(started, [(3, 1), ((1 << 26) - 1, 2)]);
        states.iter_mut().for_each(|state| state.started = 0);
        assert_eq!(states.get((1 << 26) - 1).started, 0);
    }
}
