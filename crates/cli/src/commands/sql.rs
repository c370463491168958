//! `sql`: any question over runs, trials and metrics.

use crate::console::Console;
use crate::exit::{Done, Exit, Failure};
use serde_json::{Map, Value};

/// Ask about all runs, trials and metrics in SQL
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fairtrial sql 'select name, count(*) from runs group by name'
  fairtrial sql 'select arm, avg(value) from metrics join trials using (run, trial) group by arm'
  fairtrial sql 'select * from trials where outcome = \"timeout\"' --csv

Tables: runs, trials, metrics (docs/reference/sql.md has their columns). It is SQLite's SQL, and nothing can be changed.")]
pub(crate) struct Args {
    /// The question
    sql: String,
    /// Print the rows as JSON: a list of objects
    #[arg(long)]
    json: bool,
    /// Print the rows as CSV
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

pub(crate) fn run(args: &Args, console: &Console) -> Done {
    let answered = console.session().ask(&args.sql)?;
    let printer = console.printer;
    if args.json {
        let object = |row: &Vec<Value>| {
            let pairs = answered.columns.iter().cloned().zip(row.iter().cloned());
            pairs.collect::<Map<String, Value>>()
        };
        let rows: Vec<_> = answered.rows.iter().map(object).collect();
        printer.json(&rows);
    } else if args.csv {
        let text = fairtrial_report::csv::rows(&answered.columns, &answered.rows);
        let text = text.map_err(|error| Failure::machine(error.to_string()))?;
        printer.page(text.trim_end());
    } else {
        printer.page(fairtrial_report::console::rows(
            &answered.columns,
            &answered.rows,
            printer.terminal(),
        ));
    }
    Ok(Exit::Fine)
}
