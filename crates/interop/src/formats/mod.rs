//! Every format, one file each. A new one is a new file and a line in [`FORMATS`].

mod agent_metrics;
mod asv;
mod benchexec;
mod benchexec_table;
mod bmf;
mod cargo_criterion;
mod catch2;
mod criterion;
mod divan;
mod github_action;
mod go_bench;
mod google_benchmark;
mod google_benchmark_csv;
mod harbor;
mod hyperfine;
mod hyperfine_csv;
mod inspect;
mod jmh;
mod lm_eval;
mod lm_eval_results;
pub(crate) mod mlflow_files;
mod mlflow_sqlite;
mod openai_evals;
mod parallel;
mod promptfoo;
mod pyperf;
mod pytest_benchmark;
mod rebench;
mod runexec;
mod sacred;
mod snakemake;
mod swebench;
mod swebench_predictions;
mod tau;
mod tensorboard;
mod terminal_bench;
mod wandb;
mod wandb_csv;

use crate::error::InteropError;
use crate::execution::{Execution, Fact, FactKind};
use crate::format::Format;
use crate::input::Input;
use crate::sink::Sink;
use fairtrial_model::Params;
use serde_json::{Map, Value};
use std::io::{BufRead, BufReader, Read};

/// All formats, in the order in which a file is held against them.
pub static FORMATS: &[&dyn Format] = &[
    &wandb::Wandb,
    &tensorboard::Tensorboard,
    &mlflow_files::MlflowFiles,
    &mlflow_sqlite::MlflowSqlite,
    &sacred::Sacred,
    &wandb_csv::WandbCsv,
    &inspect::Inspect,
    &harbor::Harbor,
    &terminal_bench::TerminalBench,
    &swebench::Swebench,
    &swebench_predictions::SwebenchPredictions,
    &lm_eval::LmEval,
    &lm_eval_results::LmEvalResults,
    &promptfoo::Promptfoo,
    &tau::Tau,
    &openai_evals::OpenaiEvals,
    &hyperfine::Hyperfine,
    &hyperfine_csv::HyperfineCsv,
    &criterion::Criterion,
    &cargo_criterion::CargoCriterion,
    &pytest_benchmark::PytestBenchmark,
    &pyperf::Pyperf,
    &asv::Asv,
    &google_benchmark::GoogleBenchmark,
    &google_benchmark_csv::GoogleBenchmarkCsv,
    &go_bench::GoBench,
    &jmh::Jmh,
    &rebench::Rebench,
    &benchexec::Benchexec,
    &benchexec_table::BenchexecTable,
    &runexec::Runexec,
    &catch2::Catch2,
    &parallel::Parallel,
    &snakemake::Snakemake,
    &divan::Divan,
    &github_action::GithubAction,
    &bmf::Bmf,
];

/// What is said of files that hold statistics instead of samples.
const ONLY_MEAN: &str =
    "the file has one number and not the single values: nothing is known about their spread";

/// Gives a fact away where the file has one.
fn fact(sink: &mut dyn Sink, kind: FactKind, name: &str, value: &Value) {
    let value = Params::display(value);
    if value != "null" && !value.is_empty() {
        sink.fact(Fact {
            kind,
            name: name.to_owned(),
            value,
        });
    }
}

/// Values of nested tables become fields `config.trainer.lr`.
pub(crate) fn nested(execution: &mut Execution, prefix: &str, table: &Map<String, Value>) {
    for (name, value) in table {
        let name = format!("{prefix}.{name}");
        match value {
            Value::Object(inner) => nested(execution, &name, inner),
            value => execution.fields.set(name, value.clone()),
        }
    }
}

/// A table whose first line tells whether tabs or commas stand between cells.
fn with_delimiter(input: Input<'_>) -> Result<(impl Read, u8), InteropError> {
    let path = input.path().to_owned();
    let mut reader = BufReader::new(input.reader()?);
    let start = reader.fill_buf().map_err(InteropError::io(&path))?;
    let line = start
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    let delimiter = if line.contains(&b'\t') { b'\t' } else { b',' };
    Ok((reader, delimiter))
}
