//! Runs that Sacred's FileStorageObserver keeps: `<number>/{config,run,metrics}.json`.

use crate::error::InteropError;
use crate::execution::{Execution, Fact, FactKind, Metric};
use crate::folder::entries;
use crate::format::{Format, ReadUnit};
use crate::head::Head;
use crate::input::Input;
use crate::json::Json;
use crate::rules::{Arm, Rules, Subject, way};
use crate::sink::Sink;
use crate::time;
use fairtrial_model::{Number, Outcome};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::path::Path;

/// See the module.
pub(crate) struct Sacred;

const TASK: &[&str] = &["?experiment"];
const RULES: Rules = Rules {
    subject: Subject::Training,
    alone: &[way(Arm::Differing("config."), TASK), way(Arm::None, TASK)],
    side: &[way(Arm::None, TASK)],
    seed: &["config.seed"],
    repeat: &[],
    newest: None,
};

impl Format for Sacred {
    fn name(&self) -> &'static str {
        "sacred"
    }

    fn title(&self) -> &'static str {
        "runs of Sacred"
    }

    fn rules(&self) -> Rules {
        RULES
    }

    fn knows_file(&self, _head: &Head) -> bool {
        false
    }

    fn knows_folder(&self, folder: &Path) -> bool {
        let has = |name: &str| folder.join(name).is_file();
        has("run.json")
            && has("config.json")
            && Head::read(&folder.join("run.json"))
                .is_ok_and(|head| head.has(&["experiment", "status"]))
    }

    /// The points of one `metrics.json`.
    fn read_file(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<(), InteropError> {
        let path = input.path().to_owned();
        points(input, sink)?;
        sink.execution(Execution::of(path));
        Ok(())
    }

    fn read(&self, unit: &ReadUnit, sink: &mut dyn Sink) -> Result<(), InteropError> {
        for folder in &unit.paths {
            if folder.is_file() {
                self.read_file(Input::open(folder)?, sink)?;
            } else {
                run(folder, sink)?;
            }
        }
        Ok(())
    }
}

#[derive(Deserialize)]
struct RunFile {
    #[serde(default)]
    status: String,
    #[serde(default)]
    experiment: Value,
    #[serde(default)]
    host: Value,
    #[serde(default)]
    start_time: Option<String>,
    #[serde(default)]
    stop_time: Option<String>,
    #[serde(default)]
    result: Value,
    #[serde(default)]
    fail_trace: Vec<String>,
}

fn run(folder: &Path, sink: &mut dyn Sink) -> Result<(), InteropError> {
    let read = |name: &str| {
        let input = Input::open(&folder.join(name))?;
        Ok::<_, InteropError>(Json::new(input.name(), input.reader()?))
    };
    let run: RunFile = read("run.json")?.value("run")?;
    let mut execution = Execution::of(folder.join("run.json"));
    let number = folder
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    execution.set_some("run", number);
    execution.set_some("experiment", run.experiment["name"].as_str());
    let config: Map<String, Value> = read("config.json")?.value("config")?;
    super::shared::nested(&mut execution, "config", &config);
    let text = |value: &Option<String>| value.as_deref().and_then(time::from_text);
    execution.started_at = text(&run.start_time);
    execution.ended_at = text(&run.stop_time);
    for (name, key) in [("host", "hostname"), ("cpu", "cpu")] {
        super::shared::fact(sink, FactKind::Machine, name, &run.host[key]);
    }
    if let Some(sources) = run.experiment["repositories"].as_array() {
        let commits = sources
            .iter()
            .filter_map(|source| source["commit"].as_str());
        for commit in commits {
            sink.fact(Fact {
                kind: FactKind::Source,
                name: "commit".to_owned(),
                value: commit.to_owned(),
            });
        }
    }
    match run.status.as_str() {
        "COMPLETED" => {}
        "INTERRUPTED" => execution.fail(Outcome::Cancelled, "Sacred says that it was interrupted"),
        "TIMEOUT" => execution.fail(Outcome::Timeout, "Sacred says that it ran out of time"),
        "FAILED" => {
            let last = run.fail_trace.last().map_or("", |line| line.trim());
            execution.fail(
                Outcome::Failed,
                format!("Sacred says that it failed: {last}"),
            );
        }
        other => execution.fail(
            Outcome::Failed,
            format!("the run has not ended ({other}): it crashed, or still runs"),
        ),
    }
    if let Ok(Number(result)) = Number::deserialize(&run.result) {
        let metric = sink.metric(&Metric::named("result"));
        execution.metrics.push((metric, result));
    }
    // A run that logs nothing has no file.
    let has_metrics = entries(folder)?
        .iter()
        .any(|(path, _)| path.file_name().is_some_and(|name| name == "metrics.json"));
    if has_metrics {
        points(Input::open(&folder.join("metrics.json"))?, sink)?;
    }
    sink.execution(execution);
    Ok(())
}

#[derive(Deserialize)]
struct Series {
    #[serde(default)]
    steps: Vec<Number>,
    #[serde(default)]
    values: Vec<Value>,
}

fn points(input: Input<'_>, sink: &mut dyn Sink) -> Result<(), InteropError> {
    Json::new(input.name(), input.reader()?).object(|name, json| {
        let series: Series = json.value(name)?;
        let metric = sink.metric(&Metric::named(name));
        for (step, value) in series.steps.iter().zip(&series.values) {
            // Numpy's numbers are written with their type.
            let value = value.get("value").unwrap_or(value);
            if let Ok(Number(value)) = Number::deserialize(value) {
                sink.point(metric, step.0, value);
            }
        }
        Ok(())
    })
}
