//! The runs there are.

use crate::error::SessionError;
use crate::notice::Notice;
use crate::session::Session;
use fairtrial_journal::{Index, RunDir, RunRow, list_runs};
use std::collections::HashSet;

impl Session {
    /// Every run of the data root, the oldest first. One whose journal cannot be read is told of and left out.
    pub fn runs(&self) -> Result<Vec<RunRow>, SessionError> {
        let root = self.data_root();
        if !root.rollouts_dir().is_dir() {
            return Ok(Vec::new());
        }
        let mut index = Index::open(&root)?;
        index.catch_up()?;
        let mut runs = index.runs()?;
        for (run, error) in index.unreadable() {
            self.warn(format!(
                "run {} {} is left out: {error}",
                run.name(),
                run.stamp()
            ));
        }
        // The journal of a run that never began is not there, or has no whole line.
        let key = |row: &RunRow| (row.name.clone(), row.stamp);
        let begun: HashSet<_> = runs.iter().filter(|row| row.trials > 0).map(key).collect();
        let unreadable = |run: &RunDir| index.unreadable().iter().any(|(other, _)| other == run);
        for run in list_runs(&root)? {
            let known = begun.contains(&(run.name().to_owned(), run.stamp()));
            if !known && !unreadable(&run) && !run.is_begun()? {
                runs.retain(|row| (&*row.name, row.stamp) != (run.name(), run.stamp()));
                self.tell(Notice::PassedOver(run));
            }
        }
        Ok(runs)
    }
}
