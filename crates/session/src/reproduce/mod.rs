//! Makes a run again: its commit and kept changes in a folder of their own, its plan as it was, and a comparison of what came out.

mod place;
mod same;
mod source;

pub use same::{MetricAgain, OtherOutcome, OtherValue};
pub use source::SourceAgain;

use crate::bench::revision::run_build;
use crate::caller::Caller;
use crate::compare::CompareQuestion;
use crate::error::{RunLabel, SessionError};
use crate::run::{RunEnd, RunOptions, state_of};
use crate::session::Session;
use crate::spec_file::SpecFile;
use fairtrial_analysis::compare::Word;
use fairtrial_analysis::{CompareOptions, Comparison};
use fairtrial_engine::{Controls, Verbosity, task_cache};
use fairtrial_journal::{JournalError, Opened, RunDir, RunState, effective_records, resolved_spec};
use fairtrial_model::Record;
use fairtrial_plan::Plan;
use fairtrial_spec::Spec;
use place::Place;
use same::Pair;
use serde::Serialize;
use source::{Evidence, Source};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// How a run is to be made again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReproduceQuestion {
    /// Only the trial at this place in the run.
    pub trial: Option<u64>,
    /// A command of a shell that builds what was checked out.
    pub build: Option<String>,
    /// Slots; absent for as many as the run had.
    pub parallel: Option<usize>,
    /// Keeps the folder with the source and the new run.
    pub keep: bool,
    /// What is told of each trial.
    pub verbosity: Verbosity,
}

/// What came out.
#[derive(Debug, Serialize)]
pub struct Reproduced {
    /// The run.
    #[serde(serialize_with = "as_text")]
    pub run: RunLabel,
    /// The source as it was laid out again.
    pub source: SourceAgain,
    /// How many trials were run then and now.
    pub trials: usize,
    /// Those that ended otherwise.
    pub outcomes: Vec<OtherOutcome>,
    /// The metrics.
    pub metrics: Vec<MetricAgain>,
    /// What was run otherwise than then: files, packages with their versions.
    pub code: Vec<String>,
    /// The run as the control, the new one as the candidate; absent for one trial, and where there is nothing to compare.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Comparison>,
    /// The folder with the source and the new run, where it was kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<PathBuf>,
    /// Whether it was interrupted.
    pub interrupted: bool,
}

fn as_text<S: serde::Serializer>(run: &RunLabel, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(run)
}

impl Reproduced {
    /// Whether it came out as it did: outcomes and deterministic metrics the same, and no primary metric better or worse
    /// beyond chance.
    pub fn is_same(&self) -> bool {
        let deterministic = self.metrics.iter().filter(|metric| metric.deterministic);
        let differs = |word| matches!(word, Word::Improved | Word::Regressed);
        let mut primary = self.comparison.iter().flat_map(Comparison::primary);
        !self.interrupted
            && self.trials > 0
            && self.outcomes.is_empty()
            && deterministic.map(|metric| metric.other).sum::<usize>() == 0
            && !primary.any(|metric| differs(metric.verdict.word))
    }
}

/// A run as it was recorded.
struct Recorded<'a> {
    run: &'a RunDir,
    spec: Spec,
    opened: Opened,
    /// The trials that are to run again.
    records: Vec<Record>,
}

impl Session {
    /// Makes a run again, or one trial of it, and compares.
    pub fn reproduce(
        &self,
        run: &RunDir,
        question: &ReproduceQuestion,
        controls: &Controls,
    ) -> Result<Reproduced, SessionError> {
        let recorded = recorded(run, question.trial)?;
        let environment = self.recorded_environment(run);
        let evidence = Evidence {
            run,
            spec: &recorded.spec,
            environment: environment.as_ref(),
            records: &recorded.records,
            spec_sha256: &recorded.opened.spec_sha256,
        };
        let here = &self.caller().folder;
        let source = Source::find(&evidence, here).map_err(|why| refused(run, why))?;
        let cache = task_cache(&self.data_root()).join("reproduce");
        let place = Place::new(&cache, run.stamp(), question.keep)?;
        let tree = place.tree();
        let folder = source.lay_out(&tree)?;
        run_build(
            question.build.as_deref(),
            &folder,
            (self.caller(), controls),
        )?;
        let there = self.called_from(Caller {
            folder,
            data_dir: Some(place.data()),
            ..self.caller().clone()
        });
        let spec = quiet(source.moved(&recorded.spec, &tree)?);
        let again = there.run_again(spec, &recorded, question, controls)?;
        let (new_run, end) = again;
        let mut reproduced = self.outcome_of(&recorded, &new_run, question)?;
        reproduced.source = source.told();
        reproduced.kept = place.kept();
        reproduced.interrupted = end == RunEnd::Interrupted;
        Ok(reproduced)
    }

