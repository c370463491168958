//! `run`: the main job.

use super::plan;
use crate::agents;
use crate::confirm;
use crate::ending::{Ending, Shown};
use crate::exit::{Done, Exit, Failure};
use crate::experiment_files;
use crate::explain::{change_words, explain};
use crate::global::Global;
use crate::hooks::{self, Told};
use crate::live::{Lived, Manner, go};
use crate::looked_at;
use crate::newest::tell_passed_over;
use crate::printer::Printer;
use crate::progress::Detail;
use crate::sequential::{self, Until, Watched};
use crate::spec_file::SpecArgs;
use crate::typed::Typed;
use crate::{data_dir, environment, time};
use clap::ArgAction;
use fairtrial_analysis::registration::Registration;
use fairtrial_analysis::sequential::resumed_rule;
use fairtrial_engine::{
    Controls, Outputs, RunReport, RunRequest, Start, Stay, Verbosity, preflight, remote, reusable,
};
use fairtrial_journal::{
    DataRoot, Entry, Event, ReadError, RunDir, RunStatus, Selector, read_if_there, read_journal,
    resolved_spec,
};
use fairtrial_model::Stamp;
use fairtrial_plan::Plan;
use fairtrial_spec::{EngineKind, FileCheck};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Run a spec: every trial, in parallel, with durable records, and a summary at the end
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fairtrial run bench.toml
  fairtrial run bench.toml --resume              go on after a crash, a Ctrl-C or a reboot
  fairtrial run bench.toml --only arm=candidate --set seeds=3
  fairtrial run bench.toml --until decided       stop when the difference is known
  fairtrial run bench.toml --dry-run             print the plan, run nothing
  fairtrial run bench.toml --engine slurm --detach   on a cluster; then `watch`, `wait`, `status`

Ctrl-C once: trials in flight finish, nothing new starts. Twice: they are ended and marked cancelled.
On a cluster, Ctrl-C leaves the jobs alone: they go on, and `fairtrial wait` picks them up.")]
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
    /// Go on with the newest run of this spec, or the one with this stamp
    #[arg(long, value_name = "STAMP", num_args = 0..=1, conflicts_with = "reuse")]
    pub(crate) resume: Option<Option<Stamp>>,
    /// With --resume: finish with the spec as it was when the run was started
    #[arg(long, requires = "resume")]
    pub(crate) as_recorded: bool,
    /// Start a new run that takes over the records of trials which did not change since the newest run (or this one)
    #[arg(long, value_name = "STAMP", num_args = 0..=1)]
    pub(crate) reuse: Option<Option<Stamp>>,
    /// Run trials again whose `outputs` are there and unchanged
    #[arg(long)]
    pub(crate) remake: bool,
    /// Stop as soon as the verdict is decided at the declared error rate; the seeds of the spec are the budget
    #[arg(long, value_enum, value_name = "WHEN", conflicts_with = "only")]
    pub(crate) until: Option<Until>,
    /// Where trials run [default: `engine` of the spec, else this machine]
    #[arg(long, value_name = "ENGINE", value_parser = engine)]
    pub(crate) engine: Option<EngineKind>,
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

