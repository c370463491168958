//! `fairtrial bench` beside hyperfine: how small a difference is found, how often one is found that is not there, and what a
//! run costs.

use super::measure::{measure, median};
use super::table::Table;
use super::{Bench, compile, version_of};
use serde_json::Value;
use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

/// Seconds of the program that is compared with a slower self.
const LENGTH: f64 = 0.02;
/// Programs that keep the machine busy in the loaded setting.
const NEIGHBOURS: usize = 2;
/// Tries without a difference, for each try with one.
const SAME_PER_TRY: usize = 4;
/// Runs of `true`, and of `sleep 0.01`.
const SHORT_RUNS: u64 = 3000;
const SLEEPS: u64 = 200;

/// Where, by what and for how long two commands are compared, and which slowdowns are to be found.
struct Setting {
    name: &'static str,
    loaded: bool,
    metric: &'static str,
    seconds: f64,
    slowdowns: &'static [f64],
}

const SETTINGS: [Setting; 3] = [
    Setting {
        name: "quiet, wall time, 10 s",
        loaded: false,
        metric: "wall",
        seconds: 10.0,
        slowdowns: &[0.0, 0.01, 0.02],
    },
    Setting {
        name: "loaded, wall time, 20 s",
        loaded: true,
        metric: "wall",
        seconds: 20.0,
        slowdowns: &[0.0, 0.02],
    },
    Setting {
        name: "loaded, CPU time, 5 s",
        loaded: true,
        metric: "cpu",
        seconds: 5.0,
        slowdowns: &[0.0, 0.01],
    },
];

/// What was claimed about the second command.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Claim {
    Slower,
    Faster,
    Nothing,
}

pub(super) fn run(bench: &Bench<'_>) -> io::Result<()> {
    let work = compile("benches/timing/work.c", &bench.folder.path().join("work"))?;
    let hyperfine = version_of("hyperfine");
    println!(
        "{}\n",
        hyperfine.as_deref().unwrap_or("hyperfine is not installed")
    );
    costs(bench, &work, hyperfine.is_some())?;
    let rounds = rounds_of(&work)?;
    println!(
        "\nA program of {:.0} ms against itself, and slowed down; right answers of all tries, and median seconds\n",
        1e3 * LENGTH
    );
    let mut table = Table::new(&[
        "setting",
        "slowdown",
        "tries",
        "fairtrial",
        "seconds",
        "hyperfine's claim",
        "Welch on its export",
    ]);
    for setting in &SETTINGS {
        let _neighbours = Neighbours::start(&work, if setting.loaded { NEIGHBOURS } else { 0 })?;
        for slowdown in setting.slowdowns {
            let slower = (rounds as f64 * (1.0 + slowdown)).round() as u64;
            let pair = [rounds, slower].map(|rounds| format!("{} {rounds}", work.display()));
            let row = sensitivity(bench, setting, *slowdown, (&pair, hyperfine.is_some()))?;
            // A benchmark of an hour that is cut off has said what it knew.
            eprintln!("{}", row.join("  "));
            table.row(row);
        }
    }
    table.print();
    println!("\nWithout a difference, right means that none is claimed.");
    Ok(())
}

/// One row: a setting and a slowdown.
fn sensitivity(
    bench: &Bench<'_>,
    setting: &Setting,
    slowdown: f64,
    (pair, hyperfine): (&[String; 2], bool),
) -> io::Result<Vec<String>> {
    let same = slowdown == 0.0;
    let tries = bench.args.tries * if same { SAME_PER_TRY } else { 1 };
    let wanted = if same { Claim::Nothing } else { Claim::Slower };
    let (mut right, mut seconds) = ([0_usize; 3], Vec::new());
    for _ in 0..tries {
        let (claim, took) = ours(bench, setting, pair)?;
        seconds.push(took);
        let theirs = if hyperfine {
            theirs(bench, setting, pair)?
        } else {
            [Claim::Nothing; 2]
        };
        for (place, claim) in [claim, theirs[0], theirs[1]].into_iter().enumerate() {
            right[place] += usize::from(claim == wanted);
        }
    }
    let share = |count: usize| format!("{:.0} %", 100.0 * count as f64 / tries as f64);
    let other = |count: usize| {
        if hyperfine {
            share(count)
        } else {
            "-".to_owned()
        }
    };
    Ok(vec![
        setting.name.to_owned(),
        format!("{:.0} %", 100.0 * slowdown),
        tries.to_string(),
        share(right[0]),
        format!("{:.1}", median(&seconds)),
        other(right[1]),
        other(right[2]),
    ])
}

