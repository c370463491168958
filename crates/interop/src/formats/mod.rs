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
pub(crate) mod shared;
mod snakemake;
mod swebench;
mod swebench_predictions;
mod tau;
mod tensorboard;
mod terminal_bench;
mod wandb;
mod wandb_csv;

use crate::error::InteropError;
use crate::format::Format;
use fairtrial_text::nearest::nearest;

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

/// The format of a name, for `--format`.
pub fn format_named(name: &str) -> Result<&'static dyn Format, InteropError> {
    let found = FORMATS.iter().find(|format| format.name() == name);
    found.copied().ok_or_else(|| {
        let names: Vec<&str> = FORMATS.iter().map(|format| format.name()).collect();
        let near = nearest(name, names.iter().copied());
        let hint = near.map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"));
        InteropError::Unknown(format!(
            "no format is called `{name}`{hint}; there are {}",
            names.join(", ")
        ))
    })
}
