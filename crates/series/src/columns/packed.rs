//! The columns of one curve.

use super::form::{CurveEntry, NumberColumn};
use crate::points::CurvePoints;
use crate::step_facts::StepFacts;
use fairtrial_episode::open_regular;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Bytes of a column that are read at once.
const PART: usize = 1 << 16;

/// The columns of one curve.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PackedColumn {
    path: PathBuf,
    begin: u64,
    steps: NumberColumn,
    values: NumberColumn,
    pub(crate) facts: StepFacts,
    pub(crate) notes: Vec<String>,
}

impl PackedColumn {
    pub(super) fn new(path: &Path, begin: u64, curve: &CurveEntry) -> Self {
        Self {
            path: path.to_owned(),
            begin,
            steps: curve.steps,
            values: curve.values,
            facts: curve.facts,
            notes: curve.notes.clone(),
        }
    }

    /// Removes the file, which is damaged or already another one; where it cannot be, it is passed over.
    pub(crate) fn remove(&self) {
        let _ = std::fs::remove_file(&self.path);
    }

    /// The points; absent where the file is damaged, or another one by now.
    pub(crate) fn read(&self) -> Option<CurvePoints> {
        let file = open_regular(&self.path).ok()?;
        Some(CurvePoints {
            steps: self.numbers(&file, self.steps)?,
            values: self.numbers(&file, self.values)?,
            notes: self.notes.clone(),
        })
    }

    fn numbers(&self, file: &File, numbers: NumberColumn) -> Option<Vec<f64>> {
        let bytes = self.facts.points.checked_mul(size_of::<f64>())?;
        let from = self.begin.checked_add(numbers.at)?;
        // A damaged length must not fill the memory.
        let end = from.checked_add(bytes as u64)?;
        if end > file.metadata().ok()?.len() {
            return None;
        }
        let mut found = Vec::with_capacity(self.facts.points);
        let mut crc = crc32fast::Hasher::new();
        let mut part = vec![0; PART.min(bytes)];
        for at in (0..bytes).step_by(PART) {
            let part = &mut part[..PART.min(bytes - at)];
            file.read_exact_at(part, from + at as u64).ok()?;
            crc.update(part);
            let (each, _) = part.as_chunks();
            found.extend(each.iter().map(|number| f64::from_le_bytes(*number)));
        }
        (crc.finalize() == numbers.crc).then_some(found)
    }
}
