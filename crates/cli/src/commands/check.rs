//! `check`: is the spec valid, and what would it run?

use crate::console::Console;
use crate::exit::Exit;
use crate::spec_args::SpecArgs;
use crate::words::{show_spec, show_task};
use fairtrial_engine::Missing;
use fairtrial_session::{Checked, NotHere, SessionError, TaskFinding};
use fairtrial_spec::Spec;
use fairtrial_text::count::counted;
use serde_json::json;

/// Validate a spec and report every problem in it at once
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  fairtrial check bench.toml")]
pub(crate) struct Args {
    #[command(flatten)]
    spec: SpecArgs,
    /// Print the problems as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, console: &Console) -> Exit {
    let checked = console.session().check(&args.spec.file());
    let errors = checked.errors();
    if args.json {
        let refusals: Vec<String> = checked.refusals.iter().map(ToString::to_string).collect();
        let missing: Vec<String> = checked.not_here.iter().map(missing_words).collect();
        console.printer.json(&json!({
            "valid": errors == 0, "trials": checked.trials, "diagnostics": checked.loaded.diagnostics,
            "agent_tasks": checked.tasks, "refusals": refusals, "not_here": missing,
        }));
    } else {
        show(args, &checked, console);
    }
    if errors == 0 { Exit::Fine } else { Exit::Input }
}

fn show(args: &Args, checked: &Checked, console: &Console) {
    let printer = console.printer;
    show_spec(&checked.loaded, printer);
    for finding in TaskFinding::of(&checked.tasks) {
        show_task(&finding, printer);
    }
    for refusal in &checked.refusals {
        printer.error(&refusal.to_string(), None);
    }
    for missing in &checked.not_here {
        printer.warn(missing_words(missing));
    }
    let path = args.spec.spec.clone();
    match (checked.trials, checked.errors()) {
        (Some(trials), 0) => {
            let at_most = if checked.loaded.spec.as_ref().is_some_and(stops_early) {
                "at most "
            } else {
                ""
            };
            let trials = counted(trials, "trial");
            printer.line(format!("{} is valid: {at_most}{trials}", path.display()));
        }
        (_, errors) => printer.tell(SessionError::InvalidSpec { path, errors }.to_string()),
    }
}

/// Whether a rule may end the run before all trials are done.
fn stops_early(spec: &Spec) -> bool {
    spec.analysis.stop.is_some()
}

/// What is not here, and what that means.
fn missing_words(missing: &NotHere) -> String {
    match missing {
        NotHere::Trial(missing @ (Missing::Room { .. } | Missing::Counter { .. })) => {
            missing.to_string()
        }
        NotHere::Trial(missing) => format!("{missing}; it must be there where the trials run"),
        NotHere::Agent(text) => text.clone(),
    }
}
