//! `plan`: every trial, its command, and how long it may take.

use crate::data_dir;
use crate::exit::{Done, Exit};
use crate::global::Global;
use crate::printer::Printer;
use crate::spec_file::SpecArgs;
use fairtrial_engine::write_plan;
use fairtrial_journal::{DataRoot, Index};
use fairtrial_model::Stamp;
use fairtrial_plan::{Plan, Trial};
use fairtrial_spec::{FileCheck, Spec, Work};
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

pub(crate) fn run(args: &Args, global: &Global, printer: Printer) -> Done {
    let plan = args
        .spec
        .plan(FileCheck::Warn, args.only.as_deref(), printer)?;
    let root = data_dir::for_spec(global.data_dir.as_deref(), &args.spec.spec)?;
    show(&plan, &root, args.json, printer);
    Ok(Exit::Fine)
}

/// Prints a plan, one trial at a time.
pub(crate) fn show(plan: &Plan, root: &DataRoot, json: bool, printer: Printer) {
    printer.stream(|out| {
        if json {
            write_plan(&mut JsonWriter(out), plan)
        } else {
            write_text(out, plan, root)
        }
    });
}

fn write_text(out: &mut impl Write, plan: &Plan, root: &DataRoot) -> io::Result<()> {
    let spec = plan.spec();
    for trial in plan.trials() {
        writeln!(
            out,
            "{:>6}  {}  {}  {}",
            trial.key.index,
            trial.id().short(),
            terminal_line(&trial.key.label().to_string()),
            terminal_line(&work(&trial))
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
    if let Some(estimate) = estimate(plan, root) {
        writeln!(out, "{estimate}")?;
    }
    Ok(())
}

fn work(trial: &Trial<'_>) -> String {
    match &trial.task.work {
        Work::Command { .. } => {
            let words = trial.argv(None).unwrap_or_default();
            words
                .iter()
                .map(|word| shown(word))
                .collect::<Vec<_>>()
                .join(" ")
        }
        Work::Experiment {
            slug,
            warmup,
            measured,
            ..
        } => {
            format!(
                "experiment {slug} ({warmup} warm-up, {measured} measured) {}",
                trial.params
            )
        }
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

/// How long it may take, from the newest earlier run of the same name that has times.
fn estimate(plan: &Plan, root: &DataRoot) -> Option<String> {
    let spec = plan.spec();
    let Earlier {
        stamp,
        seconds,
        count,
    } = earlier_mean(spec, root)?;
    let slots = slots(spec);
    let whole = seconds * plan.len() as f64 / slots as f64;
    Some(format!(
        "about {} on {slots} slots: run {stamp} took {} per trial ({count} trials)",
        span(whole),
        span(seconds)
    ))
}

/// What an earlier run's trials took.
pub(crate) struct Earlier {
    stamp: Stamp,
    /// Mean wall seconds of a trial.
    pub(crate) seconds: f64,
    count: u64,
}

/// The mean time of a trial in the newest run of the same name that has times.
pub(crate) fn earlier_mean(spec: &Spec, root: &DataRoot) -> Option<Earlier> {
    if !root.rollouts_dir().join(&spec.name).is_dir() {
        return None;
    }
    let mut index = Index::open(root).ok()?;
    index.catch_up().ok()?;
    let runs = index.runs().ok()?;
    let mut newest = runs.into_iter().filter(|run| run.name == spec.name).rev();
    newest.find_map(|run| {
        Some(Earlier {
            stamp: run.stamp,
            seconds: run.mean_wall_s?,
            count: run.timed,
        })
    })
}

/// The slots a spec asks for, or one per physical core (and per GPU that is lent); one alone where experiments are timed, because trials beside
/// each other would be in each other's times.
pub(crate) fn slots(spec: &Spec) -> usize {
    let timed = spec
        .tasks
        .iter()
        .any(|task| matches!(task.work, Work::Experiment { .. }));
    let unsaid = || {
        if timed {
            1
        } else {
            fairtrial_journal::provenance::physical_cores().max(spec.engine.gpus.len())
        }
    };
    spec.parallel.unwrap_or_else(unsaid).max(1)
}
