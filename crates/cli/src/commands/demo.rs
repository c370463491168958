//! `demo`: a complete small comparison, from programs that this binary carries.

use super::run;
use crate::console::Console;
use crate::exit::{Done, Failure};
use crate::spec_args::SpecArgs;
use std::fs;
use std::path::{Path, PathBuf};

/// Run a complete small comparison, offline: two bandit policies over fifteen shared seeds
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  fairtrial demo\n\nThe spec and the program are written to `fairtrial-demo/`: read them, change them, run them again."
)]
pub(crate) struct Args {
    /// Where to put the demo's files
    #[arg(long, value_name = "DIR", default_value = "fairtrial-demo")]
    dir: PathBuf,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

const FILES: [(&str, &str); 2] = [
    ("bandit.toml", include_str!("../../assets/bandit.toml")),
    ("bandit.awk", include_str!("../../assets/bandit.awk")),
];

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    for (name, text) in FILES {
        place(&args.dir, name, text)?;
    }
    let spec = SpecArgs {
        spec: args.dir.join("bandit.toml"),
        set: Vec::new(),
    };
    let path = spec.spec.display().to_string();
    console.printer.tell(format!("the demo's spec is {path}"));
    let arguments = run::Args {
        spec,
        verbose: 0,
        parallel: None,
        only: None,
        resume: None,
        as_recorded: false,
        reuse: None,
        accept: None,
        remake: false,
        until: None,
        looks: Vec::new(),
        anytime: false,
        engine: None,
        detach: false,
        dry_run: false,
        json: args.json,
    };
    let done = run::run(&arguments, &console.with_data_dir(args.dir.join("data")))?;
    console.printer.tell(format!(
        "next: change {path} and run it again with `fairtrial run {path}`, or begin your own with `fairtrial init \
         my-comparison.toml`"
    ));
    Ok(done)
}

/// Puts a file of the demo into its folder, leaving one that is there as it is.
fn place(dir: &Path, name: &str, text: &str) -> Result<(), Failure> {
    let path = dir.join(name);
    let failed = |error: std::io::Error| {
        Failure::machine(format!("cannot write {}: {error}", path.display()))
    };
    fs::create_dir_all(dir).map_err(failed)?;
    if !path.exists() {
        fs::write(&path, text).map_err(failed)?;
    }
    Ok(())
}
