//! `preset`: the definitions that come with the program, to read and to start from.

use crate::exit::{Done, Exit, Failure};
use crate::printer::Printer;
use fairtrial_spec::preset;
use serde_json::json;

/// List the definitions that come with the program, or print one (`include = ["preset:NAME"]` takes it)
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Which one to print
    name: Option<String>,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, printer: Printer) -> Done {
    let Some(name) = &args.name else {
        let all = preset::names().map(|name| (name, preset::about(name).unwrap_or_default()));
        if args.json {
            let all: Vec<_> = all
                .map(|(name, about)| json!({ "name": name, "about": about }))
                .collect();
            printer.json(&all);
        } else {
            all.for_each(|(name, about)| printer.line(format!("{name}: {about}")));
        }
        return Ok(Exit::Fine);
    };
    let Some(text) = preset::text(name) else {
        let known: Vec<&str> = preset::names().collect();
        return Err(Failure::input(format!("there is no preset `{name}`"))
            .hint(format!("there is {}", known.join(", "))));
    };
    if args.json {
        printer.json(&json!({ "name": name, "text": text }));
    } else {
        printer.page(text.trim_end());
    }
    Ok(Exit::Fine)
}
