//! `doctor`: what this machine can measure, and what it cannot.

use crate::console::Console;
use crate::exit::{Done, Exit};
use fairtrial_session::{Examination, TunedSetting};
use fairtrial_text::bytes::size;

/// Show what this machine can measure and enforce
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fairtrial doctor
  fairtrial doctor --tune        CPUs at a steady speed, for `bench`; what was is written down first
  fairtrial doctor --tune off    everything as it was, also after a crash
  fairtrial doctor --store s3://lab-bench/fairtrial    whether jobs elsewhere could work through it")]
pub(crate) struct Args {
    /// Print it as JSON
    #[arg(long)]
    json: bool,
    /// Change the machine's settings so that times are steadier (governors of the CPUs, turbo), or put them back
    #[arg(long, value_enum, num_args = 0..=1, default_missing_value = "on", value_name = "on|off", conflicts_with = "json")]
    tune: Option<Tune>,
    /// Also look whether an object store can be used from here: credentials, bucket, conditional writes, clock
    #[arg(long, value_name = "URL", conflicts_with = "tune")]
    store: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Tune {
    /// Change them
    On,
    /// Put them back
    Off,
}

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    let printer = console.printer;
    match args.tune {
        Some(Tune::On) => return tune(console),
        Some(Tune::Off) => return put_back(console),
        None => {}
    }
    let mut examined = console.session().examine_machine();
    let mut exit = Exit::Fine;
    if let Some(url) = &args.store {
        let store = console.session().examine_store(url);
        if !store.good {
            exit = Exit::Machine;
        }
        examined.findings.push(store);
    }
    if args.json {
        printer.json(&examined);
        return Ok(exit);
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
    Ok(exit)
}

fn tune(console: &Console) -> Done {
    let printer = console.printer;
    let tuned = console.session().tuning().tune()?;
    for setting in &tuned.settings {
        printer.line(changed(setting, &setting.before, &setting.set));
    }
    printer.line(if tuned.settings.is_empty() {
        "nothing to change: the machine has no setting of its CPUs' speed, or all are steady"
    } else {
        "`fairtrial doctor --tune off` puts them back"
    });
    Ok(Exit::Fine)
}

fn put_back(console: &Console) -> Done {
    let printer = console.printer;
    let restored = console.session().tuning().restore()?;
    for setting in &restored.back {
        printer.line(changed(setting, &setting.set, &setting.before));
    }
    for setting in &restored.left {
        let file = setting.file.display();
        printer.line(format!(
            "/{file}: somebody else has changed it since, or it is gone; it is left alone"
        ));
    }
    if restored.back.is_empty() && restored.left.is_empty() {
        printer.line("nothing was changed by `doctor --tune`");
    }
    Ok(Exit::Fine)
}

fn changed(setting: &TunedSetting, from: &str, to: &str) -> String {
    format!("/{}: {from} → {to}", setting.file.display())
}
