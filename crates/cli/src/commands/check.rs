//! `check`: is the spec valid, and what would it run?

use crate::exit::{Done, Exit};
use crate::global::Global;
use crate::printer::Printer;
use crate::spec_file::{self, SpecArgs};
use crate::{agents, data_dir, environment};
use fairtrial_engine::{Missing, preflight};
use fairtrial_journal::DataRoot;
use fairtrial_plan::Plan;
use fairtrial_spec::{FileCheck, Spec};
use serde_json::json;
use std::sync::Arc;

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

pub(crate) fn run(args: &Args, global: &Global, printer: Printer) -> Done {
    let loaded = args.spec.load(FileCheck::Warn);
    let root = data_dir::for_spec(global.data_dir.as_deref(), &args.spec.spec)?;
    let tasks = loaded.spec.as_ref().map(|spec| agents::check(spec, &root));
    let tasks = tasks.unwrap_or_default();
    let errors = spec_file::count_errors(&loaded.diagnostics)
        + tasks
            .iter()
            .map(|task| task.findings.errors.len())
            .sum::<usize>();
    let missing = loaded.spec.as_ref().map(|spec| not_here(spec, &root));
    let missing = missing.unwrap_or_default();
    let trials = loaded
        .spec
        .clone()
        .map(|spec| Plan::new(Arc::new(spec), None))
        .transpose()?
        .map(|plan| plan.len());
    if args.json {
        printer.json(
            &json!({ "valid": errors == 0, "trials": trials, "diagnostics": loaded.diagnostics, "agent_tasks": tasks, "not_here": missing }),
        );
    } else {
        spec_file::show(&loaded, printer);
        agents::show(&tasks, printer);
        for missing in &missing {
            printer.warn(missing);
        }
        match trials {
            Some(trials) if errors == 0 => {
                printer.line(format!(
                    "{} is valid: {trials} trials",
                    args.spec.spec.display()
                ));
            }
            _ => printer.tell(spec_file::invalid(&args.spec.spec, errors)),
        }
    }
    Ok(if errors == 0 { Exit::Fine } else { Exit::Input })
}

/// What would keep a run from starting here: no error, since trials may run on another machine, or later.
fn not_here(spec: &Spec, root: &DataRoot) -> Vec<String> {
    let missing = preflight(spec, &environment::read()).into_iter();
    let told = missing.filter_map(|missing| match missing {
        Missing::Program { .. } => {
            Some(format!("{missing}; it must be there where the trials run"))
        }
        Missing::LaterSource { .. } => Some(format!("{missing}; `run` refuses it")),
        _ => None,
    });
    told.chain(agents::lacking(spec, root)).collect()
}
