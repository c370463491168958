//! `spatial_memory_profiler`: what indexes and plain containers of the same points hold in memory.

use super::index::Algorithm;
use super::points::{Pattern, Point};
use super::timing::{Questions, build, bytes_of, each, resident};
use crate::configured::{About, Configured, case};
use fairtrial_experiment::allocations::is_counted;
use fairtrial_experiment::{Context, Experiment, Failure, Metrics, Param, ParamType, Registration};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashMap;

/// Plain containers, by the names that the original gives them, and what each is here.
const CONTAINERS: [&str; 3] = ["list", "dict", "numpy_array"];

#[derive(Debug, Deserialize)]
struct Knobs {
    algorithms: Vec<Algorithm>,
    agent_counts: Vec<usize>,
    world_sizes: Vec<f64>,
    data_structures: Vec<String>,
    steps: usize,
    track_memory_usage: bool,
    track_garbage_collection: bool,
}

struct MemoryProfiler(Knobs);

impl Configured for MemoryProfiler {
    type Params = Knobs;

    fn new(params: Knobs) -> Self {
        Self(params)
    }
}

/// Bytes of the points in a container.
fn container_bytes(name: &str, points: &[Point]) -> Option<f64> {
    let numbered = || points.iter().copied().zip(0_u64..);
    match name {
        // A growable array of records.
        "list" => bytes_of(|| numbered().collect::<Vec<(Point, u64)>>()),
        // A hash map from number to point.
        "dict" => bytes_of(|| {
            numbered()
                .map(|(point, id)| (id, point))
                .collect::<HashMap<u64, Point>>()
        }),
        // One block of coordinates.
        _ => bytes_of(|| points.as_flattened().to_vec().into_boxed_slice()),
    }
}

impl MemoryProfiler {
    /// A case for each index and container of so many points.
    fn profile(&self, count: usize, world: f64, seed: u64) -> Vec<Value> {
        let of = |structure: &str| json!({"structure": structure, "n": count, "world": world});
        let points = Pattern::Random.points(count, world, seed);
        let places = Pattern::Random.points(self.0.steps, world, seed ^ 1);
        let asked = Questions {
            world,
            radius: world / 10.0,
            places: &places,
        };
        let mut found = Vec::new();
        for &algorithm in &self.0.algorithms {
            let (index, build_time) = build(algorithm, &points, &asked);
            let (query, _) = each(&places, |place| index.within(place, asked.radius));
            let mut entry = json!({"build_time": build_time, "avg_query_time": query});
            let measured = self
                .0
                .track_memory_usage
                .then(|| bytes_of(|| algorithm.build(&points, asked.world, asked.radius)));
            if let Some(bytes) = measured.flatten() {
                entry["bytes"] = json!(bytes);
                entry["bytes_per_entity"] = json!(bytes / count.max(1) as f64);
            }
            found.push(case(&of(algorithm.name()), &entry));
        }
        if self.0.track_memory_usage {
            for name in &self.0.data_structures {
                if let Some(bytes) = container_bytes(name, &points) {
                    let per_entity = bytes / count.max(1) as f64;
                    let entry = json!({"bytes": bytes, "bytes_per_entity": per_entity});
                    found.push(case(&of(name), &entry));
                }
            }
        }
        found
    }
}

impl Experiment for MemoryProfiler {
    fn setup(&mut self, context: &mut Context) -> Result<(), Failure> {
        if self.0.track_memory_usage && !is_counted() {
            context.log("this program does not count what it allocates: bytes are absent");
        }
        if self.0.track_garbage_collection {
            context
                .log("these structures are native and have no garbage collector: nothing to track");
        }
        Ok(())
    }

    fn execute_once(&mut self, context: &mut Context) -> Result<Metrics, Failure> {
        let mut cases = Vec::new();
        for &count in &self.0.agent_counts {
            for &world in &self.0.world_sizes {
                cases.extend(self.profile(count, world, context.seed()));
            }
        }
        let mut metrics = Metrics::new();
        metrics.insert("cases".to_owned(), Value::Array(cases));
        if let Some(bytes) = resident() {
            metrics.insert("resident_bytes".to_owned(), json!(bytes));
        }
        Ok(metrics)
    }
}

pub(crate) fn registration() -> Registration {
    About {
        slug: "spatial_memory_profiler",
        summary: "Memory that spatial indexes and plain containers of the same points allocate.",
        tags: &["spatial", "memory", "profiling"],
        params: vec![
            super::algorithms(),
            super::counts(&[100, 500, 1000, 2000]),
            super::worlds(&[100.0, 200.0, 500.0]),
            Param::list("data_structures", ParamType::Text, CONTAINERS)
                .one_of(CONTAINERS)
                .doc("Plain containers: growable array, hash map, one block of coordinates"),
            super::steps(100),
            Param::bool("track_memory_usage", true).doc("Count what is allocated"),
            Param::bool("track_garbage_collection", true)
                .doc("Kept for specs of the original; native structures have no garbage collector"),
        ],
    }
    .registration::<MemoryProfiler>()
}
