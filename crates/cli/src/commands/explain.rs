//! `explain`: why a trial ended as it did, in a few lines.

use super::select::RunArgs;
use crate::console::Console;
use crate::exit::{Done, Exit};
use crate::printer::Printer;
use fairtrial_model::{Outcome, Part, Record, Saved};
use fairtrial_session::{NoLog, RunView, SessionError, TrialDetail};
use fairtrial_text::bytes::size;
use fairtrial_text::count::counted;
use fairtrial_text::duration::span;
use serde_json::json;

/// Last lines of a log that are shown.
const LINES: usize = 10;

/// Say why a trial ended as it did: its end, its limits, what it wrote last, and what to type next
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  fairtrial explain my_benchmark               the trial that failed last\n  fairtrial explain my_benchmark --trial 3\n  fairtrial explain 20250824__12-34-56-3       a trial by its own name"
)]
pub(crate) struct Args {
    #[command(flatten)]
    run: RunArgs,
    /// Place of the trial in the plan [default: the one that failed last]
    #[arg(long, value_name = "N")]
    trial: Option<u64>,
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    let session = console.session();
    let (run, named) = session.find_trial(&args.run.choice())?;
    let view = session.look(run.clone())?;
    let none_failed = || {
        SessionError::from(NoLog::NoneFailed {
            name: run.name().to_owned(),
        })
    };
    let trial = args.trial.or(named).or_else(|| view.state().last_failed());
    let trial = trial.ok_or_else(none_failed)?;
    let detail = view.trial(trial, None, view.is_live()?)?;
    let printer = console.printer;
    if args.json {
        printer.json(&json!({ "name": run.name(), "stamp": run.stamp(), "trial": detail }));
        return Ok(Exit::Fine);
    }
    printer.line(format!("trial {trial}: {}", detail.label));
    printer.line(format!("  {}", ended(&detail)));
    printer.line(format!("  {}", meaning(&detail)));
    if detail.row.attempts > 1 {
        let attempts = counted(detail.row.attempts, "attempt");
        printer.line(format!("  {attempts}; this is the newest"));
    }
    for line in detail.record.iter().flat_map(parts) {
        printer.line(format!("  {line}"));
    }
    for line in detail.record.iter().flat_map(used) {
        printer.line(format!("  {line}"));
    }
    for note in detail.record.iter().flat_map(|record| &record.notes) {
        printer.line(format!("  note: {note}"));
    }
    said(&view, &detail, printer);
    let (name, stamp, data) = (run.name(), run.stamp(), console.data_words());
    printer.line(format!(
        "  more: `fairtrial logs {name} --rollout {stamp} --trial {trial}{data}` (or with --stderr)"
    ));
    let packed = detail
        .record
        .as_ref()
        .filter(|record| record.packed.is_some());
    if packed.is_some() {
        printer.line(format!(
            "  its files: `fairtrial unpack {name} --rollout {stamp} --trial {trial}{data}` makes their folder"
        ));
    } else if detail.script.is_some() {
        let script = run.folder_of(&detail.dir).join("command.sh");
        printer.line(format!("  again by hand: `sh {}`", script.display()));
    }
    Ok(Exit::Fine)
}

/// How it ended, in its own words.
fn ended(detail: &TrialDetail) -> String {
    let cause = detail.row.cause.as_ref();
    let cause = cause.map_or(String::new(), |cause| format!(": {cause}"));
    let took = detail
        .row
        .wall
        .map_or(String::new(), |wall| format!(", after {}", span(wall)));
    format!("{}{cause}{took}", detail.status)
}

/// What that means for the run.
fn meaning(detail: &TrialDetail) -> &'static str {
    match detail.row.outcome {
        _ if detail.status == "running" => "it runs: nothing is known of its end yet",
        Some(Outcome::Infra | Outcome::Cancelled) if saved(detail) => {
            "what it saved is kept: `run --resume` goes on from there"
        }
        Some(Outcome::Ok) => "it ran to its end and reported what the spec asks for: it counts",
        Some(Outcome::Failed) => {
            "it is to blame itself: it stays in every count as failed, and has no value"
        }
        Some(Outcome::Timeout) => {
            "it took longer than its limit (`timeout`, `limits.cpu`) and was ended"
        }
        Some(Outcome::Oom) => {
            "it needed more memory than its limit or the machine has, and was killed"
        }
        Some(Outcome::Infra) => {
            "the machine is to blame, not the arm: `run --resume` tries it again"
        }
        Some(Outcome::Cancelled) => "somebody stopped it: `run --resume` runs it",
        Some(Outcome::Skipped) => "it never began: a task that it needs did not end well",
        None if detail.status == "waiting" => "it has not begun",
        None => "it began and left no record: its controller was cut off; `run --resume` runs it",
    }
}

