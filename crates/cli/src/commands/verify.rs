//! `verify`: is a report what its evidence gives, and is the evidence what was recorded?

use super::report::{read_text, stem};
use super::select::RunArgs;
use crate::environment;
use crate::exit::{Done, Exit, Failure};
use crate::global::Global;
use crate::printer::Printer;
use crate::report_of::{report_of, unmasked_report_of};
use fairtrial_analysis::registration::Registered;
use fairtrial_analysis::report::ReportData;
use fairtrial_engine::{Difference, check_evidence};
use fairtrial_journal::redact::Redactor;
use fairtrial_journal::{RunDir, is_there};
use fairtrial_report::verify::{Finding, Found, Verified};
use fairtrial_report::{seal, verify};
use serde::Serialize;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

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

/// One thing that was checked.
#[derive(Debug, Serialize)]
struct Check {
    what: String,
    /// What was compared, in words.
    compared: String,
    findings: Vec<Finding>,
}

pub(crate) fn run(args: &Args, global: &Global, printer: Printer) -> Done {
    let template = args.template.as_deref().map(read_text).transpose()?;
    let run = args.run.find(global, printer)?;
    let mut checks = vec![evidence(&run)?];
    let reports = if args.reports.is_empty() {
        let usual = ["report.html", "report.md"].map(|name| run.path().join(name));
        // One that is there and cannot be read is told of when it is.
        let absent = |path: &PathBuf| is_there(path).is_ok_and(|there| !there);
        usual.into_iter().filter(|path| !absent(path)).collect()
    } else {
        args.reports.clone()
    };
    let data = report_of(&run, None, printer)?;
    checks.extend(registration(&data.registered));
    for path in &reports {
        checks.push(report(path, &run, template.as_deref(), printer)?);
    }
    let wrong = checks.iter().any(|check| !check.findings.is_empty());
    if args.json {
        printer.json(&serde_json::json!({ "run": data.run, "verified": !wrong, "checks": checks }));
    } else {
        show(&checks, reports.is_empty(), printer);
    }
    Ok(if wrong { Exit::Failed } else { Exit::Fine })
}

fn show(checks: &[Check], no_report: bool, printer: Printer) {
    for check in checks {
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
    if no_report {
        printer.tell("there is no report to check; `fairtrial report` makes one");
    }
}

fn finding(place: &str, says: impl Into<String>, evidence: impl Into<String>) -> Finding {
    Finding {
        place: place.to_owned(),
        says: says.into(),
        evidence: evidence.into(),
    }
}

/// What the run left, against what it recorded.
fn evidence(run: &RunDir) -> Result<Check, Failure> {
    let found = check_evidence(run)?;
    let mut compared = format!(
        "{} lines, the records of {} trials and their own copies, spec, plan and environment",
        found.lines, found.trials
    );
    if found.copies_gone > 0 {
        let _ = write!(compared, "; {} copies are gone", found.copies_gone);
    }
    let as_finding = |difference: Difference| Finding {
        place: difference.place,
        says: difference.found,
        evidence: difference.expected,
    };
    Ok(Check {
        what: "evidence".to_owned(),
        compared,
        findings: found.differences.into_iter().map(as_finding).collect(),
    })
}

/// A registered plan must be kept to.
fn registration(registered: &Registered) -> Option<Check> {
    let value = |text: &Option<String>| text.clone().unwrap_or_else(|| "nothing".to_owned());
    let (compared, findings) = match registered {
        Registered::No => return None,
        Registered::AsRegistered { hash, .. } => {
            (format!("as registered, plan {hash}"), Vec::new())
        }
        Registered::Deviates {
            hash, deviations, ..
        } => {
            let findings = deviations
                .iter()
                .map(|deviation| {
                    finding(
                        &deviation.what,
                        value(&deviation.used),
                        value(&deviation.registered),
                    )
                })
                .collect();
            (format!("deviates from plan {hash}"), findings)
        }
        Registered::Broken { why } => (
            "cannot be trusted".to_owned(),
            vec![finding(
                "registration.json",
                why.clone(),
                "the plan that was registered",
            )],
        ),
    };
    Some(Check {
        what: "registered plan".to_owned(),
        compared,
        findings,
    })
}

/// One report, against data made again with the same runs in its history and the same texts masked. What is said of one
/// that differs holds no secret of this environment either.
fn report(
    path: &Path,
    run: &RunDir,
    template: Option<&str>,
    printer: Printer,
) -> Result<Check, Failure> {
    let text = read_text(path)?;
    let (history, masked) = seal::read(&text)
        .ok()
        .map(|seal| (seal.history, seal.masked))
        .unzip();
    let masked = masked.unwrap_or_default();
    let unmasked = unmasked_report_of(run, history, printer)?;
    let check = |environment: &Redactor| {
        let mut data = unmasked.clone();
        data.mask_as(&masked, environment);
        against(path, &text, template, &data)
    };
    let mut verified = check(&Redactor::default());
    if !verified.findings.is_empty() {
        verified = check(&Redactor::from_env(environment::read()));
    }
    Ok(Check {
        what: path.display().to_string(),
        compared: compared(&verified),
        findings: verified.findings,
    })
}

/// A report's text and charts against its data made again.
fn against(path: &Path, text: &str, template: Option<&str>, data: &ReportData) -> Verified {
    let stem = stem(path);
    let found = Found {
        text,
        stem: &stem,
        template,
        version: env!("CARGO_PKG_VERSION"),
    };
    let is_html = path
        .extension()
        .is_some_and(|extension| extension == "html");
    if is_html {
        return verify::html(found, data);
    }
    let found = Found {
        template: None,
        ..found
    };
    let (mut verified, charts) = verify::markdown(found, data);
    for (name, svg) in &charts {
        let there = std::fs::read_to_string(path.with_file_name(name));
        verified.findings.extend(match there {
            Ok(there) => verify::chart(name, &there, svg),
            Err(error) => Some(finding(name, error.to_string(), "the chart")),
        });
    }
    verified
}

fn compared(verified: &Verified) -> String {
    let numbers =
        (verified.numbers > 0).then(|| format!("{} numbers of its data", verified.numbers));
    let text = if verified.whole_text {
        "its whole text"
    } else {
        "its seal (its text was drawn by another version or template)"
    };
    let parts: Vec<String> = numbers.into_iter().chain([text.to_owned()]).collect();
    parts.join(", ")
}
