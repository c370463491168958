//! `bisect`: which commit changed a metric?

use super::timed_args::MeasuredArgs;
use crate::bench_display::BenchDisplay;
use crate::console::Console;
use crate::exit::{Done, Exit, Failure};
use crate::signals::{self, Placed};
use fairtrial_report::bisect::BisectEnd;
use fairtrial_session::{
    BenchCommand, BenchQuestion, BisectQuestion, Controls, SessionError, ShellChoice,
};

/// Find the commit that changed how long a command takes, or what it costs
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fairtrial bisect v1.0 HEAD --build 'make' -- ./a in       which commit made `./a in` slower?
  fairtrial bisect main~50 main --metric cpu -- ./a in      by CPU time: for a busy machine
  fairtrial bisect v1 v2 --counter callgrind -- ./a in      by counted instructions: one run each

The two ends are compared first. Then each candidate is built once, in a folder of its own, and
runs in turns with both ends, until it is known to which of them it belongs. What was measured is
kept: the same command resumes it. Your files are not touched, and changes that are not committed
take no part.

Exit codes: 0 where every change that was seen has its commit, 1 where the command fails at an end,
4 where the ends do not differ or more runs would be needed.")]
pub(crate) struct Args {
    /// The revision before the change
    good: String,
    /// The revision with the change; GOOD is an ancestor of it
    bad: String,
    /// The command that is measured, in the folder of each commit
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
    /// What builds a commit, in its folder; a commit that does not build is skipped
    #[arg(long, value_name = "CMD")]
    build: Option<String>,
    /// Run before each run, outside of the measured time
    #[arg(long, value_name = "CMD")]
    prepare: Option<String>,
    /// Without a shell: the command is split into words
    #[arg(short = 'N')]
    no_shell: bool,
    #[command(flatten)]
    measured: MeasuredArgs,
    /// The chance that a claim is wrong, at most
    #[arg(long, default_value_t = BisectQuestion::ALPHA)]
    alpha: f64,
    /// Runs of a candidate, and of both ends beside it, before it is left undecided
    #[arg(long, value_name = "NUM", default_value_t = BisectQuestion::MOST, value_parser = clap::value_parser!(u32).range(i64::from(BisectQuestion::LEAST)..=5000))]
    max_blocks: u32,
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    let session = console.session_heard_by(BenchDisplay::new(console.printer));
    let prepared = session.prepare_bisect(args.question())?;
    let controls = Controls::default();
    signals::reach(&controls, Placed::Timed)?;
    let bisected = session.bisect(&prepared, &controls).map_err(refused)?;
    let answer = bisected.answer();
    let printer = console.printer;
    if args.json {
        printer.json(&answer);
    } else {
        printer.page(fairtrial_report::bisect::console(&answer, printer.terminal()).trim_end());
    }
    Ok(match answer.end {
        BisectEnd::Found => Exit::Fine,
        BisectEnd::Same | BisectEnd::Open => Exit::Inconclusive,
        BisectEnd::Interrupted => Exit::Interrupted,
    })
}

/// An end whose command fails is a failure of its own, and no wrong input.
fn refused(error: SessionError) -> Failure {
    let failed = matches!(error, SessionError::BenchFailed { .. });
    let mut failure = Failure::from(error);
    if failed {
        failure.exit = Exit::Failed;
    }
    failure
}

impl Args {
    fn question(&self) -> BisectQuestion {
        BisectQuestion {
            good: self.good.clone(),
            bad: self.bad.clone(),
            bench: self.measured.measure(BenchQuestion {
                build: self.build.clone(),
                prepare: self.prepare.iter().cloned().collect(),
                shell: if self.no_shell {
                    ShellChoice::Never
                } else {
                    ShellChoice::WhenNeeded
                },
                ..BenchQuestion::new(vec![BenchCommand::of_words(&self.command)])
            }),
            alpha: self.alpha,
            most: self.max_blocks,
        }
    }
}
