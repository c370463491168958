//! What passes through an object store between the controller and nodes that share no disk with it: the names of objects,
//! and what is in them.
//!
//! A chunk has one object with its work, and each start of its job takes the next number by [`Names::claim`], which only
//! one of two can have. All that a start leaves has its number in the name, is written by it alone, and but for the
//! heartbeat never over something else.

pub(crate) mod inputs;
pub(crate) mod part;

use crate::chunk::Beat;
use serde::{Deserialize, Serialize};

/// Version of these forms: a binary of another form refuses them.
pub(crate) const STORE_SCHEMA: u32 = 1;

/// Most bytes of one trial's files that travel. Larger ones belong into a store of the user's.
pub(crate) const MOST_OF_A_TRIAL: u64 = 1 << 30;

/// What all jobs of a run need.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RunObject {
    pub(crate) schema: u32,
    /// Made up for this run: another folder of the same path and second has another one.
    pub(crate) owner: String,
    /// Its folder below a data folder.
    pub(crate) run: String,
    /// The text of `plan.json`.
    pub(crate) plan: String,
    /// The text of `spec.resolved.json`.
    pub(crate) spec: String,
    /// The hash of the archive with the files that trials work with.
    pub(crate) inputs: String,
    /// The spec's folder in it.
    pub(crate) base_dir: String,
}

/// What a start says when it takes a chunk, and how its heartbeat is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Sign {
    pub(crate) beat: Beat,
    /// Parts that it has written before.
    pub(crate) parts: u32,
    /// No other start writes the same.
    pub(crate) nonce: String,
}

/// Names of a run's objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Names {
    run: String,
}

impl Names {
    pub(crate) fn of(run: &str) -> Self {
        Self {
            run: run.to_owned(),
        }
    }

    /// All objects of the run.
    pub(crate) fn all(&self) -> String {
        format!("{}/", self.run)
    }

    pub(crate) fn run(&self) -> String {
        format!("{}/run.json", self.run)
    }

    pub(crate) fn chunks(&self) -> String {
        format!("{}/chunks/", self.run)
    }

    pub(crate) fn chunk(&self, number: u64) -> String {
        format!("{}/chunks/{number}/", self.run)
    }

    pub(crate) fn work(&self, number: u64) -> String {
        format!("{}chunk.json", self.chunk(number))
    }

    pub(crate) fn revoked(&self, number: u64) -> String {
        format!("{}revoked", self.chunk(number))
    }

    /// Taken by one start of the chunk's job.
    pub(crate) fn claim(&self, number: u64, start: u32) -> String {
        format!("{}claim-{start}", self.chunk(number))
    }

    pub(crate) fn beat(&self, number: u64, start: u32) -> String {
        format!("{}beat-{start}", self.chunk(number))
    }

    /// Why a start could not go on, in words.
    pub(crate) fn error(&self, number: u64, start: u32) -> String {
        format!("{}error-{start}", self.chunk(number))
    }

    pub(crate) fn part(&self, number: u64, start: u32, part: u32) -> String {
        format!("{}part-{start}-{part}.tar.gz", self.chunk(number))
    }

    /// The chunk and the kind of an object of this run.
    pub(crate) fn read(&self, name: &str) -> Option<(u64, Kind)> {
        let (chunk, rest) = name.strip_prefix(&self.chunks())?.split_once('/')?;
        Some((chunk.parse().ok()?, Kind::of(rest)?))
    }
}

/// What an object of a chunk is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Work,
    Revoked,
    Claim(u32),
    Beat(u32),
    Error(u32),
    Part(u32, u32),
}

impl Kind {
    fn of(name: &str) -> Option<Self> {
        let after = |start: &str| name.strip_prefix(start)?.parse().ok();
        let part = || {
            let numbers = name.strip_prefix("part-")?.strip_suffix(".tar.gz")?;
            let (start, part) = numbers.split_once('-')?;
            Some(Self::Part(start.parse().ok()?, part.parse().ok()?))
        };
        match name {
            "chunk.json" => Some(Self::Work),
            "revoked" => Some(Self::Revoked),
            _ => after("claim-")
                .map(Self::Claim)
                .or_else(|| after("beat-").map(Self::Beat))
                .or_else(|| after("error-").map(Self::Error))
                .or_else(part),
        }
    }
}

/// The name of the archive with a run's inputs, which runs with the same files share.
pub(crate) fn inputs_name(hash: &str) -> String {
    format!("{}files.tar.gz", inputs_folder(hash))
}

/// What only that archive's name begins with.
pub(crate) fn inputs_folder(hash: &str) -> String {
    format!("inputs/{hash}/")
}

#[cfg(test)]
mod tests {
    use super::{Kind, Names};

    #[test]
    fn names_say_what_objects_are() {
        let names = Names::of("ft-1");
        for (name, kind) in [
            (names.work(7), Kind::Work),
            (names.revoked(7), Kind::Revoked),
            (names.claim(7, 2), Kind::Claim(2)),
            (names.beat(7, 2), Kind::Beat(2)),
            (names.error(7, 2), Kind::Error(2)),
            (names.part(7, 2, 3), Kind::Part(2, 3)),
        ] {
            assert_eq!(names.read(&name), Some((7, kind)), "{name}");
        }
        let others = ["ft-1/run.json", "ft-2/chunks/7/revoked", "ft-1/chunks/7/x"];
        assert!(others.iter().all(|name| names.read(name).is_none()));
    }
}
