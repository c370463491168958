//! `verify`: is a report what its evidence gives, and is the evidence what was recorded?

use super::report::read_text;
use super::select::RunArgs;
use crate::console::Console;
use crate::exit::{Done, Exit};
use crate::printer::Printer;
use fairtrial_report::verify::Finding;
use fairtrial_session::{RunVerified, VerifyOptions};
use std::path::PathBuf;

/// Recompute every number of a run's reports from its evidence, and fail on any difference
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fairtrial verify bench                                  the newest run and its reports
  fairtrial verify bench --report paper/bench.html        a report that stands elsewhere
  fairtrial verify bench --against v1.2                   and the hash that the tag's message has

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
    /// Compare with the hash of the journal's last line that you kept: itself, or a file, tag or commit with it
    #[arg(long, value_name = "HASH|FILE|TAG")]
    against: Option<String>,
    /// Print what was found as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    let template = args.template.as_deref().map(read_text).transpose()?;
    let session = console.session();
    let run = session.find_run(&args.run.choice())?;
    let options = VerifyOptions {
        reports: &args.reports,
        template: template.as_deref(),
        against: args.against.as_deref(),
    };
    let verified = session.verify(&run, &options)?;
    let right = verified.is_right();
    if args.json {
        console.printer.json(&serde_json::json!({
            "run": verified.run, "verified": right, "hash": verified.hash, "checks": verified.checks,
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
    if let Some(hash) = &verified.hash {
        printer.line(format!("  hash of the journal's last line: {hash}"));
    }
    if verified.reports == 0 {
        printer.tell("there is no report to check; `fairtrial report` makes one");
    }
}