pub(crate) fn run(args: &Args, global: &Global, printer: Printer) -> Done {
    let root = data_dir::for_spec(global.data_dir.as_deref(), &args.spec.spec)?;
    let files = if args.dry_run {
        FileCheck::Warn
    } else {
        FileCheck::Require
    };
    let mut plan = args.spec.plan(files, args.only.as_deref(), printer)?;
    if let Some(engine) = args.engine {
        plan = on_engine(&plan, engine, args.only.as_deref())?;
    }
    plan = sequential::until(plan, args.until, args.only.as_deref())?;
    if args.only.is_some() {
        unmet_needs(&plan, printer);
    }
    if args.dry_run {
        plan::show(&plan, &root, args.json, printer);
        preview(&plan, &root, args, printer)?;
        return Ok(Exit::Fine);
    }
    let start = start(args, &root, &mut plan, printer)?;
    let environment = environment::read();
    check_machine(&plan, &environment)?;
    agents::make_ready(plan.spec(), &root)?;
    agents::reap(plan.spec(), printer);
    let watched = Watched::new(plan.spec())?;
    let registration = registration(args, &plan, printer)?;
    let mut request = request(args, root, Arc::new(plan), start, environment)?;
    request.registration = registration;
    request.stop = watched.as_ref().map(Watched::boxed);
    let manner = Manner {
        shown: if args.json { Shown::Json } else { Shown::Text },
        typed: Typed {
            spec: args.spec.spec.clone(),
            set: args.spec.set.clone(),
            as_recorded: args.as_recorded,
        },
        detail: Some(match args.verbose {
            0 => Detail::Quiet,
            1 => Detail::Lines,
            _ => Detail::Output,
        }),
    };
    let began = Instant::now();
    let lived = go(&request, &Controls::default(), &manner, printer)?;
    agents::reap(request.plan.spec(), printer);
    if lived.report.status == RunStatus::Cancelled {
        agents::clear_workspaces(&lived.report.run);
    }
    let run = Ran {
        lived,
        request: &request,
        watched: watched.as_ref(),
        took: began.elapsed(),
    };
    finish(run, &manner, printer)
}

/// A run that a controller has left.
pub(super) struct Ran<'a> {
    pub(super) lived: Lived,
    pub(super) request: &'a RunRequest,
    pub(super) watched: Option<&'a Watched>,
    pub(super) took: Duration,
}

/// The result, the files, the confirmation where the spec asks for one, and the exit code.
pub(super) fn finish(ran: Ran<'_>, manner: &Manner, printer: Printer) -> Done {
    let Ran {
        lived: Lived { report, summary },
        request,
        watched,
        took,
    } = ran;
    let mut ending = Ending::new((&report, summary), request, watched, printer)
        .inspect_err(|failure| could_not_go_on(&report, request, failure, printer))?;
    ending.print(manner.shown, &manner.typed, printer);
    if report.status != RunStatus::Detached {
        experiment_files::finish(&report.run, request.plan.spec(), ending.data(), printer)?;
    }
    if request.plan.spec().analysis.confirm.is_some() && ending.is_complete() {
        match confirm::request(&ending, request, took) {
            Ok(request) => {
                printer.tell(confirm::announcement(&request));
                let lived = go(&request, &Controls::default(), manner, printer)?;
                let second = (&lived.report, lived.summary);
                let second = Ending::new(second, &request, None, printer)?;
                second.print(manner.shown, &manner.typed, printer);
                ending.confirmed_by(&second);
            }
            Err(failure) => ending.not_confirmed(&failure.message, printer),
        }
    }
    if manner.shown == Shown::Json {
        printer.json(&ending.json());
    }
    ending.hand_on(printer);
    Ok(ending.exit())
}

/// What would be handed to a scheduler: on standard error where the plan is JSON, so that it stays one document.
fn preview(plan: &Plan, root: &DataRoot, args: &Args, printer: Printer) -> Result<(), Failure> {
    let program = std::env::current_exe().unwrap_or_default();
    let parallel = args.parallel.map(usize::from).or(plan.spec().parallel);
    let parallel = parallel.map(|limit| limit as u64);
    let shown = remote::preview(plan, &root.rollouts_dir(), &program, parallel);
    match shown.map_err(|error| explain(error.into()))? {
        Some(text) if args.json => printer.tell(text),
        Some(text) => printer.page(text),
        None => {}
    }
    Ok(())
}

/// Who selects trials may leave out what they need, as where that ran before; but must know it.
fn unmet_needs(plan: &Plan, printer: Printer) {
    let tasks = &plan.spec().tasks;
    if tasks.iter().all(|task| task.needs.is_empty()) {
        return;
    }
    let selected: BTreeSet<&str> = (0..plan.len())
        .filter_map(|index| plan.task(index))
        .map(|task| task.id.as_str())
        .collect();
    for task in tasks
        .iter()
        .filter(|task| selected.contains(task.id.as_str()))
    {
        for needed in task
            .needs
            .iter()
            .filter(|id| !selected.contains(id.as_str()))
        {
            printer.warn(format!(
                "`{}` needs `{needed}`, which --only leaves out: it runs without",
                task.id
            ));
        }
    }
}

