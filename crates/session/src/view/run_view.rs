//! A run as it was at the last look, and how the next look takes in what is new.

use super::query::KeptOrder;
use super::row::{MOST_METRICS, MOST_ROWS, RowRecord, TrialRow};
use crate::error::SessionError;
use crate::session::Session;
use fairtrial_journal::{RecordFile, RunDir, RunState, Selector, TrialState, resolved_spec};
use fairtrial_model::Stamp;
use fairtrial_plan::Plan;
use fairtrial_spec::Spec;
use std::sync::Arc;

/// A run as it was at the last look.
pub struct RunView {
    pub(super) run: RunDir,
    pub(super) spec: Option<Arc<Spec>>,
    pub(super) plan: Option<Plan>,
    pub(super) state: RunState,
    /// One per trial of the plan, or more where the journal knows more.
    pub(super) rows: Vec<TrialRow>,
    /// What each row was made from.
    pub(super) made_from: Vec<TrialState>,
    /// The metrics that rows show.
    pub(super) metrics: Vec<String>,
    /// What cannot be read of it.
    pub(super) unreadable: Vec<String>,
    pub(super) order: KeptOrder,
}

impl Session {
    /// A run of the data root by its name and stamp; nothing else names one here, no path in particular.
    pub fn run_at(&self, name: &str, stamp: Stamp) -> Result<RunDir, SessionError> {
        let root = self.data_root();
        Ok(RunDir::open(&root, name, Selector::Stamp(stamp))?)
    }

    /// A first look at a run.
    pub fn look(&self, run: RunDir) -> Result<RunView, SessionError> {
        let mut view = RunView {
            run,
            spec: None,
            plan: None,
            state: RunState::default(),
            rows: Vec::new(),
            made_from: Vec::new(),
            metrics: Vec::new(),
            unreadable: Vec::new(),
            order: KeptOrder::default(),
        };
        view.refresh()?;
        Ok(view)
    }
}

impl RunView {
    /// Takes in what was added to the journal; says whether there was anything.
    pub fn refresh(&mut self) -> Result<bool, SessionError> {
        let journal = self.run.journal();
        if !journal.exists() {
            return Ok(false);
        }
        let first = self.state.opened.is_none();
        let news = self.state.read_on(&journal)?;
        if first && self.state.opened.is_some() {
            self.open();
        }
        if news {
            self.renew_rows()?;
        }
        Ok(news)
    }

    /// The run.
    pub fn run(&self) -> &RunDir {
        &self.run
    }

    /// Its journal, folded.
    pub fn state(&self) -> &RunState {
        &self.state
    }

    /// Its spec, where it can be read.
    pub fn spec(&self) -> Option<&Arc<Spec>> {
        self.spec.as_ref()
    }

    /// How far its journal was read: another number means that something was added.
    pub fn version(&self) -> u64 {
        self.state.summary.end
    }

    /// Reads what was written when the run began. A run without it still has its records.
    fn open(&mut self) {
        match resolved_spec(&self.run) {
            Ok(spec) => self.spec = Some(Arc::new(spec)),
            Err(error) => self.unreadable.push(error.to_string()),
        }
        let opened = self.state.opened.as_ref();
        if let (Some(spec), Some(opened)) = (&self.spec, opened.filter(|it| !it.imported)) {
            match Plan::new(Arc::clone(spec), opened.only.as_deref()) {
                Ok(plan) => self.plan = Some(plan),
                Err(error) => self.unreadable.push(error.to_string()),
            }
        }
        let declared = self.spec.iter().flat_map(|spec| &spec.metrics);
        let declared = declared.map(|metric| metric.name.clone());
        self.metrics = declared.take(MOST_METRICS).collect();
    }

    pub(super) fn trials(&self) -> u64 {
        let opened = self.state.opened.as_ref();
        let known = self.state.trials().last().map_or(0, |(index, _)| index + 1);
        opened.map_or(known, |opened| opened.trials.max(known))
    }

    /// Makes the rows again of which something is new.
    fn renew_rows(&mut self) -> Result<(), SessionError> {
        let all = usize::try_from(self.trials()).unwrap_or(usize::MAX);
        for index in self.rows.len()..all.min(MOST_ROWS) {
            let trial = self.plan.as_ref().and_then(|plan| plan.trial(index as u64));
            let row = trial.map_or_else(|| TrialRow::unknown(index as u64), |it| (&it.key).into());
            self.rows.push(row);
            self.made_from.push(TrialState::default());
        }
        let mut file = RecordFile::open(&self.run.journal())?;
        let mut damaged = 0;
        for (index, trial) in self.state.trials() {
            let place = index as usize;
            let Some(row) = self.rows.get_mut(place) else {
                break;
            };
            if self.made_from[place] == *trial {
                continue;
            }
            self.made_from[place] = *trial;
            row.attempts = trial.started.max(trial.finished);
            row.in_flight = trial.is_in_flight();
            match file.read_as::<RowRecord>(trial) {
                Ok(Some(record)) => row.take(record, &mut self.metrics),
                Ok(None) => {}
                Err(_) => damaged += 1,
            }
        }
        if damaged > 0 {
            self.unreadable
                .push(format!("{damaged} records of the journal cannot be read"));
        }
        self.order.forget();
        Ok(())
    }
}
