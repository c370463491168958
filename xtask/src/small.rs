//! `small`: the build without default features runs a benchmark, and every command that needs a feature names it.

use crate::{Outcome, cargo, repository};
use std::path::Path;
use std::process::Command;

/// Build without default features and check that the small program works
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// A benchmark of two arms.
const BENCH: &str = "name = 'bench'\nseeds = 4\nshell = true\ncommand = 'echo score $FAIRTRIAL_SEED'\n\
[arms.control]\n[arms.candidate]\n[metrics.score]\nfrom = 'stdout:score (\\d+)'\ndirection = 'up'\n";
/// One that needs what comes with the full program.
const EXPERIMENT: &str = "[[tasks]]\nid = 'a'\nexperiment = 'noop'\n";
/// One whose nodes reach a bucket.
const STORED: &str =
    "[[tasks]]\nid = 'a'\ncommand = 'true'\n[engine]\nkind = 'slurm'\nstore = 's3://bucket/x'\n";
/// What is called, how it must end, and what it must say.
type Call = (&'static [&'static str], i32, &'static str);

const CALLS: [Call; 12] = [
    (&["run", "bench.toml"], 0, "8"),
    (&["compare", "bench"], 0, "candidate"),
    (&["report", "bench"], 0, "report.md"),
    (
        &["report", "bench", "--html", "page.html"],
        2,
        "feature `html`",
    ),
    (
        &[
            "report",
            "bench",
            "--charts",
            "charts",
            "--chart-format",
            "png",
        ],
        2,
        "feature `png`",
    ),
    (
        &[
            "power",
            "--sd",
            "1",
            "--effect",
            "1",
            "--output",
            "power.png",
        ],
        2,
        "feature `png`",
    ),
    (&["check", "experiment.toml"], 2, "feature `suite`"),
    (&["check", "judged.toml"], 2, "feature `judge`"),
    (&["list", "experiments", "noop"], 2, "feature `suite`"),
    (&["serve"], 2, "feature `page`"),
    (&["check", "stored.toml"], 2, "feature `store`"),
    (
        &["doctor"],
        0,
        "this build lacks gpu, html, judge, page, perf, png, server, store, suite",
    ),
];

pub(crate) fn run(_: &Args) -> Outcome {
    let mut build = cargo();
    build.args([
        "build",
        "--locked",
        "--package",
        "fairtrial",
        "--no-default-features",
        // Nothing is computed for long here; compiling it fast is worth more.
        "--config",
        "profile.dev.package.fairtrial-stats.opt-level=0",
    ]);
    if !build.status()?.success() {
        return Err("the small build does not compile".into());
    }
    let folder = tempfile::tempdir()?;
    // Kept apart: the next full build takes its place.
    let program = folder.path().join("fairtrial");
    let built = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| repository().join("target"), std::path::PathBuf::from);
    std::fs::copy(built.join("debug/fairtrial"), &program)?;
    let project = folder.path().join("project");
    std::fs::create_dir(&project)?;
    std::fs::write(project.join("bench.toml"), BENCH)?;
    std::fs::write(project.join("experiment.toml"), EXPERIMENT)?;
    std::fs::write(project.join("judged.toml"), judged())?;
    std::fs::write(project.join("stored.toml"), STORED)?;
    for call in &CALLS {
        check(&program, &project, call)?;
    }
    println!("the small build works, and says what it lacks");
    Ok(())
}

/// A task whose rollouts a model is to judge.
fn judged() -> String {
    let task = repository().join("examples/agents/tasks/sum");
    format!(
        "[[tasks]]\nprepared_dir = '{}'\njudge = {{ model = 'm', url = 'http://localhost:1/v1' }}\n\
         agent = {{ command = ['true'] }}\n",
        task.display()
    )
}

fn check(program: &Path, project: &Path, (arguments, code, words): &Call) -> Outcome {
    let output = Command::new(program)
        .args(*arguments)
        .current_dir(project)
        .env_remove("FAIRTRIAL_DATA")
        .output()?;
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    if output.status.code() == Some(*code) && said.contains(words) {
        return Ok(());
    }
    Err(format!(
        "`fairtrial {}` ended with {} and not with {code} and `{words}`:\n{said}",
        arguments.join(" "),
        output.status
    )
    .into())
}
