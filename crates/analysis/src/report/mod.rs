//! Everything that a report of one run shows, worked out from its evidence and from nothing else.
//!
//! The same evidence always gives the same [`ReportData`], so that `verify` can make it again and compare. Nothing in
//! it depends on the time, the machine or the folder in which a report is made; the secrets of an environment are masked
//! afterwards.

mod curves;
mod data;
mod density;
mod distribution;
mod evidence;
mod failures;
mod frontier;
mod history;
mod line;
mod masked_text;
mod masking;
mod mean_curve;
mod overview;
mod pairs;
mod rollout_files;
mod task_grid;
mod trial_texts;
mod trials;

pub use curves::{ArmCurve, MetricCurves};
pub use data::{JournalDigest, REPORT_SCHEMA, ReportData, RunFacts};
pub use density::{GroupDensity, MetricDensity};
pub use distribution::{MetricDistribution, ValueGroup};
pub use failures::{FailedTrial, FailureList, LogTail};
pub use frontier::{ArmCost, CostFrontier};
pub use history::{MetricHistory, NoPoint, RunPoint, RunWithout};
pub use masked_text::MaskedText;
pub use mean_curve::CurvePoint;
pub use overview::{ArmProfile, ArmShares, MetricProfile, MetricShares};
pub use pairs::ArmPairs;
pub use task_grid::{Flip, TaskCell, TaskGrid, TaskRow};
pub use trials::{TrialColumns, WholeTrial, each_trial};

use crate::compare::comparison::compare;
use crate::compare::data::side::Inputs;
use crate::compare::options::CompareOptions;
use crate::compare::ranking::sweep::SweepChoice;
use crate::compare::ranking::sweep::choose_declared;
use crate::compare::result::Comparison;
use crate::confirm::Confirmation;
use crate::dataset::Dataset;
use crate::dataset::kept_source::{KeptSource, kept_source};
use crate::error::AnalysisError;
use crate::finished::Unfinished;
use crate::registration::registered;
use crate::sensitivity::{Sensitivity, sensitivity};
use crate::sequential::{SequentialPlan, SequentialRule, Trajectory};
use crate::summary::{AgentRollouts, RunName, RunSummary, Summarizer, SummaryOptions};
use evidence::Evidence;
use fairtrial_journal::observation::Observation;
use fairtrial_journal::provenance::{Environment, Vcs};
use fairtrial_journal::{JournalError, RunDir, RunState, effective_records, read_if_there};
use fairtrial_model::{Sha256, Stamp, hex};
use fairtrial_series::Reading;
use fairtrial_spec::{Spec, Work};
use fairtrial_text::shell_word::shell_word;
use std::io::Read;
use std::path::Path;

/// What a report is made with.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReportOptions {
    /// Runs whose history is shown; absent means the ones before this, newest 50.
    pub history: Option<Vec<Stamp>>,
    /// What curves are read from.
    pub reading: Reading,
}

/// Numbers of cells and metrics that a report's tables hold, and cells that they hold however many metrics there are. A log
/// with a task for each of 10,000 samples made a page of 40 MB, which no browser opens.
const MOST_NUMBERS: usize = 4000;
const FEWEST_CELLS: usize = 100;