fn ours(bench: &Bench<'_>, setting: &Setting, pair: &[String; 2]) -> io::Result<(Claim, f64)> {
    let mut command = bench.fairtrial(bench.folder.path());
    let limit = format!("{}s", setting.seconds);
    command.args([
        "bench",
        "-N",
        "--no-save",
        "--json",
        "--metric",
        setting.metric,
    ]);
    let began = Instant::now();
    let answer = json(command.args(["--time-limit", &limit]).args(pair))?;
    let claim = match answer["answers"][0]["finding"].as_str() {
        Some("slower") => Claim::Slower,
        Some("faster") => Claim::Faster,
        _ => Claim::Nothing,
    };
    Ok((claim, began.elapsed().as_secs_f64()))
}

/// What hyperfine prints, which is a claim where the factor is further from 1 than its ±, and Welch's test of its times.
fn theirs(bench: &Bench<'_>, setting: &Setting, pair: &[String; 2]) -> io::Result<[Claim; 2]> {
    let file = bench.folder.path().join("hyperfine.json");
    let mut command = Bench::command("hyperfine", bench.folder.path());
    // As long as we may take, warm-ups included. A loaded machine takes longer for as many runs.
    let runs = (0.45 * setting.seconds / LENGTH).round().to_string();
    command.args([
        "--shell=none",
        "--style=none",
        "--warmup=3",
        "--runs",
        &runs,
        "--export-json",
    ]);
    measure(command.arg(&file).args(pair))?;
    let found: Value = serde_json::from_slice(&std::fs::read(&file)?)?;
    let times = |place: usize| -> Vec<f64> {
        let times = found["results"][place]["times"].as_array();
        times
            .into_iter()
            .flatten()
            .filter_map(Value::as_f64)
            .collect()
    };
    let [first, second] = [times(0), times(1)].map(|times| moments(&times));
    let ratio = second.mean / first.mean;
    let printed = ratio * (first.sd / first.mean).hypot(second.sd / second.mean);
    let error = (first.sd.powi(2) / first.n + second.sd.powi(2) / second.n).sqrt();
    // Over a hundred runs of each: the t distribution is a normal one here.
    let t = (second.mean - first.mean) / error;
    Ok([claim(ratio - 1.0, printed), claim(t, 1.96)])
}

fn claim(difference: f64, bound: f64) -> Claim {
    match difference {
        above if above > bound => Claim::Slower,
        below if below < -bound => Claim::Faster,
        _ => Claim::Nothing,
    }
}

struct Moments {
    n: f64,
    mean: f64,
    sd: f64,
}

fn moments(values: &[f64]) -> Moments {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Moments {
        n,
        mean,
        sd: (squares / (n - 1.0)).sqrt(),
    }
}

