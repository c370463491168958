//! `eval`: scores what the rollouts of a run left, again, without running an agent.

use super::select::RunArgs;
use crate::console::Console;
use crate::exit::{Done, Exit};
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

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    let (session, printer) = (console.session(), console.printer);
    let run = session.find_run(&args.run.choice())?;
    let evaluated = session.evaluate(&run, args.parallel.into())?;
    let unscored = evaluated.unscored().count();
    if args.json {
        printer.json(&json!({ "evaluation": evaluated.manifest, "summary": evaluated.summary }));
    } else {
        printer.page(fairtrial_report::console::summary(
            &evaluated.summary,
            printer.terminal(),
        ));
        for row in evaluated.unscored() {
            let why = row.error.as_deref().unwrap_or(row.status);
            printer.warn(format!("{}: {why}", row.run_dir));
        }
        let all = evaluated.rollouts.len();
        printer.tell(format!(
            "{} of {all} rollouts scored; {}",
            all - unscored,
            evaluated.file.display()
        ));
    }
    if evaluated.is_half_scored {
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
