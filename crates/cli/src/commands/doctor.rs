//! `doctor`: what this machine can measure, and what it cannot.

use crate::data_dir;
use crate::exit::Exit;
use crate::global::Global;
use crate::printer::Printer;
use fairtrial_engine::remote;
use fairtrial_journal::provenance::Host;
use fairtrial_text::bytes::size;
use fairtrial_trial::LimitsOffered;
use serde::Serialize;

/// Show what this machine can measure and enforce
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  fairtrial doctor")]
pub(crate) struct Args {
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

/// One thing that was looked at.
#[derive(Debug, Serialize)]
struct Finding {
    what: &'static str,
    good: bool,
    detail: String,
}

pub(crate) fn run(args: &Args, global: &Global, printer: Printer) -> Exit {
    let host = Host::read();
    let mut findings = vec![limits(), run_queue(), subreaper(), data(global), git()];
    findings.extend(instruments());
    findings.extend(engines());
    if args.json {
        printer.json(&serde_json::json!({ "host": host, "findings": findings }));
        return Exit::Fine;
    }
    let known = |value: Option<String>| value.unwrap_or_else(|| "unknown".to_owned());
    let memory = host.memory_bytes.map(size);
    printer.line(format!(
        "    {:<16} {} ({} {})",
        "host", host.name, host.os, host.kernel
    ));
    printer.line(format!("    {:<16} {}", "processor", known(host.cpu)));
    printer.line(format!(
        "    {:<16} {}",
        "physical cores",
        known(host.cores.map(|cores| cores.to_string()))
    ));
    printer.line(format!("    {:<16} {}", "memory", known(memory)));
    for finding in &findings {
        let mark = if finding.good { "ok" } else { "--" };
        printer.line(format!("{mark}  {:<16} {}", finding.what, finding.detail));
    }
    Exit::Fine
}

/// The instruments of experiments that need something of the machine.
fn instruments() -> impl Iterator<Item = Finding> {
    let offered = fairtrial_driver::offered_instruments().into_iter();
    offered.map(|(what, offer)| Finding {
        what,
        good: offer.is_ok(),
        detail: offer.unwrap_or_else(|why| why),
    })
}

/// Where trials could run from here.
fn engines() -> impl Iterator<Item = Finding> {
    remote::survey().into_iter().map(|offer| Finding {
        what: offer.name,
        good: offer.reachable,
        detail: format!("engine: {}", offer.detail),
    })
}

fn limits() -> Finding {
    let (good, detail) = match LimitsOffered::probe() {
        LimitsOffered::Cgroup(found) => (
            true,
            format!("memory and process limits by {}", found.describe()),
        ),
        LimitsOffered::Rlimit(reason) => (
            false,
            format!("memory and process limits per process only: {reason}"),
        ),
    };
    Finding {
        what: "limits",
        good,
        detail,
    }
}

fn run_queue() -> Finding {
    let good = std::fs::read_to_string("/proc/self/schedstat")
        .is_ok_and(|text| text.split_whitespace().count() == 3);
    let detail = if good {
        "waiting for a CPU is recorded per trial"
    } else {
        "waiting for a CPU cannot be seen here"
    };
    Finding {
        what: "contention",
        good,
        detail: detail.to_owned(),
    }
}

fn subreaper() -> Finding {
    let good = cfg!(target_os = "linux");
    let detail = if good {
        "processes that trials leave behind are found and ended"
    } else {
        "processes that leave their trial's group are not found here"
    };
    Finding {
        what: "leftovers",
        good,
        detail: detail.to_owned(),
    }
}

fn data(global: &Global) -> Finding {
    let (good, detail) = match data_dir::for_here(global.data_dir.as_deref()) {
        Ok(root) if root.path().is_dir() => (true, root.path().display().to_string()),
        Ok(root) => (
            true,
            format!("{} (made by the first run)", root.path().display()),
        ),
        Err(failure) => (false, failure.message),
    };
    Finding {
        what: "data",
        good,
        detail,
    }
}

fn git() -> Finding {
    let version = fairtrial_process::version("git");
    let good = version.is_ok();
    let detail = version.unwrap_or_else(|error| {
        let why = if error.is_missing() {
            "git is not found".to_owned()
        } else {
            error.to_string()
        };
        format!("{why}: runs will not know their commit")
    });
    Finding {
        what: "provenance",
        good,
        detail,
    }
}
