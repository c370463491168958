//! What registered experiments cost: what the harness adds to an iteration that does nothing, with and without each
//! instrument, what 100,000 iterations, a list and a comparison of two result files take, and what default runs find.

mod verdicts;

use super::Bench;
use super::measure::{Cost, measure, median, median_wall};
use super::table::Table;
use crate::{Outcome, repository};
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// Iterations per trial of the comparison of instruments.
const ITERATIONS: u64 = 20_000;
/// Iterations of the long runs.
const MANY: u64 = 100_000;
/// The no-op in both languages.
const LANGUAGES: [(&str, &str); 2] = [("noop", "Rust"), ("pynoop", "Python")];

/// Instruments that a no-op is measured with.
const INSTRUMENTS: [(&str, &str); 4] = [
    ("timing", "[timing]"),
    ("psutil", "[{name: psutil, interval_ms: 10}]"),
    ("cprofile", "[cprofile]"),
    (
        "all",
        "[timing, {name: psutil, interval_ms: 10}, cprofile, {name: perf, seconds: 0.1}, gpu]",
    ),
];

const PYTHON: &str = "from fairtrial import Experiment, register_experiment\n\n\n@register_experiment(\"pynoop\")\nclass Noop(Experiment):\n    \"\"\"Nothing.\"\"\"\n\n    def execute_once(self, context):\n        return {}\n";

/// The same for the framework that this one learned from.
const ORIGINAL: &str = "from benchmarks.core.experiments import Experiment\nfrom benchmarks.core.runner import Runner\n\n\nclass Noop(Experiment):\n    def execute_once(self, context):\n        return {}\n\n\nRunner(name='noop', experiment=Noop({}), output_dir='original', iterations_warmup=100, iterations_measured=100_000)";

/// What `--only` calls what the harness costs.
const COSTS: &str = "costs";

/// Measures and prints everything that is asked for.
pub(super) fn run(bench: &Bench<'_>) -> Outcome {
    let only = &bench.args.only;
    if only.is_empty() || only.iter().any(|it| it == COSTS) {
        costs(bench)?;
    }
    Ok(verdicts::run(bench)?)
}

/// What the harness costs.
fn costs(bench: &Bench<'_>) -> Outcome {
    let folder = bench.fresh()?;
    std::fs::write(folder.join("noop_module.py"), PYTHON)?;
    println!(
        "A no-op with instruments ({ITERATIONS} iterations, median and mean in ns over {} trials each)\n",
        bench.args.rounds
    );
    let mut table = Table::new(&[
        "instruments",
        "Rust median",
        "Rust mean",
        "Python median",
        "Python mean",
    ]);
    let empty = empty_loop();
    let python_empty = python_empty_loop()?;
    table.row(vec![
        "none: two reads of the clock".to_owned(),
        format!("{:.0}", empty.0),
        format!("{:.0}", empty.1),
        format!("{:.0}", python_empty.0),
        format!("{:.0}", python_empty.1),
    ]);
    // Every round takes each case once, so that what the machine does meanwhile is shared by all.
    let mut found = vec![[Vec::new(), Vec::new(), Vec::new(), Vec::new()]; INSTRUMENTS.len()];
    for _ in 0..bench.args.rounds {
        for (case, (_, instruments)) in found.iter_mut().zip(INSTRUMENTS) {
            for (language, (slug, _)) in [0, 2].into_iter().zip(LANGUAGES) {
                let (middle, mean) = noop(bench, &folder, slug, (instruments, ITERATIONS))?;
                case[language].push(middle);
                case[language + 1].push(mean);
            }
        }
    }
    for (case, (name, _)) in found.iter().zip(INSTRUMENTS) {
        let cells = case
            .iter()
            .map(|values| format!("{:.0}", median(values) * 1e9));
        table.row([name.to_owned()].into_iter().chain(cells).collect());
    }
    table.print();
    times(bench, &folder)
}

