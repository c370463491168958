//! `database_profiler`: operations per second of each kind of database operation on each storage.

use super::desk::Desk;
use super::simulation_log::{Storage, World};
use super::versions;
use crate::configured::{About, Configured};
use fairtrial_experiment::{Context, Experiment, Failure, Metrics, Param, ParamType, Registration};
use fairtrial_stats::rng::{Purpose, Stream};
use rusqlite::{Connection, params};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::time::Instant;

#[derive(Debug, Deserialize)]
struct Knobs {
    num_records: usize,
    num_agents: usize,
    batch_size: usize,
    storages: Vec<Storage>,
}

struct Profiler {
    params: Knobs,
    desk: Desk,
}

impl Configured for Profiler {
    type Params = Knobs;

    fn new(params: Knobs) -> Self {
        Self {
            params,
            desk: Desk::default(),
        }
    }
}

/// Times one kind of operation; the number of operations it did comes from the call.
fn timed(
    into: &mut Map<String, Value>,
    name: &str,
    operation: impl FnOnce() -> rusqlite::Result<usize>,
) -> Result<(), Failure> {
    let began = Instant::now();
    let count = operation()?;
    let seconds = began.elapsed().as_secs_f64();
    let entry = json!({
        "operations": count, "time_s": seconds,
        "operations_per_second": count as f64 / seconds.max(1e-9),
    });
    into.insert(name.to_owned(), entry);
    Ok(())
}

impl Profiler {
    fn profile(&mut self, storage: Storage, seed: u64) -> Result<Value, Failure> {
        let file = self.desk.new_file()?;
        let connection = storage.open(&file)?;
        let mut found = Map::new();
        let steps = self
            .params
            .num_records
            .div_ceil(self.params.num_agents.max(1));
        let mut world = World::new(self.params.num_agents, seed);
        timed(&mut found, "log_step", || {
            for step in 0..steps {
                world.log_step(&connection, step)?;
            }
            Ok(steps)
        })?;
        self.writes(&connection, &mut found)?;
        self.reads(&connection, &mut found, seed)?;
        let began = Instant::now();
        storage.close(connection, &file)?;
        found.insert(
            "close_time_s".to_owned(),
            json!(began.elapsed().as_secs_f64()),
        );
        Ok(Value::Object(found))
    }

    fn writes(
        &self,
        connection: &Connection,
        found: &mut Map<String, Value>,
    ) -> Result<(), Failure> {
        let Knobs {
            num_records: count,
            batch_size,
            ..
        } = self.params;
        timed(found, "batch_insert", || {
            for first in (0..count).step_by(batch_size.max(1)) {
                connection.execute_batch("BEGIN")?;
                let mut insert = connection
                    .prepare_cached("INSERT INTO actions VALUES (?1, ?2, 'batch', 0, 0.5, '')")?;
                for row in first..(first + batch_size).min(count) {
                    insert.execute(params![row, row % 97])?;
                }
                connection.execute_batch("COMMIT")?;
            }
            Ok(count)
        })?;
        timed(found, "update", || {
            connection.execute(
                "UPDATE agent_states SET health = health * 0.99 WHERE step % 2 = 0",
                [],
            )
        })?;
        timed(found, "delete", || {
            connection.execute(
                "DELETE FROM actions WHERE action = 'batch' AND step % 2 = 1",
                [],
            )
        })
    }

    fn reads(
        &self,
        connection: &Connection,
        found: &mut Map<String, Value>,
        seed: u64,
    ) -> Result<(), Failure> {
        let agents = self.params.num_agents.max(1);
        let lookups = (self.params.num_records / 10).max(1);
        let mut random = Stream::new(seed, Purpose::new("database profiler"), 1);
        timed(found, "point_query", || {
            let mut select = connection.prepare_cached(
                "SELECT x, y FROM agent_states WHERE agent_id = ?1 ORDER BY step DESC LIMIT 1",
            )?;
            for _ in 0..lookups {
                let _: (f64, f64) = select
                    .query_row([random.below(agents)], |row| Ok((row.get(0)?, row.get(1)?)))?;
            }
            Ok(lookups)
        })?;
        timed(found, "aggregate_query", || {
            let mut select = connection.prepare(
                "SELECT agent_id, avg(health), max(resources) FROM agent_states GROUP BY agent_id",
            )?;
            let rows = select.query_map([], |row| row.get::<_, i64>(0))?;
            rows.map(|row| row.map(|_| 1))
                .sum::<rusqlite::Result<usize>>()
        })
    }
}

impl Experiment for Profiler {
    fn setup(&mut self, context: &mut Context) -> Result<(), Failure> {
        self.desk.set_up(context)
    }

    fn execute_once(&mut self, context: &mut Context) -> Result<Metrics, Failure> {
        let storages = self.params.storages.clone();
        let mut metrics = Metrics::new();
        for storage in storages {
            let found = self.profile(storage, context.seed())?;
            metrics.insert(storage.name().to_owned(), found);
        }
        Ok(metrics)
    }

    fn teardown(&mut self, _: &mut Context) -> Result<(), Failure> {
        self.desk.clear()
    }

    fn versions(&self) -> Vec<(String, String)> {
        versions()
    }
}

pub(crate) fn registration() -> Registration {
    let names = Storage::ALL.map(Storage::name);
    About {
        slug: "database_profiler",
        summary: "Operations per second of each kind of SQLite operation on each storage.",
        tags: &["database", "profiling"],
        params: vec![
            Param::whole("num_records", 10_000)
                .at_least(1.0)
                .doc("Rows that are written"),
            Param::whole("num_agents", 50)
                .at_least(1.0)
                .doc("Agents, and so rows per logged step"),
            Param::whole("batch_size", 500)
                .at_least(1.0)
                .doc("Rows per transaction of the batch insert"),
            Param::list("storages", ParamType::Text, names)
                .one_of(names)
                .doc("Where the database is"),
        ],
    }
    .registration::<Profiler>()
}
