//! `bench`: what a trial costs beside the least it could cost, and what a large run takes. Everything that is compared
//! runs alternately within one call, because a machine is never as fast as it was yesterday.

mod bisect;
mod curves;
mod experiments;
mod interop;
mod jobs;
mod large;
mod launch;
mod measure;
mod neighbours;
mod rollouts;
mod table;
mod timing;
mod training;

use crate::{Outcome, cargo, repository};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Measure launch throughput against a floor in C and against peers, and the costs of a large run
#[derive(Debug, clap::Args)]
#[allow(clippy::struct_excessive_bools, reason = "clap's form of flags")]
pub(crate) struct Args {
    /// Trials in each run of the throughput comparison
    #[arg(long, default_value_t = 5000)]
    trials: u64,
    /// How often each program takes its turn
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// Programs at a time in the throughput comparison and the large run
    #[arg(long, default_value_t = SLOTS)]
    slots: u64,
    /// Trials of the large run; 0 leaves it out
    #[arg(long, default_value_t = 100_000)]
    large: u64,
    /// Measure registered experiments instead: what instruments add to an iteration, whole commands, and how often a
    /// difference is found between default runs, where there is one and where there is none
    #[arg(long, group = "tried")]
    experiments: bool,
    /// Measure how fast other tools' results are read instead
    #[arg(long, conflicts_with = "experiments")]
    interop: bool,
    /// Measure how long many training runs take to be measured again instead
    #[arg(long, conflicts_with_all = ["experiments", "interop"])]
    training: bool,
    /// Measure what reports, checks and comparisons of runs with long curves take instead
    #[arg(long, conflicts_with_all = ["experiments", "interop", "training"])]
    curves: bool,
    /// Measure the CPU of agents' rollouts that do nothing instead, beside Inspect where `inspect` is installed or in
    /// --programs
    #[arg(long, conflicts_with_all = ["experiments", "interop", "training", "timing"])]
    rollouts: bool,
    /// Measure `fairtrial bench` beside hyperfine instead: how small a difference each finds, and what a run costs
    #[arg(long, group = "tried", conflicts_with_all = ["experiments", "interop", "training"])]
    timing: bool,
    /// Plant a change among commits instead, and measure how often `fairtrial bisect` names the right one, and its cost
    #[arg(long, group = "tried", conflicts_with_all = ["experiments", "interop", "training", "rollouts", "timing"])]
    bisect: bool,
    /// Make all tables of `docs/peers.md`, one after the other: --timing, the throughput, --rollouts, the statistics
    /// (`benches/stats/compare.py`) and --interop. With the default of --tries it takes hours
    #[arg(long, group = "tried", conflicts_with_all = ["experiments", "interop", "training", "rollouts", "timing"])]
    peers: bool,
    /// Tries of --bisect, and of each comparison of --timing and --experiments; four times as many without a difference
    #[arg(long, default_value_t = 50)]
    tries: usize,
    /// Only these settings of --timing or --experiments, or those that begin so: `costs`, `quiet-wall-1`, `loaded`; of
    /// --bisect a metric: `cpu`, `wall`
    #[arg(long, value_name = "SETTING", requires = "tried")]
    only: Vec<String>,
    /// How long each process of --experiments measures, where its default is too long for you
    #[arg(long, value_name = "TIME", requires = "experiments")]
    min_time: Option<String>,
    /// Comparisons of --timing, or tries of --bisect, that are made beside each other, each on two CPUs of its own (by `taskset`)
    #[arg(long, default_value_t = 1, requires = "tried")]
    jobs: usize,
    /// Where compiled programs are, for a machine without a compiler: `floor`, `work`, and if you like `hyperfine` and
    /// `agentfarm`, a checkout of that project
    #[arg(long, value_name = "DIR")]
    programs: Option<PathBuf>,
    /// Use this binary and do not build one
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
    /// Where runs are kept while they are measured [default: the system's folder for temporary files]
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
}

/// Slots of what is measured, where nothing else is said.
const SLOTS: u64 = 2;

/// What is measured, and where.
struct Bench<'a> {
    args: &'a Args,
    binary: PathBuf,
    folder: tempfile::TempDir,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let folder = match &args.folder {
        Some(folder) => tempfile::tempdir_in(std::path::absolute(folder)?)?,
        None => tempfile::tempdir()?,
    };
    let bench = Bench {
        args,
        binary: args.binary.as_deref().map_or_else(build, whole_path)?,
        folder,
    };
    println!("{}\n", machine());
    if args.peers {
        return peers(&bench);
    }
    if args.experiments {
        return experiments::run(&bench);
    }
    if args.interop {
        return Ok(interop::run(&bench)?);
    }
    if args.curves {
        return Ok(curves::run(&bench)?);
    }
    if args.training {
        return Ok(training::run(&bench)?);
    }
    if args.rollouts {
        return Ok(rollouts::run(&bench)?);
    }
    if args.bisect {
        return Ok(bisect::run(&bench)?);
    }
    if args.timing {
        return Ok(timing::run(&bench)?);
    }
    launch::run(&bench)?;
    if args.large > 0 {
        large::run(&bench)?;
    }
    Ok(())
}

