//! What a run with registered experiments leaves besides the results of its trials: the summary of its sweep, with a
//! chart per metric, and whatever the user's own reporters write.

use super::result::RunResult;
use crate::error::SessionError;
use crate::notice::Notice;
use crate::picture::Picture;
use crate::session::Session;
use fairtrial_analysis::sensitivity::{Sensitivity, sensitivity};
use fairtrial_analysis::{Dataset, order};
use fairtrial_driver::{report_with, result_dir_name};
use fairtrial_engine::output_dir;
use fairtrial_journal::{
    Durability, JournalError, RunDir, RunState, effective_records, write_atomic_bytes,
};
use fairtrial_model::{DURATION, Number, Outcome, Params, Record};
use fairtrial_spec::{Spec, Work};
use fairtrial_text::escape;
use fairtrial_text::significant::significant;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// More charts than this are a folder that nobody opens; `fairtrial sweep --metric` draws any other.
const MOST_CHARTS: usize = 60;

/// One trial of the sweep.
#[derive(Debug, Serialize)]
struct Point {
    task: String,
    parameters: Params,
    seed: u64,
    outcome: Outcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    mean_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    p95_s: Option<f64>,
    /// Its folder beside that of the sweep; absent for a trial that left none.
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
}

impl Session {
    /// Writes everything; a run without experiments has nothing to write.
    pub(super) fn write_experiment_files(&self, result: &RunResult) -> Result<(), SessionError> {
        let (run, spec) = (&result.report.run, &result.spec);
        let slugs: BTreeMap<&str, &str> = spec
            .tasks
            .iter()
            .filter_map(|task| match &task.work {
                Work::Experiment { slug, .. } => Some((task.id.as_str(), slug.as_str())),
                _ => None,
            })
            .collect();
        if slugs.is_empty() {
            return Ok(());
        }
        let records = records(run)?;
        let output = output_dir(run, spec);
        self.tell_troubles(run, &records);
        self.tell(Notice::Results(output.clone()));
        if let Some(data) = result.data.as_ref().filter(|_| spec.is_swept()) {
            let points = points(run, &records, &slugs, &output);
            let folder = output.join(format!("sweep_{}_{}", spec.name, run.stamp()));
            write_sweep(&folder, spec, &points, data)?;
            self.tell(Notice::SweepSummary(folder.join("SWEEP_SUMMARY.md")));
        }
        let results = records.iter().map(|record| result_file(run, record));
        let results: Vec<PathBuf> = results.filter(|file| file.exists()).collect();
        for reporter in &spec.experiments.reporters {
            let base = Path::new(&spec.base_dir);
            // The results are there: a reporter that fails does not fail the run.
            if let Err(why) = report_with(&spec.experiments, base, reporter, &output, &results) {
                self.warn(format!("reporter `{reporter}`: {why}"));
            }
        }
        Ok(())
    }

    /// Tells why trials failed, in the experiment's own words.
    fn tell_troubles(&self, run: &RunDir, records: &[Record]) {
        let failed: Vec<&Record> = records
            .iter()
            .filter(|record| record.outcome.is_arm_failure())
            .collect();
        for record in failed.iter().take(MOST_TROUBLES) {
            let read = std::fs::read(result_file(run, record)).ok();
            let head = read.and_then(|text| serde_json::from_slice::<ResultHead>(&text).ok());
            if let Some(error) = head.and_then(|head| head.error) {
                let iteration = error
                    .iteration
                    .map_or_else(String::new, |number| format!(" iteration {number}"));
                self.tell(Notice::TrialTrouble(format!(
                    "{}: {}{iteration}: {}",
                    record.trial.label(),
                    error.phase,
                    error.message
                )));
            }
        }
        let more = failed.len().saturating_sub(MOST_TROUBLES);
        if more > 0 {
            self.tell(Notice::MoreTroubles(more as u64));
        }
    }
}

fn records(run: &RunDir) -> Result<Vec<Record>, SessionError> {
    let state = RunState::read(&run.journal())?;
    let mut records = Vec::new();
    effective_records(&run.journal(), &state, |record| {
        records.push(record);
        Ok::<(), JournalError>(())
    })?;
    Ok(records)
}

fn result_file(run: &RunDir, record: &Record) -> PathBuf {
    run.folder_of(&record.dir).join("result.json")
}

/// More failures than this say the same.
const MOST_TROUBLES: usize = 10;

/// The part of a result file that the table and the messages show.
#[derive(Debug, Deserialize)]
struct ResultHead {
    #[serde(default)]
    error: Option<Trouble>,
    metrics: BTreeMap<String, Figures>,
}

#[derive(Debug, Deserialize)]
struct Trouble {
    phase: String,
    message: String,
    #[serde(default)]
    iteration: Option<u64>,
}

#[derive(Debug, Deserialize)]
struct Figures {
    mean: Number,
    // A metric that is finite in no iteration has a mean that is NaN, and nothing else.
    p95: Option<Number>,
}

