//! `register`: freeze the analysis plan of a spec before the data, in a file to commit.

use crate::exit::{Done, Exit, Failure};
use crate::printer::Printer;
use crate::spec_file::SpecArgs;
use crate::time;
use fairtrial_analysis::registration::Registration;
use fairtrial_journal::{Durability, is_there, write_atomic_bytes};
use fairtrial_spec::FileCheck;
use std::path::{Path, PathBuf};

/// Freeze what will be compared, and how, before there are data
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fairtrial register bench.toml        writes bench.registered.json beside the spec; commit it
  fairtrial run bench.toml             keeps a copy; the report says what deviates from it

Frozen are metric, arms, margin, alpha, stopping rule, seeds, tasks and exclusions, under a SHA-256 hash.")]
pub(crate) struct Args {
    #[command(flatten)]
    spec: SpecArgs,
    /// Replace a plan that is registered already
    #[arg(long)]
    replace: bool,
    /// Print the registration as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, printer: Printer) -> Done {
    let plan = args.spec.plan(FileCheck::Warn, None, printer)?;
    let path = path_of(&args.spec.spec);
    if !args.replace && is_there(&path)? {
        return Err(Failure::input(format!("{} is there already", path.display())).hint(
            "a registered plan is not changed after the fact: `--replace` registers anew, with today's date",
        ));
    }
    let registration = Registration::new(plan.spec(), time::now(), env!("CARGO_PKG_VERSION"));
    let mut text = serde_json::to_vec_pretty(&registration)
        .map_err(|error| Failure::machine(error.to_string()))?;
    text.push(b'\n');
    write_atomic_bytes(&path, Durability::Process, &text)?;
    if args.json {
        printer.json(&registration);
    } else {
        printer.line(format!(
            "registered {} as {} (plan {})",
            args.spec.spec.display(),
            path.display(),
            &registration.hash[..12]
        ));
        printer.tell(
            "commit the file: its date in the history is the proof that it came before the data",
        );
    }
    Ok(Exit::Fine)
}

/// Where the registered plan of a spec stands: `bench.toml` has `bench.registered.json`.
pub(crate) fn path_of(spec: &Path) -> PathBuf {
    spec.with_extension("registered.json")
}
