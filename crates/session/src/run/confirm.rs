//! The second half of a sweep with `confirm`: its choice again, on fresh seeds, as a run of its own.

use super::result::RunResult;
use crate::error::SessionError;
use crate::notice::Notice;
use fairtrial_analysis::confirm::{Spent, confirm_spec, confirming_run};
use fairtrial_engine::{Outputs, RunRequest, Start, Stay};
use fairtrial_journal::RunDir;
use fairtrial_plan::Plan;
use std::sync::Arc;
use std::time::Duration;

/// The run that confirms what a sweep chose: a new one, or the one that was begun for this sweep before.
pub(super) fn request(
    result: &RunResult,
    sweep: &RunRequest,
    wall: Duration,
) -> Result<RunRequest, SessionError> {
    let spec = sweep.plan.spec();
    if sweep.only.is_some() {
        return Err(SessionError::PartOfSweep);
    }
    let chosen = result.data.as_ref().zip(result.choice.as_ref());
    let (data, choice) = chosen.ok_or(SessionError::NothingChosen)?;
    let stamp = result.report.run.stamp();
    let spent = Spent::of(data, spec, wall.as_secs_f64());
    let plan = Plan::new(Arc::new(confirm_spec(spec, stamp, choice, spent)?), None)?;
    Ok(RunRequest {
        root: sweep.root.clone(),
        plan: Arc::new(plan),
        spec_text: sweep.spec_text.clone(),
        spec_extension: sweep.spec_extension.clone(),
        set: sweep.set.clone(),
        only: None,
        registration: None,
        accepted_code: None,
        slots: sweep.slots,
        parallel: sweep.parallel,
        expected_s: None,
        stay: Stay::UntilDone,
        start: start(&result.report.run)?,
        program: sweep.program.clone(),
        version: sweep.version.clone(),
        environment: sweep.environment.clone(),
        now: sweep.now,
        verbosity: sweep.verbosity,
        stop: None,
    })
}

/// Goes on with the newest confirmation where it belongs to this sweep.
fn start(sweep: &RunDir) -> Result<Start, SessionError> {
    let new = Start::New {
        reuse: None,
        outputs: Outputs::Keep,
    };
    Ok(confirming_run(sweep)?.map_or(new, Start::Resume))
}

/// What is about to happen.
pub(super) fn announcement(request: &RunRequest) -> Notice {
    let spec = request.plan.spec();
    let axes = spec
        .sweep
        .axes
        .iter()
        .chain(spec.tasks.iter().flat_map(|task| &task.sweep.axes));
    let mut point: Vec<String> = Vec::new();
    for axis in axes.filter(|axis| axis.values.len() == 1) {
        let value = fairtrial_model::Params::display(&axis.values[0]);
        let words = format!("{}={value}", axis.name);
        if !point.contains(&words) {
            point.push(words);
        }
    }
    Notice::Confirming {
        point,
        seeds: spec.seeds.len(),
    }
}
