//! `status`: what a run is doing, from any terminal.

use super::select::RunArgs;
use crate::console::Console;
use crate::exit::{Done, Exit};
use crate::progress::{job_words, outcome_words};
use fairtrial_engine::JobGroup;
use fairtrial_journal::{Liveness, RunDir, RunStatus};
use fairtrial_report::looks_so_far;
use fairtrial_session::{RunStanding, Session};
use serde_json::json;
use std::collections::BTreeMap;

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

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    let session = console.session();
    let run = session.find_run(&args.run.choice())?;
    let standing = session.status(&run)?;
    if args.json {
        console.printer.json(&as_json(&run, &standing));
    } else {
        show(&run, &standing, &session, console);
    }
    Ok(Exit::Fine)
}

fn as_json(run: &RunDir, standing: &RunStanding) -> serde_json::Value {
    let RunStanding {
        live,
        state,
        glance,
        looks,
    } = standing;
    let holder = match live {
        Liveness::Live(holder) => json!(holder),
        Liveness::Idle => json!(null),
    };
    let problems: Vec<String> = state.problems.iter().map(ToString::to_string).collect();
    json!({
        "name": run.name(), "stamp": run.stamp(), "dir": run.path(), "status": standing.word(),
        "controller": holder, "trials": standing.trials(), "ended": state.counts.total(), "counts": state.counts,
        "in_flight": standing.in_flight(), "jobs": job_counts(&glance.jobs), "job_groups": glance.jobs,
        "mixes_code": state.mixes_code, "jobs_heard_at": glance.heard_at, "warnings": glance.warnings, "problems": problems, "sequential": looks,
    })
}

/// How many open jobs are in which state.
fn job_counts(groups: &[JobGroup]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for group in groups {
        *counts.entry(group.state.as_str()).or_default() += group.jobs.len();
    }
    counts
}

fn show(run: &RunDir, standing: &RunStanding, session: &Session, console: &Console) {
    let printer = console.printer;
    let RunStanding {
        live,
        state,
        glance,
        looks,
    } = standing;
    let trials = standing.trials();
    printer.line(format!(
        "{} {}: {}",
        run.name(),
        run.stamp(),
        standing.word()
    ));
    printer.line(format!(
        "  {} of {trials} trials ended: {}",
        state.counts.total(),
        outcome_words(&state.counts)
    ));
    if state.mixes_code {
        printer.line(format!(
            "  its trials ran different versions of the code: `fairtrial summarize {}` names them",
            run.name()
        ));
    }
    for line in looks.iter().flat_map(looks_so_far) {
        printer.line(format!("  {line}"));
    }
    if let Liveness::Live(Some(holder)) = live {
        printer.line(format!(
            "  controller: process {} on {} since {}",
            holder.pid, holder.host, holder.since
        ));
        if let Some(at) = glance.heard_at {
            let jobs = job_words(&glance.jobs);
            printer.line(format!("  jobs, as heard at {at}: {jobs}"));
        } else {
            for trial in session.trials_at(run, state, &standing.in_flight()) {
                printer.line(format!("  running: {} {}", trial.index, trial.label()));
            }
        }
    } else if state
        .closed()
        .is_some_and(|(_, status)| status == RunStatus::Detached)
    {
        if !glance.jobs.is_empty() {
            printer.line(format!("  jobs: {}", job_words(&glance.jobs)));
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
            "  its budget is spent; `fairtrial run SPEC --resume` resumes it where `budget` is raised or was one of time",
        );
    } else if state.is_half_scored() {
        printer.line(format!(
            "  old and new scores stand side by side: `fairtrial eval {} --rollout {}` completes it",
            run.name(),
            run.stamp()
        ));
    } else if state.counts.total() < trials {
        printer.line("  `fairtrial run SPEC --resume` resumes it");
    }
    for warning in &glance.warnings {
        printer.warn(warning);
    }
    for problem in state.problem_sentences() {
        printer.warn(format!("{}: {problem}", run.journal().display()));
    }
}