fn points(
    run: &RunDir,
    records: &[Record],
    slugs: &BTreeMap<&str, &str>,
    output: &Path,
) -> Vec<Point> {
    let point = |record: &Record| {
        let slug = slugs.get(record.trial.task.as_str())?;
        let read = std::fs::read(result_file(run, record)).ok();
        let head = read.and_then(|text| serde_json::from_slice::<ResultHead>(&text).ok());
        let duration = head.as_ref().and_then(|head| head.metrics.get(DURATION));
        let trial = record.dir.rsplit('/').next().unwrap_or_default();
        let stamp = run.stamp().to_string();
        let name = result_dir_name(slug, &stamp, trial, &record.id);
        Some(Point {
            task: record.trial.task.clone(),
            parameters: record.trial.point.clone(),
            seed: record.trial.seed,
            outcome: record.outcome,
            mean_s: duration.map(|figures| figures.mean.0),
            p95_s: duration.and_then(|figures| figures.p95).map(|p95| p95.0),
            output: output.join(&name).is_dir().then_some(name),
        })
    };
    // Records come in the shuffled order of the run.
    let mut points: Vec<Point> = records.iter().filter_map(point).collect();
    points.sort_by(|a, b| {
        let task = a.task.cmp(&b.task);
        task.then_with(|| order::points(&a.parameters, &b.parameters))
            .then_with(|| a.seed.cmp(&b.seed))
    });
    points
}

fn write_sweep(
    folder: &Path,
    spec: &Spec,
    points: &[Point],
    data: &Dataset,
) -> Result<(), SessionError> {
    let made = std::fs::create_dir_all(folder);
    made.map_err(|error| SessionError::Machine(format!("{}: {error}", folder.display())))?;
    let alpha = spec.analysis.alpha();
    let effects: Vec<Sensitivity> = data
        .metric_names()
        .iter()
        .filter_map(|name| sensitivity(data, Some(name), alpha).ok())
        .filter(varies)
        .collect();
    let mut page = format!("# {} Sweep Summary\n\n{}", spec.name, table(points));
    for (chart, effect) in effects.iter().take(MOST_CHARTS).enumerate() {
        let name = chart_name(chart, &effect.metric);
        let path = folder.join(&name);
        Picture::Svg.write(
            &fairtrial_report::sweep::figure(std::slice::from_ref(effect)),
            &path,
        )?;
        let _ = write!(
            page,
            "\n![{} by each parameter]({name})\n",
            escape::markdown(&effect.metric)
        );
    }
    if let Some(left) = effects
        .len()
        .checked_sub(MOST_CHARTS)
        .filter(|left| *left > 0)
    {
        let name = &spec.name;
        let _ = write!(
            page,
            "\n{left} further metrics vary: `fairtrial sweep {name} --metric METRIC --output chart.svg` draws them.\n"
        );
    }
    page.push('\n');
    page.push_str(&fairtrial_report::markdown::sweep(
        &[],
        &effects,
        (alpha, &data.problems),
    ));
    write_atomic_bytes(
        &folder.join("SWEEP_SUMMARY.md"),
        Durability::Content,
        page.as_bytes(),
    )?;
    let json = serde_json::json!({
        "name": spec.name, "points": points, "sensitivity": effects, "problems": data.problems,
    });
    let text = serde_json::to_vec_pretty(&json).unwrap_or_default();
    Ok(write_atomic_bytes(
        &folder.join("sweep.json"),
        Durability::Content,
        &text,
    )?)
}

/// Whether some parameter changes the metric at all: what is the same everywhere has no chart.
fn varies(effect: &Sensitivity) -> bool {
    let levels = |found: &fairtrial_analysis::sensitivity::ArmEffect| {
        let mut means = found.levels.iter().filter_map(|level| level.mean);
        means
            .next()
            .is_some_and(|first| means.any(|mean| mean != first))
    };
    let mut arms = effect
        .parameters
        .iter()
        .flat_map(|parameter| &parameter.arms);
    arms.any(levels)
}

fn chart_name(number: usize, metric: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || "._-".contains(c) {
            c
        } else {
            '_'
        }
    };
    let metric: String = metric.chars().take(80).map(plain).collect();
    format!("{:02}_{metric}.svg", number + 1)
}

fn table(points: &[Point]) -> String {
    let mut text = "| task | parameters | seed | outcome | mean(s) | p95(s) | output |\n|---|---|---:|---|---:|---:|---|\n"
        .to_owned();
    let seconds =
        |value: Option<f64>| value.map_or_else(String::new, |value| significant(value, 6));
    for point in points {
        let parameters = serde_json::to_string(&point.parameters).unwrap_or_default();
        let link = |name: &String| format!("[{name}](../{name}/README.md)");
        let _ = writeln!(
            text,
            "| {} | `{}` | {} | {} | {} | {} | {} |",
            escape::markdown(&point.task),
            // A backtick would end the code that the value stands in.
            escape::json(&parameters)
                .replace('`', "\\u0060")
                .replace('|', "\\|"),
            point.seed,
            point.outcome,
            seconds(point.mean_s),
            seconds(point.p95_s),
            point.output.as_ref().map_or_else(String::new, link)
        );
    }
    text
}
