//! The result file of a trial: the original's schema, and what it leaves out.

use crate::aggregate::Described;
use crate::course::Course;
use crate::instruments::observer::InstrumentFinding;
use crate::reported::{of_instruments, put_beside};
use crate::request::{DriveTask, DriveTrial};
use crate::tools::Tools;
use crate::trouble::Trouble;
use fairtrial_experiment::Artifact;
use fairtrial_experiment::protocol::Sample;
use fairtrial_journal::provenance::{self, CaptureOptions, Environment, Vcs};
use fairtrial_model::{DURATION, UtcTime};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::io::{self, Write};

/// Version of the result file, under `schema_version`; the original has none.
pub const RESULT_SCHEMA: u32 = 1;

/// How an experiment ended, in the word that its result file uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Status {
    /// Everything succeeded.
    Success,
    /// Something failed; earlier samples are kept.
    Failed,
    /// The trial was ended from outside: time limit or user.
    Ended,
}

/// Everything that a trial's experiment left.
#[derive(Debug)]
pub(crate) struct Ending {
    pub(crate) status: Status,
    pub(crate) trouble: Option<Trouble>,
    pub(crate) params: Map<String, Value>,
    pub(crate) versions: Map<String, Value>,
    pub(crate) course: Course,
    pub(crate) samples: Vec<Sample>,
    pub(crate) artifacts: Vec<Artifact>,
    /// What is to be said of files that were named and are not among them.
    pub(crate) remarks: Vec<String>,
    pub(crate) findings: Vec<InstrumentFinding>,
    pub(crate) started_at: UtcTime,
    pub(crate) ended_at: UtcTime,
}

impl Ending {
    /// All files, those of instruments included.
    pub(crate) fn all_artifacts(&self) -> Vec<Artifact> {
        let of_instruments = self.findings.iter().flat_map(|found| &found.artifacts);
        of_instruments.chain(&self.artifacts).cloned().collect()
    }
}

/// The head of the result file: everything but the iterations.
pub(crate) fn head(
    task: &DriveTask,
    trial: &DriveTrial,
    tools: &Tools,
    (ending, described): (&Ending, &Described),
    run_id: &str,
) -> Map<String, Value> {
    let all = described.metrics.iter();
    let metrics: Map<String, Value> = all
        .map(|(name, aggregate)| (name.clone(), aggregate.facts()))
        .collect();
    let environment = environment(task, tools);
    let instruments: Map<String, Value> = ending
        .findings
        .iter()
        .map(|found| {
            let mut summary = found.summary.clone();
            if let Some(why) = &found.absent {
                summary.insert("absent".to_owned(), why.as_str().into());
            }
            (found.name.clone(), Value::Object(summary))
        })
        .collect();
    let mut head = json!({
        "schema_version": RESULT_SCHEMA,
        "name": task.experiment,
        "run_id": run_id,
        "status": ending.status,
        "parameters": ending.params,
        "iterations": ending.course.facts(),
        "seed": trial.key.seed,
        "started_at": ending.started_at,
        "ended_at": ending.ended_at,
        "metrics": metrics,
        "environment": machine(&environment, ending),
        "vcs": vcs(&environment.vcs),
        "artifacts": ending.all_artifacts(),
        "tags": task.tags,
        "notes": task.notes,
        "instruments": instruments,
        "spec": {
            "file": task.spec, "experiment": task.experiment, "origin": task.origin,
            "instrumentation": task.instruments, "output_dir": task.output_dir,
        },
        "fairtrial": {
            "version": tools.version, "run": task.run, "trial": trial.name, "id": trial.id,
            "attempt": trial.attempt, "task": trial.key.task, "arm": trial.key.arm,
            "point": trial.key.point, "rollout": trial.key.rollout,
        },
    });
    if let (Some(trouble), Value::Object(head)) = (&ending.trouble, &mut head) {
        head.insert("error".to_owned(), json!(trouble));
    }
    match head {
        Value::Object(head) => head,
        _ => Map::new(),
    }
}

