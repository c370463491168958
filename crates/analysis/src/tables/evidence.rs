//! Where the noise of a change comes from: repeated runs, episodes, counts, or a margin that was declared.
//!
//! Nothing is computed here. Each kind of evidence becomes trials of a [`Dataset`], and `compare` judges them as it
//! judges any other: seeds and episodes that both sides share are pairs, pass/fail goes by McNemar, counts by Newcombe and
//! Barnard, times by ratio, and the whole table is one family.

use crate::dataset::{Dataset, Fact, Origin};
use fairtrial_episode::EpisodeNumber;
use fairtrial_journal::observation::{Key, Metrics, Observation, Used};
use fairtrial_model::{Outcome, Params, Sha256};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Trials on each side from which on seeds are preferred to episodes.
const ENOUGH_TRIALS: usize = 3;

/// What is known about a side beyond its number.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evidence {
    /// The trials behind it.
    pub trials: Vec<TrialValue>,
    /// One number per episode, in the unit of the column, or 0 and 1 for a share.
    pub episodes: Vec<EpisodeNumber>,
    /// Of a share: how many episodes it is the share of.
    pub share_of: Option<u64>,
    /// What both sides should share (machine, commit).
    pub facts: Vec<Fact>,
}

/// One trial's number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrialValue {
    /// Its seed.
    pub seed: u64,
    /// Its repetition.
    pub rollout: u32,
    /// The number.
    pub value: f64,
}

/// Where the noise of a line came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Noise {
    /// Repeated runs or several seeds.
    Trials,
    /// Episodes of both sides.
    Episodes,
    /// A share and how many episodes it is of.
    Counts,
    /// A declared margin.
    Margin,
    /// A count has none.
    Exact,
    /// Nothing tells.
    Unknown,
}

/// The kinds of evidence that both sides have, the best first.
pub(crate) fn kinds(sides: [&Evidence; 2], timing: bool) -> Vec<Noise> {
    let both = |has: fn(&Evidence) -> bool| sides.iter().all(|side| has(side));
    let mut found = Vec::new();
    let several = both(|side| side.trials.len() >= 2);
    // How long an episode takes depends on the machine's day as a whole: episodes of one run are not repetitions.
    let episodes = !timing && both(|side| side.episodes.len() >= 2);
    if both(|side| side.trials.len() >= ENOUGH_TRIALS) || (several && !episodes) {
        found.push(Noise::Trials);
    }
    if episodes {
        found.push(Noise::Episodes);
    }
    if both(|side| side.share_of.is_some_and(|n| n > 0)) {
        found.push(Noise::Counts);
    }
    found
}

/// Which side of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    Baseline,
    Proposed,
}

/// A side's trials for `compare`: every experiment is a point.
pub(crate) struct Collector {
    pub(crate) data: Dataset,
    which: Which,
    metric: String,
    index: u64,
}

impl Collector {
    pub(crate) fn new(which: Which, metric: &str) -> Self {
        let label = match which {
            Which::Baseline => "baseline",
            Which::Proposed => "proposed",
        };
        Self {
            data: Dataset::new(label, Origin::Records),
            which,
            metric: metric.to_owned(),
            index: 0,
        }
    }

    /// Takes in the evidence of one experiment.
    pub(crate) fn take(&mut self, experiment: &str, evidence: &Evidence, kind: Noise, share: f64) {
        match kind {
            Noise::Trials => {
                for trial in &evidence.trials {
                    self.push(experiment, (trial.seed, trial.rollout), trial.value);
                }
            }
            Noise::Episodes => {
                for episode in &evidence.episodes {
                    let seed = seed_of(&episode.identity);
                    self.push(experiment, (seed, 0), episode.value);
                }
            }
            Noise::Counts => self.push_counts(experiment, evidence.share_of.unwrap_or(0), share),
            Noise::Margin | Noise::Exact | Noise::Unknown => {}
        }
    }

    /// As many passes as the share says. The sides' numbers differ, because nothing pairs them.
    fn push_counts(&mut self, experiment: &str, n: u64, share: f64) {
        let passed = (share * n as f64).round() as u64;
        let first = match self.which {
            Which::Baseline => 0,
            Which::Proposed => 1 << 62,
        };
        for place in 0..n {
            let value = f64::from(u8::from(place < passed));
            self.push(experiment, (first + place, 0), value);
        }
    }

    fn push(&mut self, experiment: &str, (seed, rollout): (u64, u32), value: f64) {
        let mut point = Params::new();
        point.set("experiment", experiment.into());
        self.data.push(&Observation {
            trial: Key {
                index: self.index,
                task: Cow::Borrowed("table"),
                arm: None,
                point,
                seed,
                rollout,
            },
            id: Cow::Borrowed(""),
            outcome: Outcome::Ok,
            resources: Used::default(),
            metrics: Metrics(vec![(Cow::Owned(self.metric.clone()), value)]),
            samples: std::collections::BTreeMap::new(),
            series: std::collections::BTreeMap::new(),
            facts: BTreeMap::default(),
            notes: Vec::new(),
            code: None,
            dir: Cow::default(),
            reused_from: None,
        });
        self.index += 1;
    }
}

/// A number for an episode that is the same on both sides and in every run.
fn seed_of(identity: &str) -> u64 {
    let hash = Sha256::digest(identity.as_bytes());
    let mut first = [0; 8];
    first.copy_from_slice(&hash[..8]);
    // Half of the range, away from the numbers of counts.
    u64::from_be_bytes(first) >> 2
}
