//! `exec`: a chunk of trials on a node; schedulers start this, people do not need to.

use crate::console::Console;
use crate::exit::{Done, Exit, Failure};
use crate::signals;
use fairtrial_engine::ExecEnd;
use fairtrial_session::{Chunk, StoredChunk};
use serde_json::json;
use std::path::PathBuf;

/// Run one chunk of a run's trials here, as its job on a node does
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  fairtrial exec --plan data/rollouts/bench/20250824__12-34-56/plan.json --chunk 0"
)]
pub(crate) struct Args {
    /// The run's `plan.json`, which this machine sees
    #[arg(long, value_name = "FILE", required_unless_present = "store")]
    plan: Option<PathBuf>,
    /// The object store with the run's work, where this machine sees no folder of the run
    #[arg(long, value_name = "URL", conflicts_with = "plan", requires = "run")]
    store: Option<String>,
    /// The run's key in the store
    #[arg(long, value_name = "KEY", requires = "store")]
    run: Option<String>,
    /// Number of the chunk
    #[arg(long, value_name = "N", required_unless_present = "first")]
    chunk: Option<u64>,
    /// Number of the first chunk of the job's array, where the element is in a variable
    #[arg(
        long,
        value_name = "N",
        conflicts_with = "chunk",
        requires = "element_in"
    )]
    first: Option<u64>,
    /// The variable with the element's number, from 0, alone or after the last `:`; one without a number is 0
    #[arg(long, value_name = "NAME", requires = "first")]
    element_in: Option<String>,
    /// The spec's folder on this machine, where it is not where it was
    #[arg(long, value_name = "DIR", conflicts_with = "store")]
    base_dir: Option<PathBuf>,
    /// Also print each record as one line, for engines whose nodes share no filesystem with the controller
    #[arg(long)]
    print_records: bool,
    /// Print how it ended as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    let number = number(args, console)?;
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
    let session = console.session();
    let end = match (&args.plan, &args.store, &args.run) {
        (_, Some(store), Some(run)) => {
            let chunk = StoredChunk {
                store: store.clone(),
                run: run.clone(),
                number,
            };
            session.run_stored_chunk(&chunk, &controls, &mut tell)?
        }
        (plan, ..) => {
            let chunk = Chunk {
                plan: plan.clone().unwrap_or_default(),
                number,
                base_dir: args.base_dir.clone(),
            };
            session.run_chunk(&chunk, &controls, &mut tell)?
        }
    };
    let word = match end {
        ExecEnd::Complete => "complete",
        ExecEnd::Stopped => "stopped",
        ExecEnd::Elsewhere => "another process runs it",
        ExecEnd::Nothing => "nothing to do, it was taken back or the run has its answers",
    };
    if args.json {
        printer.json(&json!({ "chunk": number, "end": word, "trials": trials }));
    } else {
        printer.tell(format!("chunk {number}: {word}, {trials} trials"));
    }
    Ok(Exit::Fine)
}

/// Which chunk is meant: by its number, or by the job's place in its array.
fn number(args: &Args, console: &Console) -> Result<u64, Failure> {
    let (Some(first), Some(name)) = (args.first, &args.element_in) else {
        return Ok(args.chunk.unwrap_or_default());
    };
    let session = console.session();
    let Some(text) = session.caller().variable(name) else {
        return Ok(first);
    };
    let element = match text.trim().rsplit_once(':') {
        Some((_, element)) => element.parse().map_err(|_| {
            Failure::input(format!(
                "`{name}` is `{text}`, which names no element of an array"
            ))
        })?,
        // The name of a job that is no array.
        None => text.trim().parse().unwrap_or(0u64),
    };
    Ok(first + element)
}
