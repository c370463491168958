//! `memory_db`: the same simulation logged to disk, to memory, and to memory with a copy written at the end.

use super::desk::Desk;
use super::simulation_log::{Storage, simulate};
use super::versions;
use crate::configured::{About, Configured};
use fairtrial_experiment::{Artifact, Context, Experiment, Failure, Metrics, Param, Registration};
use serde::Deserialize;
use serde_json::json;
use std::time::Instant;

#[derive(Debug, Deserialize)]
struct Knobs {
    num_steps: usize,
    num_agents: usize,
    storage: Choice,
    keep_database: bool,
    parameters: Tested,
}

/// The name of the database that is kept, among the trial's artifacts.
const KEPT: &str = "artifacts/simulation.db";

/// One storage alone, or all beside each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Choice {
    All,
    Disk,
    Memory,
    MemoryPersist,
}

impl Choice {
    const NAMES: [&'static str; 4] = ["all", "disk", "memory", "memory_persist"];

    fn includes(self, storage: Storage) -> bool {
        match self {
            Self::All => true,
            Self::Disk => storage == Storage::Disk,
            Self::Memory => storage == Storage::Memory,
            Self::MemoryPersist => storage == Storage::MemoryPersist,
        }
    }
}

/// Which storages are tested; all of them unless said otherwise.
#[derive(Debug, Deserialize)]
#[serde(default)]
struct Tested {
    test_disk_based: bool,
    test_in_memory: bool,
    test_persistence: bool,
}

impl Default for Tested {
    fn default() -> Self {
        Self {
            test_disk_based: true,
            test_in_memory: true,
            test_persistence: true,
        }
    }
}

struct MemoryDb {
    params: Knobs,
    desk: Desk,
}

impl Configured for MemoryDb {
    type Params = Knobs;

    fn new(params: Knobs) -> Self {
        Self {
            params,
            desk: Desk::default(),
        }
    }
}

impl MemoryDb {
    /// Seconds that the simulation takes with this storage, where it is tested.
    fn time(&mut self, storage: Storage, context: &Context) -> Result<Option<f64>, Failure> {
        let Tested {
            test_disk_based,
            test_in_memory,
            test_persistence,
        } = self.params.parameters;
        let tested = match storage {
            Storage::Disk => test_disk_based,
            Storage::Memory => test_in_memory,
            Storage::MemoryPersist => test_persistence,
        };
        let tested = tested && self.params.storage.includes(storage);
        if !tested {
            return Ok(None);
        }
        let file = self.desk.new_file()?;
        let (agents, steps) = (self.params.num_agents, self.params.num_steps);
        let began = Instant::now();
        simulate(storage, &file, agents, steps, context.seed())?;
        let seconds = began.elapsed().as_secs_f64();
        if self.params.keep_database && file.exists() {
            let kept = context.place.dir.join(KEPT);
            kept.parent().map_or(Ok(()), std::fs::create_dir_all)?;
            std::fs::rename(&file, kept)?;
        }
        for end in ["", "-wal", "-shm"] {
            // A log in memory leaves no file.
            let _ = std::fs::remove_file(format!("{}{end}", file.display()));
        }
        Ok(Some(seconds))
    }
}

impl Experiment for MemoryDb {
    fn setup(&mut self, context: &mut Context) -> Result<(), Failure> {
        self.desk.set_up(context)
    }

    fn execute_once(&mut self, context: &mut Context) -> Result<Metrics, Failure> {
        let mut metrics = Metrics::new();
        let mut disk = None;
        for storage in Storage::ALL {
            let Some(seconds) = self.time(storage, context)? else {
                continue;
            };
            metrics.insert(format!("{}_time", storage.name()), json!(seconds));
            if self.params.storage != Choice::All {
                // One name for all storages, so that arms with different ones can be compared.
                metrics.insert("simulation_time".to_owned(), json!(seconds));
            }
            match (storage, disk) {
                (Storage::Disk, _) => disk = Some(seconds),
                (_, Some(disk)) => {
                    let name = format!("disk_to_{}_speedup", storage.name());
                    metrics.insert(name, json!(disk / seconds));
                }
                (_, None) => {}
            }
        }
        Ok(metrics)
    }

    fn teardown(&mut self, context: &mut Context) -> Result<(), Failure> {
        if context.place.dir.join(KEPT).exists() {
            context.artifact(Artifact {
                name: "simulation.db".to_owned(),
                kind: "sqlite".to_owned(),
                path: KEPT.to_owned(),
            });
        }
        self.desk.clear()
    }

    fn versions(&self) -> Vec<(String, String)> {
        versions()
    }
}

pub(crate) fn registration() -> Registration {
    About {
        slug: "memory_db",
        summary: "A simulation's SQLite log on disk, in memory, and in memory with a copy at the end.",
        tags: &["database"],
        params: vec![
            Param::whole("num_steps", 100).at_least(1.0).doc("Steps of the simulation"),
            Param::whole("num_agents", 30).at_least(1.0).doc("Agents in it"),
            Param::text("storage", "all")
                .one_of(Choice::NAMES)
                .doc("One storage alone (as `simulation_time`), or all beside each other"),
            Param::bool("keep_database", false)
                .doc("Keep the last iteration's database as an artifact, for analysis"),
            Param::table("parameters")
                .doc("Which storages are tested: test_disk_based, test_in_memory, test_persistence (all true)"),
        ],
    }
    .registration::<MemoryDb>()
}
