//! What default runs of an experiment find: nothing between two runs of the same code, and a true slowdown. The sides are
//! runs of their own, one after the other, as before and after a change of the code.

use crate::bench::Bench;
use crate::bench::measure::{json, measure};
use crate::bench::neighbours::Neighbours;
use crate::bench::table::Table;
use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

/// Seconds of an iteration.
const LENGTH: f64 = 0.005;
/// What the change of the code makes of it.
const SLOWDOWN: f64 = 1.1;
/// Tries without a difference, for each try with one.
const SAME_PER_TRY: usize = 4;
/// Programs that are busy beside a loaded setting.
const BUSY: usize = 2;
/// The clocks that runs are compared by.
const CLOCKS: [(&str, &str); 3] = [
    ("wall", "duration_s"),
    ("cpu", "cpu_s"),
    ("paced", "paced_s"),
];
/// The runs of a try: the code as it is, twice, and slowed down.
const RUNS: [&str; 3] = ["before", "again", "slower"];

/// How one clock fared in a setting.
#[derive(Default)]
struct Fared {
    same: usize,
    /// Differences claimed where there is none.
    claimed: usize,
    slowed: usize,
    /// Slowdowns that were found.
    found: usize,
}

/// Measures the settings that are asked for and prints the table.
pub(super) fn run(bench: &Bench<'_>) -> io::Result<()> {
    let only = &bench.args.only;
    let settings: Vec<&str> = ["quiet", "loaded"]
        .into_iter()
        .filter(|name| only.is_empty() || only.iter().any(|it| it == name))
        .collect();
    if settings.is_empty() {
        return Ok(());
    }
    let rounds = rounds()?;
    let mut table = Table::new(&[
        "setting",
        "clock",
        "differences without one",
        "slowdowns of 10 % found",
    ]);
    for setting in settings {
        let fared = tried(bench, setting, rounds)?;
        for ((clock, _), fared) in CLOCKS.iter().zip(fared) {
            table.row(vec![
                setting.to_owned(),
                (*clock).to_owned(),
                share(fared.claimed, fared.same),
                share(fared.found, fared.slowed),
            ]);
        }
    }
    let length = bench.args.min_time.as_deref().unwrap_or("its default");
    println!(
        "Default runs of {:.0} ms of Python, each process for {length}\n",
        1e3 * LENGTH
    );
    table.print();
    Ok(())
}

fn share(part: usize, of: usize) -> String {
    format!(
        "{part} of {of} ({:.1} %)",
        100.0 * part as f64 / of.max(1) as f64
    )
}

/// Every try of a setting, by each clock.
fn tried(bench: &Bench<'_>, setting: &str, rounds: u64) -> io::Result<[Fared; CLOCKS.len()]> {
    let mut neighbours = Neighbours::default();
    if setting == "loaded" {
        let work = bench.compiled("benches/timing/work.c")?;
        for _ in 0..BUSY {
            neighbours.add(Bench::command(&work, bench.folder.path()))?;
        }
    }
    let mut fared = <[Fared; CLOCKS.len()]>::default();
    let tries = bench.args.tries;
    for number in 0..SAME_PER_TRY * tries {
        let folder = tempfile::tempdir_in(bench.folder.path())?;
        let runs = if number < tries { 3 } else { 2 };
        for place in 0..runs {
            // None is always the first.
            let name = RUNS[(place + number) % runs];
            make(bench, folder.path(), name, rounds)?;
        }
        for (fared, (_, metric)) in fared.iter_mut().zip(CLOCKS) {
            let word = word(bench, folder.path(), ("again", metric))?;
            fared.same += 1;
            fared.claimed += usize::from(matches!(&*word, "improved" | "regressed"));
            if runs == 3 {
                let word = self::word(bench, folder.path(), ("slower", metric))?;
                fared.slowed += 1;
                fared.found += usize::from(word == "regressed");
            }
        }
        // One that is cut off has said what it knew.
        let told = fared.iter().zip(CLOCKS).map(|(fared, (clock, _))| {
            let [claimed, found] = [(fared.claimed, fared.same), (fared.found, fared.slowed)];
            format!(
                "{clock}: claimed {}, found {}",
                share(claimed.0, claimed.1),
                share(found.0, found.1)
            )
        });
        eprintln!("{setting} {}", told.collect::<Vec<_>>().join("; "));
    }
    Ok(fared)
}

/// One default run.
fn make(bench: &Bench<'_>, folder: &Path, name: &str, rounds: u64) -> io::Result<()> {
    let slower = (rounds as f64 * SLOWDOWN) as u64;
    let rounds = if name == "slower" { slower } else { rounds };
    let module = format!(
        "from fairtrial import Experiment, register_experiment\n\nROUNDS = {rounds}\n\n\n@register_experiment(\"sums\")\n\
         class Sums(Experiment):\n    \"\"\"Adds squares.\"\"\"\n\n    def execute_once(self, context):\n        \
         return {{\"sum\": sum(i * i for i in range(ROUNDS))}}\n"
    );
    fs::write(folder.join("sums.py"), module)?;
    let length = bench.args.min_time.as_ref();
    let length = length.map_or_else(String::new, |time| {
        format!("iterations = {{ min_time = \"{time}\" }}\n")
    });
    let spec = format!(
        "name = \"{name}\"\nexperiment = \"sums\"\n{length}[experiments]\npython = [\"sums\"]\n"
    );
    fs::write(folder.join("bench.toml"), spec)?;
    measure(&mut super::running(bench, folder, "bench.toml")).map(drop)
}

/// The verdict on a run against the one before.
fn word(bench: &Bench<'_>, folder: &Path, (run, metric): (&str, &str)) -> io::Result<String> {
    let mut command = bench.fairtrial(folder);
    command.args(["compare", "before", run, "--metric", metric, "--json"]);
    let answer = json(&mut command)?;
    let word = answer["contrasts"][0]["metrics"][0]["verdict"]["word"].as_str();
    word.map(str::to_owned)
        .ok_or_else(|| io::Error::other(format!("{command:?} gave no verdict")))
}

/// How many rounds of the experiment take its length: the quickest of some, which others disturb least.
fn rounds() -> io::Result<u64> {
    const TRIED: u64 = 50_000;
    let program = format!(
        "import time\ndef one():\n    began = time.perf_counter()\n    sum(i * i for i in range({TRIED}))\n    \
         return time.perf_counter() - began\nprint(min(one() for _ in range(50)))"
    );
    let output = Command::new("/usr/bin/python3")
        .args(["-c", &program])
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let quickest: f64 = text
        .trim()
        .parse()
        .map_err(|_| io::Error::other("Python said no time"))?;
    Ok((TRIED as f64 * LENGTH / quickest) as u64)
}
