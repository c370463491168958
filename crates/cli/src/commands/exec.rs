//! `exec`: a chunk of trials on a node; schedulers start this, people do not need to.

use crate::exit::{Done, Exit, Failure};
use crate::printer::Printer;
use crate::{data_dir, environment, time};
use fairtrial_engine::{ExecControls, ExecEnd, ExecRequest, Owner, exec};
use fairtrial_journal::RunDir;
use fairtrial_journal::provenance::host_name;
use serde_json::json;
use std::path::PathBuf;

/// Run one chunk of a run's trials here, as its job on a node does
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  fairtrial exec --plan data/rollouts/bench/20250824__12-34-56/plan.json --chunk 0"
)]
pub(crate) struct Args {
    /// The run's `plan.json`
    #[arg(long, value_name = "FILE")]
    plan: PathBuf,
    /// Number of the chunk
    #[arg(long, value_name = "N")]
    chunk: u64,
    /// The spec's folder on this machine, where it is not where it was
    #[arg(long, value_name = "DIR")]
    base_dir: Option<PathBuf>,
    /// Also print each record as one line, for engines whose nodes share no filesystem with the controller
    #[arg(long)]
    print_records: bool,
    /// Print how it ended as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, printer: Printer) -> Done {
    let run = args.plan.parent().and_then(RunDir::at);
    let Some(run) = run.filter(|_| args.plan.is_file()) else {
        let message = format!("{} is not the plan of a run", args.plan.display());
        return Err(Failure::input(message)
            .hint("it is `plan.json` in the run's folder, which this node must see"));
    };
    let program = std::env::current_exe()
        .map_err(|error| Failure::machine(format!("cannot find this program: {error}")))?;
    let request = ExecRequest {
        run,
        chunk: args.chunk,
        base_dir: args.base_dir.as_deref().map(data_dir::absolute),
        program,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        environment: environment::read(),
        now: time::now,
        owner: Owner {
            host: host_name(),
            pid: std::process::id(),
            job: scheduler_job(),
        },
    };
    let controls = ExecControls::default();
    listen(&controls)?;
    let mut trials = 0u64;
    let mut tell = |record: &fairtrial_model::Record| {
        trials += 1;
        if args.print_records
            && let Ok(line) = fairtrial_journal::record_line(record)
        {
            printer.line(String::from_utf8_lossy(&line).trim_end());
        }
    };
    let end = exec(&request, &controls, &mut tell)?;
    let word = match end {
        ExecEnd::Complete => "complete",
        ExecEnd::Stopped => "stopped",
        ExecEnd::Elsewhere => "another process runs it",
    };
    if args.json {
        printer.json(&json!({ "chunk": args.chunk, "end": word, "trials": trials }));
    } else {
        printer.tell(format!("chunk {}: {word}, {trials} trials", args.chunk));
    }
    Ok(Exit::Fine)
}

/// The job as its scheduler names it, with the count of its restarts.
fn scheduler_job() -> Option<String> {
    let job = std::env::var("SLURM_JOB_ID").ok()?;
    let restarts = std::env::var("SLURM_RESTART_COUNT").unwrap_or_else(|_| "0".to_owned());
    Some(format!("{job}.{restarts}"))
}

/// `TERM` ends what runs; `USR1` says that time runs out.
fn listen(controls: &ExecControls) -> Result<(), Failure> {
    use signal_hook::consts::{SIGINT, SIGTERM, SIGUSR1};
    let signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGUSR1]);
    let mut signals =
        signals.map_err(|error| Failure::machine(format!("cannot listen for signals: {error}")))?;
    let controls = controls.clone();
    std::thread::spawn(move || {
        for signal in signals.forever() {
            if signal == SIGUSR1 {
                controls.drain();
            } else {
                controls.end();
            }
        }
    });
    Ok(())
}
