//! Reading columns.

use super::form::{COLUMNS_FILE, ColumnId, ColumnsHeader};
use super::packed::PackedColumn;
use super::stamp::Freshness;
use super::write::stamped;
use fairtrial_episode::open_regular;
use std::collections::HashMap;
use std::io::BufReader;
use std::path::{Path, PathBuf};

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
