//! `observation_flow`: how many observations per second agents on a grid can make.

use super::storage::StorageMode;
use crate::configured::{About, Configured};
use crate::observation::world::{Observing, World};
use fairtrial_experiment::{Context, Experiment, Failure, Metrics, Param, Registration};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
struct Knobs {
    width: usize,
    height: usize,
    num_agents: usize,
    steps: usize,
    radius: usize,
    fov_radius: f64,
    storage_mode: StorageMode,
    use_bilinear: bool,
}

struct Flow(Observing);

impl Configured for Flow {
    type Params = Knobs;

    fn new(params: Knobs) -> Self {
        Self(Observing {
            width: params.width,
            height: params.height,
            agents: params.num_agents,
            steps: params.steps,
            radius: params.radius,
            fov_radius: params.fov_radius,
            mode: params.storage_mode,
            bilinear: params.use_bilinear,
        })
    }
}

impl Experiment for Flow {
    fn execute_once(&mut self, context: &mut Context) -> Result<Metrics, Failure> {
        Ok(World::new(self.0, context.seed()).run())
    }
}

pub(crate) fn registration() -> Registration {
    About {
        slug: "observation_flow",
        summary: "Observations per second of agents that look around themselves on a grid.",
        tags: &["perception"],
        params: vec![
            Param::whole("width", 200)
                .at_least(1.0)
                .doc("Columns of the world"),
            Param::whole("height", 200)
                .at_least(1.0)
                .doc("Rows of the world"),
            Param::whole("num_agents", 200).at_least(1.0).doc("Agents"),
            Param::whole("steps", 100)
                .at_least(1.0)
                .doc("Steps per iteration"),
            Param::whole("radius", 6)
                .at_least(1.0)
                .doc("Half the side of the square that is seen"),
            Param::number("fov_radius", 6.0)
                .at_least(0.0)
                .doc("How far other agents are seen"),
            Param::text("storage_mode", "hybrid")
                .one_of(StorageMode::NAMES)
                .doc("How observations are kept"),
            Param::bool("use_bilinear", true).doc("Blend resources between cells"),
            super::device(),
        ],
    }
    .with_metrics::<Flow>(&[super::observes_per_sec()])
}
