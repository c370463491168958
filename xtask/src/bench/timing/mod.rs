//! `fairtrial bench` beside hyperfine: how small a difference is found, how often one is found that is not there, and what a
//! run costs.

mod claims;
mod costs;
mod setting;
mod tries;

use super::jobs::Cpus;
use super::table::Table;
use super::{Bench, version_of};
use setting::Setting;
use std::io;
use tries::{LENGTH, Tools};

/// What `--only` calls what a run costs.
const COSTS: &str = "costs";

pub(super) fn run(bench: &Bench<'_>) -> io::Result<()> {
    let only = &bench.args.only;
    let (settings, costs) = (
        Setting::all(only),
        only.is_empty() || only.iter().any(|it| it == COSTS),
    );
    if settings.is_empty() && !costs {
        let names: Vec<String> = Setting::all(&[]).into_iter().map(|it| it.name).collect();
        let why = format!("--only: there are {COSTS}, {}", names.join(", "));
        return Err(io::Error::other(why));
    }
    let work = bench.compiled("benches/timing/work.c")?;
    let hyperfine = bench.peer("hyperfine");
    let version = version_of(&hyperfine);
    let missing = "hyperfine is not installed: its columns stay empty";
    println!("{}\n", version.as_deref().unwrap_or(missing));
    let hyperfine = version.is_some().then_some(&*hyperfine);
    if costs {
        costs::costs(bench, &work, hyperfine)?;
    }
    if settings.is_empty() {
        return Ok(());
    }
    let tools = Tools {
        bench,
        work: &work,
        hyperfine,
        workers: Cpus::of(bench.args.jobs)?,
    };
    println!(
        "\nA program of {:.0} ms against itself, and slowed down by 1 and 2 %: right / wrong / undecided, median seconds\n",
        1e3 * LENGTH
    );
    let mut table = Table::new(&[
        "setting",
        "limit",
        "fairtrial",
        "hyperfine's claim",
        "Welch on its export",
        "bar for fairtrial",
    ]);
    for setting in &settings {
        table.row(tools.row(setting)?);
    }
    table.print();
    println!(
        "hyperfine measures wall time in every row, for as long as we may take. Without a difference, claiming none is right; \
         an answer of ours that is neither a difference nor `equivalent` is undecided."
    );
    Ok(())
}
