//! `redis_memory`: agents that keep their memories in a real Redis server.

mod agent_memory;
mod operations;
mod params;
mod resp;
mod server;

use crate::configured::{About, Configured};
use agent_memory::AgentMemory;
use fairtrial_experiment::{Context, Experiment, Failure, Metrics, Param, Registration};
use fairtrial_stats::rng::{Purpose, Stream};
use operations::Operations;
use params::Knobs;
use resp::Link;
use serde_json::{Value, json};
use server::RedisServer;
use std::time::Instant;

struct RedisMemory {
    params: Knobs,
    server: Option<RedisServer>,
    version: String,
}

impl Configured for RedisMemory {
    type Params = Knobs;

    fn new(params: Knobs) -> Self {
        Self {
            params,
            server: None,
            version: String::new(),
        }
    }
}

/// How often the server is asked for its memory while entries are written.
const MEMORY_SAMPLES: usize = 5;

impl RedisMemory {
    /// Writes every memory one by one; cleans up now and then.
    fn write(
        &self,
        link: &mut Link,
        seed: u64,
    ) -> Result<(Operations, Operations, Value), Failure> {
        let Knobs {
            num_agents,
            memory_entries,
            cleanup_interval,
            ..
        } = self.params;
        let mut random = Stream::new(seed, Purpose::new("redis memory"), 0);
        let (mut writes, mut cleanups) = (Operations::default(), Operations::default());
        let (initial, total) = (used_memory(link)?, num_agents * memory_entries);
        let mut samples = Vec::new();
        let mut removed = 0;
        for entry in 0..memory_entries {
            for agent in 0..num_agents {
                let memory = AgentMemory::new(agent, &self.params);
                let place = [random.unit() * 100.0, random.unit() * 100.0];
                writes.time(|| memory.remember(link, entry, place))?;
                if (entry + 1) % cleanup_interval == 0 {
                    removed += cleanups.time(|| memory.forget_beyond_limit(link))?;
                }
            }
            if (entry + 1) % memory_entries.div_ceil(MEMORY_SAMPLES) == 0 {
                let entries = (entry + 1) * num_agents;
                let used = used_memory(link)?.saturating_sub(initial);
                samples.push(json!({
                    "entries": entries, "total_memory": used,
                    "memory_per_entry": used as f64 / entries as f64,
                }));
            }
        }
        let last = used_memory(link)?;
        let used = last.saturating_sub(initial);
        let memory = json!({
            "initial_memory": initial, "final_memory": last, "total_memory_used": used, "entries": total,
            "bytes_per_entry": used as f64 / total.saturating_sub(removed).max(1) as f64,
            "entries_removed": removed, "memory_samples": samples,
        });
        Ok((writes, cleanups, memory))
    }

    /// Reads memories by number.
    fn read(&self, link: &mut Link, seed: u64) -> Result<Operations, Failure> {
        let mut random = Stream::new(seed, Purpose::new("redis memory"), 1);
        let mut reads = Operations::default();
        for _ in 0..self.params.memory_entries {
            for agent in 0..self.params.num_agents {
                let memory = AgentMemory::new(agent, &self.params);
                let entry = random.below(self.params.memory_entries);
                reads.time(|| memory.recall(link, entry))?;
            }
        }
        Ok(reads)
    }

    /// Searches memories around random places.
    fn search(&self, link: &mut Link, seed: u64) -> Result<Operations, Failure> {
        let mut random = Stream::new(seed, Purpose::new("redis memory"), 2);
        let mut searches = Operations::default();
        for agent in 0..self.params.num_agents {
            let memory = AgentMemory::new(agent, &self.params);
            for _ in 0..self.params.memory_entries.div_ceil(10) {
                let place = [random.unit() * 100.0, random.unit() * 100.0];
                searches.time(|| memory.search(link, place))?;
            }
        }
        Ok(searches)
    }

    /// Writes all memories again, many per round trip.
    fn batch(&self, link: &mut Link, seed: u64) -> Result<Value, Failure> {
        let mut random = Stream::new(seed, Purpose::new("redis memory"), 3);
        let mut batches = Operations::default();
        for agent in 0..self.params.num_agents {
            let memory = AgentMemory::new(agent, &self.params);
            for first in (0..self.params.memory_entries).step_by(self.params.batch_size) {
                let last = (first + self.params.batch_size).min(self.params.memory_entries);
                let places: Vec<[f64; 2]> = (first..last)
                    .map(|_| [random.unit() * 100.0, random.unit() * 100.0])
                    .collect();
                batches.time(|| memory.remember_many(link, first, &places))?;
            }
        }
        let entries = self.params.num_agents * self.params.memory_entries;
        let mut report = batches.report("batches_per_second");
        report["total_batches"] = report["total_operations"].clone();
        report["total_operations"] = json!(entries);
        report["batch_size"] = json!(self.params.batch_size);
        report["operations_per_second"] = json!(entries as f64 / batches.total().max(1e-12));
        Ok(report)
    }
}

