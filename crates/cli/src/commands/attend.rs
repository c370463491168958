//! Picking up a run that is with a scheduler, from any terminal: what `status`, `watch`, `wait` and `cancel` share.

use crate::ending::Shown;
use crate::exit::Failure;
use crate::explain::explain;
use crate::live::{Manner, go};
use crate::printer::Printer;
use crate::sequential::Watched;
use crate::typed::Typed;
use crate::{environment, time};
use fairtrial_engine::remote;
use fairtrial_engine::{Controls, RunEvent, RunReport, RunRequest, Start, Stay, Verbosity};
use fairtrial_journal::{RunDir, RunState, resolved_spec};
use fairtrial_plan::Plan;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::channel;

/// The journal of a run, folded; nothing where it has none yet.
pub(super) fn state(run: &RunDir) -> Result<RunState, Failure> {
    if run.journal().exists() {
        Ok(RunState::read(&run.journal())?)
    } else {
        Ok(RunState::default())
    }
}

/// Whether a scheduler may have something of a run that has no controller: jobs, or trials that wait for one.
pub(super) fn is_remote(run: &RunDir, state: &RunState) -> bool {
    remote::open_jobs(run, state).is_some()
        || state
            .closed()
            .is_some_and(|(_, status)| status == fairtrial_journal::RunStatus::Detached)
}

/// What is needed to go on with a run as it was recorded, and its stopping rule: whoever hands out trials asks it first.
pub(super) fn request(
    run: &RunDir,
    state: &RunState,
    stay: Stay,
) -> Result<(RunRequest, Option<Watched>), Failure> {
    let only = state.opened.as_ref().and_then(|opened| opened.only.clone());
    let plan = Plan::new(Arc::new(resolved_spec(run)?), only.as_deref())?;
    let program = std::env::current_exe()
        .map_err(|error| Failure::machine(format!("cannot find this program: {error}")))?;
    let parallel = plan.spec().parallel;
    let watched = Watched::new(plan.spec())?;
    let request = RunRequest {
        root: run.root().clone(),
        plan: Arc::new(plan),
        spec_text: Vec::new(),
        spec_extension: String::new(),
        set: state
            .opened
            .as_ref()
            .map_or_else(Vec::new, |opened| opened.set.clone()),
        only,
        registration: None,
        slots: parallel.unwrap_or(1),
        parallel,
        expected_s: None,
        stay,
        start: Start::Attend(run.clone()),
        program,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        environment: environment::read(),
        now: time::now,
        verbosity: Verbosity::Ends,
        stop: watched.as_ref().map(Watched::boxed),
    };
    Ok((request, watched))
}

/// What was typed to have the run, as far as it is recorded.
pub(super) fn typed(request: &RunRequest) -> Typed {
    Typed {
        spec: request.plan.spec().source.clone().into(),
        set: request.set.clone(),
        as_recorded: false,
    }
}

/// What one look at a run with a scheduler shows.
#[derive(Default)]
pub(super) struct Glance {
    /// How many open jobs are in which state.
    pub(super) jobs: BTreeMap<&'static str, u64>,
    /// What the user should know.
    pub(super) warnings: Vec<String>,
}

/// Takes what came and hands out what is due, once, and says what the scheduler knows of the jobs.
pub(super) fn glance(run: &RunDir, state: &RunState) -> Result<Glance, Failure> {
    let (request, _) = request(run, state, Stay::Leave)?;
    let (events, seen) = channel();
    fairtrial_engine::run(&request, &Controls::default(), events).map_err(explain)?;
    let mut glance = Glance::default();
    for event in seen {
        match event {
            RunEvent::Jobs(jobs) => glance.jobs = jobs,
            RunEvent::Warning(text) => glance.warnings.push(text),
            _ => {}
        }
    }
    Ok(glance)
}

/// Ends the jobs of a run that has no controller.
pub(super) fn cancel(
    run: &RunDir,
    state: &RunState,
    printer: Printer,
) -> Result<RunReport, Failure> {
    let (request, _) = request(run, state, Stay::UntilDone)?;
    let controls = Controls::default();
    controls.cancel();
    let manner = Manner {
        shown: Shown::Json,
        typed: typed(&request),
        detail: None,
    };
    go(&request, &controls, &manner, printer).map(|lived| lived.report)
}
