//! Tries that are made beside each other where that is asked for: each worker has two CPUs of its own.

use super::Bench;
use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::ScopedJoinHandle;

/// CPUs of a worker, and programs that keep them busy in a loaded setting.
pub(super) const CPUS: usize = 2;

/// The CPUs of a worker, as `taskset` takes them; none for wherever the system puts it.
#[derive(Clone)]
pub(super) struct Cpus(Option<String>);

impl Cpus {
    /// The CPUs of so many workers, out of those that may be used.
    pub(super) fn of(jobs: usize) -> io::Result<Vec<Self>> {
        if jobs <= 1 {
            return Ok(vec![Self(None)]);
        }
        let cpus = allowed()?;
        if cpus.len() < CPUS * jobs {
            let why = format!(
                "--jobs {jobs} needs {} CPUs, there are {}",
                CPUS * jobs,
                cpus.len()
            );
            return Err(io::Error::other(why));
        }
        let pairs = cpus.chunks_exact(CPUS).take(jobs);
        let named = pairs.map(|pair| Self(Some(format!("{},{}", pair[0], pair[1]))));
        Ok(named.collect())
    }

    /// A program on these CPUs.
    pub(super) fn command(&self, program: impl AsRef<OsStr>, folder: &Path) -> Command {
        let Some(cpus) = &self.0 else {
            return Bench::command(program, folder);
        };
        let mut command = Bench::command("taskset", folder);
        command.args(["-c", cpus]).arg(program);
        command
    }
}

fn allowed() -> io::Result<Vec<usize>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let allowed = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let mut cpus = Vec::new();
    for range in allowed.unwrap_or_default().trim().split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        if let (Ok(first), Ok(last)) = (first.parse::<usize>(), last.parse::<usize>()) {
            cpus.extend(first..=last);
        }
    }
    Ok(cpus)
}

/// Makes the tries from 0 on, each once, by one worker for each set of CPUs: `start` makes a worker for a place, `once` makes
/// a try.
pub(super) fn share<W>(
    workers: &[Cpus],
    tries: usize,
    start: impl Fn(usize, &Cpus) -> io::Result<W> + Sync,
    once: impl Fn(&W, usize) -> io::Result<()> + Sync,
) -> io::Result<()> {
    let next = AtomicUsize::new(0);
    let work = |place: usize, cpus: &Cpus| -> io::Result<()> {
        let worker = start(place, cpus)?;
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= tries {
                return Ok(());
            }
            once(&worker, number)?;
        }
    };
    let work = &work;
    std::thread::scope(|scope| {
        let places = workers.iter().enumerate();
        let started: Vec<_> = places
            .map(|(place, cpus)| scope.spawn(move || work(place, cpus)))
            .collect();
        let mut ends = started.into_iter().map(ScopedJoinHandle::join);
        ends.try_for_each(|end| end.unwrap_or_else(|_| Err(io::Error::other("a worker ended"))))
    })
}
