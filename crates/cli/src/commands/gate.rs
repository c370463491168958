//! `gate`: may this change go in? A verdict as an exit code, for CI.

use super::choices::PairingChoice;
use crate::absent::no_source;
use crate::data_dir;
use crate::exit::{Done, Exit, Failure};
use crate::global::Global;
use crate::newest::tell_passed_over;
use crate::printer::Printer;
use crate::report_of::{recorded_environment, report_of};
use crate::sources::{Place, Source, open_run, place, run_named};
use fairtrial_analysis::dataset::FactKind;
use fairtrial_analysis::gate::{Gate, GateOptions, GateRule, GateWord, gate, gate_sequential};
use fairtrial_analysis::{CompareOptions, Dataset, Inputs, Unfinished};
use fairtrial_journal::provenance::Vcs;
use fairtrial_journal::{
    DataRoot, Durability, RunDir, RunState, is_there, list_runs, newest_run, write_atomic_bytes,
};
use std::path::{Path, PathBuf};

/// Decide whether a run may replace its baseline; the exit code says so
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fairtrial gate                                  the newest run: its arms against its own control
  fairtrial gate bench --baseline branch:main     against the newest run of branch main
  fairtrial gate bench --baseline main.json --rule time=5%:down --md summary.md --junit gate.xml
  fairtrial gate bench --save-baseline main.json  keep this run as a baseline; commit the file

