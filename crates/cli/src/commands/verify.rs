//! `verify`: is a report what its evidence gives, and is the evidence what was recorded?

use super::report::read_text;
use super::select::RunArgs;
use crate::console::Console;
use crate::exit::{Done, Exit};
use crate::printer::Printer;
use fairtrial_report::verify::Finding;
use fairtrial_session::RunVerified;
use std::path::PathBuf;

/// Recompute every number of a run's reports from its evidence, and fail on any difference
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fairtrial verify bench                                  the newest run and its reports
  fairtrial verify bench --report paper/bench.html        a report that stands elsewhere

Exit codes: 0 everything is as the evidence gives it, 1 something is not, 2 wrong input.")]
pub(crate) struct Args {
    #[command(flatten)]
    run: RunArgs,
    /// A report to check [default: report.html and report.md of the run's folder]
    #[arg(long = "report", value_name = "FILE")]
    reports: Vec<PathBuf>,
    /// The template that the HTML report was made with
    #[arg(long, value_name = "FILE")]
    template: Option<PathBuf>,
    /// Print what was found as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    let template = args.template.as_deref().map(read_text).transpose()?;
    let session = console.session();
    let run = session.find_run(&args.run.choice())?;
    let verified = session.verify(&run, &args.reports, template.as_deref())?;
    let right = verified.is_right();
    if args.json {
        console.printer.json(&serde_json::json!({
            "run": verified.run, "verified": right, "checks": verified.checks,
        }));
    } else {
        show(&verified, console.printer);
    }
    Ok(if right { Exit::Fine } else { Exit::Failed })
}

fn show(verified: &RunVerified, printer: Printer) {
    for check in &verified.checks {
        let mark = if check.findings.is_empty() {
            "✓"
        } else {
            "✗"
        };
        printer.line(format!("{mark} {}: {}", check.what, check.compared));
        for Finding {
            place,
            says,
            evidence,
        } in &check.findings
        {
            printer.line(format!("    {place}"));
            printer.line(format!("      is       {says}"));
            printer.line(format!("      expected {evidence}"));
        }
    }
    if verified.reports == 0 {
        printer.tell("there is no report to check; `fairtrial report` makes one");
    }
}
