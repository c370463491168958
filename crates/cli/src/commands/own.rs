//! `self version`: which build this is.

use crate::exit::Exit;
use crate::printer::Printer;
use serde_json::json;

/// Say which build this is
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  fairtrial self version --json")]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Version(VersionArgs),
}

/// Print the version, the machine it was built for, and what was built in
#[derive(Debug, clap::Args)]
struct VersionArgs {
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

/// What may be left out of a build, and whether it is in this one.
const FEATURES: [(&str, bool); 9] = [
    ("gpu", cfg!(feature = "gpu")),
    ("html", cfg!(feature = "html")),
    ("judge", cfg!(feature = "judge")),
    ("page", cfg!(feature = "page")),
    ("perf", cfg!(feature = "perf")),
    ("png", cfg!(feature = "png")),
    ("server", cfg!(feature = "server")),
    ("store", cfg!(feature = "store")),
    ("suite", cfg!(feature = "suite")),
];

pub(crate) fn run(args: &Args, printer: Printer) -> Exit {
    let What::Version(VersionArgs { json }) = args.what;
    let version = env!("CARGO_PKG_VERSION");
    let features = FEATURES.iter().filter(|(_, built_in)| *built_in);
    let features: Vec<&str> = features.map(|(name, _)| *name).collect();
    // macOS has one C library, and no word for it.
    let library = match () {
        () if cfg!(target_env = "musl") => "-musl",
        () if cfg!(target_env = "gnu") => "-gnu",
        () => "",
    };
    let target = format!(
        "{}-{}{library}",
        std::env::consts::ARCH,
        std::env::consts::OS
    );
    let program = std::env::current_exe().ok();
    if json {
        printer.json(&json!({
            "version": version, "target": target, "features": features, "debug": cfg!(debug_assertions),
            "program": program,
        }));
    } else {
        printer.line(format!("fairtrial {version} ({target})"));
        printer.line(format!("built in: {}", features.join(", ")));
        if let Some(program) = program {
            printer.line(format!("program: {}", program.display()));
        }
    }
    Exit::Fine
}