A baseline is a name (saved under the data folder), a file, `branch:NAME`, `commit:SHA`, or a run (`NAME`, \
`NAME/STAMP`, a run's folder).

Exit codes: 0 improved or equivalent, 1 regressed, 2 wrong input, 3 invalid (the machine broke too many trials, or the \
run is not finished or has lost records), 4 inconclusive.")]
pub(crate) struct Args {
    /// The run to judge [default: the newest]
    run: Option<String>,
    /// What to judge it against [default: the control arm of the same run]
    #[arg(long, value_name = "BASELINE")]
    baseline: Option<String>,
    /// A rule: `metric=margin:direction`, as `time=5%:down`; margin and direction default to the declared ones [default:
    /// every declared metric that has a direction]
    #[arg(long = "rule", value_name = "RULE")]
    rules: Vec<GateRule>,
    /// Two-sided error rate of all rules together [default: the spec's, else 0.05]
    #[arg(long)]
    alpha: Option<f64>,
    /// The share of trials that the machine may break before nothing is concluded
    #[arg(long, default_value_t = 0.1, value_name = "SHARE")]
    most_infra: f64,
    /// The share of each side's trials that must count for a verdict [default: `analysis.valid` of the spec, else 0.95
    /// for agent tasks]
    #[arg(long, value_name = "SHARE")]
    valid: Option<f64>,
    /// Whether units are compared in pairs
    #[arg(long, value_enum, default_value_t = PairingChoice::Auto)]
    pairing: PairingChoice,
    #[command(flatten)]
    accepted: Accepted,
    /// End with exit code 0 where the answer is inconclusive
    #[arg(long)]
    allow_inconclusive: bool,
    /// Keep the run as a baseline and judge nothing: a name, or a file that ends in .json
    #[arg(long, value_name = "NAME|FILE", conflicts_with_all = ["baseline", "md", "junit"])]
    save_baseline: Option<String>,
    /// Write a summary as Markdown, for a pull request
    #[arg(long, value_name = "FILE")]
    md: Option<PathBuf>,
    /// Write the answer as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
}

/// Differences between the sides that the user knows about.
#[derive(Debug, Clone, Copy, clap::Args)]
struct Accepted {
    /// Judge timings that come from different machines
    #[arg(long)]
    accept_machine: bool,
    /// Judge metrics whose numbers the baseline made differently (source, summary, conversion, rounding, unit)
    #[arg(long)]
    accept_definition: bool,
}

impl Accepted {
    fn kinds(self) -> Vec<FactKind> {
        let kinds = [
            (self.accept_machine, FactKind::Machine),
            (self.accept_definition, FactKind::Definition),
        ];
        let accepted = kinds.into_iter().filter(|(accepted, _)| *accepted);
        accepted.map(|(_, kind)| kind).collect()
    }
}

pub(crate) fn run(args: &Args, global: &Global, printer: Printer) -> Done {
    if !(0.0..=1.0).contains(&args.most_infra) {
        return Err(Failure::input(format!(
            "--most-infra {} is no share: write 0.1 for 10 %",
            args.most_infra
        )));
    }
    let root = data_dir::for_here(global.data_dir.as_deref())?;
    let candidate = candidate(args.run.as_deref(), &root, printer)?;
    if let Err(failure) = finished(&candidate) {
        return invalid(failure, args, printer);
    }
    let source = open_run(&candidate, printer)?;
    if let Some(name) = &args.save_baseline {
        return save(name, &root, &source.data, args, printer);
    }
    let answer = match &args.baseline {
        None => alone(&candidate, &source, args, printer)?,
        Some(name) => {
            let baseline = baseline(name, &root, &candidate, printer)?;
            gate(
                Inputs::Two(&baseline.data, &source.data),
                &options(&source, args),
            )?
        }
    };
    write(&answer, args)?;
    if args.json {
        printer.json(&answer);
    } else {
        printer.page(fairtrial_report::console::gate(&answer, printer.terminal()));
    }
    Ok(exit(&answer, args))
}

/// A run that is not finished is answered like any other one that cannot be judged: whoever reads the answer of a machine
/// finds it where it always is.
fn invalid(failure: Failure, args: &Args, printer: Printer) -> Done {
    if args.save_baseline.is_none() {
        let alpha = args.alpha.unwrap_or(CompareOptions::default().alpha);
        let answer = Gate::invalid(&failure.message, alpha);
        write(&answer, args)?;
        if args.json {
            printer.json(&answer);
        }
    }
    Err(failure)
}

const fn exit(answer: &Gate, args: &Args) -> Exit {
    match answer.word {
        GateWord::Improved | GateWord::Equivalent => Exit::Fine,
        GateWord::Regressed => Exit::Failed,
        GateWord::Invalid => Exit::Machine,
        GateWord::Inconclusive if args.allow_inconclusive && answer.excusable => Exit::Fine,
        GateWord::Inconclusive => Exit::Inconclusive,
    }
}

fn options(source: &Source, args: &Args) -> GateOptions {
    let declared = source
        .spec
        .as_ref()
        .map(CompareOptions::declared)
        .unwrap_or_default();
    GateOptions {
        rules: args.rules.clone(),
        most_infra: args.most_infra,
        compare: CompareOptions {
            alpha: args.alpha.unwrap_or(declared.alpha),
            pairing: args.pairing.into(),
            valid: args.valid,
            accept: args.accepted.kinds(),
            ..declared
        },
    }
}

/// The arms of one run; one that stopped by looking has its answer already.
fn alone(run: &RunDir, source: &Source, args: &Args, printer: Printer) -> Result<Gate, Failure> {
    if source.spec.as_ref().is_none_or(|spec| spec.arms.len() < 2) {
        return Err(
            Failure::input(format!("{} has no arms to compare", source.data.label))
                .hint("name what to judge it against: --baseline NAME, FILE, branch:NAME or a run"),
        );
    }
    let report = report_of(run, Some(Vec::new()), printer)?;
    let options = options(source, args);
    let Some(trajectory) = report.sequential else {
        return Ok(gate(Inputs::Arms(&source.data), &options)?);
    };
    match settled_before(args) {
        None => Ok(gate_sequential(trajectory, &source.data, &options)?),
        Some(option) => Err(Failure::input(format!(
            "{option} cannot be chosen now: the run stopped by looking, by the metric, the pairs and the error rate that \
             its spec declares"
        ))
        .hint(format!(
            "leave {option} out, or give --baseline to compare the run as a whole with another one"
        ))),
    }
}

/// An option about what a run that stopped by looking has settled already.
fn settled_before(args: &Args) -> Option<&'static str> {
    [
        (!args.rules.is_empty(), "--rule"),
        (args.alpha.is_some(), "--alpha"),
        (args.pairing != PairingChoice::Auto, "--pairing"),
    ]
    .iter()
    .find_map(|(given, option)| given.then_some(*option))
}

fn candidate(name: Option<&str>, root: &DataRoot, printer: Printer) -> Result<RunDir, Failure> {
    let Some(name) = name else {
        let newest = newest_run(root)?.ok_or_else(|| {
            Failure::input(format!("there are no runs under {}", root.path().display()))
                .hint("`fairtrial run SPEC` makes one")
        })?;
        tell_passed_over(&newest, true, printer)?;
        return Ok(newest);
    };
    run_named(name, root, printer)?.ok_or_else(|| no_source(name, root))
}

/// Refuses a run that must not be judged.
fn finished(run: &RunDir) -> Result<(), Failure> {
    let state = RunState::read(&run.journal())?;
    let Some(unfinished) = Unfinished::of_state(&state) else {
        return Ok(());
    };
    let (name, stamp) = (run.name(), run.stamp());
    let hint = if state.is_half_scored() {
        format!("`fairtrial eval {name} --rollout {stamp}` completes its scores")
    } else {
        "`fairtrial run SPEC --resume` finishes it".to_owned()
    };
    Err(Failure::machine(format!("{name} {stamp} is {unfinished}")).hint(hint))
}

