//! `table measure`: metrics of per-episode files that no run of ours made, as a table.

use super::suite::SuiteArgs;
use crate::exit::{Done, Exit, Failure};
use crate::printer::Printer;
use fairtrial_episode::{Measured, measure_all};
use fairtrial_model::{MetricDeclaration, MetricSource};
use fairtrial_text::escape;
use rayon::prelude::*;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// Compute the declared metrics of per-episode files, one row per file
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fairtrial table measure --preset tbp results/*/eval_stats.csv > measured.csv
  fairtrial table measure --spec suite.toml results/*/eval_stats.csv --json")]
pub(super) struct Args {
    /// The files; each is named after its folder
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    suite: SuiteArgs,
    /// Only these metrics
    #[arg(long = "metric", value_name = "METRIC")]
    metrics: Vec<String>,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

/// One file's numbers.
struct Row {
    name: String,
    file: String,
    measured: Vec<Measured>,
}

pub(super) fn run(args: &Args, printer: Printer) -> Done {
    let spec = args.suite.spec(printer)?.ok_or_else(|| {
        Failure::input("no declarations were named").hint("give --spec SPEC or --preset NAME")
    })?;
    let declared: Vec<MetricDeclaration> = spec
        .metrics
        .into_iter()
        .filter(|metric| args.metrics.is_empty() || args.metrics.contains(&metric.name))
        .filter(|metric| matches!(metric.source, MetricSource::Episodes { .. }))
        .collect();
    if declared.is_empty() {
        return Err(Failure::input("no metric over episodes is declared")
            .hint("a metric with `from = \"episodes:NAME\"` is one"));
    }
    let rows: Vec<Row> = args
        .files
        .par_iter()
        .map(|file| row(file, &declared))
        .collect();
    let broken: Vec<&Row> = rows
        .iter()
        .filter(|row| row.numbers().next().is_none())
        .collect();
    for row in &broken {
        let why = row.measured.iter().find_map(|one| one.value.clone().err());
        let why = match why {
            _ if row.is_absent() => "there is no such file".to_owned(),
            Some(error) => error.to_string(),
            None => "no declared file has this name".to_owned(),
        };
        printer.warn(format!("{}: {why}", row.file));
    }
    if args.json {
        let all: Vec<Value> = rows.iter().map(Row::json).collect();
        printer.json(&all);
    } else {
        printer.page(csv(&rows).trim_end());
    }
    Ok(match broken.as_slice() {
        [] => Exit::Fine,
        broken if broken.iter().any(|row| row.is_absent()) => Exit::Input,
        _ => Exit::Failed,
    })
}

fn row(file: &Path, declared: &[MetricDeclaration]) -> Row {
    let own_name = file.file_name().unwrap_or_default().to_string_lossy();
    let of_this_file = |metric: &&MetricDeclaration| match &metric.source {
        MetricSource::Episodes { episodes, .. } => {
            let last = episodes.file.rsplit('/').next().unwrap_or_default();
            super::gather::matches(last, &own_name)
        }
        _ => false,
    };
    let wanted: Vec<MetricDeclaration> = declared.iter().filter(of_this_file).cloned().collect();
    let folder = file.parent().and_then(Path::file_name);
    let name = folder
        .or_else(|| file.file_stem())
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    Row {
        name,
        file: file.display().to_string(),
        measured: measure_all(&wanted, |_| Ok(file.to_owned())),
    }
}

impl Row {
    fn is_absent(&self) -> bool {
        !Path::new(&self.file).exists()
    }

    fn numbers(&self) -> impl Iterator<Item = (&str, f64)> {
        let all = self.measured.iter();
        all.filter_map(|one| Some((one.name.as_str(), *one.value.as_ref().ok()?)))
    }

    fn json(&self) -> Value {
        let metrics: Map<String, Value> = self
            .numbers()
            .map(|(name, value)| (name.to_owned(), json!(fairtrial_model::Number(value))))
            .collect();
        let missing: Map<String, Value> = self
            .measured
            .iter()
            .filter_map(|one| {
                Some((
                    one.name.clone(),
                    json!(one.value.as_ref().err()?.to_string()),
                ))
            })
            .collect();
        json!({ "experiment": self.name, "file": self.file, "metrics": metrics, "missing": missing })
    }
}

/// All rows with the metrics that any of them has.
fn csv(rows: &[Row]) -> String {
    let mut titles: Vec<&str> = Vec::new();
    for (name, _) in rows.iter().flat_map(Row::numbers) {
        if !titles.contains(&name) {
            titles.push(name);
        }
    }
    let quote = |text: &str| {
        let text = escape::csv(text);
        if text.contains([',', '"', '\n']) {
            format!("\"{}\"", text.replace('"', "\"\""))
        } else {
            text.into_owned()
        }
    };
    let mut page = std::iter::once("Experiment")
        .chain(titles.iter().copied())
        .map(quote)
        .collect::<Vec<_>>()
        .join(",");
    for row in rows {
        page.push('\n');
        page.push_str(&quote(&row.name));
        for title in &titles {
            page.push(',');
            if let Some((_, value)) = row.numbers().find(|(name, _)| name == title) {
                page.push_str(&value.to_string());
            }
        }
    }
    page
}
