//! `verify`: is a report what its evidence gives, and is the evidence what was recorded?

use super::report::{read_text, stem};
use super::select::RunArgs;
use crate::exit::{Done, Exit, Failure};
use crate::global::Global;
use crate::printer::Printer;
use crate::report_of::report_of;
use fairtrial_analysis::registration::Registered;
use fairtrial_analysis::report::ReportData;
use fairtrial_engine::resolved_spec;
use fairtrial_journal::{JournalError, RunDir, RunState, effective_records};
use fairtrial_model::Record;
use fairtrial_plan::Plan;
use fairtrial_report::verify::{Finding, Found, Verified};
use fairtrial_report::{seal, verify};
use serde::Serialize;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
    let run = args.run.find(global)?;
    let mut checks = vec![evidence(&run)?];
    let reports = if args.reports.is_empty() {
        let usual = ["report.html", "report.md"].map(|name| run.path().join(name));
        usual.into_iter().filter(|path| path.exists()).collect()
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
            printer.line(format!(
                "    {place}\n      is       {says}\n      expected {evidence}"
            ));
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

/// The journal's own checksums, and the spec and plan against what its first line says.
fn evidence(run: &RunDir) -> Result<Check, Failure> {
    let state = RunState::read(&run.journal())?;
    let mut findings: Vec<Finding> = state
        .problems
        .iter()
        .map(|problem| finding("journal.jsonl", problem.to_string(), "an intact line"))
        .collect();
    if let Some(opened) = &state.opened {
        let plan = Plan::new(Arc::new(resolved_spec(run)?), opened.only.as_deref())?;
        if plan.hash() != opened.plan_hash {
            findings.push(finding("the plan", plan.hash(), opened.plan_hash.clone()));
        }
        let text = spec_text(run);
        let hash = text.map(|text| fairtrial_analysis::registration::digest(&text));
        findings.extend(differs(
            "the spec's text, SHA-256",
            hash,
            &opened.spec_sha256,
        ));
    }
    findings.extend(files(run, &state));
    let copies = copies(run, &state)?;
    findings.extend(copies.findings);
    let counted = state.counts.total();
    let mut compared = format!(
        "{} lines, the records of {counted} trials and their own copies, spec, plan and environment",
        state.summary.intact
    );
    if copies.gone > 0 {
        let _ = write!(compared, "; {} copies are gone", copies.gone);
    }
    Ok(Check {
        what: "evidence".to_owned(),
        compared,
        findings,
    })
}

/// A finding where a hash is not the expected one, or there is nothing to hash.
fn differs(place: &str, found: Option<String>, expected: &str) -> Option<Finding> {
    (found.as_deref() != Some(expected))
        .then(|| finding(place, found.unwrap_or_else(|| "gone".to_owned()), expected))
}

/// The files that the answers rest on, against what the journal says of them.
fn files(run: &RunDir, state: &RunState) -> Vec<Finding> {
    let mut findings = Vec::new();
    for path in [run.resolved_spec(), run.environment()] {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let text = std::fs::read(&path).ok();
        let hash = text.map(|text| fairtrial_analysis::registration::digest(&text));
        match state.files.get(name.as_ref()) {
            Some(said) => findings.extend(differs(&format!("{name}, SHA-256"), hash, said)),
            // A run that was cut off before it knew its machine has neither.
            None if hash.is_none() => {}
            None => findings.push(finding(
                &name,
                "a file that the journal does not know",
                "a line with its SHA-256",
            )),
        }
    }
    findings
}

/// What became of the copies of records that trials keep beside their logs.
struct Copies {
    findings: Vec<Finding>,
    /// Copies that are not there any more, as of trials whose folders were removed.
    gone: u64,
}

/// As many differences are told one by one.
const MOST_COPIES: usize = 20;

/// Every record of the journal against the trial's own copy of it.
fn copies(run: &RunDir, state: &RunState) -> Result<Copies, Failure> {
    let mut copies = Copies {
        findings: Vec::new(),
        gone: 0,
    };
    effective_records(&run.journal(), state, |record| {
        // What another run recorded, or what never ran, has no copy here.
        if record.dir.is_empty() || record.reused_from.is_some() {
            return Ok::<(), JournalError>(());
        }
        let path = run.root().path().join(&record.dir).join("record.json");
        let Ok(text) = std::fs::read(&path) else {
            copies.gone += 1;
            return Ok(());
        };
        // As text, in which a value that is no number equals itself.
        let copy = serde_json::from_slice::<Record>(&text).and_then(|copy| as_text(&copy));
        let same = as_text(&record).is_ok_and(|record| copy.is_ok_and(|copy| copy == record));
        if !same && copies.findings.len() < MOST_COPIES {
            let place = format!("{}/record.json", record.dir);
            copies.findings.push(finding(
                &place,
                "another record than the journal's",
                "the same record",
            ));
        }
        Ok(())
    })?;
    Ok(copies)
}

fn as_text(record: &Record) -> serde_json::Result<String> {
    serde_json::to_string(record)
}

/// The spec's text as the run keeps it.
fn spec_text(run: &RunDir) -> Option<Vec<u8>> {
    let formats = ["toml", "yaml", "yml", "json"];
    formats
        .iter()
        .find_map(|extension| std::fs::read(run.spec(extension)).ok())
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

/// One report, against data made again with the same runs in its history.
fn report(
    path: &Path,
    run: &RunDir,
    template: Option<&str>,
    printer: Printer,
) -> Result<Check, Failure> {
    let text = read_text(path)?;
    let history = seal::read(&text).ok().map(|seal| seal.history);
    let data: ReportData = report_of(run, history, printer)?;
    let stem = stem(path);
    let found = Found {
        text: &text,
        stem: &stem,
        template,
        version: env!("CARGO_PKG_VERSION"),
    };
    let is_html = path
        .extension()
        .is_some_and(|extension| extension == "html");
    let verified = if is_html {
        verify::html(found, &data)
    } else {
        let found = Found {
            template: None,
            ..found
        };
        let (mut verified, charts) = verify::markdown(found, &data);
        for (name, svg) in &charts {
            let there = std::fs::read_to_string(path.with_file_name(name));
            verified.findings.extend(match there {
                Ok(there) => verify::chart(name, &there, svg),
                Err(error) => Some(finding(name, error.to_string(), "the chart")),
            });
        }
        verified
    };
    Ok(Check {
        what: path.display().to_string(),
        compared: compared(&verified),
        findings: verified.findings,
    })
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
