//! `exec`: a chunk of trials on a node; schedulers start this, people do not need to.

use crate::console::Console;
use crate::exit::{Done, Exit};
use crate::signals;
use fairtrial_engine::ExecEnd;
use fairtrial_session::Chunk;
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

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    let chunk = Chunk {
        plan: args.plan.clone(),
        number: args.chunk,
        base_dir: args.base_dir.clone(),
    };
    let printer = console.printer;
    let mut trials = 0u64;
    let mut tell = |record: &fairtrial_model::Record| {
        trials += 1;
        if args.print_records
            && let Ok(line) = fairtrial_journal::record_line(record)
        {
            printer.line(String::from_utf8_lossy(&line).trim_end());
        }
    };
    let controls = signals::job_controls()?;
    let end = console.session().run_chunk(&chunk, &controls, &mut tell)?;
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
