//! MLflow's file store (`mlruns/<experiment>/<run>/`): a small file for each metric, parameter and tag.

use crate::error::{FilePlace, InteropError};
use crate::execution::{Execution, Metric};
use crate::folder::entries;
use crate::format::{Format, ReadUnit};
use crate::head::Head;
use crate::input::Input;
use crate::lines::Lines;
use crate::rules::{Arm, Rules, Subject, way};
use crate::sink::Sink;
use crate::time;
use fairtrial_model::{Number, Outcome};
use std::io::Read;
use std::path::{Path, PathBuf};

/// See the module.
pub(crate) struct MlflowFiles;

const META: &str = "meta.yaml";
/// Bytes of a parameter or tag.
const MOST_TEXT: u64 = 64 << 10;
/// How deep names of metrics nest: each `/` is a folder.
const DEPTH: usize = 8;
const TASK: &[&str] = &["?experiment"];

/// Also those of the other stores.
pub(super) const RULES: Rules = Rules {
    subject: Subject::Training,
    alone: &[way(Arm::Differing("param."), TASK), way(Arm::None, TASK)],
    side: &[way(Arm::None, TASK)],
    seed: &[],
    repeat: &[],
    newest: None,
};

impl Format for MlflowFiles {
    fn name(&self) -> &'static str {
        "mlflow"
    }

    fn title(&self) -> &'static str {
        "runs of MLflow (files)"
    }

    fn rules(&self) -> Rules {
        RULES
    }

    fn knows_file(&self, _head: &Head) -> bool {
        false
    }

    fn knows_folder(&self, folder: &Path) -> bool {
        is_run(folder) || is_experiment(folder) || {
            let inside = entries(folder).unwrap_or_default();
            inside
                .iter()
                .any(|(path, is_folder)| *is_folder && is_experiment(path))
        }
    }

    /// One file of a metric's points, for those who have nothing else.
    fn read_file(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<(), InteropError> {
        let path = input.path().to_owned();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        points(input, &name, sink)?;
        sink.execution(Execution::of(&path));
        Ok(())
    }

    fn read(&self, unit: &ReadUnit, sink: &mut dyn Sink) -> Result<(), InteropError> {
        for path in &unit.paths {
            if path.is_file() {
                self.read_file(Input::open(path)?, sink)?;
            } else if is_run(path) {
                let experiment = path.parent().map(experiment_name).transpose()?.flatten();
                run(path, experiment.as_deref(), sink)?;
            } else if is_experiment(path) {
                experiment(path, sink)?;
            } else {
                for (path, _) in entries(path)? {
                    if is_experiment(&path) {
                        experiment(&path, sink)?;
                    }
                }
            }
        }
        Ok(())
    }
}

fn is_run(folder: &Path) -> bool {
    let meta = Meta::read(folder);
    meta.is_ok_and(|meta| meta.get("run_id").or(meta.get("run_uuid")).is_some())
}

fn is_experiment(folder: &Path) -> bool {
    let meta = Meta::read(folder);
    meta.is_ok_and(|meta| meta.get("artifact_location").is_some() && meta.get("run_id").is_none())
}

fn experiment_name(folder: &Path) -> Result<Option<String>, InteropError> {
    if !folder.join(META).is_file() {
        return Ok(None);
    }
    Ok(Meta::read(folder)?.get("name").map(str::to_owned))
}

fn experiment(folder: &Path, sink: &mut dyn Sink) -> Result<(), InteropError> {
    let name = experiment_name(folder)?;
    for (path, is_folder) in entries(folder)? {
        if is_folder && is_run(&path) {
            run(&path, name.as_deref(), sink)?;
        }
    }
    Ok(())
}

fn run(folder: &Path, experiment: Option<&str>, sink: &mut dyn Sink) -> Result<(), InteropError> {
    let meta = Meta::read(folder)?;
    if meta.get("lifecycle_stage") == Some("deleted") {
        sink.note(format!(
            "{}: the run is deleted and left out",
            folder.display()
        ));
        return Ok(());
    }
    let mut execution = Execution::of(folder);
    execution.set_some("run", meta.get("run_id").or(meta.get("run_uuid")));
    execution.set_some("name", meta.get("run_name"));
    execution.set_some("experiment", experiment);
    each_file(&folder.join("params"), &mut |name, path| {
        execution.set(&format!("param.{name}"), text(path)?);
        Ok(())
    })?;
    each_file(&folder.join("tags"), &mut |name, path| {
        if !name.starts_with("mlflow.") {
            execution.set(&format!("tag.{name}"), text(path)?);
        }
        Ok(())
    })?;
    each_file(&folder.join("metrics"), &mut |name, path| {
        points(Input::open(path)?, name, sink)
    })?;
    let at = |key: &str| {
        let millis: Option<f64> = meta.get(key).and_then(|text| text.parse().ok());
        millis.and_then(|millis| time::from_seconds(millis / 1000.0))
    };
    execution.started_at = at("start_time");
    execution.ended_at = at("end_time");
    ended(&mut execution, meta.get("status").unwrap_or_default());
    sink.execution(execution);
    Ok(())
}

