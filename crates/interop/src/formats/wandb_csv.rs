//! W&B's exports: a chart (`Step`, then a column for each run), or the table of runs (one row for each).
//!
//! A chart names its columns `run - metric`, with the smallest and largest value of each point beside it.

use crate::error::InteropError;
use crate::execution::{Execution, Metric, MetricId};
use crate::format::Format;
use crate::head::Head;
use crate::input::Input;
use crate::rules::{Arm, Rules, Subject, way};
use crate::sink::Sink;
use crate::table::Table;
use fairtrial_model::{Number, Outcome};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

/// See the module.
pub(crate) struct WandbCsv;

const RULES: Rules = Rules {
    subject: Subject::Training,
    alone: &[
        way(Arm::Fields(&["group"]), &[]),
        way(Arm::Fields(&["arm"]), &[]),
        way(Arm::Differing("config."), &[]),
        way(Arm::None, &[]),
    ],
    side: &[way(Arm::None, &[])],
    seed: &["seed"],
    repeat: &[],
    newest: None,
};
/// Titles of the step in charts.
const STEPS: [&str; 3] = ["Step", "_step", "step"];
/// Columns of the table of runs that say who a run is, with the names of their fields.
const WHO: [(&str, &str); 10] = [
    ("Name", "name"),
    ("State", "state"),
    ("Notes", "notes"),
    ("User", "user"),
    ("Tags", "tags"),
    ("Created", "created"),
    ("Group", "group"),
    ("Sweep", "sweep"),
    ("ID", "run"),
    ("Job Type", "job_type"),
];

impl Format for WandbCsv {
    fn name(&self) -> &'static str {
        "wandb-csv"
    }

    fn title(&self) -> &'static str {
        "an export of W&B (CSV)"
    }

    fn rules(&self) -> Rules {
        RULES
    }

    fn knows_file(&self, head: &Head) -> bool {
        let titles = head.titles(b',');
        is_chart(&titles) || is_runs(&titles)
    }

    fn read_file(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<(), InteropError> {
        let path = input.path().to_owned();
        let table = Table::open(input.name(), input.reader()?, b',')?;
        if is_chart(table.titles()) {
            chart(table, &path, sink)
        } else {
            table.require(&["Name", "State"])?;
            runs(table, &path, sink)
        }
    }
}

fn is_chart(titles: &[String]) -> bool {
    let first = titles.first().map(String::as_str);
    first.is_some_and(|first| STEPS.contains(&first))
        && titles.len() > 1
        && titles.iter().any(|title| title.contains(" - "))
}

fn is_runs(titles: &[String]) -> bool {
    let has = |wanted: &str| titles.iter().any(|title| title == wanted);
    has("Name") && has("State") && (has("Runtime") || has("Created"))
}

/// A run's column in a chart.
struct Drawn {
    run: String,
    metric: MetricId,
    column: usize,
    points: Vec<(f64, f64)>,
}

/// A chart has runs side by side, and points of a run come one by one: its numbers are kept until its end.
fn chart<R: Read>(
    mut table: Table<R>,
    path: &Path,
    sink: &mut dyn Sink,
) -> Result<(), InteropError> {
    let mut drawn: Vec<Drawn> = Vec::new();
    for (column, title) in table.titles().iter().enumerate().skip(1) {
        let bounds = title.ends_with("__MIN") || title.ends_with("__MAX");
        let Some((run, metric)) = title.rsplit_once(" - ").filter(|_| !bounds) else {
            continue;
        };
        // The step that other charts are drawn over stands beside the metric.
        if !STEPS.contains(&metric) {
            drawn.push(Drawn {
                run: run.to_owned(),
                metric: sink.metric(&Metric::named(metric)),
                column,
                points: Vec::new(),
            });
        }
    }
    while table.advance()? {
        let step = table.at(0).and_then(Number::parse);
        let Some(Number(step)) = step else {
            return Err(table.wrong("the step is no number"));
        };
        for of in &mut drawn {
            let Some(cell) = table.at(of.column) else {
                continue;
            };
            let Some(Number(value)) = Number::parse(cell) else {
                return Err(table.wrong(format!("`{cell}` is not a number ({})", of.run)));
            };
            of.points.push((step, value));
        }
    }
    let mut by_run: BTreeMap<&str, Vec<&Drawn>> = BTreeMap::new();
    let mut order: Vec<&str> = Vec::new();
    for of in &drawn {
        if !by_run.contains_key(of.run.as_str()) {
            order.push(&of.run);
        }
        by_run.entry(&of.run).or_default().push(of);
    }
    for run in order {
        for of in &by_run[run] {
            for (step, value) in &of.points {
                sink.point(of.metric, *step, *value);
            }
        }
        let mut execution = Execution::of(path);
        crate::run_name::describe(&mut execution, Path::new(run));
        execution.set("run", run);
        if execution.fields.get("seed").is_some() {
            let name = execution.fields.get("name").cloned();
            execution.fields.set("arm", name.unwrap_or_default());
        }
        sink.execution(execution);
    }
    Ok(())
}

/// A row for each run: words are config, numbers may be config or summary, and stand as both.
fn runs<R: Read>(
    mut table: Table<R>,
    path: &Path,
    sink: &mut dyn Sink,
) -> Result<(), InteropError> {
    let titles: Vec<String> = table.titles().to_vec();
    while table.advance()? {
        let mut execution = Execution::of(path);
        for (column, title) in titles.iter().enumerate() {
            let Some(cell) = table.at(column) else {
                continue;
            };
            if let Some((_, field)) = WHO.iter().find(|(who, _)| who == title) {
                execution.set(field, cell);
                continue;
            }
            execution.set(&format!("config.{title}"), cell);
            if let Some(Number(value)) = Number::parse(cell) {
                let metric = sink.metric(&Metric::named(title));
                execution.metrics.push((metric, value));
            }
        }
        let state = table.cell("State").unwrap_or_default();
        match state {
            "finished" | "" => {}
            "killed" => execution.fail(Outcome::Cancelled, "W&B says that it was killed"),
            other => execution.fail(Outcome::Failed, format!("W&B says that it {other}")),
        }
        sink.execution(execution);
    }
    Ok(())
}