/// The engine that a word names.
fn engine(word: &str) -> Result<EngineKind, String> {
    EngineKind::from_word(word).ok_or_else(|| {
        let known: Vec<&str> = EngineKind::ALL.iter().map(|kind| kind.word()).collect();
        format!("the engines are {}", known.join(", "))
    })
}

/// The same plan, placed elsewhere.
fn on_engine(plan: &Plan, engine: EngineKind, only: Option<&str>) -> Result<Plan, Failure> {
    let mut spec = plan.spec().as_ref().clone();
    spec.engine.kind = engine;
    Ok(Plan::new(Arc::new(spec), only)?)
}

/// Tells `on_failure` of a run whose records could not be kept or read.
fn could_not_go_on(report: &RunReport, request: &RunRequest, failure: &Failure, printer: Printer) {
    let summary = serde_json::json!({
        "name": report.run.name(), "stamp": report.run.stamp(), "dir": report.run.path(),
        "status": report.status, "trials": report.trials, "counts": report.counts, "error": failure.message,
    });
    hooks::tell(request.plan.spec(), Told::Failure, &summary, printer);
}

/// The registered plan beside the spec; where the spec deviates from it, that is said before anything runs.
fn registration(args: &Args, plan: &Plan, printer: Printer) -> Result<Option<Vec<u8>>, Failure> {
    let path = super::register::path_of(&args.spec.spec);
    let Some(text) = read_if_there(&path)? else {
        return Ok(None);
    };
    match Registration::read(&text) {
        Err(error) => printer.warn(format!("{}: {error}", path.display())),
        Ok(registration) => {
            let deviations = registration.deviations(plan.spec());
            if let Some(first) = deviations.first() {
                printer.warn(format!(
                    "the spec deviates from its registered plan in {}, first in `{}`; the report will list them",
                    fairtrial_text::count::counted(deviations.len(), "place"),
                    first.what
                ));
            }
        }
    }
    Ok(Some(text))
}

/// A new run, one with records of an earlier one, or an earlier one itself.
fn start(
    args: &Args,
    root: &DataRoot,
    plan: &mut Plan,
    printer: Printer,
) -> Result<Start, Failure> {
    let named = |stamp: Option<Stamp>, newest: Selector| {
        let selector = stamp.map_or(newest, Selector::Stamp);
        RunDir::open(root, &plan.spec().name, selector)
    };
    if let Some(stamp) = args.resume {
        let run = named(stamp, Selector::Newest)?;
        if !run.is_begun()? {
            printer.warn(format!(
                "run {} was ended before it began: it begins now, with no records of other runs (`--reuse` starts a new one \
                 that takes some over)",
                run.stamp()
            ));
        }
        let only = if args.as_recorded || args.only.is_none() {
            as_recorded(&run, args, plan)?
        } else {
            args.only.clone()
        };
        keep_rule(&run, plan, only.as_deref(), printer)?;
        return Ok(Start::Resume(run));
    }
    let Some(stamp) = args.reuse else {
        return Ok(Start::New {
            reuse: None,
            outputs: outputs(args),
        });
    };
    let earlier = named(stamp, Selector::Latest)?;
    if stamp.is_none() {
        tell_passed_over(&earlier, false, printer)?;
    }
    let offered = reusable(&earlier, plan)?;
    looked_at::check((&earlier, &offered), plan, printer)?;
    printer.tell(format!(
        "reusing records of run {}: {}",
        earlier.stamp(),
        change_words(&offered.change)
    ));
    Ok(Start::New {
        reuse: Some(earlier),
        outputs: outputs(args),
    })
}

fn outputs(args: &Args) -> Outputs {
    if args.remake {
        Outputs::MakeAgain
    } else {
        Outputs::Keep
    }
}

