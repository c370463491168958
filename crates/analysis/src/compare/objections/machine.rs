//! A timing that was measured on two machines says nothing about the candidate.

use crate::compare::data::mismatch::Mismatch;
use crate::compare::method::kind::DataKind;
use crate::compare::objections::objection::{Objection, ObjectionKind};
use crate::dataset::FactKind;

/// Facts about a machine that change how fast it is.
const SPEED: [&str; 7] = [
    "host",
    "hostname",
    "cpu",
    "cores",
    "machine",
    "processor",
    "gpus",
];

/// In what the machines of a timing differ, unless that was accepted.
pub(crate) fn find(
    kind: DataKind,
    mismatches: &[Mismatch],
    accept: &[FactKind],
) -> Option<Objection> {
    if kind != DataKind::Timing || accept.contains(&FactKind::Machine) {
        return None;
    }
    let matters = |mismatch: &&Mismatch| {
        mismatch.kind == FactKind::Machine && SPEED.contains(&mismatch.name.as_str())
    };
    let mismatch = mismatches.iter().find(matters)?;
    Some(Objection::withholds(ObjectionKind::OtherMachine {
        name: mismatch.name.clone(),
        control: mismatch.control.clone(),
        candidate: mismatch.candidate.clone(),
    }))
}
