//! Other tools' results: how long it takes to read many of them.

use super::Bench;
use super::measure::{Cost, measure, named};
use super::table::Table;
use crate::repository;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Benchmarks in the folder of criterion.
const BENCHMARKS: usize = 10_000;
/// Samples of each.
const SAMPLES: usize = 100;

/// Samples of the log of Inspect.
const LOG_SAMPLES: usize = 10_000;
/// Size of the log of W&B.
const LOG_MEGABYTES: usize = 200;
/// The last clients of W&B that read their own logs in Python.
const CLIENT: &str = "wandb<0.20";

/// Makes them, reads them and prints the table.
pub(super) fn run(bench: &Bench<'_>) -> io::Result<()> {
    let folder = bench.fresh()?;
    let criterion = folder.join("criterion");
    for number in 0..BENCHMARKS {
        benchmark(
            &criterion.join(format!("g{}/f{number}", number % 100)),
            number,
        )?;
    }
    let log = repository().join("crates/interop/tests/fixtures/inspect/arith_arm_a.json.gz");
    succeed(
        Command::new("python3")
            .arg(repository().join("benches/interop/inspect_log.py"))
            .arg(log)
            .arg(folder.join("log.eval"))
            .arg(LOG_SAMPLES.to_string()),
    )?;
    println!("Other tools' results\n");
    let mut table = Table::new(&["what", "wall s", "CPU s", "peak memory MB"]);
    let mut row = |what: String, cost: Cost| {
        table.row(vec![
            what,
            format!("{:.3}", cost.wall),
            format!("{:.2}", cost.cpu),
            format!("{:.1}", cost.peak as f64 / 1e6),
        ]);
    };
    row(
        format!("criterion, {BENCHMARKS} benchmarks of {SAMPLES} samples, to a table"),
        bench.best(&folder, "criterion")?,
    );
    row(
        format!("Inspect, a log of {LOG_SAMPLES} samples, to a table"),
        bench.best(&folder, "log.eval")?,
    );
    match client()? {
        None => println!("W&B is left out: its client cannot be installed here\n"),
        Some(python) => wandb(bench, &folder, &python, &mut row)?,
    }
    table.print();
    Ok(())
}

impl Bench<'_> {
    /// The best of some readings of a source.
    fn best(&self, folder: &Path, source: &str) -> io::Result<Cost> {
        let read = || {
            let mut command = self.fairtrial(folder);
            measure(command.args(["export", source, "--to", "csv", "--output", "all.csv"]))
        };
        best(self.args.rounds, read)
    }
}

/// The best of some measurements by wall time.
fn best(rounds: usize, mut one: impl FnMut() -> io::Result<Cost>) -> io::Result<Cost> {
    let mut least = one()?;
    for _ in 1..rounds {
        let next = one()?;
        least = if next.wall < least.wall { next } else { least };
    }
    Ok(least)
}

/// The same log read by W&B's own Python classes and by Fairtrial, in turns.
fn wandb(
    bench: &Bench<'_>,
    folder: &Path,
    python: &Path,
    row: &mut impl FnMut(String, Cost),
) -> io::Result<()> {
    let script = repository().join("benches/interop/wandb_log.py");
    let call = |args: &[&str]| {
        let mut command = Command::new(python);
        command.arg(&script).args(args).current_dir(folder);
        command
    };
    let megabytes = LOG_MEGABYTES.to_string();
    succeed(&mut call(&["write", "log.wandb", &megabytes]))?;
    let version = call(&["version"]).output()?.stdout;
    let version = String::from_utf8_lossy(&version).trim().to_owned();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..bench.args.rounds.min(3) {
        ours.push(bench.best(folder, "log.wandb")?);
        theirs.push(measure(&mut call(&["read", "log.wandb"]))?);
    }
    let least = |costs: &[Cost]| {
        let by_cpu = |a: &&Cost, b: &&Cost| a.cpu.total_cmp(&b.cpu);
        costs.iter().min_by(by_cpu).copied()
    };
    if let (Some(ours), Some(theirs)) = (least(&ours), least(&theirs)) {
        row(format!("W&B, a log of {LOG_MEGABYTES} MB"), ours);
        row(format!("the same by wandb {version} in Python"), theirs);
        println!("W&B: {:.1} times as fast\n", theirs.cpu / ours.cpu);
    }
    Ok(())
}

/// A Python with the client, which is installed where it is not there yet.
fn client() -> io::Result<Option<PathBuf>> {
    let folder = repository().join("target/tools/wandb-reader");
    let python = folder.join("bin/python");
    if !python.is_file() {
        let mut made = Command::new("python3");
        let made = made.args(["-m", "venv"]).arg(&folder).status()?.success();
        let install = ["-m", "pip", "install", "-q", CLIENT, "setuptools"];
        let installed = made && Command::new(&python).args(install).status()?.success();
        if !installed {
            return Ok(None);
        }
    }
    Ok(Some(python))
}

/// Runs a command that must end well.
fn succeed(command: &mut Command) -> io::Result<()> {
    let status = named(command.stdout(Stdio::null()), Command::status)?;
    if status.success() {
        Ok(())
    } else {
        Err(io::Error::other(format!("{command:?} ended with {status}")))
    }
}

/// A benchmark as criterion keeps it.
fn benchmark(folder: &Path, number: usize) -> io::Result<()> {
    let new = folder.join("new");
    fs::create_dir_all(&new)?;
    let about = serde_json::json!({
        "group_id": format!("g{}", number % 100), "function_id": format!("f{number}"),
        "value_str": null, "throughput": null, "full_id": format!("g{}/f{number}", number % 100),
        "directory_name": format!("g{}/f{number}", number % 100), "title": format!("f{number}"),
    });
    let iters: Vec<f64> = (1..=SAMPLES).map(|sample| sample as f64).collect();
    let times: Vec<f64> = iters
        .iter()
        .map(|iters| iters * (100.0 + number as f64 / 7.0))
        .collect();
    let sample = serde_json::json!({"sampling_mode": "Linear", "iters": iters, "times": times});
    fs::write(new.join("benchmark.json"), about.to_string())?;
    fs::write(new.join("sample.json"), sample.to_string())
}
