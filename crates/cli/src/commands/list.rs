//! `list`: the runs there are; with `experiments` the registered experiments, with `engines` where trials can run.

use super::{list_engines, list_experiments};
use crate::candidates;
use crate::console::Console;
use crate::exit::{Done, Exit, Failure};
use crate::progress::outcome_words;
use fairtrial_journal::RunRow;
use fairtrial_text::count::counted;
use fairtrial_text::nearest::did_you_mean;
use fairtrial_text::shell_word::shell_word;
use std::collections::BTreeSet;
use std::path::Path;

/// List the runs of this project, the registered experiments, or the engines
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  fairtrial list\n  fairtrial list --all\n  fairtrial list experiments\n  fairtrial list engines"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// Only runs of this benchmark
    #[arg(add = candidates::runs())]
    name: Option<String>,
    /// Show all of them, not the newest alone
    #[arg(long)]
    all: bool,
    /// Print the list as JSON, all of it
    #[arg(long)]
    json: bool,
}

/// What else there is to list.
#[derive(Debug, clap::Subcommand)]
enum What {
    Experiments(list_experiments::Args),
    Engines(list_engines::Args),
}

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    let printer = console.printer;
    match &args.what {
        Some(What::Experiments(args)) => return list_experiments::run(args, printer),
        Some(What::Engines(args)) => return Ok(list_engines::run(args, printer)),
        None => {}
    }
    let session = console.session();
    let root = session.data_root();
    let mut runs = session.runs()?;
    let names: BTreeSet<String> = runs.iter().map(|run| run.name.clone()).collect();
    if let Some(name) = &args.name {
        runs.retain(|run| run.name == *name);
        if runs.is_empty() {
            return Err(nothing_of(name, &names, root.path()));
        }
    }
    if args.json {
        printer.json(&runs);
    } else if runs.is_empty() {
        printer.tell(format!("no runs under {}", root.path().display()));
    } else {
        let flaws: Vec<String> = runs.iter().filter_map(flaw).collect();
        let older = if args.all {
            0
        } else {
            runs.len().saturating_sub(NEWEST)
        };
        // The newest are the last, next to where one types.
        let runs = &runs[older..];
        let width = runs
            .iter()
            .map(|run| run.name.chars().count())
            .max()
            .unwrap_or(4)
            .max(4);
        printer.line(format!(
            "{:<width$}  {:<18}  {:<9}  {:>13}  outcomes",
            "name", "stamp", "status", "trials"
        ));
        for run in runs {
            printer.line(row(run, width));
        }
        if older > 0 {
            printer.tell(older_words(older, args, console));
        }
        for flaw in flaws.iter().take(FLAWS) {
            printer.warn(flaw);
        }
        if let Some(more @ 1..) = flaws.len().checked_sub(FLAWS) {
            let runs = counted(more as u64, "more run");
            printer.warn(format!("{runs} with such journals: `--json` has them all"));
        }
    }
    Ok(Exit::Fine)
}

fn row(run: &RunRow, width: usize) -> String {
    let trials = format!("{}/{}", run.counts.total(), run.trials);
    let status = status_word(run);
    let mixed = if run.mixes_code { "; mixes code" } else { "" };
    format!(
        "{:<width$}  {:<18}  {status:<9}  {trials:>13}  {}{mixed}",
        run.name,
        run.stamp.to_string(),
        outcome_words(&run.counts)
    )
}

/// Runs that are shown where nobody asks for all.
const NEWEST: usize = 40;

/// How many runs are not shown, and what shows them.
fn older_words(older: usize, args: &Args, console: &Console) -> String {
    let runs = counted(older, "older run");
    let name = args.name.as_deref().map(shell_word);
    let name = name.map_or(String::new(), |name| format!(" {name}"));
    let data_words = console.data_words();
    format!("{runs} not shown: `fairtrial list{name} --all{data_words}` shows all")
}

/// Damaged journals that are named one by one.
const FLAWS: usize = 3;

/// What is lost or not finished in a run's journal.
fn flaw(run: &RunRow) -> Option<String> {
    let damaged = (run.corrupt > 0).then(|| counted(run.corrupt, "damaged line"));
    // A controller that is at work may be writing it.
    let torn = (run.torn && !run.live).then(|| "an unfinished last line".to_owned());
    let parts: Vec<String> = damaged.into_iter().chain(torn).collect();
    (!parts.is_empty()).then(|| {
        format!(
            "the journal of run {} {} has {}: `fairtrial verify {} --rollout {}` says more",
            run.name,
            run.stamp,
            parts.join(" and "),
            run.name,
            run.stamp
        )
    })
}

fn status_word(run: &RunRow) -> &'static str {
    match run.status {
        _ if run.live => "running",
        Some(status) => status.word(),
        None => "cut off",
    }
}

/// What else `list` lists.
const SUBJECTS: [&str; 2] = ["experiments", "engines"];

/// Why a name that was asked for has no runs.
fn nothing_of(asked: &str, names: &BTreeSet<String>, root: &Path) -> Failure {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let message = format!("there are no runs of {asked} under {}", root.display());
    let hint = did_you_mean(asked, SUBJECTS.into_iter().chain(names.iter().copied()));
    let hint = hint.unwrap_or_else(|| {
        if names.is_empty() {
            "`fairtrial run SPEC` makes one".to_owned()
        } else {
            format!("there are runs of {}", names.join(", "))
        }
    });
    Failure::input(message).hint(hint)
}
