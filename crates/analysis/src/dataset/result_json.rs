//! The result file of a registered experiment (`iteration_metrics`, `environment`, `vcs`) as trials to compare.
//!
//! One such file is one process: its iterations are repetitions inside it, not independent runs. That is said with
//! every result made from them. Of several files the processes are what there is to compare, each by its means.

use super::{Dataset, FactKind, Origin, Repeat};
use crate::error::AnalysisError;
use fairtrial_experiment::Origin as ExperimentOrigin;
use fairtrial_journal::observation::{Key, Metrics, Observation, Used};
use fairtrial_model::{DURATION, Direction, Leaf, MetricDeclaration, Outcome, Params, each_leaf};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

#[derive(Deserialize)]
struct ResultFile {
    name: String,
    #[serde(default)]
    run_id: String,
    #[serde(default)]
    parameters: Map<String, Value>,
    /// `success`, or how else the trial ended; files that do not say count as whole.
    #[serde(default)]
    status: Option<String>,
    #[serde(default)]
    iterations: Asked,
    iteration_metrics: Vec<Iteration>,
    #[serde(default)]
    environment: Map<String, Value>,
    #[serde(default)]
    vcs: Map<String, Value>,
    /// What the spec said; the original's files have none.
    #[serde(default)]
    spec: Option<Asks>,
}

#[derive(Deserialize)]
struct Asks {
    #[serde(default)]
    origin: Option<ExperimentOrigin>,
}

/// How many iterations were asked for.
#[derive(Default, Deserialize)]
struct Asked {
    #[serde(default)]
    measured: u64,
}

#[derive(Deserialize)]
struct Iteration {
    index: u64,
    #[serde(default)]
    duration_s: Option<f64>,
    #[serde(default)]
    metrics: Map<String, Value>,
}

/// Whose program measured, where two programs have experiments of the same names.
const ORIGINAL: &str = "AgentFarm";
pub(super) const BUILT_IN: &str = "built into Fairtrial";

/// The status of a trial in which nothing went wrong.
const SUCCESS: &str = "success";

/// Throughputs that the original system compares; more is better.
const THROUGHPUTS: [&str; 3] = [
    "observes_per_sec",
    "operations_per_second",
    "iterations_per_second",
];

impl Dataset {
    /// Reads a result file's text.
    pub fn from_result_json(label: &str, text: &str) -> Result<Self, AnalysisError> {
        let file = read(label, text)?;
        let mut data = Self::new(label, file.origin());
        data.repeat = Repeat::Iteration;
        for iteration in &file.iteration_metrics {
            let values = values_of(iteration);
            data.push(&observation(&file, iteration.index, Outcome::Ok, values));
        }
        let missing = missing(label, &file)?;
        if let Some(index) = missing.first() {
            // Whoever loses its iterations must not look better for it; but it was one process that failed, once.
            data.push(&observation(&file, *index, Outcome::Failed, Vec::new()));
        }
        data.problems = problem(&file, missing.len()).into_iter().collect();
        data.declared = declarations(&data);
        data.measured = MetricDeclaration::worker_clocks().into();
        add_facts(&mut data, &file);
        Ok(data)
    }

    /// Reads the texts of several result files: processes of one side, each of which is one observation by the means of its
    /// iterations. One that lost iterations is one failure.
    pub fn from_result_files(
        label: &str,
        files: &[(String, String)],
    ) -> Result<Self, AnalysisError> {
        if let [(name, text)] = files {
            return Self::from_result_json(name, text);
        }
        let mut data: Option<Self> = None;
        let mut first: Option<ResultFile> = None;
        for (process, (name, text)) in (0..).zip(files) {
            let file = read(name, text)?;
            if let Some(known) = &first {
                same_work(name, known, &file)?;
            }
            let data = data.get_or_insert_with(|| Self::new(label, file.origin()));
            let missing = missing(name, &file)?;
            let (outcome, values) = if missing.is_empty() {
                (Outcome::Ok, means(&file))
            } else {
                (Outcome::Failed, Vec::new())
            };
            data.push(&observation(&file, process, outcome, values));
            data.problems.extend(problem(&file, missing.len()));
            add_facts(data, &file);
            first.get_or_insert(file);
        }
        let mut data = data.ok_or_else(|| AnalysisError::Content {
            label: label.to_owned(),
            message: "no result file".to_owned(),
        })?;
        data.declared = declarations(&data);
        data.measured = MetricDeclaration::worker_clocks().into();
        Ok(data)
    }

