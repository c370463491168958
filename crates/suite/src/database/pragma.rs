//! `pragma_profile`: four sets of SQLite pragmas under write-heavy, read-heavy and mixed work.

use super::desk::Desk;
use super::versions;
use crate::configured::{About, Configured};
use fairtrial_experiment::{Context, Experiment, Failure, Metrics, Param, ParamType, Registration};
use fairtrial_stats::rng::{Purpose, Stream};
use rusqlite::{Connection, params};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::time::Instant;

/// Name and pragmas of each profile.
const PROFILES: [(&str, &str); 4] = [
    (
        "balanced",
        "PRAGMA synchronous = NORMAL; PRAGMA journal_mode = WAL; PRAGMA cache_size = -51200; PRAGMA temp_store = MEMORY;",
    ),
    (
        "performance",
        "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; PRAGMA cache_size = -102400; \
         PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 1073741824;",
    ),
    (
        "safety",
        "PRAGMA synchronous = FULL; PRAGMA journal_mode = WAL; PRAGMA cache_size = -25600; PRAGMA temp_store = MEMORY;",
    ),
    (
        "memory",
        "PRAGMA synchronous = NORMAL; PRAGMA journal_mode = MEMORY; PRAGMA cache_size = -12800; PRAGMA temp_store = MEMORY;",
    ),
];

/// Name and share of writes of each workload.
const WORKLOADS: [(&str, f64); 3] = [("write_heavy", 0.9), ("read_heavy", 0.1), ("mixed", 0.5)];

/// Operations per transaction.
const TRANSACTION: usize = 100;

/// The profile that the others are compared with.
const BASELINE: &str = "balanced";

#[derive(Debug, Deserialize)]
struct Knobs {
    num_records: usize,
    db_size_mb: f64,
    profiles: Vec<String>,
    workloads: Vec<String>,
}

/// The database that every workload gets a copy of.
const FILLED: &str = "filled.db";

struct Pragma {
    params: Knobs,
    desk: Desk,
    rows: usize,
}

impl Configured for Pragma {
    type Params = Knobs;

    fn new(params: Knobs) -> Self {
        Self {
            params,
            desk: Desk::default(),
            rows: 0,
        }
    }
}

impl Pragma {
    /// Seconds of one workload under one profile, on a fresh copy of the filled database.
    fn time(&self, pragmas: &str, writes: f64, seed: u64) -> Result<f64, Failure> {
        let file = self.desk.file("work.db")?;
        for end in ["", "-wal", "-shm", "-journal"] {
            // What an earlier profile left behind, where it left anything.
            let _ = std::fs::remove_file(format!("{}{end}", file.display()));
        }
        std::fs::copy(self.desk.file(FILLED)?, &file)?;
        let connection = Connection::open(&file)?;
        connection.execute_batch(pragmas)?;
        let mut random = Stream::new(seed, Purpose::new("pragma profile"), 0);
        let began = Instant::now();
        work(
            &connection,
            &mut random,
            self.params.num_records,
            self.rows,
            writes,
        )?;
        connection.close().map_err(|(_, error)| error)?;
        Ok(began.elapsed().as_secs_f64())
    }
}

fn work(
    connection: &Connection,
    random: &mut Stream,
    operations: usize,
    rows: usize,
    writes: f64,
) -> rusqlite::Result<()> {
    let mut insert = connection
        .prepare("INSERT INTO records (agent_id, step, value, payload) VALUES (?1, ?2, ?3, ?4)")?;
    let mut select = connection
        .prepare("SELECT count(*), avg(value) FROM records WHERE id BETWEEN ?1 AND ?1 + 20")?;
    for operation in 0..operations {
        if operation % TRANSACTION == 0 {
            connection.execute_batch("BEGIN")?;
        }
        if random.unit() < writes {
            insert.execute(params![
                operation % 100,
                operation,
                random.unit(),
                "payload of a new record"
            ])?;
        } else {
            let from = random.below(rows.max(1));
            let _: i64 = select.query_row([from], |row| row.get(0))?;
        }
        if operation % TRANSACTION == TRANSACTION - 1 || operation + 1 == operations {
            connection.execute_batch("COMMIT")?;
        }
    }
    Ok(())
}

