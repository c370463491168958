//! `perception_metrics`: observing over agents, radii, storages and ways of sampling, all inside one iteration.

use super::storage::StorageMode;
use crate::configured::{About, Configured, case};
use crate::observation::world::{Observing, World};
use fairtrial_experiment::{Context, Experiment, Failure, Metrics, Param, ParamType, Registration};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug, Deserialize)]
struct Knobs {
    agent_counts: Vec<usize>,
    radii: Vec<usize>,
    storage_modes: Vec<StorageMode>,
    use_bilinear_list: Vec<bool>,
    steps: usize,
    width: usize,
    height: usize,
}

struct Perception(Knobs);

impl Configured for Perception {
    type Params = Knobs;

    fn new(params: Knobs) -> Self {
        Self(params)
    }
}

impl Perception {
    /// Every combination, in the order of the parameters.
    fn cases(&self) -> impl Iterator<Item = Observing> {
        let Knobs {
            steps,
            width,
            height,
            ..
        } = self.0;
        let agents = self.0.agent_counts.iter();
        agents.flat_map(move |&agents| {
            self.0.radii.iter().flat_map(move |&radius| {
                self.0.storage_modes.iter().flat_map(move |&mode| {
                    self.0
                        .use_bilinear_list
                        .iter()
                        .map(move |&bilinear| Observing {
                            width,
                            height,
                            agents,
                            steps,
                            radius,
                            fov_radius: radius as f64,
                            mode,
                            bilinear,
                        })
                })
            })
        })
    }
}

impl Experiment for Perception {
    fn execute_once(&mut self, context: &mut Context) -> Result<Metrics, Failure> {
        let mut runs = Vec::new();
        let mut cases = Vec::new();
        for how in self.cases() {
            let labels = json!({
                "agents": how.agents, "radius": how.radius, "storage": how.mode.name(),
                "sampling": if how.bilinear { "bilinear" } else { "nearest" },
            });
            let mut run = World::new(how, context.seed()).run();
            cases.push(case(&labels, &Value::Object(run.clone())));
            run.insert("radius".to_owned(), how.radius.into());
            run.insert("storage_mode".to_owned(), how.mode.name().into());
            run.insert("use_bilinear".to_owned(), how.bilinear.into());
            runs.push(Value::Object(run));
        }
        Ok([
            ("runs".to_owned(), Value::Array(runs)),
            ("cases".to_owned(), Value::Array(cases)),
        ]
        .into_iter()
        .collect())
    }
}

pub(crate) fn registration() -> Registration {
    About {
        slug: "perception_metrics",
        summary: "Observing over numbers of agents, radii, storages and ways of sampling.",
        tags: &["perception", "observations"],
        params: vec![
            Param::list("agent_counts", ParamType::Whole, [100, 1000, 10_000])
                .at_least(1.0)
                .doc("Agents"),
            Param::list("radii", ParamType::Whole, [5, 8, 10])
                .at_least(1.0)
                .doc("Half the side of the square that is seen, and how far others are seen"),
            Param::list("storage_modes", ParamType::Text, StorageMode::NAMES)
                .one_of(StorageMode::NAMES)
                .doc("How observations are kept"),
            Param::list("use_bilinear_list", ParamType::Bool, [true, false])
                .doc("Blend resources between cells, or take the nearest"),
            Param::whole("steps", 10)
                .at_least(1.0)
                .doc("Steps of each case"),
            Param::whole("width", 200)
                .at_least(1.0)
                .doc("Columns of the world"),
            Param::whole("height", 200)
                .at_least(1.0)
                .doc("Rows of the world"),
            super::device(),
        ],
    }
    .with_metrics::<Perception>(&[super::observes_per_sec()])
}
