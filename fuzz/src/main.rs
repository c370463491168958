//! Feeds broken input to the readers for as long as asked: each part in a process with little memory and little time, and what
//! broke one is found again and kept.
#![allow(clippy::print_stdout, reason = "it talks to the person who started it")]

use clap::Parser;
use fairtrial_fuzz::{Target, targets};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Kilobytes of address space of a process.
const MEMORY_KB: u64 = 4 << 20;
/// Inputs of one process.
const PART: u64 = 4000;
/// Seconds that a part is taken to last before it is done.
const GUESS: f64 = 1.0;
/// A process that takes longer hangs.
const LONGEST: Duration = Duration::from_mins(10);

/// Feed broken input to every reader
#[derive(Debug, Parser)]
struct Args {
    /// For how long
    #[arg(long, default_value_t = 10)]
    minutes: u64,
    /// At most this many inputs
    #[arg(long)]
    inputs: Option<u64>,
    /// The number of the first input
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only the targets whose names contain this
    #[arg(long, default_value = "")]
    only: String,
    /// Processes at a time
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Where inputs that broke a reader are kept
    #[arg(long, default_value = "target/fuzz")]
    found: std::path::PathBuf,
    /// One part: from this input
    #[arg(long, hide = true, requires = "to")]
    from: Option<u64>,
    /// One part: up to this input
    #[arg(long, hide = true)]
    to: Option<u64>,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let mut targets = targets();
    targets.retain(|target| target.name.contains(&args.only));
    if let (Some(from), Some(to)) = (args.from, args.to) {
        let exact = targets.iter().find(|target| target.name == args.only);
        return exact.map_or(ExitCode::FAILURE, |target| part(target, from, to));
    }
    let (tally, broken) = fuzz(&args, &targets);
    for (name, (inputs, seconds)) in &tally {
        println!("{inputs:>10} inputs {seconds:>8.1} s  {name}");
    }
    let all: u64 = tally.values().map(|(inputs, _)| inputs).sum();
    println!(
        "{all:>10} inputs to {} readers, from number {}: {broken} broke one",
        tally.len(),
        args.seed
    );
    if broken == 0 && all > 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Reads one part in this process.
fn part(target: &Target, from: u64, to: u64) -> ExitCode {
    std::panic::set_hook(Box::new(|_| {}));
    for number in from..to {
        if let Err(why) = target.survives(&target.input(number)) {
            println!("{number}: {why}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// What was done by target: inputs and seconds.
type Tally = BTreeMap<String, (u64, f64)>;

/// Parts that are given out and done.
struct Work {
    /// For each target the number of its next input, and the seconds that it was given.
    targets: Vec<(u64, f64)>,
    inputs: u64,
    broken: usize,
}

impl Work {
    /// A part of the target that has had the least time: quick readers are given more inputs than slow ones.
    fn take(&mut self, most: Option<u64>) -> Option<(usize, u64)> {
        if most.is_some_and(|most| self.inputs >= most) {
            return None;
        }
        let times = self.targets.iter().map(|(_, seconds)| *seconds);
        let (place, _) = times.enumerate().min_by(|a, b| a.1.total_cmp(&b.1))?;
        let (next, seconds) = &mut self.targets[place];
        let from = *next;
        *next += PART;
        // Until it is known how long it takes, nobody else takes the same target.
        *seconds += GUESS;
        self.inputs += PART;
        Some((place, from))
    }
}

/// Gives out parts until the time or the inputs are used up.
fn fuzz(args: &Args, targets: &[Target]) -> (Tally, usize) {
    let until = Instant::now() + Duration::from_mins(args.minutes);
    let work = Mutex::new(Work {
        targets: vec![(args.seed, 0.0); targets.len()],
        inputs: 0,
        broken: 0,
    });
    let work_on = || {
        while Instant::now() < until {
            let taken = work.lock().map(|mut work| work.take(args.inputs));
            let Ok(Some((place, from))) = taken else {
                return;
            };
            let (target, began) = (&targets[place], Instant::now());
            let found = broken_input(target, from, from + PART);
            let Ok(mut work) = work.lock() else { return };
            work.targets[place].1 += began.elapsed().as_secs_f64() - GUESS;
            if let Some((number, why)) = found {
                work.broken += 1;
                keep(target, number, &args.found);
                println!("{} breaks at input {number}: {why}", target.name);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..args.jobs.max(1) {
            scope.spawn(work_on);
        }
    });
    let work = work
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let of = |(target, (next, seconds)): (&Target, (u64, f64))| {
        (target.name.clone(), (next - args.seed, seconds))
    };
    let tally = targets.iter().zip(work.targets).map(of).collect();
    (tally, work.broken)
}

/// The first input of a part that breaks its reader, and how.
fn broken_input(target: &Target, from: u64, to: u64) -> Option<(u64, String)> {
    let why = run_part(target, from, to).err()?;
    // Where a process was ended it could not say at which input: halves are tried until one input is left.
    if let Some((number, why)) = why
        .split_once(": ")
        .and_then(|(n, why)| Some((n.parse().ok()?, why)))
    {
        return Some((number, why.trim().to_owned()));
    }
    if to - from == 1 {
        return Some((from, why));
    }
    let middle = from + (to - from) / 2;
    broken_input(target, from, middle).or_else(|| broken_input(target, middle, to))
}

/// Runs a part in a process of its own; how that failed.
fn run_part(target: &Target, from: u64, to: u64) -> Result<(), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let limited = format!("ulimit -v {MEMORY_KB}; ulimit -c 0; exec \"$0\" \"$@\"");
    let mut child = Command::new("sh")
        .args(["-c", &limited])
        .arg(program)
        .args(["--only", &target.name])
        .args(["--from", &from.to_string(), "--to", &to.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| error.to_string())?;
    let began = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(_)) => break,
            Ok(None) if began.elapsed() < LONGEST => std::thread::sleep(Duration::from_millis(5)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return Err("it hangs".to_owned());
            }
        }
    }
    let output = child
        .wait_with_output()
        .map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stdout);
    match said.lines().next() {
        Some(line) => Err(line.to_owned()),
        None => Err(format!(
            "{} (memory, or an endless recursion)",
            output.status
        )),
    }
}

/// Keeps an input, to be looked at and to become a test.
fn keep(target: &Target, number: u64, folder: &Path) {
    let file = folder.join(format!("{}-{number}", target.name));
    let kept =
        std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&file, target.input(number)));
    match kept {
        Ok(()) => println!("kept as {}", file.display()),
        Err(error) => println!("cannot keep {}: {error}", file.display()),
    }
}
