//! `fairtrial bisect` on a change that was planted: how often it is right, what it costs, and what a fixed number of runs per
//! step would cost on the same noise.

use super::Bench;
use super::jobs::{CPUS, Cpus, share};
use super::measure::median;
use super::neighbours::Neighbours;
use super::table::Table;
use serde_json::Value;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Commits after the good end.
const COMMITS: usize = 64;
/// What the planted commit adds.
const SLOWDOWN: f64 = 0.05;
/// Rounds of the program before it: about 20 ms.
const ROUNDS: u64 = 12_000_000;
/// One-sided normal quantile of 5 % over six steps: how sure a step of a fixed number must be.
const SURE: f64 = 2.39;
/// What is built and measured; the commit says how long it takes.
const PROGRAM: &str = "#include <stdint.h>\n#include \"rounds.h\"\nint main(void) {\n    volatile uint64_t seen;\n    \
                       uint64_t x = 88172645463325252ULL;\n    for (uint64_t left = ROUNDS; left > 0; left--) {\n        \
                       x ^= x << 13;\n        x ^= x >> 7;\n        x ^= x << 17;\n    }\n    seen = x;\n    (void)seen;\n    \
                       return 0;\n}\n";

/// One try.
struct Tried {
    right: bool,
    builds: f64,
    trials: f64,
    /// Runs that a fixed number per step would take to be as sure, by the noise that was seen.
    fixed: f64,
    seconds: f64,
}

pub(super) fn run(bench: &Bench<'_>) -> io::Result<()> {
    let work = bench.compiled("benches/timing/work.c")?;
    let workers = Cpus::of(bench.args.jobs)?;
    println!(
        "A change of {:.0} % planted among {COMMITS} commits, beside {CPUS} busy programs\n",
        100.0 * SLOWDOWN
    );
    let mut table = Table::new(&[
        "metric",
        "right",
        "builds, at most",
        "runs, median",
        "by a fixed number of runs",
        "seconds, median",
    ]);
    for metric in ["cpu", "wall"] {
        if !bench.args.only.is_empty() && !bench.args.only.iter().any(|it| it == metric) {
            continue;
        }
        let tried = Mutex::new(Vec::new());
        share(
            &workers,
            bench.args.tries,
            |_, cpus| Worker::start(bench, cpus, &work),
            |worker, number| {
                let done = worker.try_once(metric, number)?;
                let mut tried = tried.lock().unwrap_or_else(PoisonError::into_inner);
                tried.push(done);
                // One that is cut off has said what it knew.
                eprintln!("{metric} {}", row(&tried).join("  "));
                Ok(())
            },
        )?;
        let tried = tried.into_inner().unwrap_or_else(PoisonError::into_inner);
        let name = std::iter::once(metric.to_owned());
        table.row(name.chain(row(&tried)).collect());
    }
    table.print();
    Ok(())
}

fn row(tried: &[Tried]) -> Vec<String> {
    let of = |value: fn(&Tried) -> f64| median(&tried.iter().map(value).collect::<Vec<_>>());
    let right = tried.iter().filter(|it| it.right).count();
    let builds = tried.iter().map(|it| it.builds).fold(0.0, f64::max);
    vec![
        format!("{right} of {}", tried.len()),
        format!("{builds:.0}"),
        format!("{:.0}", of(|it| it.trials)),
        format!("{:.0}", of(|it| it.fixed)),
        format!("{:.0}", of(|it| it.seconds)),
    ]
}

/// Bisects on CPUs of its own, with its own busy neighbours.
struct Worker<'a> {
    bench: &'a Bench<'a>,
    cpus: Cpus,
    _neighbours: Neighbours,
}

impl<'a> Worker<'a> {
    fn start(bench: &'a Bench<'a>, cpus: &Cpus, work: &Path) -> io::Result<Self> {
        let mut neighbours = Neighbours::default();
        for _ in 0..CPUS {
            neighbours.add(cpus.command(work, bench.folder.path()))?;
        }
        Ok(Self {
            bench,
            cpus: cpus.clone(),
            _neighbours: neighbours,
        })
    }

