//! `register`: the analysis plan, locked before there are data.

use crate::console::Console;
use crate::exit::{Done, Exit};
use crate::spec_args::SpecArgs;
use fairtrial_session::Registered;

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

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    let registered = if args.replace {
        Registered::Replace
    } else {
        Registered::Keep
    };
    let session = console.session();
    let (registration, path) = session.register(&args.spec.file(), registered)?;
    let printer = console.printer;
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
