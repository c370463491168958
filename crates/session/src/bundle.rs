//! A report as a folder: its page, and a page for each trial that is read when somebody opens it.

use crate::error::SessionError;
use crate::report_files::{bundled_page, write};
use crate::session::Session;
use fairtrial_analysis::report::{ReportData, each_trial};
use fairtrial_journal::RunDir;
use std::path::{Path, PathBuf};

impl Session {
    /// Writes the folder; gives the page to open.
    pub fn write_bundle(
        &self,
        run: &RunDir,
        data: &ReportData,
        template: Option<&str>,
        folder: &Path,
    ) -> Result<PathBuf, SessionError> {
        let page = bundled_page(data, template)?;
        let name = format!("{} {}", run.name(), run.stamp());
        each_trial(run, &self.caller().redactor(), |trial| {
            let file = folder.join(format!("trials/{}.html", trial.ended.index));
            write(&file, &trial_page(&trial, &name))
        })?;
        // The page that leads to the others comes last.
        let index = folder.join("index.html");
        write(&index, &page)?;
        Ok(index)
    }
}

#[cfg(feature = "html")]
fn trial_page(trial: &fairtrial_analysis::report::WholeTrial, run: &str) -> String {
    fairtrial_report::html::trial(trial, run, "../index.html#trials-all")
}

#[cfg(not(feature = "html"))]
fn trial_page(_: &fairtrial_analysis::report::WholeTrial, _: &str) -> String {
    String::new()
}