/// What stands on the page about peers, part by part.
fn peers(bench: &Bench<'_>) -> Outcome {
    println!("## How small a difference is found\n");
    timing::run(bench)?;
    println!("\n## How much a run costs\n");
    launch::run(bench)?;
    rollouts::run(bench)?;
    println!("\n## How fast the statistics are\n");
    let compared = Command::new("python3")
        .arg(repository().join("benches/stats/compare.py"))
        .status()?;
    if !compared.success() {
        return Err("benches/stats/compare.py failed".into());
    }
    println!("\n## How fast other tools' files are read\n");
    Ok(interop::run(bench)?)
}

impl Bench<'_> {
    /// A fresh folder for one measurement. It stays until all are made: after many files were deleted, some file systems
    /// are slow to make new ones. And nobody pays for what others have not yet written to disk.
    fn fresh(&self) -> std::io::Result<PathBuf> {
        let fresh = tempfile::tempdir_in(self.folder.path())?.keep();
        let _ = Command::new("sync").status();
        Ok(fresh)
    }

    /// A program at work in a folder, with the few variables that everybody has: what a shell adds (shims of version
    /// managers above all) would be measured with it.
    fn command(program: impl AsRef<OsStr>, folder: &Path) -> Command {
        let mut command = Command::new(program);
        let home = std::env::var_os("HOME").unwrap_or_default();
        command.current_dir(folder).env_clear();
        command.env("HOME", home).env("PATH", "/usr/bin:/bin");
        command
    }

    /// A program in C, compiled to a file.
    fn compiled(&self, source: &str) -> std::io::Result<PathBuf> {
        let source = repository().join(source);
        let name = source.file_stem().unwrap_or_default();
        if let Some(ready) = &self.args.programs {
            return std::path::absolute(ready.join(name));
        }
        let to = self.folder.path().join(name);
        let built = Command::new("cc")
            .args(["-O2", "-o"])
            .args([&to, &source])
            .status()?;
        if built.success() {
            return Ok(to);
        }
        let name = source.display();
        Err(std::io::Error::other(format!("{name} did not compile")))
    }

    /// Where another tool is: among the compiled programs, or somewhere in PATH.
    fn peer(&self, name: &str) -> PathBuf {
        let ready = self.args.programs.as_ref().map(|dir| dir.join(name));
        let ready = ready.and_then(|path| std::path::absolute(path).ok());
        ready
            .filter(|path| path.is_file())
            .unwrap_or_else(|| name.into())
    }

    /// The binary at work in a folder.
    fn fairtrial(&self, folder: &Path) -> Command {
        Self::command(&self.binary, folder)
    }
}

/// A spec of so many trials that do nothing.
fn write_spec(folder: &Path, trials: u64, slots: u64) -> std::io::Result<()> {
    let text = format!(
        "name = \"bench\"\nseeds = {trials}\nparallel = {slots}\n[[tasks]]\nid = \"true\"\ncommand = \"/bin/true\"\n"
    );
    std::fs::write(folder.join("bench.toml"), text)
}

/// The path of a binary, which is started in other folders than this one.
fn whole_path(binary: &Path) -> std::io::Result<PathBuf> {
    let named = |error| std::io::Error::other(format!("--binary {}: {error}", binary.display()));
    binary.canonicalize().map_err(named)
}

fn build() -> std::io::Result<PathBuf> {
    let built = cargo()
        .args(["build", "--release", "--package", "fairtrial"])
        .status()?;
    if !built.success() {
        return Err(std::io::Error::other("the release build failed"));
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target = target.unwrap_or_else(|| repository().join("target"));
    Ok(repository().join(target).join("release/fairtrial"))
}

/// The first line that a program says about itself.
fn version_of(program: impl AsRef<OsStr>) -> Option<String> {
    let here = std::env::temp_dir();
    let said = Bench::command(program, &here)
        .arg("--version")
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    text.lines().next().map(str::to_owned)
}

/// One line about where this was measured.
fn machine() -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let cpus = read("/proc/cpuinfo");
    let value = |line: &str| line.split(": ").nth(1).map(str::to_owned);
    let model = cpus.lines().find(|line| line.starts_with("model name"));
    format!(
        "{}, {} usable CPUs, Linux {}, load {}",
        model.and_then(value).unwrap_or_default(),
        std::thread::available_parallelism().map_or(0, usize::from),
        read("/proc/sys/kernel/osrelease").trim(),
        read("/proc/loadavg").split(' ').next().unwrap_or_default(),
    )
}
