//! `where`: where runs are kept, and why there.

use crate::console::Console;
use crate::exit::Exit;
use fairtrial_session::RootReason;
use serde_json::json;

/// Print where runs are kept, and why there
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  fairtrial where\n  cd \"$(fairtrial where 2>/dev/null)\"")]
pub(crate) struct Args {
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, console: &Console) -> Exit {
    let found = console.session().find_data_root();
    let (path, printer) = (found.root.path(), console.printer);
    let exists = path.is_dir();
    if args.json {
        printer.json(&json!({ "data_root": path, "because": found.because, "exists": exists }));
        return Exit::Fine;
    }
    printer.line(path.display().to_string());
    let made = if exists {
        ""
    } else {
        "; the first run makes it"
    };
    printer.tell(format!("{}{made}", reason(found.because)));
    Exit::Fine
}

fn reason(because: RootReason) -> String {
    match because {
        RootReason::Named => "--data-dir names it".to_owned(),
        because => because.to_string(),
    }
}