    fn try_once(&self, metric: &str, number: usize) -> io::Result<Tried> {
        let folder = self.bench.fresh()?;
        // Spread over the range, in an order without meaning.
        let planted = 1 + (number * 37 + 11) % COMMITS;
        make_repository(&folder, planted)?;
        let mut command = self.cpus.command(&self.bench.binary, &folder);
        command.args(["bisect", "c0", "main", "--json", "--metric", metric]);
        command.args(["--build", "cc -O2 -o app app.c", "--", "./app"]);
        let began = Instant::now();
        let found = answer(&mut command)?;
        let seconds = began.elapsed().as_secs_f64();
        let changes = found["changes"].as_array().map_or(&[][..], Vec::as_slice);
        let wanted = planted.to_string();
        let right = matches!(changes, [one] if one["commit"]["subject"] == *wanted);
        let number = |key: &str| found[key].as_f64().unwrap_or(f64::NAN);
        Ok(Tried {
            right,
            builds: number("builds"),
            trials: number("trials"),
            fixed: fixed_runs(&folder)?,
            seconds,
        })
    }
}

/// The answer, also where it is that more runs are needed.
fn answer(command: &mut Command) -> io::Result<Value> {
    let output = command.stdin(Stdio::null()).output()?;
    serde_json::from_slice(&output.stdout).map_err(|error| {
        let said = String::from_utf8_lossy(&output.stderr);
        io::Error::other(format!("{command:?} gave no answer ({error}): {said}"))
    })
}

fn make_repository(folder: &Path, planted: usize) -> io::Result<()> {
    let git = |args: &[&str]| {
        let mut git = Bench::command("git", folder);
        git.args(args);
        git
    };
    let mut stream = String::new();
    let data = |text: &str| format!("data {}\n{text}\n", text.len());
    for number in 0..=COMMITS {
        let more = if number >= planted { SLOWDOWN } else { 0.0 };
        let rounds = (ROUNDS as f64 * (1.0 + more)) as u64;
        let header = format!("#define ROUNDS {rounds}ULL\n/* {number} */\n");
        let _ = write!(
            stream,
            "commit refs/heads/main\nmark :{}\ncommitter a <a@b> {} +0000\n{}M 100644 inline app.c\n{}M 100644 inline rounds.h\n{}",
            number + 1,
            1_700_000_000 + number,
            data(&number.to_string()),
            data(PROGRAM),
            data(&header)
        );
    }
    stream.push_str("reset refs/tags/c0\nfrom :1\n\n");
    git(&["init", "-q", "-b", "main"]).status()?;
    let mut import = git(&["fast-import", "--quiet"])
        .stdin(Stdio::piped())
        .spawn()?;
    if let Some(mut input) = import.stdin.take() {
        input.write_all(stream.as_bytes())?;
    }
    let made = import.wait()?.success();
    made.then_some(())
        .ok_or_else(|| io::Error::other("git made no repository"))
}

/// Runs of the three commits that a bisect with the same number of blocks in each of its steps takes to be as sure, by the
/// spread of the blocks that were measured: the best number, which nobody knows beforehand.
fn fixed_runs(folder: &Path) -> io::Result<f64> {
    let kept = std::fs::read_dir(folder.join("data/cache/bisects"))?;
    let mut from_middle = Vec::new();
    for entry in kept {
        let text = std::fs::read_to_string(entry?.path().join("measured.jsonl"))?;
        for line in text.lines() {
            let line: Value = serde_json::from_str(line)?;
            let values = line["block"]["values"].as_object();
            let values = values.into_iter().flat_map(|it| it.values());
            let logs: Vec<f64> = values.filter_map(Value::as_f64).map(f64::ln).collect();
            if let [a, b, c] = logs[..] {
                // Which of them is the candidate does not matter for the spread: the levels are taken out below.
                from_middle.push((line["block"]["run"].to_string(), a - 0.5 * (b + c)));
            }
        }
    }
    let spread = within_runs(&from_middle);
    let blocks = (SURE * spread / (0.5 * SLOWDOWN)).powi(2).ceil().max(2.0);
    let steps = (COMMITS as f64).log2().ceil();
    Ok(2.0 * blocks + 3.0 * blocks * steps)
}

/// The standard deviation about the mean of each run.
fn within_runs(values: &[(String, f64)]) -> f64 {
    let mut squares = 0.0;
    let mut df = 0.0;
    for group in values.chunk_by(|a, b| a.0 == b.0) {
        let n = group.len() as f64;
        let mean = group.iter().map(|it| it.1).sum::<f64>() / n;
        squares += group.iter().map(|it| (it.1 - mean).powi(2)).sum::<f64>();
        df += n - 1.0;
    }
    (squares / f64::max(df, 1.0)).sqrt()
}
