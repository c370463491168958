//! Measures the trials of a run again by the spec as it is now, without running any.

use crate::error::SessionError;
use crate::notice::Notice;
use crate::run::state_of;
use crate::session::Session;
use crate::spec_file::{SpecFile, recorded_path};
use crate::summary::write_summary;
use fairtrial_analysis::sequential::resumed_rule;
use fairtrial_analysis::{RunSummary, summarize_run};
use fairtrial_engine::{MeasureRequest, Remeasured, measure_again};
use fairtrial_journal::provenance::host_name;
use fairtrial_journal::{Index, RunDir, RunState, resolved_spec};
use fairtrial_plan::{Plan, measured_differently};
use fairtrial_spec::{FileCheck, Spec};
use std::path::{Path, PathBuf};

/// What measuring again came to.
#[derive(Debug)]
pub struct RunRemeasured {
    /// What changed.
    pub measured: Remeasured,
    /// The run's summary with the new numbers.
    pub summary: RunSummary,
    /// The spec whose metrics were read.
    pub spec: PathBuf,
}

impl Session {
    /// Reads the metrics of a run's trials again from their files, as a spec declares them now: the one that the run was
    /// started with, unless another is named.
    pub fn remeasure(
        &self,
        run: &RunDir,
        spec: Option<&Path>,
    ) -> Result<RunRemeasured, SessionError> {
        run.open_to_changes()?;
        let recorded = resolved_spec(run)?;
        let state = state_of(run)?;
        let file = SpecFile {
            path: spec.map_or_else(|| recorded_path(&recorded), Path::to_owned),
            set: state
                .opened
                .as_ref()
                .map_or_else(Vec::new, |it| it.set.clone()),
        };
        if !file.path.is_file() {
            return Err(SessionError::SpecGone(file.path));
        }
        let now = self.spec(&file, FileCheck::Ignore)?;
        let mut asked = recorded.clone();
        asked.metrics.clone_from(&now.metrics);
        // Looks that a run stopped by are not made again with other numbers.
        resumed_rule(&recorded, &asked).map_err(SessionError::OtherLooks)?;
        let measured = self.measure(run, &now)?;
        let kept = resolved_spec(run)?;
        let summary = summarize_run(run, &kept)?;
        write_summary(run, &kept, &summary, &self.caller().redactor())?;
        Ok(RunRemeasured {
            measured,
            summary,
            spec: file.path,
        })
    }

    /// Does so for a run that goes on, where nothing but the measuring changed since it began, and says so.
    pub(crate) fn remeasure_resumed(
        &self,
        run: &RunDir,
        plan: &Plan,
        only: Option<&str>,
    ) -> Result<(), SessionError> {
        if !run.journal().exists() {
            return Ok(());
        }
        let state = RunState::read(&run.journal())?;
        if state.opened.is_none() {
            return Ok(());
        }
        let recorded = resolved_spec(run)?;
        let changed = measured_differently(&recorded, plan.spec());
        if changed.is_empty() && !state.is_half_measured() {
            return Ok(());
        }
        let as_before = plan.measuring(&recorded.metrics, only)?;
        let before = Plan::new(std::sync::Arc::new(recorded), only)?;
        // Where more than that changed, the engine says what.
        if as_before.hash() == before.hash() {
            let measured = self.measure(run, plan.spec())?;
            self.tell(Notice::Remeasured(measured));
        }
        Ok(())
    }

    fn measure(&self, run: &RunDir, spec: &Spec) -> Result<Remeasured, SessionError> {
        let caller = self.caller();
        let mut names = ["USER", "LOGNAME"].iter();
        let user = names.find_map(|name| caller.variable(name));
        let measured = measure_again(&MeasureRequest {
            run,
            metrics: &spec.metrics,
            environment: &caller.environment,
            by: &format!("{}@{}", user.unwrap_or("unknown"), host_name()),
            now: caller.now,
        })?;
        let state = RunState::read(&run.journal())?;
        Index::open(run.root())?.take(run, &state)?;
        Ok(measured)
    }
}
