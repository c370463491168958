//! `spatial_index_profiler`: range, nearest and intersection queries on every index.

use super::index::Algorithm;
use super::points::Pattern;
use super::timing::{Questions, build, each};
use crate::configured::{About, Configured, case};
use fairtrial_experiment::{Context, Experiment, Failure, Metrics, Param, ParamType, Registration};
use serde::Deserialize;
use serde_json::{Map, Value, json};

#[derive(Debug, Deserialize)]
struct Knobs {
    algorithms: Vec<Algorithm>,
    agent_counts: Vec<usize>,
    world_size: f64,
    query_types: Vec<QueryKind>,
    query_radius: f64,
    steps: usize,
}

/// Kinds of queries.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum QueryKind {
    Range,
    Nearest,
    Intersection,
}

impl QueryKind {
    const NAMES: [&'static str; 3] = ["range", "nearest", "intersection"];

    const fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

struct IndexProfiler(Knobs);

impl Configured for IndexProfiler {
    type Params = Knobs;

    fn new(params: Knobs) -> Self {
        Self(params)
    }
}

impl IndexProfiler {
    fn profile(&self, algorithm: Algorithm, count: usize, seed: u64) -> Value {
        let Knobs {
            world_size: world,
            query_radius: radius,
            ..
        } = self.0;
        let points = Pattern::Random.points(count, world, seed);
        let places = Pattern::Random.points(self.0.steps, world, seed ^ 1);
        let asked = Questions {
            world,
            radius,
            places: &places,
        };
        let (index, build_time) = build(algorithm, &points, &asked);
        let mut found = Map::new();
        found.insert("build_time".to_owned(), json!(build_time));
        for query in &self.0.query_types {
            let (seconds, sum) = each(&places, |place| match query {
                QueryKind::Range => index.within(place, radius),
                QueryKind::Nearest => usize::from(index.nearest(place).is_some()),
                QueryKind::Intersection => index.in_square(place, radius),
            });
            let entry = json!({
                "avg_time": seconds, "operations_per_second": 1.0 / seconds.max(1e-12),
                "avg_found": sum as f64 / places.len().max(1) as f64,
            });
            found.insert(query.name().to_owned(), entry);
        }
        Value::Object(found)
    }
}

impl Experiment for IndexProfiler {
    fn execute_once(&mut self, context: &mut Context) -> Result<Metrics, Failure> {
        let mut cases = Vec::new();
        for &algorithm in &self.0.algorithms {
            for &count in &self.0.agent_counts {
                let labels = json!({"index": algorithm.name(), "n": count});
                let found = self.profile(algorithm, count, context.seed());
                cases.push(case(&labels, &found));
            }
        }
        Ok(Metrics::from_iter([(
            "cases".to_owned(),
            Value::Array(cases),
        )]))
    }
}

pub(crate) fn registration() -> Registration {
    About {
        slug: "spatial_index_profiler",
        summary: "Range, nearest and intersection queries on spatial indexes.",
        tags: &["spatial", "indexing", "profiling"],
        params: vec![
            super::algorithms(),
            super::counts(&[100, 500, 1000]),
            Param::number("world_size", 200.0)
                .at_least(1.0)
                .doc("Side of the square world"),
            Param::list("query_types", ParamType::Text, QueryKind::NAMES)
                .one_of(QueryKind::NAMES)
                .doc("Disc, nearest point, square"),
            Param::number("query_radius", 25.0)
                .at_least(0.001)
                .doc("Radius of the disc, half the side of the square"),
            super::steps(100),
        ],
    }
    .registration::<IndexProfiler>()
}
