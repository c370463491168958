//! `run`: the main job.

use super::plan;
use crate::console::Console;
use crate::exit::{Done, Exit};
use crate::progress::Detail;
use crate::resume_words::ResumeWords;
use crate::run_display::{RunDisplay, Shown};
use crate::signals::{self, Placed};
use crate::spec_args::SpecArgs;
use clap::{ArgAction, ValueEnum};
use fairtrial_engine::{OtherCode, Outputs, Stay, Verbosity};
use fairtrial_model::Stamp;
use fairtrial_session::{Controls, FileCheck, Looks, ResumeSpec, RunOptions, StartFrom, Until};
use fairtrial_spec::EngineChoice;

/// Run a spec: every trial, in parallel, with durable records, and a summary at the end
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fairtrial run bench.toml
  fairtrial run bench.toml --resume              resume after a crash, a Ctrl-C or a reboot
  fairtrial run bench.toml --only arm=candidate --set seeds=3
  fairtrial run bench.toml --until decided       stop when the difference is known
  fairtrial run bench.toml --until decided --looks 5,10,20   look after 5, 10 and 20 pairs
  fairtrial run bench.toml --until decided --anytime         look whenever you like; add seeds later
  fairtrial run bench.toml --dry-run             print the plan, run nothing
  fairtrial run bench.toml --engine slurm --detach   on a cluster; then `watch`, `wait`, `status`

Ctrl-C once: trials in flight finish, nothing new starts. Twice: they are ended and marked cancelled.
On a cluster, Ctrl-C leaves the jobs alone: they run on, and `fairtrial wait` picks them up.")]
#[allow(
    clippy::option_option,
    clippy::struct_excessive_bools,
    reason = "clap's form of options whose value may be left out, and of flags"
)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) spec: SpecArgs,
    /// Show every start and end; twice: stream the trials' output too
    #[arg(short, long, action = ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Slots [default: `parallel` of the spec, else physical cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) parallel: Option<u16>,
    /// Only these trials: by task, arm, seed, parameter, or place (see docs/reference/filters.md)
    #[arg(long, value_name = "FILTER")]
    pub(crate) only: Option<String>,
    /// Resume the newest run of this spec, or the one with this stamp
    #[arg(long, value_name = "STAMP", num_args = 0..=1, conflicts_with = "reuse")]
    pub(crate) resume: Option<Option<Stamp>>,
    /// With --resume: finish with the spec as it was when the run was started
    #[arg(long, requires = "resume")]
    pub(crate) as_recorded: bool,
    /// Start a new run that takes over the records of trials which did not change since the newest run (or this one)
    #[arg(long, value_name = "STAMP", num_args = 0..=1)]
    pub(crate) reuse: Option<Option<Stamp>>,
    /// With --resume or --reuse: keep records of trials that ran other code (or packages) than would run now
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) accept: Option<AcceptedChange>,
    /// Run trials again whose `outputs` are there and unchanged
    #[arg(long)]
    pub(crate) remake: bool,
    /// Stop as soon as the verdict is decided at the declared error rate; the seeds of the spec are the budget
    #[arg(long, value_enum, value_name = "WHEN", conflicts_with = "only")]
    pub(crate) until: Option<UntilChoice>,
    /// With --until: look after these numbers of pairs, the last of which is the budget [default: after every pair]
    #[arg(
        long,
        value_name = "PAIRS",
        value_delimiter = ',',
        requires = "until",
        conflicts_with = "anytime"
    )]
    pub(crate) looks: Vec<u32>,
    /// With --until: looks whose error rate holds whenever you look; where it is still open, add seeds and --reuse
    #[arg(long, requires = "until")]
    pub(crate) anytime: bool,
    /// Where trials run [default: `engine` of the spec, else this machine]
    #[arg(long, value_name = "ENGINE", value_parser = engine)]
    pub(crate) engine: Option<EngineChoice>,
    /// Hand the trials to the scheduler and leave
    #[arg(long, conflicts_with = "until")]
    pub(crate) detach: bool,
    /// Print the plan and run nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What may have changed since an earlier run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AcceptedChange {
    /// The program's files, watched paths, and packages
    Code,
}

/// What a run may wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum UntilChoice {
    /// A verdict at the declared error rate, or the budget is spent
    Decided,
}

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    let shown = Shown::json(args.json);
    let display = RunDisplay::new(console, shown, Some(args.detail()));
    let session = console.session_heard_by(display.typed(ResumeWords {
        spec: args.spec.spec.clone(),
        set: args.spec.set.clone(),
        as_recorded: args.as_recorded,
        data_words: console.data_words(),
    }));
    if args.dry_run {
        let run = session.prepare_run(args.options(), FileCheck::Warn)?;
        let scheduled = session.scheduler_preview(&run)?;
        let preview = session.preview_run(run)?;
        plan::show(&preview, args.json, &session, console.printer);
        // On standard error where the plan is JSON, so that it stays one document.
        match scheduled {
            Some(text) if args.json => console.printer.tell(text),
            Some(text) => console.printer.page(text),
            None => {}
        }
        return Ok(Exit::Fine);
    }
    let run = session.prepare_run(args.options(), FileCheck::Require)?;
    let controls = Controls::default();
    let placed = if run.is_remote() {
        Placed::Elsewhere
    } else {
        Placed::Here
    };
    signals::reach(&controls, placed)?;
    let result = session.run(run, &controls)?;
    if args.json {
        console.printer.json(&result.json());
    }
    Ok(result.end().into())
}

impl Args {
    /// What was typed, as the library takes it.
    fn options(&self) -> RunOptions {
        RunOptions {
            spec: self.spec.file(),
            only: self.only.clone(),
            parallel: self.parallel.map(usize::from),
            engine: self.engine,
            start: match (self.resume, self.reuse) {
                (Some(stamp), _) if self.as_recorded => {
                    StartFrom::Resume(stamp, ResumeSpec::Recorded)
                }
                (Some(stamp), _) => StartFrom::Resume(stamp, ResumeSpec::Current),
                (None, Some(stamp)) => StartFrom::Reuse(stamp),
                (None, None) => StartFrom::New,
            },
            outputs: if self.remake {
                Outputs::MakeAgain
            } else {
                Outputs::Keep
            },
            other_code: match self.accept {
                Some(AcceptedChange::Code) => OtherCode::Accepted,
                None => OtherCode::LeftOut,
            },
            until: self
                .until
                .map(|UntilChoice::Decided| Until::Decided(self.looks())),
            stay: if self.detach {
                Stay::Leave
            } else {
                Stay::UntilDone
            },
            verbosity: match self.detail() {
                Detail::Quiet => Verbosity::Ends,
                Detail::Lines => Verbosity::Starts,
                Detail::Output => Verbosity::Output,
            },
        }
    }

    fn looks(&self) -> Looks {
        if self.anytime {
            Looks::AnyTime
        } else if self.looks.is_empty() {
            Looks::BySpec
        } else {
            Looks::After(self.looks.clone())
        }
    }

    fn detail(&self) -> Detail {
        match self.verbose {
            0 => Detail::Quiet,
            1 => Detail::Lines,
            _ => Detail::Output,
        }
    }
}

/// The engine that a word names.
fn engine(word: &str) -> Result<EngineChoice, String> {
    EngineChoice::from_word(word).ok_or_else(|| {
        let known: Vec<&str> = EngineChoice::words().collect();
        format!("the engines are {}", known.join(", "))
    })
}