fn used_memory(link: &mut Link) -> Result<u64, Failure> {
    let info = link.ask(&["INFO", "memory"])?.text()?;
    let line = info
        .lines()
        .find_map(|line| line.strip_prefix("used_memory:"));
    Ok(line
        .ok_or("the server does not say what memory it uses")?
        .trim()
        .parse()?)
}

impl Experiment for RedisMemory {
    fn setup(&mut self, context: &mut Context) -> Result<(), Failure> {
        let server = if self.params.address.is_empty() {
            RedisServer::start()?
        } else {
            RedisServer::at(&self.params.address)
        };
        let mut link = server.connect()?;
        let info = link.ask(&["INFO", "server"])?.text()?;
        let version = info
            .lines()
            .find_map(|line| line.strip_prefix("redis_version:"));
        version
            .unwrap_or("unknown")
            .trim()
            .clone_into(&mut self.version);
        context.log(format!("Redis {} at {}", self.version, server.address()));
        self.server = Some(server);
        Ok(())
    }

    fn execute_once(&mut self, context: &mut Context) -> Result<Metrics, Failure> {
        let Some(server) = &self.server else {
            return Err("there is no server".into());
        };
        let mut link = server.connect()?;
        let seed = context.seed();
        let began = Instant::now();
        let (writes, cleanups, memory) = self.write(&mut link, seed)?;
        let reads = self.read(&mut link, seed)?;
        let searches = self.search(&mut link, seed)?;
        let batch = self.batch(&mut link, seed)?;
        let seconds = began.elapsed().as_secs_f64();
        let operations = writes.count() + reads.count() + searches.count() + cleanups.count();
        // The next iteration starts from nothing; a server that is not ours keeps everything else it holds.
        for agent in 0..self.params.num_agents {
            AgentMemory::new(agent, &self.params).forget_all(&mut link)?;
        }
        Ok([
            ("write".to_owned(), writes.report("iterations_per_second")),
            ("read".to_owned(), reads.report("operations_per_second")),
            ("search".to_owned(), searches.report("operations_per_second")),
            ("batch".to_owned(), batch),
            ("memory".to_owned(), memory),
            ("cleanup".to_owned(), cleanups.report("operations_per_second")),
            (
                "overall".to_owned(),
                json!({
                    "total_time": seconds, "total_operations": operations,
                    "operations_per_second": operations as f64 / seconds.max(1e-12),
                    "num_agents": self.params.num_agents, "memory_entries": self.params.memory_entries,
                }),
            ),
        ]
        .into_iter()
        .collect())
    }

    fn teardown(&mut self, _: &mut Context) -> Result<(), Failure> {
        self.server = None;
        Ok(())
    }

    fn versions(&self) -> Vec<(String, String)> {
        vec![("redis".to_owned(), self.version.clone())]
    }
}

pub(crate) fn registration() -> Registration {
    About {
        slug: "redis_memory",
        summary: "Agents that write, read, search and clean up their memories in a Redis server.",
        tags: &["redis", "memory"],
        params: vec![
            Param::whole("num_agents", 10).at_least(1.0).doc("Agents"),
            Param::whole("memory_entries", 1000)
                .at_least(1.0)
                .doc("Memories of each agent"),
            Param::whole("batch_size", 100)
                .at_least(1.0)
                .doc("Memories per round trip of the batch part"),
            Param::number("search_radius", 10.0)
                .at_least(0.0)
                .doc("How far a search reaches"),
            Param::whole("memory_limit", 5000)
                .at_least(1.0)
                .doc("Memories that an agent may keep"),
            Param::whole("ttl", 3600)
                .at_least(1.0)
                .doc("Seconds until a memory expires"),
            Param::whole("cleanup_interval", 100)
                .at_least(1.0)
                .doc("Memories between two clean-ups of an agent"),
            Param::text("address", "")
                .doc("A server to use, as redis://host:port; empty starts one of its own"),
        ],
    }
    .registration::<RedisMemory>()
}
