//! `plan`: every trial, its command, and how long it may take.

use crate::console::Console;
use crate::exit::{Done, Exit};
use crate::printer::Printer;
use crate::spec_args::SpecArgs;
use crate::words::code_words;
use fairtrial_engine::write_plan;
use fairtrial_plan::Trial;
use fairtrial_session::{Estimate, FileCheck, KeptTrials, RunPreview, Session};
use fairtrial_spec::Work;
use fairtrial_text::count::{counted, first_of};
use fairtrial_text::duration::span;
use fairtrial_text::escape::{JsonWriter, terminal_line};
use fairtrial_text::shell_word::shell_word;
use std::io::{self, Write};

/// Print every trial of a spec, in order, with its command; run nothing
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  fairtrial plan bench.toml\n  fairtrial plan bench.toml --only 'arm=control,seed=1072'\n  fairtrial plan bench.toml --only 0,3,5:8"
)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) spec: SpecArgs,
    /// Only these trials: by task, arm, seed, parameter, or place (see docs/reference/filters.md)
    #[arg(long, value_name = "FILTER")]
    pub(crate) only: Option<String>,
    /// Print the plan as JSON, as it is kept with a run
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    let session = console.session();
    let plan = session.plan(&args.spec.file(), FileCheck::Warn, args.only.as_deref())?;
    let preview = session.preview(plan);
    show(&preview, args.json, &session, console.printer);
    if let Some((stamp, change)) = session.code_since_newest(&preview.plan) {
        let changed = code_words(&change).unwrap_or_default();
        console
            .printer
            .tell(format!("since run {stamp}: {changed}"));
    }
    if args.only.is_some() {
        console
            .printer
            .tell("numbered among the selected, as a run with --only has them; places in a filter count in the whole plan");
    }
    Ok(Exit::Fine)
}

/// Prints what would run, one trial at a time.
pub(crate) fn show(preview: &RunPreview, json: bool, session: &Session, printer: Printer) {
    let plan = &preview.plan;
    printer.stream(|out| {
        if json {
            write_plan(JsonWriter(out), plan)
        } else {
            write_text(out, preview, session.estimate(plan))
        }
    });
    if let Some(kept) = &preview.kept {
        printer.tell(kept_words(kept, preview.due()));
    }
}

/// What an earlier run answers.
fn kept_words(kept: &KeptTrials, due: u64) -> String {
    let KeptTrials {
        stamp,
        trials,
        measured_again,
        code,
    } = kept;
    let measured = if measured_again.is_empty() {
        String::new()
    } else {
        let names = first_of(measured_again, 5);
        format!(", measured again because these metrics changed: {names}")
    };
    let changed =
        code_words(code).map_or_else(String::new, |changed| format!("\n{changed} since then"));
    format!(
        "{} would run; run {stamp} answers {trials} others{measured}{changed}",
        counted(due, "trial")
    )
}

fn write_text(
    out: &mut impl Write,
    preview: &RunPreview,
    estimate: Option<Estimate>,
) -> io::Result<()> {
    let plan = &preview.plan;
    let spec = plan.spec();
    for trial in preview.trials() {
        writeln!(
            out,
            "{:>6}  {}  {}  {}",
            trial.key.index,
            trial.id().short(),
            terminal_line(&trial.key.label().to_string()),
            terminal_line(&work(&trial, preview))
        )?;
    }
    let order = format!("{:?}", spec.order).to_lowercase();
    writeln!(
        out,
        "{} trials in order `{order}` (order_seed {}), plan {}",
        plan.len(),
        spec.order_seed,
        plan.hash()
    )?;
    let tasks = spec.tasks.iter().filter(|task| task.checkpoint.is_some());
    let saving: Vec<_> = tasks.map(|task| terminal_line(&task.id)).collect();
    if !saving.is_empty() {
        writeln!(
            out,
            "an interrupted trial of {} goes on from what it saved (`checkpoint`)",
            first_of(&saving, 3)
        )?;
    }
    if let Some(Estimate {
        seconds,
        slots,
        earlier,
    }) = estimate
    {
        writeln!(
            out,
            "about {} on {slots} slots: run {} took {} per trial ({} trials)",
            span(seconds),
            earlier.stamp,
            span(earlier.seconds),
            earlier.count
        )?;
    }
    Ok(())
}

fn work(trial: &Trial<'_>, preview: &RunPreview) -> String {
    match &trial.task.work {
        Work::Command { .. } => {
            let words = preview.command(trial);
            words
                .iter()
                .map(|word| shown(word))
                .collect::<Vec<_>>()
                .join(" ")
        }
        work @ Work::Experiment { slug, .. } => {
            let iterations = work.iterations().unwrap_or_default();
            format!("experiment {slug} ({iterations}) {}", trial.params)
        }
        Work::Imported { format, .. } => format!("imported from {format}"),
        Work::Prepared { dir, model, .. } => format!("agent task {dir} with {model}"),
    }
}

/// A word as it could be typed in a shell; a place that is filled when the trial starts is no reason for quotes.
fn shown(word: &str) -> String {
    let filled = word.replace(['{', '}'], "");
    if shell_word(&filled) == filled {
        word.to_owned()
    } else {
        shell_word(word)
    }
}