fn saved(detail: &TrialDetail) -> bool {
    let checkpoint = detail.record.as_ref().and_then(|it| it.checkpoint.as_ref());
    checkpoint.is_some_and(|checkpoint| checkpoint.left.files > 0)
}

/// The parts that it was run in, and what it went on from.
fn parts(record: &Record) -> Vec<String> {
    let Some(checkpoint) = &record.checkpoint else {
        return Vec::new();
    };
    let dir = &checkpoint.dir;
    let mut lines: Vec<String> = checkpoint.parts.iter().map(part).collect();
    lines.push(match (checkpoint.found.files, checkpoint.parts.len()) {
        (0, 0) => format!("attempt {}: began from zero", record.attempt),
        (0, _) => format!(
            "attempt {}: began from zero, because no part before it left anything in {dir}",
            record.attempt
        ),
        (_, _) => format!(
            "attempt {}: went on from {}",
            record.attempt,
            standing(&checkpoint.found)
        ),
    });
    if !checkpoint.parts.is_empty() {
        let whole = record.whole_resources();
        let wall = whole.wall.map(|wall| format!(" took {}", span(wall)));
        let cpu = whole.cpu().map(|cpu| format!(", CPU {}", span(cpu)));
        let count = checkpoint.parts.len() + 1;
        lines.extend(wall.map(|wall| {
            let cpu = cpu.unwrap_or_default();
            format!("its {count} parts together{wall}{cpu}")
        }));
    }
    lines.push(format!("left {} in {dir}", standing(&checkpoint.left)));
    lines
}

fn part(part: &Part) -> String {
    let ended = match (&part.outcome, &part.cause) {
        (None, _) => "its controller was cut off".to_owned(),
        (Some(outcome), None) => outcome.to_string(),
        (Some(outcome), Some(cause)) => format!("{outcome}: {cause}"),
    };
    let took = part
        .wall
        .map_or(String::new(), |wall| format!(", after {}", span(wall)));
    let saved = match (part.saved, part.outcome) {
        (true, _) => ", saved",
        (false, None) => "",
        (false, Some(_)) => ", saved nothing new",
    };
    format!("attempt {}: {ended}{took}{saved}", part.attempt)
}

fn standing(saved: &Saved) -> String {
    match saved.files {
        0 => "nothing".to_owned(),
        files => format!("{} ({})", counted(files, "file"), size(saved.bytes)),
    }
}

/// What it used, as far as that is known.
fn used(record: &Record) -> Vec<String> {
    let resources = &record.resources;
    let mut parts = Vec::new();
    parts.extend(
        resources
            .peak_memory_bytes
            .map(|peak| format!("memory at most {}", size(peak))),
    );
    let cpu = resources.user.zip(resources.sys);
    parts.extend(cpu.map(|(user, sys)| format!("CPU {}", span(user + sys))));
    parts.extend(record.host.as_ref().map(|host| format!("on {host}")));
    if parts.is_empty() {
        return Vec::new();
    }
    vec![parts.join(", ")]
}

/// What it wrote last: to standard error, or, where that is empty, to standard output.
fn said(view: &RunView, detail: &TrialDetail, printer: Printer) {
    let which = (detail.row.trial, detail.attempt);
    for file in ["logs/stderr.log", "logs/agent.log", "logs/stdout.log"] {
        let Ok(part) = view.file_part(which, file, None) else {
            continue;
        };
        let lines: Vec<&str> = part.text.lines().collect();
        if lines.is_empty() {
            continue;
        }
        printer.line(format!("  last lines of {file}:"));
        for line in &lines[lines.len().saturating_sub(LINES)..] {
            printer.line(format!("    {line}"));
        }
        return;
    }
}
