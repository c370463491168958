//! The log of a small agent simulation in SQLite: the workload behind the database experiments.

use fairtrial_stats::rng::{Purpose, Stream};
use rusqlite::{Connection, Result, params};
use std::path::Path;

/// How the log is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Storage {
    /// A file.
    Disk,
    /// Memory alone; the log is gone at the end.
    Memory,
    /// Memory, and one copy to a file at the end.
    MemoryPersist,
}

impl Storage {
    /// All of them, in the order they are shown.
    pub(crate) const ALL: [Self; 3] = [Self::Disk, Self::Memory, Self::MemoryPersist];

    /// Its name in parameters and metrics.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Disk => "disk",
            Self::Memory => "memory",
            Self::MemoryPersist => "memory_persist",
        }
    }

    /// Opens an empty log; `file` is used by those that keep one.
    pub(crate) fn open(self, file: &Path) -> Result<Connection> {
        let connection = match self {
            Self::Disk => {
                let connection = Connection::open(file)?;
                connection
                    .execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;")?;
                connection
            }
            Self::Memory | Self::MemoryPersist => Connection::open_in_memory()?,
        };
        connection.execute_batch(TABLES)?;
        Ok(connection)
    }

    /// Ends a log: what must last is on the disk afterwards.
    pub(crate) fn close(self, connection: Connection, file: &Path) -> Result<()> {
        if self == Self::MemoryPersist {
            let target = file.to_string_lossy();
            connection.execute("VACUUM INTO ?1", [target.as_ref()])?;
        }
        connection.close().map_err(|(_, error)| error)
    }
}

const TABLES: &str = "
    CREATE TABLE agents (agent_id INTEGER PRIMARY KEY, birth_step INTEGER, agent_type TEXT, genome TEXT);
    CREATE TABLE agent_states (
        step INTEGER, agent_id INTEGER, x REAL, y REAL, resources REAL, health REAL, age INTEGER);
    CREATE TABLE actions (
        step INTEGER, agent_id INTEGER, action TEXT, target INTEGER, reward REAL, details TEXT);
    CREATE TABLE step_metrics (step INTEGER PRIMARY KEY, alive INTEGER, resources REAL, mean_reward REAL);
    CREATE INDEX states_by_agent ON agent_states (agent_id, step);
    CREATE INDEX actions_by_step ON actions (step);";

const ACTIONS: [&str; 5] = ["move", "gather", "share", "attack", "reproduce"];

/// The world whose steps are logged: agents that wander, gather and lose health.
pub(crate) struct World {
    random: Stream,
    agents: Vec<Agent>,
}

#[derive(Debug, Clone)]
struct Agent {
    x: f64,
    y: f64,
    resources: f64,
    health: f64,
}

impl World {
    /// A world of this many agents.
    pub(crate) fn new(agents: usize, seed: u64) -> Self {
        let mut random = Stream::new(seed, Purpose::new("simulation log"), 0);
        let mut agent = || Agent {
            x: random.unit() * 100.0,
            y: random.unit() * 100.0,
            resources: random.unit() * 10.0,
            health: 1.0,
        };
        let agents = (0..agents).map(|_| agent()).collect();
        Self { random, agents }
    }

    /// Logs the agents themselves.
    pub(crate) fn log_agents(&self, connection: &Connection) -> Result<()> {
        let mut insert = connection.prepare("INSERT INTO agents VALUES (?1, 0, ?2, ?3)")?;
        for place in 0..self.agents.len() {
            let kind = ["system", "independent", "control"][place % 3];
            insert.execute(params![place, kind, format!("genome-{place:08x}")])?;
        }
        Ok(())
    }

    /// Plays one step and logs it in one transaction, as a simulation does that must not lose a step.
    pub(crate) fn log_step(&mut self, connection: &Connection, step: usize) -> Result<()> {
        connection.execute_batch("BEGIN")?;
        {
            let mut state = connection
                .prepare_cached("INSERT INTO agent_states VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
            let mut action =
                connection.prepare_cached("INSERT INTO actions VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
            let count = self.agents.len();
            let mut rewards = 0.0;
            for (id, agent) in self.agents.iter_mut().enumerate() {
                let reward = agent.act(&mut self.random);
                rewards += reward;
                state.execute(params![
                    step,
                    id,
                    agent.x,
                    agent.y,
                    agent.resources,
                    agent.health,
                    step
                ])?;
                let chosen = ACTIONS[self.random.below(ACTIONS.len())];
                let target = self.random.below(count);
                action.execute(params![step, id, chosen, target, reward, "{\"ok\":true}"])?;
            }
            let resources: f64 = self.agents.iter().map(|agent| agent.resources).sum();
            let mut summary =
                connection.prepare_cached("INSERT INTO step_metrics VALUES (?1, ?2, ?3, ?4)")?;
            summary.execute(params![
                step,
                count,
                resources,
                rewards / count.max(1) as f64
            ])?;
        }
        connection.execute_batch("COMMIT")
    }
}

impl Agent {
    fn act(&mut self, random: &mut Stream) -> f64 {
        self.x = (self.x + random.unit() * 2.0 - 1.0).rem_euclid(100.0);
        self.y = (self.y + random.unit() * 2.0 - 1.0).rem_euclid(100.0);
        let gained = random.unit() - 0.4;
        self.resources = (self.resources + gained).max(0.0);
        self.health = (self.health - 0.001).max(0.0);
        gained
    }
}

/// Runs a whole simulation into a log.
pub(crate) fn simulate(
    storage: Storage,
    file: &Path,
    agents: usize,
    steps: usize,
    seed: u64,
) -> Result<()> {
    let connection = storage.open(file)?;
    let mut world = World::new(agents, seed);
    world.log_agents(&connection)?;
    for step in 0..steps {
        world.log_step(&connection, step)?;
    }
    storage.close(connection, file)
}

#[cfg(test)]
mod tests {
    use super::{Storage, simulate};
    use rusqlite::Connection;

    #[test]
    fn what_is_persisted_equals_what_is_written_to_disk() {
        let folder = tempfile::tempdir().unwrap();
        let counts = [Storage::Disk, Storage::MemoryPersist].map(|storage| {
            let file = folder.path().join(storage.name());
            simulate(storage, &file, 7, 11, 42).unwrap();
            let log = Connection::open(file).unwrap();
            log.query_row(
                "SELECT (SELECT count(*) FROM agent_states), (SELECT count(*) FROM actions),
                        (SELECT sum(x * step + health) FROM agent_states)",
                [],
                |row| {
                    Ok((
                        row.get::<_, i64>(0)?,
                        row.get::<_, i64>(1)?,
                        row.get::<_, f64>(2)?,
                    ))
                },
            )
            .unwrap()
        });
        assert_eq!(counts[0], counts[1]);
        assert_eq!((counts[0].0, counts[0].1), (77, 77));
    }
}
