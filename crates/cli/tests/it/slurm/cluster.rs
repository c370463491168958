//! A real Slurm of some nodes on this host, started by `cluster.sh` and ended with the test.

use crate::schedulers::site::Scheduler;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Clusters at once on this machine, whichever processes the tests run in.
const SEATS: u16 = 4;
/// Ports that one cluster uses.
const PORTS: u16 = 150;

/// A running cluster.
pub struct Cluster {
    dir: tempfile::TempDir,
    port: u16,
    /// Locked files: its seat, and the control groups where it uses them.
    _locks: Vec<File>,
}

/// How large a cluster is.
#[derive(Default, PartialEq, Eq)]
pub enum Size {
    /// Three nodes of four CPUs.
    #[default]
    Usual,
    /// Two nodes of two CPUs, and memory that slurmd alone watches.
    Small,
}

/// Ways in which clusters differ.
#[derive(Default)]
pub struct Ways {
    pub accounting: bool,
    pub memory_cgroup: bool,
    pub max_array_size: Option<u32>,
    pub min_job_age: Option<u32>,
    pub size: Size,
    /// Node n1 belongs to `low` and `urgent`, whose jobs take the place of those of `low`: what Slurm does
    /// to these (`REQUEUE`, `CANCEL`, `SUSPEND`).
    pub preemption: &'static str,
}

impl Ways {
    /// A cluster unlike the usual one: small, with accounting, short arrays, and no control groups.
    pub fn other() -> Self {
        Self {
            accounting: true,
            size: Size::Small,
            max_array_size: Some(50),
            ..Self::default()
        }
    }
}

impl Cluster {
    /// Absent (with the reason printed) where this machine cannot have them.
    pub fn start(ways: &Ways) -> Option<Self> {
        let mut missing = vec!["slurmctld", "slurmd", "sbatch", "munged"];
        if ways.accounting {
            missing.extend(["slurmdbd", "mariadbd"]);
        }
        missing.retain(|program| !is_installed(program));
        let root = rustix::process::getuid().is_root();
        if !root || !missing.is_empty() {
            assert!(
                std::env::var_os("CI").is_none(),
                "CI must have root and Slurm; missing: {missing:?}"
            );
            eprintln!("skipped: needs root and {missing:?} (`./test` installs them)");
            return None;
        }
        let (seat, lock) = take_seat();
        let mut locks = vec![lock];
        if ways.memory_cgroup {
            // Nodes of all clusters have the same names, and so have their control groups.
            let groups = lock_file("groups");
            groups.lock().unwrap();
            locks.push(groups);
        }
        let cluster = Self {
            dir: tempfile::tempdir().unwrap(),
            port: 20_000 + seat * PORTS,
            _locks: locks,
        };
        let size = if ways.size == Size::Small {
            ["2", "2"]
        } else {
            ["3", "4"]
        };
        if let Err(first) = cluster.script(&["up"], &size, ways) {
            // Daemons of many clusters start at once on a busy machine: one that did not is given a second start.
            eprintln!("the cluster did not start, again: {first}");
            let _ = cluster.script(&["down"], &[], ways);
            let second = cluster.script(&["up"], &size, ways);
            second.unwrap_or_else(|why| panic!("the cluster did not start: {why}"));
        }
        Some(cluster)
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.slurm(&["sinfo", "-h", "-N"]).lines().count()
    }

    pub fn conf(&self) -> PathBuf {
        self.dir.path().join("slurm.conf")
    }