/// Takes the recorded filter, and with `--as-recorded` the recorded spec, in place of today's; gives the filter.
fn as_recorded(run: &RunDir, args: &Args, plan: &mut Plan) -> Result<Option<String>, Failure> {
    if !run.journal().exists() {
        return Ok(None);
    }
    // The first line says it; a run of 100,000 trials is not read through for that.
    let only = match read_journal(&run.journal())?.next() {
        Some(Ok(Entry {
            event: Event::Opened(opened),
            ..
        })) => opened.only,
        Some(Err(ReadError::Io(error))) => return Err(error.into()),
        _ => None,
    };
    if args.as_recorded {
        *plan = Plan::new(Arc::new(resolved_spec(run)?), only.as_deref())?;
    } else if only.is_some() {
        *plan = Plan::new(Arc::clone(plan.spec()), only.as_deref())?;
    }
    Ok(only)
}

/// A run goes on by the stopping rule that it began with, whatever the spec and the flags say by now; other things that
/// its looks are made with must not have changed.
fn keep_rule(
    run: &RunDir,
    plan: &mut Plan,
    only: Option<&str>,
    printer: Printer,
) -> Result<(), Failure> {
    if !run.journal().exists() {
        return Ok(());
    }
    let rule = resumed_rule(&resolved_spec(run)?, plan.spec()).map_err(|error| {
        Failure::from(error).hint(
            "`--resume --as-recorded` goes on as it began; without --resume a new run starts with looks of its own",
        )
    })?;
    if rule == plan.spec().analysis.stop {
        return Ok(());
    }
    if plan.spec().analysis.stop.is_some() {
        printer.warn("the run goes on by the stopping rule that it began with");
    }
    *plan = sequential::with_rule(plan, rule, only)?;
    Ok(())
}

fn check_machine(plan: &Plan, environment: &[(String, String)]) -> Result<(), Failure> {
    let missing = preflight(plan.spec(), environment);
    if missing.is_empty() {
        return Ok(());
    }
    let lines: Vec<String> = missing.iter().map(ToString::to_string).collect();
    Err(Failure::input(lines.join("\n       "))
        .hint("nothing was run; `fairtrial plan` works without these"))
}

fn request(
    args: &Args,
    root: DataRoot,
    plan: Arc<Plan>,
    start: Start,
    environment: Vec<(String, String)>,
) -> Result<RunRequest, Failure> {
    let spec_text = std::fs::read(&args.spec.spec).map_err(|error| {
        Failure::input(format!("cannot read {}: {error}", args.spec.spec.display()))
    })?;
    let extension = args
        .spec
        .spec
        .extension()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let program = std::env::current_exe()
        .map_err(|error| Failure::machine(format!("cannot find this program: {error}")))?;
    let parallel = args.parallel.map(usize::from).or(plan.spec().parallel);
    let remote = plan.spec().engine.kind != EngineKind::Local;
    if args.detach && !remote {
        return Err(Failure::input("there is no scheduler to leave the trials with").hint(
            "`--detach` goes with `--engine slurm`, `template` or `skypilot`; trials on this machine end with their controller",
        ));
    }
    let expected_s = remote
        .then(|| plan::earlier_mean(plan.spec(), &root))
        .flatten()
        .map(|earlier| earlier.seconds);
    Ok(RunRequest {
        root,
        parallel,
        expected_s,
        stay: if args.detach {
            Stay::Leave
        } else {
            Stay::UntilDone
        },
        slots: args
            .parallel
            .map_or_else(|| plan::slots(plan.spec()), usize::from),
        plan,
        spec_text,
        spec_extension: extension,
        set: args.spec.set.clone(),
        only: args.only.clone(),
        registration: None,
        start,
        program,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        environment,
        now: time::now,
        stop: None,
        verbosity: match args.verbose {
            0 => Verbosity::Ends,
            1 => Verbosity::Starts,
            _ => Verbosity::Output,
        },
    })
}
