//! `import`: another tool's results as a run that is kept.

use crate::console::Console;
use crate::exit::{Done, Exit};
use fairtrial_session::{FORMATS, Given, ImportQuestion, Imported, Mapping};

/// Keep another tool's results as a run; importing again adds what is new
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fairtrial import wandb/ --name trxl --arm arch         every offline run of W&B under wandb/
  fairtrial import logs/*.eval --name agents             logs of Inspect, one arm for each model
  fairtrial import target/criterion                      what criterion measured, and its baselines
  fairtrial import mlflow:http://localhost:5000#exp      an experiment on an MLflow server
  fairtrial import --list                                the kinds that are known

What is imported is a run like any other: `summarize`, `compare`, `report`, `verify` and `list` take its name. \
docs/guides/bring-your-results.md has an example for each tool.")]
pub(crate) struct Args {
    /// Files, folders, `wandb:ENTITY/PROJECT` or `mlflow:http://HOST:PORT`
    #[arg(required_unless_present = "list", value_name = "SOURCE")]
    sources: Vec<String>,
    /// The name of the run [default: that of the first source]
    #[arg(long)]
    name: Option<String>,
    /// The field that is the arm [default: by the rules of the kind]
    #[arg(long, value_name = "FIELD")]
    arm: Option<String>,
    /// The field that is the seed
    #[arg(long, value_name = "FIELD")]
    seed: Option<String>,
    /// The field that is the task
    #[arg(long, value_name = "FIELD")]
    task: Option<String>,
    /// What kind of files they are [default: told by their content]
    #[arg(long, value_name = "KIND")]
    format: Option<String>,
    /// Name the kinds that are known and do nothing else
    #[arg(long, conflicts_with = "sources")]
    list: bool,
    /// Print what was imported as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    let printer = console.printer;
    if args.list {
        let width = FORMATS.iter().map(|format| format.name().len()).max();
        let width = width.unwrap_or(0);
        for format in FORMATS {
            printer.line(format!("{:width$}  {}", format.name(), format.title()));
        }
        return Ok(Exit::Fine);
    }
    let imported = console.session().import(&args.question())?;
    if args.json {
        printer.json(&imported);
    } else {
        printer.page(words(&imported));
    }
    Ok(Exit::Fine)
}

impl Args {
    /// What was typed, as the library takes it.
    fn question(&self) -> ImportQuestion {
        ImportQuestion {
            sources: self.sources.clone(),
            name: self.name.clone(),
            mapping: Mapping {
                format: self.format.clone(),
                given: Given {
                    arm: self.arm.clone(),
                    task: self.task.clone(),
                    seed: self.seed.clone(),
                },
            },
        }
    }
}

fn words(imported: &Imported) -> String {
    let Imported {
        name,
        stamp,
        added,
        renewed,
        known,
        folder,
    } = imported;
    let mut parts = vec![format!("{added} new")];
    if *renewed > 0 {
        parts.push(format!("{renewed} continued"));
    }
    if *known > 0 {
        parts.push(format!("{known} known already"));
    }
    format!(
        "run {name} {stamp}: {}\n{}\nNext: fairtrial summarize {name}",
        parts.join(", "),
        folder.display()
    )
}