/// Whole commands.
fn times(bench: &Bench<'_>, folder: &Path) -> Outcome {
    let mut table = Table::new(&["command", "wall", "CPU"]);
    // In turns: the machine is the same for all.
    let mut costs = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..bench.args.rounds {
        for (costs, (slug, _)) in costs.iter_mut().zip(LANGUAGES) {
            spec(folder, slug, ("[timing]", MANY))?;
            costs.push(measure(&mut running(bench, folder, "bench.yaml"))?);
        }
        if let Some(mut original) = original(bench, folder) {
            costs[2].push(measure(&mut original)?);
        }
    }
    let names = LANGUAGES.map(|(_, name)| format!("{name}, one process"));
    let names = names
        .into_iter()
        .chain(["the framework of AgentFarm".to_owned()]);
    for (costs, name) in costs
        .iter()
        .zip(names)
        .filter(|(costs, _)| !costs.is_empty())
    {
        let middle = |of: fn(&Cost) -> f64| {
            let values: Vec<f64> = costs.iter().map(of).collect();
            format!("{:.2} s", median(&values))
        };
        table.row(vec![
            format!("{MANY} no-ops in {name}, records included"),
            middle(|cost| cost.wall),
            middle(|cost| cost.cpu),
        ]);
    }
    let list = median_wall(20, || {
        let mut command = bench.fairtrial(folder);
        command.args(["list", "experiments"]);
        command
    })?;
    table.row(vec![
        "list experiments".to_owned(),
        format!("{:.1} ms", list * 1e3),
        String::new(),
    ]);
    let goldens = repository().join("crates/cli/tests/goldens/agentfarm");
    let compare = median_wall(20, || {
        let mut command = bench.fairtrial(folder);
        command
            .arg("compare")
            .arg(goldens.join("result_A.json"))
            .arg(goldens.join("result_B.json"));
        command
    })?;
    table.row(vec![
        "compare two result files".to_owned(),
        format!("{:.1} ms", compare * 1e3),
        String::new(),
    ]);
    table.print();
    Ok(())
}

/// The no-op through the runner of AgentFarm, where a checkout of it is among the programs.
fn original(bench: &Bench<'_>, folder: &Path) -> Option<Command> {
    let checkout = std::path::absolute(bench.args.programs.as_ref()?.join("agentfarm")).ok()?;
    let mut command = Bench::command("/usr/bin/python3", folder);
    command
        .env("PYTHONPATH", &checkout)
        .args(["-c", &format!("{ORIGINAL}.run()")]);
    checkout.is_dir().then_some(command)
}

/// `run` of a spec in a folder, with the Python SDK.
fn running(bench: &Bench<'_>, folder: &Path, spec: &str) -> Command {
    let mut command = bench.fairtrial(folder);
    command
        .env("PYTHONPATH", repository().join("python"))
        .args(["run", spec]);
    command
}

fn spec(folder: &Path, slug: &str, (instruments, iterations): (&str, u64)) -> std::io::Result<()> {
    let text = format!(
        "experiment: {slug}\niterations: {{warmup: 100, measured: {iterations}}}\ninstrumentation: {instruments}\n\
         processes: 1\noutput_dir: out\nexperiments: {{python: [noop_module]}}\n"
    );
    std::fs::write(folder.join("bench.yaml"), text)
}

/// Median and mean duration of a no-op, in seconds, from its result file.
fn noop(
    bench: &Bench<'_>,
    folder: &Path,
    slug: &str,
    what: (&str, u64),
) -> Result<(f64, f64), Box<dyn std::error::Error>> {
    let out = folder.join("out");
    if out.exists() {
        std::fs::remove_dir_all(&out)?;
    }
    spec(folder, slug, what)?;
    measure(&mut running(bench, folder, "bench.yaml"))?;
    let entry = std::fs::read_dir(&out)?
        .next()
        .ok_or("the run left no result")??;
    let name = entry.file_name().to_string_lossy().into_owned();
    let text = std::fs::read(entry.path().join(format!("{name}.json")))?;
    let result: serde_json::Value = serde_json::from_slice(&text)?;
    let figure = |name: &str| {
        result["metrics"]["duration_s"][name]
            .as_f64()
            .unwrap_or(f64::NAN)
    };
    Ok((figure("median"), figure("mean")))
}

/// Median and mean nanoseconds between two reads of the clock with nothing in between.
fn empty_loop() -> (f64, f64) {
    let mut times = Vec::new();
    for _ in 0..ITERATIONS {
        let began = Instant::now();
        black_box(());
        times.push(began.elapsed().as_nanos() as f64);
    }
    (
        median(&times),
        times.iter().sum::<f64>() / times.len() as f64,
    )
}

/// The same in Python.
fn python_empty_loop() -> Result<(f64, f64), Box<dyn std::error::Error>> {
    let program = format!(
        "from time import perf_counter_ns as t\nx = []\nfor _ in range({ITERATIONS}):\n    a = t()\n    b = t()\n    x.append(b - a)\nx.sort()\nprint(x[len(x) // 2], sum(x) / len(x))"
    );
    let output = Command::new("python3").args(["-c", &program]).output()?;
    let text = String::from_utf8(output.stdout)?;
    let mut numbers = text.split_whitespace().map(str::parse::<f64>);
    let mut next = || numbers.next().ok_or("Python said nothing");
    Ok((next()??, next()??))
}
