//! A large run: what the controller needs for it, and how long the commands after it take.

use super::measure::{measure, median_wall};
use super::table::Table;
use super::{Bench, write_spec};
use std::io;

/// How often a quick command is measured.
const TIMES: usize = 15;

/// Runs it and prints the table.
pub(super) fn run(bench: &Bench<'_>) -> io::Result<()> {
    let folder = bench.fresh()?;
    write_spec(&folder, bench.args.large, bench.args.slots)?;
    let call = |arguments: &[&str]| {
        let mut command = bench.fairtrial(&folder);
        command.args(arguments);
        command
    };
    let whole = measure(&mut call(&["run", "bench.toml"]))?;
    let resume = measure(&mut call(&["run", "bench.toml", "--resume"]))?;
    let summarize = measure(&mut call(&["summarize", "bench", "--latest"]))?;
    let list = measure(&mut call(&["list"]))?;

    println!("A run of {} trials\n", bench.args.large);
    let mut table = Table::new(&[
        "command",
        "wall s",
        "CPU s",
        "peak memory of its process MB",
    ]);
    let rows = [
        ("run", whole),
        ("run --resume, all answered", resume),
        ("summarize --latest", summarize),
        ("list", list),
    ];
    for (name, cost) in rows {
        let megabytes = cost.peak as f64 / 1e6;
        table.row(vec![
            name.to_owned(),
            format!("{:.3}", cost.wall),
            format!("{:.2}", cost.cpu),
            format!("{megabytes:.1}"),
        ]);
    }
    table.print();
    start_up(bench)
}

fn start_up(bench: &Bench<'_>) -> io::Result<()> {
    let empty = bench.fresh()?;
    let quick = |arguments: &'static [&'static str]| {
        median_wall(TIMES, || {
            let mut command = bench.fairtrial(&empty);
            command.args(arguments);
            command
        })
    };
    println!("Start-up, median of {TIMES}\n");
    let mut table = Table::new(&["command", "ms"]);
    let commands: [(&str, &'static [&'static str]); 2] = [
        ("--version", &["--version"]),
        ("list in an empty project", &["list"]),
    ];
    for (name, arguments) in commands {
        let wall = quick(arguments)?;
        table.row(vec![name.to_owned(), format!("{:.1}", wall * 1e3)]);
    }
    table.print();
    Ok(())
}
