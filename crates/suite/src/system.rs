//! `system_profiler`: what a whole simulation, observing and logging, uses of the machine.

use crate::configured::{About, Configured};
use crate::database::desk::Desk;
use crate::database::simulation_log::{Storage, World as LoggedWorld};
use crate::observation::storage::StorageMode;
use crate::observation::world::{Observing, World};
use fairtrial_experiment::{Context, Experiment, Failure, Metrics, Param, Registration};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

#[derive(Debug, Clone, Deserialize)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a parameter of the spec, under its own name"
)]
struct Knobs {
    monitor_cpu: bool,
    monitor_memory: bool,
    monitor_disk: bool,
    monitor_network: bool,
    sampling_interval: f64,
    num_agents: usize,
    steps: usize,
    use_in_memory_db: bool,
    persist_db_on_completion: bool,
}

struct SystemProfiler {
    params: Knobs,
    desk: Desk,
}

impl Configured for SystemProfiler {
    type Params = Knobs;

    fn new(params: Knobs) -> Self {
        Self {
            params,
            desk: Desk::default(),
        }
    }
}

impl SystemProfiler {
    fn simulate(&mut self, seed: u64) -> Result<(), Failure> {
        let file = self.desk.new_file()?;
        let storage = match (
            self.params.use_in_memory_db,
            self.params.persist_db_on_completion,
        ) {
            (false, _) => Storage::Disk,
            (true, false) => Storage::Memory,
            (true, true) => Storage::MemoryPersist,
        };
        let (agents, steps) = (self.params.num_agents, self.params.steps);
        let how = Observing {
            width: 200,
            height: 200,
            agents,
            steps,
            radius: 6,
            fov_radius: 6.0,
            mode: StorageMode::Hybrid,
            bilinear: true,
        };
        let connection = storage.open(&file)?;
        let (mut world, mut logged) = (World::new(how, seed), LoggedWorld::new(agents, seed));
        logged.log_agents(&connection)?;
        for step in 0..steps {
            world.step();
            logged.log_step(&connection, step)?;
        }
        Ok(storage.close(connection, &file)?)
    }
}

/// What the process and the machine show at one moment.
#[derive(Debug, Clone, Copy, Default)]
struct SystemReading {
    cpu_s: Option<f64>,
    rss: Option<f64>,
    disk: Option<(f64, f64)>,
    network: Option<(f64, f64)>,
}

impl SystemReading {
    fn now(params: &Knobs) -> Self {
        let wanted = |on: bool| on.then_some(());
        Self {
            cpu_s: wanted(params.monitor_cpu).map(|()| cpu_seconds()),
            rss: wanted(params.monitor_memory)
                .and_then(|()| crate::spatial::resident())
                .map(|bytes| bytes as f64),
            disk: wanted(params.monitor_disk).and_then(|()| disk_bytes()),
            network: wanted(params.monitor_network).and_then(|()| network_bytes()),
        }
    }
}

fn cpu_seconds() -> f64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}

fn disk_bytes() -> Option<(f64, f64)> {
    let text = std::fs::read_to_string("/proc/self/io").ok()?;
    let value = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line?.trim().parse::<f64>().ok()
    };
    Some((value("read_bytes:")?, value("write_bytes:")?))
}

/// Bytes received and sent over all interfaces but the loopback.
fn network_bytes() -> Option<(f64, f64)> {
    let text = std::fs::read_to_string("/proc/net/dev").ok()?;
    let mut sum = (0.0, 0.0);
    for line in text.lines().skip(2) {
        let Some((name, counts)) = line.split_once(':') else {
            continue;
        };
        let counts: Vec<f64> = counts
            .split_whitespace()
            .filter_map(|word| word.parse().ok())
            .collect();
        if let (Some(received), Some(sent), false) =
            (counts.first(), counts.get(8), name.trim() == "lo")
        {
            sum = (sum.0 + received, sum.1 + sent);
        }
    }
    Some(sum)
}

/// Looks at an interval until told to stop, and once more then.
fn watch(params: &Knobs, interval: Duration, stopped: &Receiver<()>) -> Vec<(f64, SystemReading)> {
    let began = Instant::now();
    let mut looks = Vec::new();
    loop {
        looks.push((began.elapsed().as_secs_f64(), SystemReading::now(params)));
        if stopped.recv_timeout(interval) != Err(RecvTimeoutError::Timeout) {
            looks.push((began.elapsed().as_secs_f64(), SystemReading::now(params)));
            return looks;
        }
    }
}