    /// What the script and the daemons said where it failed.
    fn script(&self, verb: &[&str], rest: &[&str], ways: &Ways) -> Result<(), String> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/slurm/cluster.sh");
        let mut command = Command::new(script);
        command.args(verb).arg(self.dir.path()).args(rest);
        command.env("BASE_PORT", self.port.to_string());
        command.env("WITH_ACCOUNTING", if ways.accounting { "1" } else { "0" });
        command.env("MEMORY_CGROUP", if ways.memory_cgroup { "1" } else { "0" });
        command.env(
            "MEMORY_KILL",
            if ways.size == Size::Small { "1" } else { "0" },
        );
        command.env("PREEMPTION", ways.preemption);
        if let Some(size) = ways.max_array_size {
            command.env("MAX_ARRAY_SIZE", size.to_string());
        }
        if let Some(age) = ways.min_job_age {
            command.env("MIN_JOB_AGE", age.to_string());
        }
        // A file, because a pipe would stay open as long as the daemons live.
        let said = self.dir.path().join("script.log");
        command.stdin(Stdio::null()).stdout(Stdio::null());
        command.stderr(std::fs::File::create(&said).unwrap());
        if command.status().unwrap().success() {
            return Ok(());
        }
        let log = self.dir.path().join("log");
        let logs = std::fs::read_dir(log).into_iter().flatten().flatten();
        let all = [said].into_iter().chain(logs.map(|entry| entry.path()));
        let texts = all.map(|path| {
            let text = std::fs::read(&path).unwrap_or_default();
            format!("{}: {}", path.display(), String::from_utf8_lossy(&text))
        });
        Err(texts.collect::<Vec<_>>().join("\n"))
    }

    /// Starts the controller daemon again.
    pub fn restart_slurmctld(&self) {
        self.script(&["ctld"], &[], &Ways::default()).unwrap();
    }

    /// `kill -9` of a daemon by its pid file.
    pub fn kill_daemon(&self, name: &str) {
        let file = self.dir.path().join("run").join(format!("{name}.pid"));
        let pid = std::fs::read_to_string(file).unwrap();
        kill(pid.trim().parse().unwrap());
    }

    /// `kill -9` of a node: its daemon and every process of its jobs.
    pub fn kill_node(&self, node: &str) -> usize {
        self.kill_daemon(&format!("slurmd.{node}"));
        let mark = format!("SLURMD_NODENAME={node}");
        let conf = format!("SLURM_CONF={}", self.conf().display());
        let mut killed = 0;
        for _ in 0..3 {
            for pid in processes_with(&[&mark, &conf]) {
                kill(pid);
                killed += 1;
            }
        }
        killed
    }

    /// A Slurm command, and what it printed.
    pub fn slurm(&self, argv: &[&str]) -> String {
        let mut command = Command::new(argv[0]);
        let output = command
            .args(&argv[1..])
            .env("SLURM_CONF", self.conf())
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Jobs in the queue that are not over.
    pub fn queued(&self) -> usize {
        self.slurm(&["squeue", "-h", "-r"]).lines().count()
    }

    /// The states that a job's elements are in, each once.
    pub fn states(&self, job: &str) -> Vec<String> {
        let text = self.slurm(&["squeue", "-h", "-t", "all", "-j", job, "-o", "%T"]);
        let mut states: Vec<String> = text.lines().map(str::to_owned).collect();
        states.sort();
        states.dedup();
        states
    }
}

impl Scheduler for Cluster {
    fn engine(&self) -> &'static str {
        "slurm"
    }

    fn environment(&self) -> Vec<(String, String)> {
        vec![("SLURM_CONF".to_owned(), self.conf().display().to_string())]
    }

    fn places(&self) -> usize {
        let cpus = self.slurm(&["sinfo", "-h", "-N", "-o", "%c"]);
        cpus.lines()
            .filter_map(|cpus| cpus.trim().parse::<usize>().ok())
            .sum()
    }

    fn is_idle(&self) -> bool {
        self.queued() == 0
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let conf = format!("SLURM_CONF={}", self.conf().display());
        let _ = self.script(&["down"], &[], &Ways::default());
        for pid in processes_with(&[&conf, "SLURM_JOB_ID="]) {
            kill(pid);
        }
        std::thread::sleep(Duration::from_millis(300));
    }
}

/// Waits for a seat that no other cluster of this machine has; it is free again when the file is closed.
fn take_seat() -> (u16, File) {
    loop {
        for seat in 0..SEATS {
            let file = lock_file(&seat.to_string());
            if file.try_lock().is_ok() {
                return (seat, file);
            }
        }
        std::thread::sleep(Duration::from_millis(200));
    }
}

fn lock_file(name: &str) -> File {
    let path = std::env::temp_dir().join(format!("fairtrial-test-slurm-{name}.lock"));
    let mut options = File::options();
    options.create(true).append(true);
    options.open(path).unwrap()
}

fn is_installed(program: &str) -> bool {
    let path = std::env::var("PATH").unwrap_or_default();
    let folders = path.split(':').chain(["/usr/sbin", "/usr/local/sbin"]);
    folders
        .into_iter()
        .any(|folder| Path::new(folder).join(program).exists())
}

/// Processes in whose environment all these texts stand.
fn processes_with(marks: &[&str]) -> Vec<i32> {
    let entries = std::fs::read_dir("/proc").unwrap();
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    pids.filter(|pid: &i32| {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let text = String::from_utf8_lossy(&environment);
        !text.is_empty()
            && marks
                .iter()
                .all(|mark| text.split('\0').any(|entry| entry.starts_with(mark)))
    })
    .collect()
}

pub fn kill(pid: i32) {
    if let Some(pid) = rustix::process::Pid::from_raw(pid) {
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }
}
