//! The readers, each with files that it reads: those of `corpus/`, and examples of the crate that it is in.

use crate::agents::agents;
use crate::importers::importers;
use fairtrial_analysis::Dataset;
use fairtrial_analysis::curves::Histories;
use fairtrial_analysis::registration::Registration;
use fairtrial_engine::remote::read_answer;
use fairtrial_experiment::protocol::{Reply, Request};
use fairtrial_journal::provenance::Environment;
use fairtrial_journal::{DataRoot, RunState, line_hashes, read_journal, record_from_line};
use fairtrial_model::{MetricDeclaration, Params, Resources, TrialKey};
use fairtrial_report::seal::check;
use fairtrial_series::{COLUMNS_FILE, Reading, TrialCurves};
use fairtrial_spec::{FileCheck, Filter, Format, LoadOptions, Style, load_text, render};
use fairtrial_table::{Origins, Table, diff};
use fairtrial_trial::collect;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

type Read = Box<dyn Fn(&[u8]) + Send + Sync>;

/// A reader, and files that it reads.
pub struct Target {
    /// Its name.
    pub name: String,
    /// Files that it reads, by name.
    pub files: Vec<(String, Vec<u8>)>,
    /// The reader.
    pub(crate) read: Read,
}

impl Target {
    pub(crate) fn new(name: &str, read: impl Fn(&[u8]) + Send + Sync + 'static) -> Self {
        Self {
            name: name.to_owned(),
            files: corpus(name),
            read: Box::new(read),
        }
    }

    /// The same behind the sums of lines: each line is given the sum that it needs, as by somebody who forges it.
    fn sealed(self) -> Self {
        let read = self.read;
        Self {
            name: format!("{}-sealed", self.name),
            files: self.files,
            read: Box::new(move |bytes| read(&sealed(bytes))),
        }
    }

    /// A reader of text.
    fn text(name: &str, read: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self::new(name, move |bytes| read(&String::from_utf8_lossy(bytes)))
    }
}

/// The files of a target in `corpus/`, in the order of their names.
fn corpus(name: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(name);
    let entries =
        fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let read = |path: PathBuf| {
        let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        (
            format!("{name}/{}", path.file_name().unwrap_or_default().display()),
            bytes,
        )
    };
    paths.into_iter().map(read).collect()
}

/// All of them.
pub fn targets() -> Vec<Target> {
    let mut targets = vec![
        Target::text("spec-toml", |text| spec(text, Format::Toml)),
        Target::text("spec-yaml", |text| spec(text, Format::Yaml)),
        Target::text("spec-json", |text| spec(text, Format::Json)),
        Target::text("filter", filter),
        journal(),
        journal().sealed(),
        record(),
        record().sealed(),
        Target::new("environment", |bytes| {
            let _ = serde_json::from_slice::<Environment>(bytes);
        }),
        metrics(),
        episodes(),
        Target::text("seal", |text| {
            let _ = check(text);
        }),
        histories(),
        columns(),
        Target::text("result", |text| {
            let _ = Dataset::from_result_json("a.json", text);
        }),
        Target::text("baseline", |text| {
            let _ = Dataset::from_baseline("a.json", text);
        }),
        Target::text("table-as-data", |text| {
            let _ = Dataset::from_csv("a.csv", text);
        }),
        Target::new("table", table),
        Target::new("origins", |bytes| {
            let _ = Origins::parse(bytes);
        }),
        Target::new("registration", |bytes| {
            let _ = Registration::read(bytes);
        }),
        Target::new("worker", |bytes| {
            let _ = serde_json::from_slice::<Request>(bytes);
            let _ = serde_json::from_slice::<Reply>(bytes);
        }),
        Target::text("scheduler", read_answer),
    ];
    targets.extend(agents());
    targets.extend(importers());
    targets
}

fn spec(text: &str, format: Format) {
    let options = LoadOptions {
        files: FileCheck::Ignore,
        ..LoadOptions::default()
    };
    let loaded = load_text("spec", text, format, &options);
    let style = Style {
        color: false,
        width: 80,
    };
    let drawn = render(&loaded.diagnostics, &loaded.sources, style);
    assert_eq!(drawn.is_empty(), loaded.diagnostics.is_empty());
}

fn filter(text: &str) {
    let Ok(filter) = Filter::parse(text) else {
        return;
    };
    let trial = TrialKey {
        index: 3,
        task: "train".to_owned(),
        arm: Some("control".to_owned()),
        point: Params::default(),
        seed: 1072,
        rollout: 0,
    };
    filter.matches(&trial, &Params::default());
    let _ = filter.check_places(20);
}

/// A folder of one process, on a file system in memory where there is one.
pub(crate) fn folder() -> TempDir {
    let made = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
    made.unwrap_or_else(|error| panic!("no folder for the input: {error}"))
}