/// Writes the head and the iterations, one line each: a file with 100,000 of them stays readable.
pub(crate) fn write(
    to: &mut dyn Write,
    head: &Map<String, Value>,
    ending: &Ending,
) -> io::Result<()> {
    let text = serde_json::to_string_pretty(head)?;
    let open = text.trim_end().trim_end_matches('}').trim_end();
    to.write_all(open.as_bytes())?;
    to.write_all(b",\n  \"iteration_metrics\": [")?;
    let observed = by_iteration(&ending.findings);
    for (place, sample) in ending.samples.iter().enumerate() {
        to.write_all(if place == 0 { b"\n    " } else { b",\n    " })?;
        let mut line = iteration(sample);
        for (name, summary) in observed.get(&sample.index).into_iter().flatten() {
            let name = format!("{name}_summary");
            put_beside(&mut line.metrics, name, (*summary).clone());
        }
        serde_json::to_writer(&mut *to, &line)?;
    }
    to.write_all(b"\n  ]\n}\n")
}

/// What instruments found, by the iteration they found it in.
fn by_iteration(findings: &[InstrumentFinding]) -> HashMap<u64, Vec<(&str, &Value)>> {
    let mut found: HashMap<u64, Vec<(&str, &Value)>> = HashMap::new();
    for finding in findings {
        for (index, summary) in &finding.by_iteration {
            let here = found.entry(*index).or_default();
            here.push((finding.name.as_str(), summary));
        }
    }
    found
}

/// A line of the file.
#[derive(Debug, Serialize)]
struct Iteration {
    index: u64,
    duration_s: f64,
    wall_s: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    cpu_s: Option<f64>,
    metrics: Map<String, Value>,
}

fn iteration(sample: &Sample) -> Iteration {
    let wall_s = sample.wall_s();
    let mut metrics = sample.metrics.clone();
    let (instruments, _) = of_instruments(sample);
    metrics.extend(instruments.into_owned());
    let duration_s = metrics
        .get(DURATION)
        .and_then(Value::as_f64)
        .unwrap_or(wall_s);
    metrics.entry(DURATION).or_insert_with(|| json!(duration_s));
    Iteration {
        index: sample.index,
        duration_s,
        wall_s,
        cpu_s: sample.cpu_s(),
        metrics,
    }
}

/// The run's `environment.json`; the first trials of a run may end before it is there, and look themselves.
fn environment(task: &DriveTask, tools: &Tools) -> Environment {
    let read = std::fs::read(&task.environment)
        .ok()
        .and_then(|text| serde_json::from_slice(&text).ok());
    read.unwrap_or_else(|| {
        provenance::capture(&CaptureOptions {
            source_dir: task.base_dir.clone(),
            data_root: task.data_root.clone(),
            environment: tools.environment.clone(),
            variables: Vec::new(),
            programs: Vec::new(),
            version: tools.version.clone(),
            now: (tools.now)(),
            vcs: None,
        })
    })
}

fn machine(environment: &Environment, ending: &Ending) -> Value {
    let host = &environment.host;
    let mut machine = json!({
        "os": format!("{}-{}-{}", host.os, host.kernel, host.arch),
        "machine": host.arch,
        "processor": host.cpu,
        "hostname": host.name,
        "cpu": host.cpu,
        "cores": host.cores,
        "threads": host.threads,
        "memory_bytes": host.memory_bytes,
        "distribution": host.distribution,
        "tools": environment.tools,
        "versions": ending.versions,
    });
    if let Value::Object(machine) = &mut machine {
        machine.retain(|_, value| !value.is_null());
        if let Some(python) = ending.versions.get("python") {
            machine.insert("python".to_owned(), python.clone());
        }
        let gpus = ending
            .findings
            .iter()
            .find_map(|found| found.summary.get("gpus"));
        if let Some(Value::Array(names)) = gpus {
            let gpus = names.iter().map(|name| json!({"name": name})).collect();
            machine.insert("gpus".to_owned(), Value::Array(gpus));
        }
    }
    machine
}

fn vcs(vcs: &Vcs) -> Value {
    match vcs {
        Vcs::Git(state) => {
            json!({"commit": state.commit, "branch": state.branch, "dirty": state.dirty})
        }
        Vcs::Unknown { reason } => {
            json!({"commit": null, "branch": null, "dirty": null, "reason": reason})
        }
    }
}