    /// Runs the recorded plan, in this session's data root.
    fn run_again(
        &self,
        spec: Spec,
        recorded: &Recorded<'_>,
        question: &ReproduceQuestion,
        controls: &Controls,
    ) -> Result<(RunDir, RunEnd), SessionError> {
        let only = match question.trial {
            None => recorded.opened.only.clone(),
            Some(_) => Some(place_in_whole(recorded)?),
        };
        let made_from = serde_json::to_vec_pretty(&spec)
            .map_err(|error| SessionError::Broken(error.to_string()))?;
        let options = RunOptions {
            only,
            parallel: question.parallel.or(Some(recorded.opened.parallel)),
            verbosity: question.verbosity,
            ..RunOptions::new(SpecFile::new(&spec.source))
        };
        let prepared = self.prepare_again(spec, made_from, options)?;
        let result = self.run(prepared, controls)?;
        let end = result.end();
        Ok((result.report.run, end))
    }

    /// What came out of both.
    fn outcome_of(
        &self,
        recorded: &Recorded<'_>,
        new_run: &RunDir,
        question: &ReproduceQuestion,
    ) -> Result<Reproduced, SessionError> {
        let new_records = records_of(new_run, &RunState::read(&new_run.journal())?)?;
        let by_place: BTreeMap<u64, &Record> = new_records
            .iter()
            .map(|record| (record.trial.index, record))
            .collect();
        let counterpart = |then: &Record| match question.trial {
            Some(_) => by_place.get(&0),
            None => by_place.get(&then.trial.index),
        };
        let pairs: Vec<Pair<'_>> = recorded
            .records
            .iter()
            .filter_map(|then| Some((then, *counterpart(then)?)))
            .collect();
        let comparison = match question.trial {
            Some(_) => None,
            None => self.compared_again(recorded.run, new_run),
        };
        Ok(Reproduced {
            run: recorded.run.into(),
            source: SourceAgain::default(),
            trials: pairs.len(),
            outcomes: same::outcomes(&pairs),
            metrics: same::metrics(&pairs, &recorded.spec),
            code: same::code(recorded.run, new_run, &pairs),
            comparison,
            kept: None,
            interrupted: false,
        })
    }

    /// Then against now; absent where there is nothing to compare.
    fn compared_again(&self, then: &RunDir, now: &RunDir) -> Option<Comparison> {
        let side = |run: &RunDir| run.path().display().to_string();
        let question = CompareQuestion {
            sides: vec![side(then), side(now)],
            arms_of: None,
            alpha: None,
            only: None,
            options: CompareOptions::default(),
        };
        self.compare(&question).ok().map(|it| it.comparison)
    }
}

fn refused(run: &RunDir, why: Vec<String>) -> SessionError {
    SessionError::NotReproducible {
        run: run.into(),
        why,
    }
}

/// Reads what a run recorded, or says why it has no plan that could run again.
fn recorded(run: &RunDir, trial: Option<u64>) -> Result<Recorded<'_>, SessionError> {
    let refuse = |why: &str| refused(run, vec![why.to_owned()]);
    let state = state_of(run)?;
    let Some(opened) = state.opened.clone() else {
        return Err(refuse("its journal does not say what it is"));
    };
    if !state.problems.is_empty() {
        return Err(refused(run, state.problem_sentences().collect()));
    }
    if opened.imported {
        return Err(refuse("another tool made it"));
    }
    let spec = resolved_spec(run)?;
    if spec.tasks.iter().all(|task| task.timed.is_some()) {
        return Err(refuse(
            "it is a bench, which `fairtrial bench` with the same commands measures anew",
        ));
    }
    let plan = Plan::new(Arc::new(spec.clone()), opened.only.as_deref())?;
    if state.plan_hash() != Some(plan.hash()) {
        return Err(refuse("its spec is not the one that its journal names"));
    }
    let mut records = records_of(run, &state)?;
    if let Some(place) = trial {
        records.retain(|record| record.trial.index == place);
    }
    if records.is_empty() {
        let why = trial.map_or_else(
            || "none of its trials has a record".to_owned(),
            |place| format!("it has no record of trial {place}"),
        );
        return Err(refuse(&why));
    }
    Ok(Recorded {
        run,
        spec,
        opened,
        records,
    })
}

fn records_of(run: &RunDir, state: &RunState) -> Result<Vec<Record>, SessionError> {
    let mut records = Vec::new();
    effective_records(&run.journal(), state, |record| {
        records.push(record);
        Ok::<(), JournalError>(())
    })?;
    Ok(records)
}

/// A filter for the one recorded trial: its place in the whole plan, which a run with `--only` does not have.
fn place_in_whole(recorded: &Recorded<'_>) -> Result<String, SessionError> {
    let plan = Plan::new(Arc::new(recorded.spec.clone()), None)?;
    let wanted = &recorded.records[0].trial;
    let is_it = |place: &u64| {
        let found = plan.trial(*place).map(|trial| trial.key);
        found.is_some_and(|key| {
            (&key.task, &key.arm, &key.point) == (&wanted.task, &wanted.arm, &wanted.point)
                && (key.seed, key.rollout) == (wanted.seed, wanted.rollout)
        })
    };
    let place = (0..plan.len()).find(is_it);
    place.map(|place| place.to_string()).ok_or_else(|| {
        refused(
            recorded.run,
            vec!["its plan does not have that trial".to_owned()],
        )
    })
}

/// The spec without what would tell others of the new run, or make a further one.
fn quiet(mut spec: Spec) -> Spec {
    spec.on_finish = None;
    spec.on_failure = None;
    spec.reporters.clear();
    spec.analysis.confirm = None;
    spec
}
