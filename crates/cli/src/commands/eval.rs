//! `eval`: scores what the rollouts of a run left, again, without running an agent.

use super::select::RunArgs;
use super::summarize;
use crate::exit::{Done, Exit, Failure};
use crate::global::Global;
use crate::printer::Printer;
use crate::{agents, environment, time};
use fairtrial_analysis::summarize_run;
use fairtrial_engine::{ScoreRequest, score_again};
use fairtrial_journal::{Durability, resolved_spec, write_atomic_bytes};
use fairtrial_model::Stamp;
use serde_json::json;

/// Score (again) what the rollouts of a run left
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  fairtrial eval my_benchmark --latest\n  fairtrial eval my_benchmark --rollout 20250824__12-34-56 --json"
)]
pub(crate) struct Args {
    #[command(flatten)]
    run: RunArgs,
    /// How many are scored at the same time
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..))]
    parallel: u16,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, global: &Global, printer: Printer) -> Done {
    let run = args.run.find(global, printer)?;
    let spec = resolved_spec(&run)?;
    agents::make_ready(&spec, run.root())?;
    let program = std::env::current_exe()
        .map_err(|error| Failure::machine(format!("cannot find this program: {error}")))?;
    let rows = score_again(&ScoreRequest {
        run: &run,
        program: &program,
        environment: &environment::read(),
        slots: usize::from(args.parallel),
        now: time::now,
    })?;
    if rows.is_empty() {
        return Err(Failure::input(format!(
            "run {} has no rollouts of agent tasks",
            run.stamp()
        ))
        .hint("`eval` scores tasks with `prepared_dir`; `summarize` shows any run"));
    }
    let summary = summarize_run(&run, &spec)?;
    summarize::write_views(&run, &spec, &summary)?;
    let manifest = json!({ "evaluated_at": Stamp::of(time::now()), "results": rows });
    let text = serde_json::to_vec_pretty(&manifest).unwrap_or_default();
    let path = run.path().join("eval_manifest.json");
    write_atomic_bytes(&path, Durability::Process, &text)?;
    let unscored = rows.iter().filter(|row| row.eval_rc != 0).count();
    if args.json {
        printer.json(&json!({ "evaluation": manifest, "summary": summary }));
    } else {
        printer.page(fairtrial_report::console::summary(
            &summary,
            printer.terminal(),
        ));
        for row in rows.iter().filter(|row| row.eval_rc != 0) {
            let why = row.error.as_deref().unwrap_or(row.status);
            printer.warn(format!("{}: {why}", row.run_dir));
        }
        printer.tell(format!(
            "{} of {} rollouts scored; {}",
            rows.len() - unscored,
            rows.len(),
            path.display()
        ));
    }
    if fairtrial_journal::RunState::read(&run.journal())?.is_half_scored() {
        printer.warn(format!(
            "old and new scores stand side by side, so that nothing is judged by them: `fairtrial eval {} --rollout {}` \
             again completes it",
            run.name(),
            run.stamp()
        ));
    }
    Ok(if unscored == 0 {
        Exit::Fine
    } else {
        Exit::Machine
    })
}
