//! The tries of one setting, by several workers where that is asked for.

use super::claims::{self, Claim};
use super::setting::{Judged, Setting};
use crate::bench::Bench;
use crate::bench::jobs::{CPUS, Cpus, share};
use crate::bench::measure::{measure, median};
use crate::bench::neighbours::Neighbours;
use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Seconds of the program that is compared with a slower self.
pub(super) const LENGTH: f64 = 0.02;
/// Tries without a difference, for each try with one.
const SAME_PER_TRY: usize = 4;

/// What is compared, and with what.
pub(super) struct Tools<'a> {
    pub(super) bench: &'a Bench<'a>,
    /// The program of known length.
    pub(super) work: &'a Path,
    pub(super) hyperfine: Option<&'a Path>,
    pub(super) workers: Vec<Cpus>,
}

/// What one tool came to in one try.
struct Try {
    tool: usize,
    judged: Judged,
    seconds: f64,
}

impl Tools<'_> {
    /// One row: right, wrong and undecided of each tool, and its median seconds.
    pub(super) fn row(&self, setting: &Setting) -> io::Result<Vec<String>> {
        let tries = self.bench.args.tries;
        let all = tries * if setting.is_same() { SAME_PER_TRY } else { 1 };
        let made = Mutex::new(Vec::new());
        share(
            &self.workers,
            all,
            |place, cpus| Worker::start(self, setting, (place, cpus)),
            |worker, number| {
                // The other tool is no less known by as many tries as there are with a difference.
                let done = worker.compare(number < tries)?;
                let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
                made.extend(done);
                // One that is cut off has said what it knew.
                eprintln!("{} {}", setting.name, cells(&made).join("  "));
                Ok(())
            },
        )?;
        let made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
        let start = [setting.name.clone(), format!("{} s", setting.seconds)];
        let bar = [setting.bar.to_owned()];
        Ok(start.into_iter().chain(cells(&made)).chain(bar).collect())
    }
}

/// Counts and seconds of each tool.
fn cells(made: &[Try]) -> Vec<String> {
    let of = |tool| {
        let its: Vec<&Try> = made.iter().filter(|it| it.tool == tool).collect();
        if its.is_empty() {
            return "-".to_owned();
        }
        let mut counts = [0_usize; 3];
        for it in &its {
            counts[it.judged as usize] += 1;
        }
        let seconds: Vec<f64> = its.iter().map(|it| it.seconds).collect();
        let [right, wrong, undecided] = counts;
        format!("{right} / {wrong} / {undecided}, {:.1} s", median(&seconds))
    };
    [0, 1, 2].map(of).into()
}

/// Compares the two commands on CPUs of its own, with its own busy neighbours.
struct Worker<'a> {
    tools: &'a Tools<'a>,
    setting: &'a Setting,
    place: usize,
    cpus: Cpus,
    pair: [String; 2],
    /// Runs of each command that hyperfine makes in as long as we may take.
    runs: u64,
    neighbours: Neighbours,
}

impl<'a> Worker<'a> {
    fn start(
        tools: &'a Tools<'a>,
        setting: &'a Setting,
        (place, cpus): (usize, &Cpus),
    ) -> io::Result<Self> {
        let mut worker = Self {
            tools,
            setting,
            place,
            cpus: cpus.clone(),
            pair: [String::new(), String::new()],
            runs: 0,
            neighbours: Neighbours::default(),
        };
        let rounds = worker.rounds()?;
        let slower = (rounds as f64 * (1.0 + setting.slowdown)).round() as u64;
        worker.pair = [rounds, slower].map(|rounds| format!("{} {rounds}", tools.work.display()));
        if setting.loaded {
            for _ in 0..CPUS {
                let busy = worker.command(tools.work);
                worker.neighbours.add(busy)?;
            }
        }
        let times: Vec<f64> = (0..10)
            .map(|_| worker.time_of(rounds))
            .collect::<io::Result<_>>()?;
        worker.runs = (0.45 * setting.seconds / median(&times)).round().max(2.0) as u64;
        Ok(worker)
    }

    /// A program on this worker's CPUs.
    fn command(&self, program: impl AsRef<OsStr>) -> Command {
        self.cpus.command(program, self.tools.bench.folder.path())
    }

    fn time_of(&self, rounds: u64) -> io::Result<f64> {
        let mut command = self.command(self.tools.work);
        let began = Instant::now();
        command.arg(rounds.to_string()).status()?;
        Ok(began.elapsed().as_secs_f64())
    }

    /// How many rounds of the program take its length: the quickest of some runs, which others disturb least.
    fn rounds(&self) -> io::Result<u64> {
        const TRIED: u64 = 10_000_000;
        let mut quickest = f64::INFINITY;
        for _ in 0..10 {
            quickest = quickest.min(self.time_of(TRIED)?);
        }
        Ok((TRIED as f64 * LENGTH / quickest) as u64)
    }

    /// One try by each tool.
    fn compare(&self, with_hyperfine: bool) -> io::Result<Vec<Try>> {
        let limit = format!("{}s", self.setting.seconds);
        let mut command = self.command(&self.tools.bench.binary);
        command.args(["bench", "-N", "--no-save", "--json", "--time-limit", &limit]);
        command
            .args(["--metric", self.setting.metric])
            .args(&self.pair);
        let began = Instant::now();
        let mut done = vec![self.tried(0, claims::ours(&mut command)?, began)];
        let Some(hyperfine) = self.tools.hyperfine.filter(|_| with_hyperfine) else {
            return Ok(done);
        };
        let folder = self.tools.bench.folder.path();
        let file = folder.join(format!("hyperfine-{}.json", self.place));
        let mut command = self.command(hyperfine);
        command.args(["--shell=none", "--style=none", "--warmup=3"]);
        command.args(["--runs", &self.runs.to_string(), "--export-json"]);
        let began = Instant::now();
        measure(command.arg(&file).args(&self.pair))?;
        let [printed, welch] = claims::theirs(&file)?;
        done.extend([self.tried(1, printed, began), self.tried(2, welch, began)]);
        Ok(done)
    }

    fn tried(&self, tool: usize, claim: Claim, began: Instant) -> Try {
        let judged = match (tool, claim) {
            // Where there is nothing to find, the other tools can do no better than claim nothing.
            (1.., Claim::Nothing) if self.setting.is_same() => Judged::Right,
            _ => self.setting.judge(claim),
        };
        let seconds = began.elapsed().as_secs_f64();
        Try {
            tool,
            judged,
            seconds,
        }
    }
}