    /// Notes whose program an experiment is.
    pub(super) fn implemented_by(&mut self, whose: &str) {
        self.fact(FactKind::Implementation, "implementation", whose);
    }

    /// Whether a text is that of a result file.
    pub fn is_result_json(text: &str) -> bool {
        #[derive(Deserialize)]
        struct Key {
            #[serde(rename = "iteration_metrics")]
            _iterations: Vec<serde::de::IgnoredAny>,
        }
        serde_json::from_str::<Key>(text).is_ok()
    }
}

/// Processes of one side did the same: points of a sweep are not repetitions of each other.
fn same_work(label: &str, first: &ResultFile, file: &ResultFile) -> Result<(), AnalysisError> {
    let differs = if file.name != first.name {
        format!("of the experiment `{}`", file.name)
    } else if file.parameters != first.parameters {
        "of other parameters".to_owned()
    } else {
        return Ok(());
    };
    Err(AnalysisError::Content {
        label: label.to_owned(),
        message: format!(
            "its result is {differs}, unlike the first of its folder: a side is one experiment with one set of parameters, in \
             several processes"
        ),
    })
}

fn read(label: &str, text: &str) -> Result<ResultFile, AnalysisError> {
    serde_json::from_str(text).map_err(|error| AnalysisError::Content {
        label: label.to_owned(),
        message: if text.trim().is_empty() {
            "the file is empty".to_owned()
        } else {
            format!("not a result file: {error}")
        },
    })
}

impl ResultFile {
    fn origin(&self) -> Origin {
        Origin::ResultJson {
            run_id: self.run_id.clone(),
        }
    }
}

/// What the other side should share; what files of one side have in common is said once.
fn add_facts(data: &mut Dataset, file: &ResultFile) {
    let known = data.facts.len();
    for (name, value) in &file.parameters {
        data.fact(FactKind::Parameters, name, Params::display(value));
    }
    for (name, value) in &file.environment {
        data.fact(FactKind::Machine, name, Params::display(value));
    }
    vcs_facts(data, &file.vcs);
    match &file.spec {
        None => data.implemented_by(ORIGINAL),
        Some(asks) if asks.origin == Some(ExperimentOrigin::Builtin) => {
            data.implemented_by(BUILT_IN);
        }
        Some(_) => {}
    }
    let added = data.facts.split_off(known);
    for fact in added {
        if !data.facts.contains(&fact) {
            data.facts.push(fact);
        }
    }
}

/// The values of every metric in the iterations of a result file; none where the text is not one.
pub(crate) fn iterations_of(text: &str) -> Vec<(String, Vec<f64>)> {
    let file = serde_json::from_str::<ResultFile>(text);
    file.map_or_else(|_| Vec::new(), |file| columns(&file))
}

/// The values of every metric, in the order in which the iterations first name them.
fn columns(file: &ResultFile) -> Vec<(String, Vec<f64>)> {
    let mut columns: Vec<(String, Vec<f64>)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (name, value) in file.iteration_metrics.iter().flat_map(values_of) {
        let place = *places.entry(name.into_owned()).or_insert_with_key(|name| {
            columns.push((name.clone(), Vec::new()));
            columns.len() - 1
        });
        columns[place].1.push(value);
    }
    columns
}

/// The mean of every metric that an iteration has.
fn means(file: &ResultFile) -> Vec<(Cow<'_, str>, f64)> {
    let means = columns(file).into_iter().map(|(name, values)| {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        (Cow::Owned(name), mean)
    });
    means.collect()
}

/// Missing iterations that are counted as failures; a file that claims more is not believed.
const MOST_MISSING: u64 = 1_000_000;

