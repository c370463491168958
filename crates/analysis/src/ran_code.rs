//! Which trials ran which code, and whether some ran another version of the same file than others: nobody can tell then
//! what a difference between them comes from.

use crate::trial_set::TrialSet;
use fairtrial_journal::observation::Observation;
use fairtrial_journal::{CodePart, CodeSet, CodeSets, RunDir};
use fairtrial_model::Code;
use fairtrial_text::count::first_of;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The different states of the code among the trials of a source, by number.
#[derive(Debug, Clone, Default)]
pub(crate) struct RanCode {
    states: Vec<State>,
    numbers: HashMap<Code, u32>,
}

#[derive(Debug, Clone)]
struct State {
    code: Code,
    sets: [CodeSet; CodePart::ALL.len()],
}

/// Trials that ran the same code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CodeGroup {
    /// Which.
    pub trials: TrialSet,
    /// The commit, and whether anything was changed since; absent where it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
}

/// Trials that ran different versions of the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CodeMixture {
    /// What differs: files, and packages with their versions.
    pub names: Vec<String>,
    /// The trials by what they ran.
    pub groups: Vec<CodeGroup>,
}

impl CodeMixture {
    /// What differs, and between which trials.
    pub fn sentence(&self) -> String {
        let group = |group: &CodeGroup| match &group.revision {
            None => format!("trials {}", group.trials),
            Some(revision) => format!("trials {} (commit {revision})", group.trials),
        };
        let groups: Vec<String> = self.groups.iter().map(group).collect();
        format!(
            "{} ran different versions of {}",
            groups.join(" and "),
            first_of(&self.names, 5)
        )
    }
}

impl RanCode {
    /// The number of a state; the same is given again for the same state.
    pub(crate) fn number(&mut self, code: &Code) -> u32 {
        if let Some(number) = self.numbers.get(code) {
            return *number;
        }
        let number = self.states.len() as u32;
        self.numbers.insert(code.clone(), number);
        self.states.push(State {
            code: code.clone(),
            sets: Default::default(),
        });
        number
    }

    /// Reads what a run keeps about the states that were seen.
    pub(crate) fn read_sets(&mut self, run: &RunDir) {
        let mut sets = CodeSets::of(run);
        for state in &mut self.states {
            for (part, set) in CodePart::ALL.iter().zip(&mut state.sets) {
                if let Some(hash) = part.of(&state.code) {
                    set.clone_from(sets.get(hash));
                }
            }
        }
    }

    /// The names of files that trials are known to have run, or that the spec watches.
    pub(crate) fn files(&self) -> impl Iterator<Item = &String> {
        let sets = self.states.iter().flat_map(|state| &state.sets);
        let parts = CodePart::ALL.iter().cycle().zip(sets);
        let files = parts.filter(|(part, _)| **part != CodePart::Packages);
        files.flat_map(|(_, set)| set.keys())
    }

    /// The commit of a state.
    pub(crate) fn commit(&self, number: u32) -> Option<&str> {
        self.states.get(number as usize)?.code.commit.as_deref()
    }

    /// The trials by commit, in the order of their first trials; nothing where no commit is known.
    pub(crate) fn by_commit(&self, trials: impl Iterator<Item = (u32, u64)>) -> Vec<CodeGroup> {
        let groups = self.grouped(trials, |state| state.code.revision());
        let known = groups.into_iter().filter(|group| group.revision.is_some());
        known.collect()
    }

    /// Whether trials of one task mix versions.
    pub(crate) fn mixture(
        &self,
        trials: impl Iterator<Item = (u32, u64)> + Clone,
    ) -> Option<CodeMixture> {
        let numbers: BTreeSet<u32> = trials.clone().map(|(number, _)| number).collect();
        let states = numbers
            .iter()
            .filter_map(|number| self.states.get(*number as usize));
        let mut names = BTreeSet::new();
        let mut before: Vec<&State> = Vec::new();
        for state in states {
            for other in &before {
                names.extend(differences(other, state));
            }
            // As many versions as this are a mixture in any case.
            if before.len() < MOST_COMPARED {
                before.push(state);
            }
        }
        if names.is_empty() {
            return None;
        }
        let groups = self.grouped(trials, |state| state.code.content());
        Some(CodeMixture {
            names: names.into_iter().collect(),
            groups,
        })
    }

    /// The trials by a key of their states.
    fn grouped<K: PartialEq>(
        &self,
        trials: impl Iterator<Item = (u32, u64)>,
        key: impl Fn(&State) -> K,
    ) -> Vec<CodeGroup> {
        let mut groups: Vec<(K, BTreeSet<String>, Vec<u64>)> = Vec::new();
        for (number, index) in trials {
            let Some(state) = self.states.get(number as usize) else {
                continue;
            };
            let own = key(state);
            let at = groups.iter().position(|(known, ..)| *known == own);
            let at = at.unwrap_or_else(|| {
                groups.push((own, BTreeSet::new(), Vec::new()));
                groups.len() - 1
            });
            groups[at].1.extend(state.code.revision());
            groups[at].2.push(index);
        }
        let groups = groups.into_iter();
        groups
            .map(|(_, revisions, trials)| CodeGroup {
                trials: trials.into_iter().collect(),
                revision: (!revisions.is_empty())
                    .then(|| revisions.into_iter().collect::<Vec<_>>().join(", ")),
            })
            .collect()
    }
}

/// What the trials of each task ran.
#[derive(Debug, Default)]
pub(crate) struct CodeByTask {
    code: RanCode,
    tasks: BTreeMap<String, Vec<(u32, u64)>>,
}

impl CodeByTask {
    /// Takes in one record.
    pub(crate) fn add(&mut self, observation: &Observation<'_>) {
        if let Some(code) = &observation.code {
            let number = self.code.number(code);
            let key = &observation.trial;
            if let Some(trials) = self.tasks.get_mut(&*key.task) {
                trials.push((number, key.index));
            } else {
                self.tasks
                    .insert(key.task.to_string(), vec![(number, key.index)]);
            }
        }
    }

    /// What the run mixes, in words; nothing where every task ran one version.
    pub(crate) fn words(mut self, run: &RunDir, accepted: bool) -> Option<String> {
        self.code.read_sets(run);
        let mixed = self.tasks.iter().filter_map(|(task, trials)| {
            let mixture = self.code.mixture(trials.iter().copied())?;
            Some(format!("{task}: {}", mixture.sentence()))
        });
        let mixed: Vec<String> = mixed.collect();
        let accepted = if accepted { ", as was accepted" } else { "" };
        (!mixed.is_empty()).then(|| format!("the run mixes code{accepted}: {}", mixed.join("; ")))
    }
}

/// States that every further one is compared with.
const MOST_COMPARED: usize = 50;

fn differences(one: &State, other: &State) -> Vec<String> {
    let mut names = Vec::new();
    for (part, (one, other)) in CodePart::ALL.iter().zip(one.sets.iter().zip(&other.sets)) {
        // A trial that does not say what it ran differs in nothing that is known.
        if part.decides() && !one.is_empty() && !other.is_empty() {
            names.extend(part.differences(one, other));
        }
    }
    names
}
