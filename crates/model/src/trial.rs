//! What a trial is: its place in the design, and the content identity that decides whether a record still answers it.

use crate::params::Params;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Version of the rules by which [`Identity`] is built; part of the hash.
pub const IDENTITY_VERSION: u32 = 1;

/// Hash of everything that matters to a trial's result, 32 hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TrialId(pub String);

impl TrialId {
    /// The first eight digits, enough for a person.
    pub fn short(&self) -> &str {
        self.0.get(..8).unwrap_or(&self.0)
    }
}

impl fmt::Display for TrialId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Where a trial stands in the design.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialKey {
    /// Place in the run's order, from 0; names the trial's directory.
    pub index: u64,
    /// The task's id.
    pub task: String,
    /// The arm's name; absent where the spec compares nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arm: Option<String>,
    /// The sweep point.
    #[serde(default, skip_serializing_if = "Params::is_empty")]
    pub point: Params,
    /// The seed.
    pub seed: u64,
    /// The repetition under one seed, from 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rollout: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_zero(value: &u32) -> bool {
    *value == 0
}

impl TrialKey {
    /// The seed that the trial itself is given. Repetitions under one seed have their own, or they would repeat nothing; the
    /// same repetition of two arms has the same one, so that pairs stay pairs. The first has the seed itself; the others
    /// are below 2^31, which every program can take.
    pub fn own_seed(&self) -> u64 {
        if self.rollout == 0 {
            return self.seed;
        }
        // The finaliser of splitmix64.
        let step = u64::from(self.rollout).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut z = self.seed.wrapping_add(step);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) >> 33
    }

    /// A short name for people: `train · candidate · lr=0.001 · seed 1072`.
    pub fn label(&self) -> TrialLabel<'_> {
        TrialLabel(self)
    }
}

/// Displays a [`TrialKey`] in one line.
#[derive(Debug, Clone, Copy)]
pub struct TrialLabel<'a>(&'a TrialKey);

impl fmt::Display for TrialLabel<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.task)?;
        if let Some(arm) = &self.0.arm {
            write!(f, " · {arm}")?;
        }
        if !self.0.point.is_empty() {
            write!(f, " · {}", self.0.point)?;
        }
        write!(f, " · seed {}", self.0.seed)?;
        if self.0.rollout > 0 {
            write!(f, " · rollout {}", self.0.rollout)?;
        }
        Ok(())
    }
}

/// The named fields that a [`TrialId`] is the hash of, in a fixed order, so that a change can be explained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity(pub Vec<(&'static str, String)>);

impl Identity {
    /// The fields in which two identities differ: name, value here, value there.
    pub fn differences<'a>(&'a self, other: &'a Self) -> Vec<(&'static str, &'a str, &'a str)> {
        let mut found = Vec::new();
        for (name, value) in &self.0 {
            let theirs = other.field(name).unwrap_or("");
            if theirs != value {
                found.push((*name, value.as_str(), theirs));
            }
        }
        for (name, value) in &other.0 {
            if self.field(name).is_none() && !value.is_empty() {
                found.push((*name, "", value.as_str()));
            }
        }
        found
    }

    fn field(&self, wanted: &str) -> Option<&str> {
        let found = self.0.iter().find(|(name, _)| *name == wanted);
        found.map(|(_, value)| value.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::{Identity, TrialKey};
    use crate::params::Params;

    #[test]
    fn every_rollout_of_a_seed_has_a_seed_of_its_own_which_the_arms_share() {
        let of = |arm: &str, seed: u64, rollout: u32| {
            let key = TrialKey {
                index: 0,
                task: "solve".to_owned(),
                arm: Some(arm.to_owned()),
                point: Params::new(),
                seed,
                rollout,
            };
            key.own_seed()
        };
        assert_eq!(of("control", 1072, 0), 1072);
        let mut seen: Vec<u64> = (0..50)
            .flat_map(|rollout| [of("control", 1072, rollout), of("control", 2043, rollout)])
            .collect();
        assert!(seen.iter().all(|seed| *seed < 1 << 31));
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 100);
        assert_eq!(of("control", 1072, 7), of("candidate", 1072, 7));
    }

    #[test]
    fn differences_name_the_field_on_both_sides() {
        let old = Identity(vec![("command", "a".into()), ("timeout", "60".into())]);
        let new = Identity(vec![("command", "b".into()), ("memory", "1".into())]);
        assert_eq!(
            new.differences(&old),
            [
                ("command", "b", "a"),
                ("memory", "1", ""),
                ("timeout", "", "60")
            ]
        );
        assert!(old.differences(&old).is_empty());
    }
}
