//! Records that were taken over from an earlier run, and what was added to them since.
//!
//! Whoever adds seeds after a verdict decides by the data when to stop, and no error rate accounts for that. Records of
//! unchanged trials beside new ones of another arm or task, or of trials that are run again, are no such look.

use super::Names;
use fairtrial_journal::observation::Observation;
use fairtrial_model::Outcome;
use std::collections::{BTreeMap, BTreeSet};

/// Where a record was made; what ran here comes after every run that it could be taken over from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Made {
    Before(String),
    Here,
}

/// Which arms every seed was run in, and where.
#[derive(Debug)]
pub(super) struct Reuse {
    /// Seed, number of the run that had it before, number of the arm. Nearly every run takes nothing over: until it is known
    /// that this one does, nothing is sorted.
    records: Vec<(u64, Option<u32>, u32)>,
    runs: Names<String>,
    arms: Names<String>,
}

impl Default for Reuse {
    fn default() -> Self {
        Self {
            records: Vec::new(),
            runs: Names::new(),
            arms: Names::new(),
        }
    }
}

impl Reuse {
    /// Takes in one record.
    pub(super) fn add(&mut self, observation: &Observation<'_>) {
        let made = match observation.reused_from.as_deref() {
            Some(origin) => {
                let run = origin.rsplit_once(" trial ").map_or(origin, |(run, _)| run);
                Some(self.runs.number(run, || run.to_owned()))
            }
            None if matches!(observation.outcome, Outcome::Cancelled | Outcome::Skipped) => return,
            None => None,
        };
        let arm = observation.trial.arm.as_deref().unwrap_or_default();
        let arm = self.arms.number(arm, || arm.to_owned());
        self.records.push((observation.trial.seed, made, arm));
    }

    /// The arms of every seed, by where they were run.
    fn seeds(&self) -> BTreeMap<u64, BTreeMap<Made, BTreeSet<u32>>> {
        let mut seeds: BTreeMap<u64, BTreeMap<Made, BTreeSet<u32>>> = BTreeMap::new();
        for (seed, run, arm) in &self.records {
            let made = run.map_or(Made::Here, |run| Made::Before(self.runs.get(run).clone()));
            let seed = seeds.entry(*seed).or_default();
            seed.entry(made).or_default().insert(*arm);
        }
        seeds
    }

    /// A warning where seeds were added to arms that could be compared before.
    pub(super) fn warning(&self, label: &str) -> Option<String> {
        self.runs.iter().next()?;
        let seeds = self.seeds();
        let looked_at = seeds.values().filter_map(comparable).min()?;
        let Made::Before(run) = looked_at else {
            return None;
        };
        // A seed belongs to the run that had it first, whatever was run again since.
        let firsts = seeds.values().filter_map(|made| made.keys().next());
        let added = firsts.filter(|made| *made > looked_at).count();
        let before = seeds.len() - added;
        (added > 0).then(|| {
            format!(
                "{label} adds {added} seeds to the {before} of {run}, whose records it takes over: who adds seeds after \
                 seeing a verdict gets a false one more often than the error rate says; only a run on new seeds keeps it"
            )
        })
    }
}

/// Since when a seed has records of several arms.
fn comparable(made: &BTreeMap<Made, BTreeSet<u32>>) -> Option<&Made> {
    let mut arms: BTreeSet<u32> = BTreeSet::new();
    let since = made.iter().find(|(_, own)| {
        arms.extend(own.iter());
        arms.len() > 1
    });
    since.map(|(made, _)| made)
}

#[cfg(test)]
mod tests {
    use super::Reuse;
    use fairtrial_journal::observation::Observation;

    /// A record of a seed and arm, taken over or not.
    fn add(reuse: &mut Reuse, seed: u64, arm: &str, outcome: &str, taken: bool) {
        let origin = if taken {
            r#","reused_from":"bench 20250824__12-34-56 trial 3""#
        } else {
            ""
        };
        let line = format!(
            r#"{{"trial":{{"index":0,"task":"t","arm":"{arm}","seed":{seed}}},"id":"x","outcome":"{outcome}"{origin}}}"#
        );
        let observation: Observation<'_> = serde_json::from_str(&line).unwrap();
        reuse.add(&observation);
    }

    #[test]
    fn seeds_that_are_added_after_a_look_are_told() {
        let mut reuse = Reuse::default();
        for arm in ["a", "b"] {
            add(&mut reuse, 1, arm, "ok", true);
            add(&mut reuse, 2, arm, "ok", false);
        }
        let warning = reuse.warning("bench 2").unwrap();
        assert!(
            warning.starts_with("bench 2 adds 1 seeds to the 1 of bench 20250824__12-34-56, whose"),
            "{warning}"
        );
    }

    #[test]
    fn taking_everything_over_once_more_hides_nothing() {
        let mut reuse = Reuse::default();
        for (seed, run) in [(1, "20250824__12-34-56"), (2, "20250825__12-34-56")] {
            for arm in ["a", "b"] {
                let line = format!(
                    r#"{{"trial":{{"index":0,"task":"t","arm":"{arm}","seed":{seed}}},"id":"x","outcome":"ok",
                    "reused_from":"bench {run} trial 3"}}"#
                );
                let observation: Observation<'_> = serde_json::from_str(&line).unwrap();
                reuse.add(&observation);
            }
        }
        assert!(reuse.warning("bench 3").is_some());
    }

    #[test]
    fn trials_that_changed_or_are_run_again_are_no_look() {
        // The candidate changed: its seeds are those of the control.
        let mut changed = Reuse::default();
        for seed in 0..3 {
            add(&mut changed, seed, "a", "ok", true);
            add(&mut changed, seed, "b", "ok", false);
        }
        assert_eq!(changed.warning("x"), None);
        // One trial of a pair is run again, another was never reached.
        let mut again = Reuse::default();
        add(&mut again, 1, "a", "ok", true);
        add(&mut again, 1, "b", "ok", true);
        add(&mut again, 2, "a", "ok", true);
        add(&mut again, 2, "b", "ok", false);
        add(&mut again, 3, "b", "cancelled", false);
        assert_eq!(again.warning("x"), None);
        // One arm alone was never compared.
        let mut pilot = Reuse::default();
        add(&mut pilot, 1, "a", "ok", true);
        add(&mut pilot, 2, "a", "ok", false);
        assert_eq!(pilot.warning("x"), None);
    }
}
