//! `list engines`: where trials can run from this machine, and why not elsewhere.

use crate::exit::Exit;
use crate::printer::Printer;
use fairtrial_engine::remote;

/// List the engines, and whether they can be used from here
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  fairtrial list engines")]
pub(crate) struct Args {
    /// Print the list as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, printer: Printer) -> Exit {
    let offers = remote::survey();
    if args.json {
        printer.json(&offers);
        return Exit::Fine;
    }
    for offer in &offers {
        let mark = if offer.reachable { "ok" } else { "--" };
        // A scheduler's own words may be many lines.
        let detail = offer.detail.lines().map(str::trim).collect::<Vec<_>>();
        printer.line(format!("{mark}  {:<9} {}", offer.name, detail.join("; ")));
    }
    Exit::Fine
}
