//! `doctor`: what this machine can measure, and what it cannot.

use crate::console::Console;
use crate::exit::Exit;
use fairtrial_session::Examination;
use fairtrial_text::bytes::size;

/// Show what this machine can measure and enforce
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  fairtrial doctor")]
pub(crate) struct Args {
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, console: &Console) -> Exit {
    let printer = console.printer;
    let examined = console.session().examine_machine();
    if args.json {
        printer.json(&examined);
        return Exit::Fine;
    }
    let Examination { host, findings } = examined;
    let known = |value: Option<String>| value.unwrap_or_else(|| "unknown".to_owned());
    let memory = host.memory_bytes.map(size);
    printer.line(format!(
        "    {:<16} {} ({} {})",
        "host", host.name, host.os, host.kernel
    ));
    printer.line(format!("    {:<16} {}", "processor", known(host.cpu)));
    printer.line(format!(
        "    {:<16} {}",
        "physical cores",
        known(host.cores.map(|cores| cores.to_string()))
    ));
    printer.line(format!("    {:<16} {}", "memory", known(memory)));
    for finding in &findings {
        let mark = if finding.good { "ok" } else { "--" };
        printer.line(format!("{mark}  {:<16} {}", finding.what, finding.detail));
    }
    Exit::Fine
}
