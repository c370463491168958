//! Reading columns.

use super::COLUMNS_FILE;
use super::form::{ColumnId, ColumnsHeader, CurveEntry, Numbers};
use super::stamp::Freshness;
use super::write::stamped;
use crate::points::Points;
use crate::series::StepFacts;
use fairtrial_episode::open_regular;
use std::collections::HashMap;
use std::fs::File;
use std::io::BufReader;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Bytes of a column that are read at once.
const PART: usize = 1 << 16;

/// The columns of a trial.
pub(crate) struct Columns {
    path: PathBuf,
    header: ColumnsHeader,
    begin: u64,
    /// Whether the columns of a file can be used.
    fresh: HashMap<String, bool>,
}

impl Columns {
    /// Those of a trial, where there are any.
    pub(crate) fn open(dir: &Path) -> Option<Self> {
        let path = dir.join(COLUMNS_FILE);
        let mut file = BufReader::new(open_regular(&path).ok()?);
        let (header, begin) = ColumnsHeader::read(&mut file)?;
        let mut columns = Self {
            path,
            header,
            begin,
            fresh: HashMap::new(),
        };
        columns.look_at_sources(dir);
        Some(columns)
    }

    /// Finds out which files are still those that the columns were made from. After a copy that takes their digest, and the
    /// columns are marked anew so that it is taken once.
    fn look_at_sources(&mut self, dir: &Path) {
        let mut moved = false;
        for source in &mut self.header.sources {
            let freshness = source.freshness(dir);
            let is_fresh = freshness != Freshness::Stale;
            if let Freshness::Copied(stamp) = freshness {
                source.stamp = stamp;
                moved = true;
            }
            self.fresh.insert(source.file.clone(), is_fresh);
        }
        if let Some(begin) = moved
            .then(|| stamped(&self.path, &self.header, self.begin))
            .flatten()
        {
            self.begin = begin;
        }
    }

    /// Whether the columns of this file can be used.
    pub(crate) fn is_fresh(&self, file: &str) -> bool {
        self.fresh.get(file).copied().unwrap_or_default()
    }

    /// The columns of a curve, where there are some and they can be used.
    pub(crate) fn curve(&self, id: &ColumnId) -> Option<PackedColumn> {
        let known = self.header.curves.iter().find(|curve| curve.id == *id);
        let known = known.filter(|curve| self.is_fresh(&curve.id.file))?;
        Some(PackedColumn::new(&self.path, self.begin, known))
    }
}

/// The columns of one curve.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PackedColumn {
    path: PathBuf,
    begin: u64,
    steps: Numbers,
    values: Numbers,
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
    pub(crate) fn read(&self) -> Option<Points> {
        let file = open_regular(&self.path).ok()?;
        Some(Points {
            steps: self.numbers(&file, self.steps)?,
            values: self.numbers(&file, self.values)?,
            notes: self.notes.clone(),
        })
    }

    fn numbers(&self, file: &File, numbers: Numbers) -> Option<Vec<f64>> {
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