/// The iterations that were asked for and are not there.
fn missing(label: &str, file: &ResultFile) -> Result<Vec<u64>, AnalysisError> {
    let there: BTreeSet<u64> = file.iteration_metrics.iter().map(|of| of.index).collect();
    let asked = file.iterations.measured;
    let lost = asked - there.range(..asked).count() as u64;
    if lost > MOST_MISSING {
        return Err(AnalysisError::Content {
            label: label.to_owned(),
            message: format!(
                "{asked} iterations were asked for and {} are there: more than {MOST_MISSING} are missing, so it is no result \
                 to compare",
                file.iteration_metrics.len()
            ),
        });
    }
    let is_missing = |index: &u64| !there.contains(index);
    Ok((0..asked).filter(is_missing).collect())
}

/// What a reader must know of a trial that did not end well.
fn problem(file: &ResultFile, missing: usize) -> Option<String> {
    let status = file.status.as_deref().unwrap_or(SUCCESS);
    if status == SUCCESS && missing == 0 {
        return None;
    }
    let counted = match missing {
        0 => "all its iterations are there".to_owned(),
        _ => format!(
            "{missing} of its {} iterations are not there, which counts as one failure",
            file.iterations.measured
        ),
    };
    let id = &file.run_id;
    Some(format!(
        "result {id}: the trial ended as `{status}`; {counted}"
    ))
}

fn observation<'a>(
    file: &'a ResultFile,
    index: u64,
    outcome: Outcome,
    values: Vec<(Cow<'a, str>, f64)>,
) -> Observation<'a> {
    let wall = values.iter().find(|(name, _)| name == DURATION);
    Observation {
        trial: Key {
            index,
            task: Cow::Borrowed(&file.name),
            arm: None,
            point: Params::new(),
            seed: 0,
            rollout: index as u32,
        },
        id: Cow::Borrowed(&file.run_id),
        outcome,
        resources: Used {
            wall: wall.map(|(_, seconds)| *seconds),
            ..Used::default()
        },
        samples: std::collections::BTreeMap::new(),
        series: std::collections::BTreeMap::new(),
        facts: std::collections::BTreeMap::new(),
        notes: Vec::new(),
        code: None,
        dir: Cow::default(),
        reused_from: None,
        metrics: Metrics(values),
    }
}

fn values_of(iteration: &Iteration) -> Vec<(Cow<'_, str>, f64)> {
    let mut values = Vec::new();
    each_leaf("", &iteration.metrics, &mut |name, leaf| {
        if let Leaf::Number(number) = leaf {
            push(&mut values, name, number);
        }
    });
    if let Some(seconds) = iteration.duration_s {
        push(&mut values, DURATION.to_owned(), seconds);
    }
    values
}

/// Of a name that comes twice (`a.b`, and `b` inside of `a`) the first counts, as in records.
fn push(values: &mut Vec<(Cow<'_, str>, f64)>, name: String, value: f64) {
    if !values.iter().any(|(known, _)| *known == name) {
        values.push((Cow::Owned(name), value));
    }
}

/// Which way is better for the metrics that the original compares; the others stay undeclared.
fn declarations(data: &Dataset) -> Vec<MetricDeclaration> {
    let known = [(DURATION, Direction::Down)];
    let throughputs = THROUGHPUTS.map(|name| (name, Direction::Up));
    let reported = |name: &str| data.columns.iter().any(|column| column.name == name);
    let all = known.into_iter().chain(throughputs);
    all.filter(|(name, _)| reported(name))
        .map(|(name, direction)| MetricDeclaration {
            direction: Some(direction),
            unit: (direction == Direction::Down).then(|| "s".to_owned()),
            ..MetricDeclaration::named(name)
        })
        .collect()
}

fn vcs_facts(data: &mut Dataset, vcs: &Map<String, Value>) {
    if let Some(commit) = vcs.get("commit").and_then(Value::as_str) {
        data.fact(FactKind::Source, "commit", commit);
    }
    if vcs.get("dirty").and_then(Value::as_bool) == Some(true) {
        data.fact(FactKind::DirtyTree, "uncommitted changes", "yes");
    }
}
