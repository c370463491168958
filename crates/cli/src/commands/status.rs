//! `status`: what a run is doing, from any terminal.

use super::attend::{self, Glance};
use super::select::RunArgs;
use crate::exit::{Done, Exit};
use crate::global::Global;
use crate::printer::Printer;
use crate::progress::{job_words, outcome_words};
use fairtrial_journal::{Liveness, RunStatus, is_live, resolved_spec};
use fairtrial_plan::Plan;
use serde_json::json;
use std::sync::Arc;

/// Show what a run is doing
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  fairtrial status\n  fairtrial status my_benchmark --rollout 20250824__12-34-56"
)]
pub(crate) struct Args {
    #[command(flatten)]
    run: RunArgs,
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, global: &Global, printer: Printer) -> Done {
    let run = args.run.find(global, printer)?;
    let live = is_live(&run)?;
    let mut state = attend::state(&run)?;
    let mut seen = Glance::default();
    if !live.is_live() && attend::is_remote(&run, &state) {
        match attend::glance(&run, &state) {
            Ok(glance) => seen = glance,
            Err(failure) => seen.warnings.push(failure.message),
        }
        state = attend::state(&run)?;
    }
    let Glance { jobs, warnings } = seen;
    let trials = state.opened.as_ref().map_or(0, |opened| opened.trials);
    let in_flight: Vec<u64> = state
        .trials()
        .filter(|(_, trial)| trial.is_in_flight())
        .map(|(index, _)| index)
        .collect();
    let word = match (&live, state.closed()) {
        (live, _) if live.is_live() => "running",
        (_, Some((_, status))) => status.word(),
        _ => "cut off",
    };
    if args.json {
        let holder = match &live {
            Liveness::Live(holder) => json!(holder),
            Liveness::Idle => json!(null),
        };
        let problems: Vec<String> = state.problems.iter().map(ToString::to_string).collect();
        printer.json(&json!({
            "name": run.name(), "stamp": run.stamp(), "dir": run.path(), "status": word, "controller": holder,
            "trials": trials, "ended": state.counts.total(), "counts": state.counts,
            "in_flight": if live.is_live() { in_flight } else { Vec::new() }, "jobs": jobs, "warnings": warnings,
            "problems": problems,
        }));
        return Ok(Exit::Fine);
    }
    printer.line(format!("{} {}: {word}", run.name(), run.stamp()));
    printer.line(format!(
        "  {} of {trials} trials ended: {}",
        state.counts.total(),
        outcome_words(&state.counts)
    ));
    if let Liveness::Live(Some(holder)) = &live {
        printer.line(format!(
            "  controller: process {} on {} since {}",
            holder.pid, holder.host, holder.since
        ));
        // Without the plan the trials have no names, and the rest is as true as with it.
        let spec = resolved_spec(&run).map_err(|error| printer.warn(error.to_string()));
        let plan = spec.ok().and_then(|spec| {
            let only = state.opened.as_ref().and_then(|opened| opened.only.clone());
            Plan::new(Arc::new(spec), only.as_deref()).ok()
        });
        for trial in in_flight
            .iter()
            .filter_map(|index| plan.as_ref()?.trial(*index))
        {
            printer.line(format!(
                "  running: {} {}",
                trial.key.index,
                trial.key.label()
            ));
        }
    } else if state
        .closed()
        .is_some_and(|(_, status)| status == RunStatus::Detached)
    {
        if !jobs.is_empty() {
            printer.line(format!("  jobs: {}", job_words(&jobs)));
        }
        let name = run.name();
        printer.line(format!(
            "  `fairtrial watch {name}` or `fairtrial wait {name}` stays with it"
        ));
    } else if state
        .closed()
        .is_some_and(|(_, status)| status == RunStatus::Budget)
    {
        printer.line(
            "  its budget is spent; `fairtrial run SPEC --resume` goes on where `budget` is raised or was one of time",
        );
    } else if state.is_half_scored() {
        printer.line(format!(
            "  old and new scores stand side by side: `fairtrial eval {} --rollout {}` completes it",
            run.name(),
            run.stamp()
        ));
    } else if state.counts.total() < trials {
        printer.line("  `fairtrial run SPEC --resume` goes on with it");
    }
    for warning in warnings {
        printer.warn(warning);
    }
    for problem in &state.problems {
        printer.warn(format!("{}: {problem}", run.journal().display()));
    }
    Ok(Exit::Fine)
}