fn unfinished(run: &RunDir) -> Result<Option<Unfinished>, Failure> {
    Ok(Unfinished::of_state(&RunState::read(&run.journal())?))
}

/// A saved baseline, a branch, a commit, a file or a run.
fn baseline(
    name: &str,
    root: &DataRoot,
    candidate: &RunDir,
    printer: Printer,
) -> Result<Source, Failure> {
    let saved = saved_path(name, root);
    if let Some(branch) = name.strip_prefix("branch:") {
        return recorded(
            root,
            candidate,
            printer,
            &format!("on branch `{branch}`"),
            |state| state.branch.as_deref() == Some(branch),
        );
    }
    if let Some(commit) = name.strip_prefix("commit:") {
        return recorded(
            root,
            candidate,
            printer,
            &format!("at commit {commit}"),
            |state| {
                !commit.is_empty()
                    && state
                        .commit
                        .as_deref()
                        .is_some_and(|of| of.starts_with(commit))
            },
        );
    }
    if saved.is_file() {
        return Place::Json(saved).open(printer);
    }
    let found = place(name, root, printer)?.ok_or_else(|| {
        Failure::input(format!(
            "there is no baseline `{name}`: no saved one, no file and no run of that name"
        ))
        .hint("`fairtrial gate --save-baseline NAME` saves one; `fairtrial list` shows the runs")
    })?;
    if let Place::Run(run) = &found {
        finished(run)?;
    }
    found.open(printer)
}

/// The newest finished run of the same benchmark whose recorded source fits.
fn recorded(
    root: &DataRoot,
    candidate: &RunDir,
    printer: Printer,
    wanted: &str,
    fits: impl Fn(&fairtrial_journal::provenance::VcsState) -> bool,
) -> Result<Source, Failure> {
    let mut runs: Vec<RunDir> = list_runs(root)?
        .into_iter()
        .filter(|run| run.name() == candidate.name() && run.path() != candidate.path())
        .collect();
    runs.sort_by_key(RunDir::stamp);
    let mut matching = None;
    for run in runs.iter().rev() {
        let environment = recorded_environment(run, printer);
        let git = environment.is_some_and(|environment| match environment.vcs {
            Vcs::Git(state) => fits(&state),
            Vcs::Unknown { .. } => false,
        });
        if git && is_there(&run.journal())? && unfinished(run)?.is_none() {
            matching = Some(run);
            break;
        }
    }
    let run = matching.ok_or_else(|| {
        Failure::input(format!("no finished run of {} was recorded {wanted}", candidate.name()))
            .hint("run the benchmark there first, or keep a baseline file: `fairtrial gate --save-baseline main.json`")
    })?;
    printer.tell(format!(
        "baseline: {} {}, recorded {wanted}",
        run.name(),
        run.stamp()
    ));
    open_run(run, printer)
}

/// Where a baseline is kept: a .json file as it stands, a name under the data folder.
fn saved_path(name: &str, root: &DataRoot) -> PathBuf {
    let path = Path::new(name);
    if path
        .extension()
        .is_some_and(|extension| extension == "json")
    {
        path.to_owned()
    } else {
        root.path().join("baselines").join(format!("{name}.json"))
    }
}

fn save(name: &str, root: &DataRoot, data: &Dataset, args: &Args, printer: Printer) -> Done {
    if let Some(loss) = &data.loss {
        return Err(Failure::machine(loss.clone()).hint(
            "`fairtrial run SPEC --reuse` makes a run of the records that are left and runs the others again",
        ));
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let path = saved_path(name, root);
    if path.starts_with(root.path()) && (name.starts_with('.') || !name.chars().all(plain)) {
        return Err(
            Failure::input(format!("`{name}` is no name for a baseline"))
                .hint("letters, digits, `.`, `_` and `-`; or a file that ends in .json"),
        );
    }
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        std::fs::create_dir_all(folder).map_err(|error| {
            Failure::machine(format!("cannot make {}: {error}", folder.display()))
        })?;
    }
    write_atomic_bytes(&path, Durability::Process, data.to_baseline()?.as_bytes())?;
    if args.json {
        printer
            .json(&serde_json::json!({ "baseline": path, "of": data.label, "trials": data.len() }));
    } else {
        printer.line(format!(
            "kept {} ({} trials) as {}",
            data.label,
            data.len(),
            path.display()
        ));
    }
    Ok(Exit::Fine)
}

fn write(answer: &Gate, args: &Args) -> Result<(), Failure> {
    let files = [
        (
            &args.md,
            fairtrial_report::markdown::gate as fn(&Gate) -> String,
        ),
        (&args.junit, fairtrial_report::junit::gate),
    ];
    for (path, text) in files {
        if let Some(path) = path {
            write_atomic_bytes(path, Durability::Process, text(answer).as_bytes())?;
        }
    }
    Ok(())
}