/// The figures over all looks; what was not looked at or cannot be seen is absent.
fn figures(looks: &[(f64, SystemReading)]) -> Metrics {
    let mut metrics = Metrics::new();
    let (Some((began, first)), Some((ended, last))) = (looks.first(), looks.last()) else {
        return metrics;
    };
    let seconds = (ended - began).max(1e-12);
    if let (Some(before), Some(after)) = (first.cpu_s, last.cpu_s) {
        let percent = (after - before) / seconds * 100.0;
        metrics.insert(
            "cpu".to_owned(),
            json!({"seconds": after - before, "percent": percent}),
        );
    }
    let rss: Vec<f64> = looks.iter().filter_map(|(_, look)| look.rss).collect();
    if !rss.is_empty() {
        let most = rss.iter().copied().fold(0.0, f64::max);
        let mean = rss.iter().sum::<f64>() / rss.len() as f64;
        metrics.insert(
            "memory".to_owned(),
            json!({"rss_bytes_mean": mean, "rss_bytes_max": most}),
        );
    }
    let mut pair =
        |name: &str, words: [&str; 2], before: Option<(f64, f64)>, after: Option<(f64, f64)>| {
            if let (Some(before), Some(after)) = (before, after) {
                let mut table = Value::Object(Metrics::new());
                table[words[0]] = json!(after.0 - before.0);
                table[words[1]] = json!(after.1 - before.1);
                metrics.insert(name.to_owned(), table);
            }
        };
    pair("disk", ["read_bytes", "write_bytes"], first.disk, last.disk);
    pair(
        "network",
        ["received_bytes", "sent_bytes"],
        first.network,
        last.network,
    );
    metrics
}

impl Experiment for SystemProfiler {
    fn setup(&mut self, context: &mut Context) -> Result<(), Failure> {
        self.desk.set_up(context)
    }

    fn execute_once(&mut self, context: &mut Context) -> Result<Metrics, Failure> {
        let params = self.params.clone();
        let interval = Duration::from_secs_f64(params.sampling_interval);
        let (stop, stopped) = channel();
        let began = Instant::now();
        let (looks, outcome) = std::thread::scope(|scope| {
            let params = &params;
            let watching = scope.spawn(move || watch(params, interval, &stopped));
            let outcome = self.simulate(context.seed());
            drop(stop);
            (watching.join().unwrap_or_default(), outcome)
        });
        outcome?;
        let seconds = began.elapsed().as_secs_f64();
        let mut metrics = figures(&looks);
        metrics.insert("simulation_time_s".to_owned(), json!(seconds));
        metrics.insert(
            "steps_per_second".to_owned(),
            json!(params.steps as f64 / seconds),
        );
        metrics.insert("samples".to_owned(), json!(looks.len()));
        Ok(metrics)
    }

    fn teardown(&mut self, _: &mut Context) -> Result<(), Failure> {
        self.desk.clear()
    }

    fn versions(&self) -> Vec<(String, String)> {
        vec![("sqlite".to_owned(), rusqlite::version().to_owned())]
    }
}

pub(crate) fn registration() -> Registration {
    About {
        slug: "system_profiler",
        summary: "CPU, memory, disk and network of a whole simulation that observes and logs.",
        tags: &["system", "profiling"],
        params: vec![
            Param::bool("monitor_cpu", true).doc("Watch CPU time"),
            Param::bool("monitor_memory", true).doc("Watch resident memory"),
            Param::bool("monitor_disk", true).doc("Watch bytes read from and written to storage"),
            Param::bool("monitor_network", false)
                .doc("Watch bytes over the network (of the whole machine)"),
            Param::number("sampling_interval", 1.0)
                .at_least(0.001)
                .at_most(86_400.0)
                .doc("Seconds between two looks"),
            Param::whole("num_agents", 200).at_least(1.0).doc("Agents"),
            Param::whole("steps", 150)
                .at_least(1.0)
                .doc("Steps of the simulation"),
            Param::bool("use_in_memory_db", true).doc("Keep the log in memory"),
            Param::bool("persist_db_on_completion", false)
                .doc("Write a log in memory to disk at the end"),
        ],
    }
    .registration::<SystemProfiler>()
}