/// Makes the report of a run. `environment` is the run's `environment.json`, where there is one.
pub fn report(
    run: &RunDir,
    spec: &Spec,
    environment: Option<Environment>,
    options: &ReportOptions,
) -> Result<ReportData, AnalysisError> {
    let state = RunState::read(&run.journal())?;
    let mut records = Vec::new();
    effective_records(&run.journal(), &state, |record| {
        records.push(record);
        Ok::<(), JournalError>(())
    })?;
    let data = Dataset::of_state(run, &state, (spec, environment.as_ref()))?;
    let evidence = Evidence {
        run,
        spec,
        records,
        data,
        alpha: spec.analysis.alpha(),
        reading: options.reading,
    };
    let sequential = trajectory(&evidence)?;
    let (comparison, why_no_comparison) = compared(&evidence, &state, sequential.as_ref());
    let extended = evidence.data.extended.iter().chain(&evidence.data.mixed);
    let mut notes: Vec<String> = extended.map(|why| format!("Problem: {why}.")).collect();
    let registration = read_if_there(&run.registration())?;
    let mut summary = summary(&evidence, &state)?;
    summary.cut_to((MOST_NUMBERS / summary.metrics.len().max(1)).max(FEWEST_CELLS));
    let distributions = distribution::distributions(&evidence, &mut notes);
    Ok(ReportData {
        schema: REPORT_SCHEMA,
        run: facts(run, spec, &state),
        journal: journal_digest(&run.journal())?,
        registered: registered(registration.as_deref(), spec, state.opened.as_ref()),
        arms: evidence.data.arm_order.clone(),
        grid: task_grid::grid(&evidence, summary.rollouts.as_ref()),
        frontier: summary
            .rollouts
            .as_ref()
            .and_then(|rollouts| frontier::frontier(rollouts, spec)),
        summary,
        confirmation: spec.is_swept().then(|| Confirmation::declared(spec)),
        choice: chosen(&evidence),
        sensitivity: effects(&evidence),
        curves: curves::curves(&evidence, &mut notes),
        densities: density::densities(&evidence, &distributions),
        distributions,
        pairs: pairs::pairs(&evidence),
        profile: overview::profile(&evidence),
        shares: comparison
            .as_ref()
            .and_then(|comparison| overview::shares(comparison, spec)),
        history: history::histories(&evidence, options.history.as_deref())?,
        failures: failures::failures(&evidence),
        trials: trials::trials(&evidence),
        masked: Vec::new(),
        comparison,
        why_no_comparison,
        commits: evidence.data.commits(),
        kept_source: kept(&evidence, &state, environment.as_ref()),
        sequential,
        environment,
        notes,
    })
}

/// What was kept of a source with uncommitted changes.
fn kept(
    evidence: &Evidence<'_>,
    state: &RunState,
    environment: Option<&Environment>,
) -> Option<KeptSource> {
    let Vcs::Git(source) = &environment?.vcs else {
        return None;
    };
    kept_source(
        (evidence.run, state.opened.as_ref()),
        source,
        &evidence.data,
    )
}

/// The comparison, or why there is none; beside the answer of a run that stopped by looking, what else there is. A run
/// that is not finished gets none.
fn compared(
    evidence: &Evidence<'_>,
    state: &RunState,
    sequential: Option<&Trajectory>,
) -> (Option<Comparison>, Option<String>) {
    let spec = evidence.spec;
    let no = |why: &str| (None, Some(why.to_owned()));
    if spec.arms.len() < 2 {
        return no("the spec has no arms to compare");
    }
    if Unfinished::of_state(state).is_some() {
        return no(Unfinished::no_verdict());
    }
    if let Some(loss) = &evidence.data.loss {
        return no(loss);
    }
    match compare(
        Inputs::Arms(&evidence.data),
        &CompareOptions::declared(spec),
    ) {
        Ok(comparison) => (
            Some(match sequential {
                Some(trajectory) => comparison.without_metric(&trajectory.metric),
                None => comparison,
            }),
            None,
        ),
        Err(error) => (None, Some(error.to_string())),
    }
}

/// A sweep's best point, where there is a sweep and a way that is better.
fn chosen(evidence: &Evidence<'_>) -> Option<SweepChoice> {
    let swept = evidence.spec.is_swept();
    swept
        .then(|| choose_declared(&evidence.data, evidence.spec).ok())
        .flatten()
}

/// What the swept parameters do to the declared metrics.
fn effects(evidence: &Evidence<'_>) -> Vec<Sensitivity> {
    if !evidence.spec.is_swept() {
        return Vec::new();
    }
    let metrics = evidence.spec.metrics.iter();
    metrics
        .filter_map(|metric| sensitivity(&evidence.data, Some(&metric.name), evidence.alpha).ok())
        .collect()
}