pub(crate) fn write(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

fn journal() -> Target {
    let folder = folder();
    Target::new("journal", move |bytes| {
        let path = folder.path().join("journal.jsonl");
        write(&path, bytes);
        if let Ok(reader) = read_journal(&path) {
            reader.for_each(drop);
        }
        if let Ok(hashes) = line_hashes(&path) {
            hashes.for_each(drop);
        }
        if let Ok(state) = RunState::read(&path) {
            state.problem_sentences().for_each(drop);
            state.trials().for_each(drop);
        }
    })
}

fn record() -> Target {
    Target::new("record", |bytes| {
        let line = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let _ = record_from_line(line);
    })
}

/// Every line with its right sum.
fn sealed(bytes: &[u8]) -> Vec<u8> {
    const SUM: &[u8] = b",\"crc\":\"";
    let mut lines = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        let body = line.windows(SUM.len()).rposition(|part| part == SUM);
        let body = &line[..body.unwrap_or(line.len())];
        if !body.is_empty() {
            let sum = format!("{:08x}\"}}\n", crc32fast::hash(body));
            lines.extend([body, SUM, sum.as_bytes()].concat());
        }
    }
    lines
}

/// Metrics from every kind of file that a trial can leave: all of them have the same bytes.
const MEASURED: &str = r#"
name = "fuzz"
command = "true"
[metrics]
reward = { direction = "up", summary = { type = "auc", percent = 0.5 } }
steps = { from = "jsonl:metrics.jsonl#reward", direction = "up", summary = { type = "time_to", threshold = 0.3 } }
column = { from = "csv:out.csv#reward" }
pointer = { from = "json:out.json#/scores/0" }
said = { from = "stdout:loss=([0-9.]+)" }
block = { from = "block:RESULT#reward" }
solved = { from = "episodes:eval", share = { success = 1 }, where = { step = { min = 1 } } }
steps_of_episodes = { from = "episodes:eval", mean = "step", episodes = ":10" }
[episode_files.eval]
file = "out.csv"
"#;

/// Metrics of episodes: one row for each, and several.
const EPISODES: &str = r#"
name = "fuzz"
command = "true"
[metrics]
solved = { from = "episodes:rows", share = { success = 1 }, where = { step = { min = 1 } } }
reward = { from = "episodes:groups", mean = "total", episodes = "1:" }
steps = { from = "episodes:groups", mean = "step" }
[episode_files.rows]
file = "*/eval.csv"
[episode_files.groups]
file = "evals/eval.csv"
episode = { repeats = "task" }
values = { total = { sum = "reward" } }
"#;

fn measured(spec: &str) -> Vec<MetricDeclaration> {
    let loaded = load_text("spec", spec, Format::Toml, &LoadOptions::default());
    let spec = loaded.spec.as_ref();
    spec.map_or_else(
        || panic!("{:?}", loaded.diagnostics),
        |spec| spec.metrics.clone(),
    )
}

fn metrics() -> Target {
    let (folder, declared) = (folder(), measured(MEASURED));
    Target::new("metrics", move |bytes| {
        let logs = folder.path().join("logs");
        fs::create_dir_all(&logs).unwrap_or_default();
        for name in ["metrics.jsonl", "out.csv", "out.json", "logs/stdout.log"] {
            write(&folder.path().join(name), bytes);
        }
        collect(folder.path(), &declared, &Resources::default());
    })
}

fn episodes() -> Target {
    let (folder, declared) = (folder(), measured(EPISODES));
    Target::new("episodes", move |bytes| {
        let evals = folder.path().join("evals");
        fs::create_dir_all(&evals).unwrap_or_default();
        write(&evals.join("eval.csv"), bytes);
        collect(folder.path(), &declared, &Resources::default());
    })
}

fn histories() -> Target {
    let folder = folder();
    Target::new("histories", move |bytes| {
        let path = folder.path().join("curves.csv");
        write(&path, bytes);
        let root = DataRoot::at(folder.path().join("data"));
        let mut histories = Histories::new(root, Some(path));
        let _ = histories.read(&["a".to_owned(), "b".to_owned()], "overview/reward");
    })
}

/// Columns beside a file that they may be of: whatever they say, the points are those of the file.
fn columns() -> Target {
    let folder = folder();
    let line = |step: u32| format!("{{\"step\": {step}, \"overview/reward\": {step}.5}}\n");
    let points: String = (0..20).map(line).collect();
    let text = format!("{points}{{\"words\": \"{}\"}}\n", "x".repeat(70_000));
    Target::new("columns", move |bytes| {
        write(&folder.path().join("metrics.jsonl"), text.as_bytes());
        write(&folder.path().join(COLUMNS_FILE), bytes);
        let curves = TrialCurves {
            dir: folder.path(),
            series: &BTreeMap::new(),
            declared: &[],
        };
        let read = curves.open_one("overview/reward", Reading::Columns);
        let points = read.and_then(|series| Ok(series.points()?.values.len()));
        assert_eq!(points.ok(), Some(20));
    })
}

fn table(bytes: &[u8]) {
    if let Ok(table) = Table::parse(bytes) {
        assert_eq!(table.bytes(), bytes);
        let _ = diff(&table, &table);
    }
}
