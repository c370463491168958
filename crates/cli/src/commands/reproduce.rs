//! `reproduce`: makes a run again from its commit and the changes that it kept, and says whether it came out the same.

use super::select::RunArgs;
use crate::console::Console;
use crate::exit::{Done, Exit};
use crate::printer::Printer;
use crate::progress::Detail;
use crate::run_display::{RunDisplay, Shown};
use crate::signals::{self, Placed};
use clap::ArgAction;
use fairtrial_engine::Verbosity;
use fairtrial_model::Number;
use fairtrial_session::{
    Controls, MetricAgain, OtherValue, ReproduceQuestion, Reproduced, SourceAgain,
};
use fairtrial_text::bytes::size;
use fairtrial_text::count::{counted, first_of};

/// Run a recorded run (or one trial) again from its commit and kept changes, and compare
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The commit is checked out in a folder of its own, the kept patch is applied, and the plan runs as it was recorded. \
                  The folder goes when the comparison is made; nothing is added to your runs.\n\nExamples:\n  fairtrial \
                  reproduce bench                          the newest run of that name\n  fairtrial reproduce bench --trial 3\n  \
                  fairtrial reproduce bench --build 'make'           where what runs must be built\n\nExit codes: 0 it came out the \
                  same, 1 it did not, 2 it cannot be made again (the reason is said), 3 machine."
)]
pub(crate) struct Args {
    #[command(flatten)]
    run: RunArgs,
    /// Only this trial, by its number
    #[arg(long, value_name = "N")]
    trial: Option<u64>,
    /// Build with this command (a line of a shell), in the spec's folder, before anything runs
    #[arg(long, value_name = "CMD")]
    build: Option<String>,
    /// Slots [default: as many as the run had]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    parallel: Option<u16>,
    /// Keep the folder with the source and the new run, and say where it is
    #[arg(long)]
    keep: bool,
    /// Show every start and end; twice: stream the trials' output too
    #[arg(short, long, action = ArgAction::Count)]
    verbose: u8,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    let (detail, verbosity) = match args.verbose {
        0 => (Detail::Quiet, Verbosity::Ends),
        1 => (Detail::Lines, Verbosity::Starts),
        _ => (Detail::Output, Verbosity::Output),
    };
    // What the new run would say about itself is about a folder that goes.
    let display = RunDisplay::new(console, Shown::Json, Some(detail));
    let session = console.session_heard_by(display);
    let run = session.find_run(&args.run.choice())?;
    let controls = Controls::default();
    signals::reach(&controls, Placed::Here)?;
    let question = ReproduceQuestion {
        trial: args.trial,
        build: args.build.clone(),
        parallel: args.parallel.map(usize::from),
        keep: args.keep,
        verbosity,
    };
    let reproduced = session.reproduce(&run, &question, &controls)?;
    let same = reproduced.is_same();
    if args.json {
        let mut value = serde_json::to_value(&reproduced).unwrap_or_default();
        value["same"] = same.into();
        console.printer.json(&value);
    } else {
        show(&reproduced, console.printer);
    }
    Ok(match (reproduced.interrupted, same) {
        (true, _) => Exit::Interrupted,
        (false, true) => Exit::Fine,
        (false, false) => Exit::Failed,
    })
}

fn show(again: &Reproduced, printer: Printer) {
    printer.line(format!(
        "{}, from {}",
        again.run,
        source_words(&again.source)
    ));
    for line in notes(again) {
        printer.line(format!("  note: {line}"));
    }
    printer.line(format!("  outcomes: {}", outcome_words(again)));
    for metric in &again.metrics {
        printer.line(format!("  {}: {}", metric.metric, metric_words(metric)));
    }
    if let Some(comparison) = &again.comparison {
        let terminal = printer.terminal();
        printer.page(fairtrial_report::console::brief(comparison, terminal));
    }
    if let Some(folder) = &again.kept {
        printer.line(format!("  kept in {}", folder.display()));
    }
    printer.line(if again.interrupted {
        "interrupted: not all trials ran again"
    } else if again.is_same() {
        "it came out the same"
    } else {
        "it did not come out the same"
    });
}

fn source_words(source: &SourceAgain) -> String {
    let commit = source.commit.get(..12).unwrap_or(&source.commit);
    let mut words = format!("commit {commit}");
    if source.patch_bytes > 0 {
        let size = size(source.patch_bytes as u64);
        words = format!("{words} + kept patch ({size})");
    }
    if !source.untracked.is_empty() {
        let files = counted(source.untracked.len() as u64, "untracked file");
        words = format!("{words} + {files} by hash");
    }
    words
}

fn notes(again: &Reproduced) -> Vec<String> {
    let mut notes = Vec::new();
    if !again.source.left_out.is_empty() {
        notes.push(format!(
            "untracked files that are not there as they were, and that no trial is known to have run: {}",
            first_of(&again.source.left_out, 5)
        ));
    }
    if !again.code.is_empty() {
        notes.push(format!(
            "what ran is not what ran then: {}",
            first_of(&again.code, 5)
        ));
    }
    notes
}

fn outcome_words(again: &Reproduced) -> String {
    let trials = again.trials;
    match &again.outcomes[..] {
        [] => format!("{trials} of {trials} the same"),
        [first, ..] => format!(
            "{} of {trials} the same; trial {} was {} and is {}",
            trials - again.outcomes.len(),
            first.trial,
            first.then,
            first.now
        ),
    }
}

fn metric_words(metric: &MetricAgain) -> String {
    let all = metric.same + metric.other;
    let mut words = format!("{} of {all} the same", metric.same);
    if let Some(OtherValue { trial, then, now }) = &metric.first {
        let value = |value: &Option<Number>| value.map_or("none".to_owned(), |it| it.to_string());
        words = format!(
            "{words}; trial {trial}: {} then, {} now",
            value(then),
            value(now)
        );
    }
    if metric.deterministic {
        words.push_str(" (deterministic)");
    }
    words
}