/// The looks of a sequential run, made again from its records.
fn trajectory(evidence: &Evidence<'_>) -> Result<Option<Trajectory>, AnalysisError> {
    let Some(rule) = evidence.spec.analysis.stop.clone() else {
        return Ok(None);
    };
    let plan = SequentialPlan::new(evidence.spec, rule)?;
    let mut rule = SequentialRule::new(evidence.spec, plan)?;
    rule.of_run(evidence.run);
    if evidence.data.accepts_code {
        rule.accept_code();
    }
    for record in &evidence.records {
        rule.settled(record);
    }
    Ok(Some(rule.trajectory()))
}

fn summary(evidence: &Evidence<'_>, state: &RunState) -> Result<RunSummary, AnalysisError> {
    let mut summarizer = Summarizer::new(SummaryOptions::from(evidence.spec))?;
    let mut rollouts = AgentRollouts::of(evidence.spec);
    for record in &evidence.records {
        let seen = Observation::from(record);
        summarizer.add(&seen);
        rollouts.add(&seen);
    }
    let mut summary = summarizer.finish();
    rollouts.finish(evidence.run, state, &mut summary)?;
    summary.imported = state.opened.as_ref().is_some_and(|opened| opened.imported);
    summary.run = Some(RunName {
        name: evidence.run.name().to_owned(),
        stamp: evidence.run.stamp(),
    });
    summary.planned = state.opened.as_ref().map(|opened| opened.trials);
    summary.problems = state.problem_sentences().collect();
    Ok(summary)
}

fn facts(run: &RunDir, spec: &Spec, state: &RunState) -> RunFacts {
    let opened = state.opened.as_ref();
    RunFacts {
        name: run.name().to_owned(),
        stamp: run.stamp(),
        spec: opened.map_or_else(|| spec.source.clone(), |opened| opened.config.clone()),
        spec_sha256: opened.map(|opened| opened.spec_sha256.clone()),
        plan_hash: opened.map(|opened| opened.plan_hash.clone()),
        version: opened.map(|opened| opened.version.clone()),
        created_at: opened.map(|opened| opened.created_at),
        closed: state.closed(),
        set: opened.map(|opened| opened.set.clone()).unwrap_or_default(),
        only: opened.and_then(|opened| opened.only.clone()),
        bench: bench_commands(spec),
        notes: spec.notes.clone(),
        tags: spec.tags.clone(),
    }
}

/// The commands that a bench timed.
fn bench_commands(spec: &Spec) -> Vec<String> {
    // Specs write a brace as two.
    let literal = |word: &str| word.replace("{{", "{").replace("}}", "}");
    let tasks = spec.tasks.iter().filter(|_| spec.is_bench());
    let commands = tasks.filter_map(|task| match &task.work {
        Work::Command { argv, .. } => Some(match &argv[..] {
            [_, flag, script] if flag == "-c" => literal(script),
            words => {
                let words: Vec<String> = words
                    .iter()
                    .map(|word| shell_word(&literal(word)))
                    .collect();
                words.join(" ")
            }
        }),
        _ => None,
    });
    commands.collect()
}

/// The hash of a journal as it is now.
pub fn journal_digest(path: &Path) -> Result<JournalDigest, AnalysisError> {
    digest_of_first(path, u64::MAX)
}

/// The hash of the first bytes of a journal: what a report saw of a run that went on.
pub fn digest_of_first(path: &Path, bytes: u64) -> Result<JournalDigest, AnalysisError> {
    let unreadable = |error: std::io::Error| AnalysisError::Content {
        label: path.display().to_string(),
        message: error.to_string(),
    };
    let mut file = std::fs::File::open(path).map_err(unreadable)?.take(bytes);
    let mut hash = Sha256::new();
    let mut chunk = vec![0; 1 << 16];
    let mut total = 0;
    loop {
        let read = file.read(&mut chunk).map_err(unreadable)?;
        if read == 0 {
            break;
        }
        hash.update(&chunk[..read]);
        total += read as u64;
    }
    Ok(JournalDigest {
        bytes: total,
        sha256: hex(&hash.finalize()),
    })
}
