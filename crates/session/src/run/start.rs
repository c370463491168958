//! A new run, one with records of an earlier one, or an earlier one itself.

use super::attend::state;
use super::kept_caps;
use super::options::{ResumeSpec, RunOptions, StartFrom};
use super::stopping_rule;
use crate::error::SessionError;
use crate::evaluate::ScoredBy;
use crate::notice::Notice;
use crate::session::Session;
use fairtrial_analysis::sequential::resumed_rule;
use fairtrial_engine::{CodeChange, OtherCode, Start, reusable};
use fairtrial_journal::{
    DataRoot, Entry, Event, Opened, ReadError, RunDir, Selector, read_journal, resolved_spec,
};
use fairtrial_plan::Plan;
use fairtrial_spec::{Task, Work};
use std::sync::Arc;

/// How many rollouts are scored again at the same time, where nobody says.
const SCORED_TOGETHER: usize = 2;

impl Session {
    /// Finds the run to start from. One that goes on may change the plan to what it was.
    pub(super) fn start(
        &self,
        options: &RunOptions,
        root: &DataRoot,
        plan: &mut Plan,
    ) -> Result<(Start, Option<CodeChange>), SessionError> {
        let outputs = options.outputs;
        let (stamp, reuses) = match options.start {
            StartFrom::New => {
                let reuse = None;
                return Ok((Start::New { reuse, outputs }, None));
            }
            StartFrom::Reuse(stamp) => (stamp, true),
            StartFrom::Resume(stamp, _) => (stamp, false),
        };
        let name = &plan.spec().name;
        if !reuses {
            let selector = stamp.map_or(Selector::Newest, Selector::Stamp);
            let run = RunDir::open(root, name, selector)?;
            run.open_to_changes()?;
            let is_rollout = |task: &Task| matches!(task.work, Work::Prepared { .. });
            if plan.spec().tasks.iter().any(is_rollout) {
                self.finish_scoring(&run)?;
            }
            let only = self.resumed_plan(&run, options, plan)?;
            self.remeasure_resumed(&run, plan, only.as_deref())?;
            let accepted = self.check_code(&run, plan, options.other_code)?;
            return Ok((Start::Resume(run), accepted));
        }
        let earlier = match stamp {
            Some(stamp) => RunDir::open(root, name, Selector::Stamp(stamp))?,
            None => self.latest_run(name)?,
        };
        let offered = reusable(&earlier, plan, &self.code_now(root), options.other_code)?;
        self.check_looked_at(&earlier, &offered, plan)?;
        self.tell(Notice::Reusing {
            stamp: earlier.stamp(),
            change: offered.change,
            code: offered.code.clone(),
            other: options.other_code,
        });
        let accepted = options.other_code == OtherCode::Accepted && !offered.code.is_of_tasks();
        let reuse = Some(earlier);
        Ok((
            Start::New { reuse, outputs },
            accepted.then_some(offered.code),
        ))
    }

    /// Scores a run again whose scoring was cut off: some of its scores are new, some are old.
    fn finish_scoring(&self, run: &RunDir) -> Result<(), SessionError> {
        if !state(run)?.is_half_scored() {
            return Ok(());
        }
        self.tell(Notice::ScoresAgain(run.stamp()));
        let evaluated = self.evaluate(run, ScoredBy::Current, SCORED_TOGETHER)?;
        for rollout in evaluated.unscored() {
            let why = rollout.error.as_deref().unwrap_or(rollout.status);
            self.warn(format!("{}: {why}", rollout.run_dir));
        }
        Ok(())
    }

    /// Makes the plan that of a run that goes on; gives its filter.
    pub(super) fn resumed_plan(
        &self,
        run: &RunDir,
        options: &RunOptions,
        plan: &mut Plan,
    ) -> Result<Option<String>, SessionError> {
        if !run.is_begun()? {
            self.tell(Notice::BeginsNow(run.stamp()));
        }
        let recorded = matches!(options.start, StartFrom::Resume(_, ResumeSpec::Recorded));
        let only = match &options.only {
            Some(only) if !recorded => Some(only.clone()),
            _ => as_recorded(run, options.start, plan)?,
        };
        self.keep_rule(run, plan, only.as_deref())?;
        self.keep_caps(run, options, plan, only.as_deref())?;
        Ok(only)
    }

    /// Caps that were given by `--set` when a run began hold when it goes on.
    fn keep_caps(
        &self,
        run: &RunDir,
        options: &RunOptions,
        plan: &mut Plan,
        only: Option<&str>,
    ) -> Result<(), SessionError> {
        let began = run.journal().exists().then(|| opened(run)).transpose()?;
        let Some(began) = began.flatten().filter(|began| !began.set.is_empty()) else {
            return Ok(());
        };
        let mut spec = plan.spec().as_ref().clone();
        let sets = (&began.set[..], &options.spec.set[..]);
        let kept = kept_caps::keep(&mut spec.budget, &resolved_spec(run)?.budget, sets);
        if !kept.is_empty() {
            self.tell(Notice::KeepsCaps(kept));
            *plan = Plan::new(Arc::new(spec), only)?;
        }
        Ok(())
    }

    /// A run goes on by the stopping rule that it began with, whatever the spec and the caller say by now; other things
    /// that its looks are made with must not have changed.
    fn keep_rule(
        &self,
        run: &RunDir,
        plan: &mut Plan,
        only: Option<&str>,
    ) -> Result<(), SessionError> {
        if !run.journal().exists() {
            return Ok(());
        }
        let rule =
            resumed_rule(&resolved_spec(run)?, plan.spec()).map_err(SessionError::ResumedLooks)?;
        if rule == plan.spec().analysis.stop {
            return Ok(());
        }
        if plan.spec().analysis.stop.is_some() {
            self.tell(Notice::KeepsRule);
        }
        *plan = stopping_rule::with_rule(plan, rule, only)?;
        Ok(())
    }
}

/// Takes the recorded filter, and where asked for the recorded spec, in place of today's; gives the filter.
fn as_recorded(
    run: &RunDir,
    start: StartFrom,
    plan: &mut Plan,
) -> Result<Option<String>, SessionError> {
    if !run.journal().exists() {
        return Ok(None);
    }
    let only = opened(run)?.and_then(|opened| opened.only);
    if matches!(start, StartFrom::Resume(_, ResumeSpec::Recorded)) {
        *plan = Plan::new(Arc::new(resolved_spec(run)?), only.as_deref())?;
    } else if only.is_some() {
        *plan = Plan::new(Arc::clone(plan.spec()), only.as_deref())?;
    }
    Ok(only)
}

/// How a run was opened. The first line says it; a run of 100,000 trials is not read through for that.
fn opened(run: &RunDir) -> Result<Option<Opened>, SessionError> {
    match read_journal(&run.journal())?.next() {
        Some(Ok(Entry {
            event: Event::Opened(opened),
            ..
        })) => Ok(Some(opened)),
        Some(Err(ReadError::Io(error))) => Err(error.into()),
        _ => Ok(None),
    }
}
