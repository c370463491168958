//! Where histories are looked for.

use super::behind::Runs;
use crate::error::AnalysisError;
use fairtrial_interop::{Access, Mapping, Recognised};
use fairtrial_journal::{DataRoot, RunDir};
use fairtrial_series::HistoryTable;
use fairtrial_spec::Filter;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// How other tools' files are read.
#[derive(Debug)]
pub struct ForeignCurves {
    /// What the user says about them.
    pub mapping: Mapping,
    /// The way to servers.
    pub access: Access,
}

/// Where histories are looked for; a table is read once, however many of its runs are asked for.
#[derive(Debug)]
pub struct Histories {
    pub(super) root: DataRoot,
    pub(super) from: Option<PathBuf>,
    pub(super) only: Option<Filter>,
    pub(super) tables: HashMap<PathBuf, Rc<HistoryTable>>,
    pub(super) runs: Runs,
    pub(super) foreign: Option<ForeignCurves>,
    pub(super) recognised: Vec<Recognised>,
    /// Runs that were taken as the newest of their names.
    pub(super) newest: Vec<RunDir>,
}

impl Histories {
    /// Histories of a data root and, where given, of a table or folder.
    pub fn new(root: DataRoot, from: Option<PathBuf>) -> Self {
        Self {
            root,
            from,
            only: None,
            tables: HashMap::new(),
            runs: Runs::default(),
            foreign: None,
            recognised: Vec::new(),
            newest: Vec::new(),
        }
    }

    /// The same with other tools' files, read as this says.
    #[must_use]
    pub fn with_foreign(mut self, how: ForeignCurves) -> Self {
        self.foreign = Some(how);
        self
    }

    /// The same, of which only some trials of a run count.
    #[must_use]
    pub fn only(mut self, filter: Option<Filter>) -> Self {
        self.only = filter;
        self
    }

    /// The runs that were taken as the newest of their names since this was asked last.
    pub fn take_newest(&mut self) -> Vec<RunDir> {
        std::mem::take(&mut self.newest)
    }

    pub(super) fn table(&mut self, path: &Path) -> Result<Rc<HistoryTable>, AnalysisError> {
        if let Some(table) = self.tables.get(path) {
            return Ok(Rc::clone(table));
        }
        let table = Rc::new(HistoryTable::read(path)?);
        self.tables.insert(path.to_owned(), Rc::clone(&table));
        Ok(table)
    }
}