/// How a run ended, by MLflow's number or word for it.
pub(crate) fn ended(execution: &mut Execution, status: &str) {
    match status {
        "3" | "FINISHED" => {}
        "4" | "FAILED" => execution.fail(Outcome::Failed, "MLflow says that the run failed"),
        "5" | "KILLED" => execution.fail(Outcome::Cancelled, "MLflow says that it was killed"),
        other => execution.fail(
            Outcome::Failed,
            format!(
                "the run has not ended ({}): it crashed, or still runs",
                word(other)
            ),
        ),
    }
}

fn word(status: &str) -> &str {
    match status {
        "1" => "RUNNING",
        "2" => "SCHEDULED",
        "" => "no status",
        other => other,
    }
}

/// The points of a metric: a time, a value and a step on each line.
fn points(input: Input<'_>, name: &str, sink: &mut dyn Sink) -> Result<(), InteropError> {
    let metric = sink.metric(&Metric::named(name));
    let mut lines = Lines::new(input.name(), input.reader()?);
    while lines.advance()? {
        if lines.is_blank() {
            continue;
        }
        let text = lines.text();
        let mut words = text.split_whitespace().skip(1);
        let value = words.next().and_then(Number::parse);
        let step = words.next().map_or(Some(Number(0.0)), Number::parse);
        let (Some(Number(value)), Some(Number(step))) = (value, step) else {
            if lines.is_whole() {
                return Err(lines.wrong("expected a time, a value and a step"));
            }
            // A run that was killed while it wrote.
            break;
        };
        sink.point(metric, step, value);
    }
    Ok(())
}

/// Shows every file below a folder by its name, in which folders are parts.
fn each_file(
    folder: &Path,
    each: &mut dyn FnMut(&str, &Path) -> Result<(), InteropError>,
) -> Result<(), InteropError> {
    let mut open: Vec<(PathBuf, String, usize)> = vec![(folder.to_owned(), String::new(), 0)];
    while let Some((folder, prefix, depth)) = open.pop() {
        if !folder.is_dir() {
            continue;
        }
        for (path, is_folder) in entries(&folder)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let name = format!("{prefix}{name}");
            if !is_folder {
                each(&name, &path)?;
            } else if depth < DEPTH {
                open.push((path, format!("{name}/"), depth + 1));
            }
        }
    }
    Ok(())
}

fn text(path: &Path) -> Result<String, InteropError> {
    let mut text = Vec::new();
    let input = Input::open(path)?;
    let read = input.reader()?.take(MOST_TEXT).read_to_end(&mut text);
    read.map_err(InteropError::io(path))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// A `meta.yaml`: keys and plain values, one on each line.
struct Meta(Vec<(String, String)>);

impl Meta {
    fn read(folder: &Path) -> Result<Self, InteropError> {
        let path = folder.join(META);
        let text = text(&path)?;
        let mut pairs = Vec::new();
        for (number, line) in text.lines().enumerate() {
            // Lists and nested tables are not asked for.
            if line.starts_with([' ', '-', '#']) || line.trim().is_empty() {
                continue;
            }
            let Some((key, value)) = line.split_once(':') else {
                let place = FilePlace::of(path.display().to_string()).line(number as u64 + 1);
                return Err(InteropError::content(place, "expected `key: value`"));
            };
            pairs.push((key.trim().to_owned(), plain(value.trim())));
        }
        Ok(Self(pairs))
    }

    fn get(&self, key: &str) -> Option<&str> {
        let found = self.0.iter().find(|(known, _)| known == key);
        let value = found.map(|(_, value)| value.as_str());
        value.filter(|value| !matches!(*value, "" | "null" | "~"))
    }
}

/// A scalar without its quotes.
fn plain(text: &str) -> String {
    if let Some(inner) = text.strip_prefix('\'').and_then(|t| t.strip_suffix('\'')) {
        return inner.replace("''", "'");
    }
    if text.starts_with('"') {
        return serde_json::from_str(text).unwrap_or_else(|_| text.to_owned());
    }
    text.to_owned()
}