/// Runs per second, what `sleep 0.01` is measured to take, and how soon there is an answer.
fn costs(bench: &Bench<'_>, work: &Path, hyperfine: bool) -> io::Result<()> {
    let (mut ours, mut theirs, mut answers) = (Vec::new(), Vec::new(), Vec::new());
    let (mut floors, mut asleep) = (Vec::<f64>::new(), Vec::new());
    let (runs, sleeps) = (SHORT_RUNS.to_string(), SLEEPS.to_string());
    for _ in 0..bench.args.rounds {
        let mut command = bench.fairtrial(bench.folder.path());
        let args = [
            "bench",
            "-N",
            "--no-save",
            "--warmup=0",
            "--runs",
            &runs,
            "true",
        ];
        ours.push(SHORT_RUNS as f64 / measure(command.args(args))?.wall);
        if hyperfine {
            let mut command = Bench::command("hyperfine", bench.folder.path());
            let args = [
                "--shell=none",
                "--style=none",
                "--warmup=0",
                "--runs",
                &runs,
                "true",
            ];
            theirs.push(SHORT_RUNS as f64 / measure(command.args(args))?.wall);
        }
        let mut command = bench.fairtrial(bench.folder.path());
        let args = ["bench", "--no-save", "sleep 0.1", "sleep 0.11"];
        answers.push(measure(command.args(args))?.wall);
        let mut floor = Bench::command(work, bench.folder.path());
        let floor = floor.args(["floor", &sleeps, "sleep", "0.01"]).output()?;
        floors.push(
            String::from_utf8_lossy(&floor.stdout)
                .trim()
                .parse()
                .unwrap_or(f64::NAN),
        );
        let mut command = bench.fairtrial(bench.folder.path());
        let args = [
            "bench",
            "-N",
            "--no-save",
            "--json",
            "--runs",
            &sleeps,
            "sleep 0.01",
        ];
        let found = json(command.args(args))?;
        asleep.push(found["commands"][0]["median"].as_f64().unwrap_or(f64::NAN));
    }
    let over: Vec<f64> = asleep
        .iter()
        .zip(&floors)
        .map(|(our, floor)| our - floor)
        .collect();
    let ratios: Vec<f64> = ours
        .iter()
        .zip(&theirs)
        .map(|(our, their)| our / their)
        .collect();
    let mut table = Table::new(&["what", "fairtrial", "beside it", "bar"]);
    let mut row = |cells: [String; 4]| table.row(cells.into());
    let (beside, ratio) = if hyperfine {
        (
            format!("hyperfine {:.0}", median(&theirs)),
            format!("{:.2} of hyperfine's, 0.9 wanted", median(&ratios)),
        )
    } else {
        ("-".to_owned(), "-".to_owned())
    };
    row([
        "`true`, runs per second".to_owned(),
        format!("{:.0}", median(&ours)),
        beside,
        ratio,
    ]);
    row([
        "`sleep 0.01`, ms".to_owned(),
        format!("{:.3}", 1e3 * median(&asleep)),
        format!("floor in C {:.3}", 1e3 * median(&floors)),
        format!("{:+.3} ms, ±0.1 wanted", 1e3 * median(&over)),
    ]);
    row([
        "`sleep 0.1` against `sleep 0.11`, s".to_owned(),
        format!("{:.2}", median(&answers)),
        "-".to_owned(),
        "under 3 wanted".to_owned(),
    ]);
    table.print();
    Ok(())
}

/// How many rounds of the program take its length: the quickest of some runs, which others disturb least.
fn rounds_of(work: &Path) -> io::Result<u64> {
    const TRIED: u64 = 10_000_000;
    let mut quickest = f64::INFINITY;
    for _ in 0..10 {
        let began = Instant::now();
        Command::new(work).arg(TRIED.to_string()).status()?;
        quickest = quickest.min(began.elapsed().as_secs_f64());
    }
    Ok((TRIED as f64 * LENGTH / quickest) as u64)
}

fn json(command: &mut Command) -> io::Result<Value> {
    let output = command.stdin(Stdio::null()).output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(io::Error::other(format!("{command:?} failed: {said}")));
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Programs that are busy until this goes.
struct Neighbours(Vec<Child>);

impl Neighbours {
    fn start(work: &Path, count: usize) -> io::Result<Self> {
        let mut all = Self(Vec::new());
        for _ in 0..count {
            all.0
                .push(Command::new(work).arg(u64::MAX.to_string()).spawn()?);
        }
        Ok(all)
    }
}

impl Drop for Neighbours {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