/// Fills a database up to a size; gives the number of rows.
fn fill(file: &Path, bytes: u64, seed: u64) -> Result<usize, Failure> {
    let connection = Connection::open(file)?;
    connection.execute_batch(
        "PRAGMA synchronous = OFF;
         CREATE TABLE records (id INTEGER PRIMARY KEY, agent_id INTEGER, step INTEGER, value REAL, payload TEXT);
         CREATE INDEX by_agent ON records (agent_id, step);",
    )?;
    let mut random = Stream::new(seed, Purpose::new("pragma profile"), 1);
    let mut rows = 0;
    loop {
        connection.execute_batch("BEGIN")?;
        let mut insert = connection.prepare_cached(
            "INSERT INTO records (agent_id, step, value, payload) VALUES (?1, ?2, ?3, ?4)",
        )?;
        for _ in 0..500 {
            let payload = format!("{:016x}{:016x}", random.next_u64(), random.next_u64()).repeat(3);
            insert.execute(params![rows % 100, rows / 100, random.unit(), payload])?;
            rows += 1;
        }
        drop(insert);
        connection.execute_batch("COMMIT")?;
        if std::fs::metadata(file)?.len() >= bytes {
            return Ok(rows);
        }
    }
}

impl Experiment for Pragma {
    fn setup(&mut self, context: &mut Context) -> Result<(), Failure> {
        self.desk.set_up(context)?;
        let bytes = (self.params.db_size_mb * 1e6) as u64;
        self.rows = fill(&self.desk.file(FILLED)?, bytes, context.seed())?;
        Ok(())
    }

    fn execute_once(&mut self, context: &mut Context) -> Result<Metrics, Failure> {
        let mut raw = Map::new();
        let mut normalized: Map<String, Value> = Map::new();
        for (workload, writes) in WORKLOADS {
            if !self.params.workloads.iter().any(|asked| asked == workload) {
                continue;
            }
            let mut seconds_by_profile = Vec::new();
            for (profile, pragmas) in PROFILES {
                if self.params.profiles.iter().any(|asked| asked == profile) {
                    let seconds = self.time(pragmas, writes, context.seed())?;
                    seconds_by_profile.push((profile, seconds));
                }
            }
            let baseline = seconds_by_profile
                .iter()
                .find(|(name, _)| *name == BASELINE);
            for (profile, seconds) in &seconds_by_profile {
                put(&mut raw, profile, workload, *seconds);
                if let Some((_, baseline)) = baseline {
                    put(&mut normalized, workload, profile, baseline / seconds);
                }
            }
        }
        Ok([
            ("raw_results".to_owned(), Value::Object(raw)),
            ("normalized_results".to_owned(), Value::Object(normalized)),
        ]
        .into_iter()
        .collect())
    }

    fn teardown(&mut self, _: &mut Context) -> Result<(), Failure> {
        self.desk.clear()
    }

    fn versions(&self) -> Vec<(String, String)> {
        versions()
    }
}

fn put(into: &mut Map<String, Value>, outer: &str, inner: &str, value: f64) {
    let table = into
        .entry(outer)
        .or_insert_with(|| Value::Object(Map::new()));
    table[inner] = json!(value);
}

pub(crate) fn registration() -> Registration {
    let profiles = PROFILES.map(|(name, _)| name);
    let workloads = WORKLOADS.map(|(name, _)| name);
    About {
        slug: "pragma_profile",
        summary: "Four sets of SQLite pragmas under write-heavy, read-heavy and mixed work.",
        tags: &["database", "sqlite", "pragma"],
        params: vec![
            Param::whole("num_records", 100_000)
                .at_least(1.0)
                .doc("Operations per workload"),
            Param::number("db_size_mb", 100.0)
                .at_least(0.0)
                .doc("Size of the database before the work begins"),
            Param::list("profiles", ParamType::Text, profiles)
                .one_of(profiles)
                .doc("The sets of pragmas; `normalized_results` compares with balanced"),
            Param::list("workloads", ParamType::Text, workloads)
                .one_of(workloads)
                .doc("The kinds of work"),
        ],
    }
    .registration::<Pragma>()
}
