//! `check`: is the spec valid, and what would it run?

use crate::console::Console;
use crate::exit::{Done, Exit};
use crate::spec_args::SpecArgs;
use crate::words::{show_spec, show_task};
use fairtrial_engine::Missing;
use fairtrial_session::{Checked, NotHere, SessionError, TaskFinding};
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

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    let checked = console.session().check(&args.spec.file())?;
    let errors = checked.errors();
    if args.json {
        let missing: Vec<String> = checked.not_here.iter().map(missing_words).collect();
        console.printer.json(&json!({
            "valid": errors == 0, "trials": checked.trials, "diagnostics": checked.loaded.diagnostics,
            "agent_tasks": checked.tasks, "not_here": missing,
        }));
    } else {
        show(args, &checked, console);
    }
    Ok(if errors == 0 { Exit::Fine } else { Exit::Input })
}

fn show(args: &Args, checked: &Checked, console: &Console) {
    let printer = console.printer;
    show_spec(&checked.loaded, printer);
    for finding in TaskFinding::of(&checked.tasks) {
        show_task(&finding, printer);
    }
    for missing in &checked.not_here {
        printer.warn(missing_words(missing));
    }
    let path = args.spec.spec.clone();
    match (checked.trials, checked.errors()) {
        (Some(trials), 0) => printer.line(format!("{} is valid: {trials} trials", path.display())),
        (_, errors) => printer.tell(SessionError::InvalidSpec { path, errors }.to_string()),
    }
}

/// What is not here, and what that means.
fn missing_words(missing: &NotHere) -> String {
    match missing {
        NotHere::Trial(missing @ Missing::LaterSource { .. }) => {
            format!("{missing}; `run` refuses it")
        }
        NotHere::Trial(missing) => format!("{missing}; it must be there where the trials run"),
        NotHere::Agent(text) => text.clone(),
    }
}
