//! `spatial_comprehensive`: build, range, nearest and update of every index, over sizes, worlds, radii and patterns.

use super::index::Algorithm;
use super::points::Pattern;
use super::timing::{Questions, measure};
use crate::configured::{About, Configured, case};
use fairtrial_experiment::{Context, Experiment, Failure, Metrics, Param, ParamType, Registration};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug, Deserialize)]
struct Knobs {
    algorithms: Vec<Algorithm>,
    agent_counts: Vec<usize>,
    world_sizes: Vec<f64>,
    query_radii: Vec<f64>,
    distributions: Vec<Pattern>,
    steps: usize,
}

struct Comprehensive(Knobs);

impl Configured for Comprehensive {
    type Params = Knobs;

    fn new(params: Knobs) -> Self {
        Self(params)
    }
}

impl Experiment for Comprehensive {
    fn execute_once(&mut self, context: &mut Context) -> Result<Metrics, Failure> {
        let seed = context.seed();
        let mut results = Vec::new();
        let mut cases = Vec::new();
        for &world in &self.0.world_sizes {
            for &count in &self.0.agent_counts {
                for &pattern in &self.0.distributions {
                    let points = pattern.points(count, world, seed);
                    let places = Pattern::Random.points(self.0.steps, world, seed ^ 1);
                    for &radius in &self.0.query_radii {
                        let asked = Questions {
                            world,
                            radius,
                            places: &places,
                        };
                        for &algorithm in &self.0.algorithms {
                            let times = measure(algorithm, &points, &asked);
                            let labels = json!({
                                "index": algorithm.name(), "n": count, "world": world,
                                "radius": radius, "pattern": pattern.name(),
                            });
                            let mut row = json!(times);
                            row["implementation"] = algorithm.name().into();
                            row["entity_count"] = count.into();
                            row["distribution"] = pattern.name().into();
                            row["world_size"] = world.into();
                            row["query_radius"] = radius.into();
                            results.push(row);
                            cases.push(case(&labels, &json!(times)));
                        }
                    }
                }
            }
        }
        Ok([
            ("results".to_owned(), Value::Array(results)),
            ("cases".to_owned(), Value::Array(cases)),
        ]
        .into_iter()
        .collect())
    }
}

pub(crate) fn registration() -> Registration {
    About {
        slug: "spatial_comprehensive",
        summary: "Build, range, nearest and update of spatial indexes over sizes, worlds, radii and patterns.",
        tags: &["spatial", "indexing"],
        params: vec![
            super::algorithms(),
            super::counts(&[100, 500, 1000, 2000]),
            super::worlds(&[100.0, 200.0, 500.0]),
            super::radii(&[10.0, 20.0, 50.0]),
            Param::list("distributions", ParamType::Text, ["uniform"])
                .one_of(Pattern::ALL.map(Pattern::name))
                .doc("How the points lie"),
            super::steps(100),
        ],
    }
    .registration::<Comprehensive>()
}
