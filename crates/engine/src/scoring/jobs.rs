//! The programs that score rollouts again: the same driver, told to score only, in what the rollout left.

use crate::error::EngineError;
use crate::job::JobMaker;
use crate::scoring::request::ScoreRequest;
use fairtrial_agent::rollout::{RESULTS_FILE, RolloutTrial};
use fairtrial_journal::{RunDir, RunState};
use fairtrial_model::{MetricDeclaration, MetricSource, Number, Record};
use fairtrial_plan::Plan;
use fairtrial_spec::Spec;
use fairtrial_trial::collect;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// The hidden argument with which the binary scores a rollout again.
const SCORE_ARGUMENT: &str = "__score";

/// A program to run; it prints a report as JSON.
#[derive(Debug, Clone)]
pub(super) struct ScoreJob {
    /// Program and arguments.
    pub(super) argv: Vec<String>,
    /// All its variables.
    pub(super) env: Vec<(String, String)>,
}

/// Makes the jobs that score the rollouts of one run again.
pub(super) struct Scorings {
    run: RunDir,
    /// Files with later forms of tasks.
    tasks: BTreeMap<String, PathBuf>,
    plan: Plan,
    jobs: JobMaker,
}

impl Scorings {
    /// For a run with this spec, its own.
    pub(super) fn new(
        request: &ScoreRequest<'_>,
        state: &RunState,
        spec: Spec,
    ) -> Result<Self, EngineError> {
        let only = state.opened.as_ref().and_then(|opened| opened.only.clone());
        let plan = Plan::new(Arc::new(spec), only.as_deref())?;
        let jobs = JobMaker::new(
            request.run,
            plan.spec(),
            request.program,
            request.environment,
        );
        Ok(Self {
            run: request.run.clone(),
            tasks: request.tasks.clone(),
            plan,
            jobs,
        })
    }

    /// The metrics that the run's spec declares.
    pub(super) fn declared(&self) -> &[MetricDeclaration] {
        &self.plan.spec().metrics
    }

    /// What the spec finds in files of a rollout, which scoring may have written anew, and in what it used.
    pub(super) fn elsewhere(&self, record: &Record) -> BTreeMap<String, Number> {
        let declared = self.declared().iter();
        let elsewhere = declared.filter(|metric| metric.source != MetricSource::Reported);
        let elsewhere: Vec<MetricDeclaration> = elsewhere.cloned().collect();
        if elsewhere.is_empty() {
            return BTreeMap::new();
        }
        let dir = self.dir(record);
        let mut found = collect(&dir, &elsewhere, &record.resources).metrics;
        // The file that rollouts report to is read with the others; what stands there is the scoring before.
        found.retain(|name, _| elsewhere.iter().any(|metric| metric.name == *name));
        found
    }

    /// The rollout's directory as other tools see it.
    pub(super) fn outward(&self, record: &Record) -> String {
        self.run.root().outward(&record.dir)
    }

    /// Where the rollout left its files.
    pub(super) fn dir(&self, record: &Record) -> PathBuf {
        self.run.root().path().join(&record.dir)
    }

    /// The job for a rollout; absent where its agent left nothing to score.
    pub(super) fn job(&self, record: &Record) -> Result<Option<ScoreJob>, EngineError> {
        let dir = self.dir(record);
        if record.dir.is_empty() || !dir.join(RESULTS_FILE).is_file() {
            return Ok(None);
        }
        let job = self
            .jobs
            .job(&self.plan, record.trial.index, record.attempt)?;
        let mut argv = job.argv;
        let damaged = |message: String| EngineError::Damaged {
            path: dir.display().to_string(),
            message,
        };
        let [_, argument, _, own] = argv.as_mut_slice() else {
            return Err(damaged("it is no rollout".to_owned()));
        };
        SCORE_ARGUMENT.clone_into(argument);
        // A record that was taken over from another run lies where it always lay.
        let mut trial: RolloutTrial =
            serde_json::from_str(own).map_err(|error| damaged(error.to_string()))?;
        trial.dir.clone_from(&dir);
        trial.scoring = self.tasks.get(&record.trial.task).cloned();
        *own = serde_json::to_string(&trial).map_err(|error| damaged(error.to_string()))?;
        let split = |text: &String| {
            let (name, value) = text.split_once('=')?;
            Some((name.to_owned(), value.to_owned()))
        };
        let env = job
            .inherited
            .iter()
            .chain(&job.env)
            .filter_map(split)
            .collect();
        Ok(Some(ScoreJob { argv, env }))
    }
}
