//! The learning-curve guide is run command by command; the original's results come out of the program; and runs without
//! a difference rarely get a verdict.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}

fn fairtrial(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fairtrial"));
    command
        .current_dir(folder)
        .env_remove("FAIRTRIAL_DATA")
        .env("NO_COLOR", "1");
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn succeeded(output: &Output) -> String {
    assert!(
        output.status.success(),
        "{}{}",
        text(&output.stdout),
        text(&output.stderr)
    );
    text(&output.stdout)
}

/// The guide.
pub const GUIDE: &str = "docs/guides/learning-curves.md";

#[test]
fn every_command_of_the_guide_works_when_pasted() {
    let Some(folder) = crate::docs::run::page(GUIDE) else {
        return;
    };
    let picture = std::fs::read(folder.path().join("variance_plot.png")).unwrap();
    assert_eq!(picture[..4], *b"\x89PNG");
    let table = std::fs::read_to_string(folder.path().join("results.csv")).unwrap();
    assert!(
        table.starts_with("group,label,value_or_control,candidate_value_optional\r\n"),
        "{table}"
    );
    early_run_is_shorter(folder.path());
    analyze_says_what_compare_says_of_a_run(folder.path());
}

/// The run until decided left its looks, and did not use its whole budget.
fn early_run_is_shorter(folder: &Path) {
    let runs = std::fs::read_dir(folder.join("data/rollouts/early")).unwrap();
    let run = runs
        .map(|entry| entry.unwrap().path())
        .find(|path| path.join("sequential.json").exists());
    let looks = std::fs::read(run.unwrap().join("sequential.json")).unwrap();
    let looks: serde_json::Value = serde_json::from_slice(&looks).unwrap();
    assert_eq!(looks["stop"], "improved", "{looks}");
    assert!(looks["trials_saved"].as_u64().unwrap() > 0, "{looks}");
}

/// A run that stopped by looking has its own answer, and one that is not finished is told.
fn analyze_says_what_compare_says_of_a_run(folder: &Path) {
    let analyzed = |name: &str| {
        let sides = [format!("{name}:control"), format!("{name}:candidate")];
        let mut asked = fairtrial(folder);
        let asked = asked.args(["analyze", "--control-run-ids", &sides[0]]);
        let ran = asked.args(["--candidate-run-ids", &sides[1]]).output();
        let ran = ran.unwrap();
        succeeded(&ran);
        text(&ran.stdout).replace('\n', " ")
    };
    let early = analyzed("early");
    assert!(early.starts_with("Inconclusive: "), "{early}");
    assert!(early.contains("stopped by looking"), "{early}");
    assert!(!early.contains("95 %"), "{early}");
    let part = ["run", "icl.toml", "--set", "name=part"];
    let mut run = fairtrial(folder);
    run.args(part).args(["--set", "budget.trials=12"]);
    run.output().unwrap();
    let part = analyzed("part");
    assert!(part.contains("is not finished: 12 of "), "{part}");
}

/// Whoever has one number per trial asks the same question, whether trials report it or print it.
#[test]
fn variance_takes_single_numbers_where_there_is_no_curve() {
    let reported = r#"echo "{\"score\": 1$FAIRTRIAL_SEED}" >> "$FAIRTRIAL_METRICS""#;
    let printed = "echo score=1$FAIRTRIAL_SEED";
    let from = "from = 'stdout:score=(\\d+)'";
    for (command, declared) in [(reported, ""), (printed, from)] {
        let folder = tempfile::tempdir().unwrap();
        let spec = format!(
            "name = 'n'\nseeds = [0, 1, 2, 3, 4]\n[[tasks]]\nid = 't'\nshell = true\ncommand = '''{command}'''\n\
             [metrics.score]\ndirection = 'up'\n{declared}\n"
        );
        std::fs::write(folder.path().join("n.toml"), spec).unwrap();
        let ran = fairtrial(folder.path()).args(["run", "n.toml"]).output();
        succeeded(&ran.unwrap());
        let mut asked = fairtrial(folder.path());
        let asked = asked.args(["variance", "n", "--output", "v.svg"]).output();
        let out = succeeded(&asked.unwrap());
        assert!(out.contains("5 runs of score give the mean to ±"), "{out}");
        assert!(out.contains("--- Value Variance ---"), "{out}");
        assert!(!out.contains("Derivative"), "{out}");
        let mut asked = fairtrial(folder.path());
        let sides = ["--control-run-ids", "n::0", "--candidate-run-ids", "n::1"];
        let asked = asked.arg("analyze").args(sides).args(["--metric", "score"]);
        let refused = asked.output().unwrap();
        assert_eq!(refused.status.code(), Some(2));
        let why = text(&refused.stderr);
        assert!(why.contains("one number and no curve"), "{why}");
    }
}

/// A run of this spec, to ask `variance` about: the arguments behind its name, and what came.
fn measured(spec: &str) -> (tempfile::TempDir, impl Fn(&Path, &str, &[&str]) -> Output) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("n.toml"), spec).unwrap();
    let ran = fairtrial(folder.path()).args(["run", "n.toml"]).output();
    succeeded(&ran.unwrap());
    (folder, |folder, run, more| {
        let mut command = fairtrial(folder);
        let asked = command.args(["variance", run, "--output", "v.svg"]);
        asked.args(more).output().unwrap()
    })
}

fn refused(ran: &Output, said: &str) {
    assert_eq!(ran.status.code(), Some(2));
    let why = text(&ran.stderr);
    assert!(why.contains(said), "{why}");
}

/// Tasks at 1000 and at 1 are no repetitions of each other, and neither are the points of a sweep.
#[test]
fn variance_is_about_one_task_and_one_point() {
    let (folder, asked) = measured(
        r"
name = 'n'
seeds = 5
defaults = { shell = true }
[[tasks]]
id = 'a'
command = 'echo score=1$((FAIRTRIAL_SEED % 7))00{lr}'
[[tasks]]
id = 'b'
command = 'echo score=1$((FAIRTRIAL_SEED % 7)) # {lr}'
[sweep]
lr = [1, 2]
[metrics.score]
from = 'stdout:score=(\d+)'
direction = 'up'
",
    );
    let asked = |more: &[&str]| asked(folder.path(), "n", more);
    let tasks = "of 2 tasks (a, b), and runs of different tasks are no repetitions of each other; choose one, as --only task=a";
    refused(&asked(&[]), tasks);
    let points = "choose one, as --only lr=1";
    refused(&asked(&["--only", "task=a"]), points);
    let nothing = "has no trials that --only lets pass";
    refused(&asked(&["--only", "task=c"]), nothing);
    let out = succeeded(&asked(&["--only", "task=a,lr=1"]));
    assert!(out.contains("5 runs of score give the mean to ±"), "{out}");
}

/// What is asked for and is not there is answered with what is.
#[test]
fn variance_of_few_points_and_of_wrong_names_says_what_there_is() {
    let (folder, asked) = measured(
        r#"
name = 'n'
seeds = 5
defaults = { shell = true }
[arms.control]
x = 1
[arms.candidate]
x = 2
[[tasks]]
id = 't'
command = '''
for i in 1 2 3 4 5; do
  echo "{\"step\": $i, \"score\": $((FAIRTRIAL_SEED % 7 + i * i * {x}))}"
done >> "$FAIRTRIAL_METRICS"
'''
[metrics.score]
direction = 'up'
"#,
    );
    let asked = |run: &str, more: &[&str]| asked(folder.path(), run, more);
    let few = "there are 2; --summary.share_of steps takes a share of the steps";
    refused(&asked("n:control", &[]), few);
    let arms = "has no trials of arm `contrl`; its arms are candidate, control";
    refused(&asked("n:contrl", &[]), arms);
    let metrics = "no line holds `reward`; there are score";
    refused(&asked("n:control", &["--metric", "reward"]), metrics);
    let steps = ["--summary.share_of", "steps", "--summary.percent", "1"];
    let out = succeeded(&asked("n:control", &steps));
    assert!(out.contains("5 runs of score give the mean to ±"), "{out}");
}

fn golden_ids(arm: &str) -> Vec<String> {
    let table = repository("crates/stats/tests/goldens/run_histories.csv");
    let seeds = fairtrial_model::DOCUMENTED_SEEDS.iter();
    seeds
        .map(|seed| format!("{}#{arm}.seed{seed}", table.display()))
        .collect()
}

#[test]
fn the_originals_csv_comes_out_of_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let pairs = golden_ids("control")
        .into_iter()
        .zip(golden_ids("candidate"));
    let pairs = pairs
        .zip(fairtrial_model::DOCUMENTED_SEEDS)
        .map(|((control, candidate), seed)| {
            serde_json::json!({"control": control, "candidate": candidate, "seed": seed})
                .to_string()
        });
    let mut command = fairtrial(folder.path());
    command
        .arg("analyze")
        .arg("--pairs")
        .args(pairs)
        .args(["--bootstrap.method", "bca-metta"]);
    let shown = succeeded(
        &command
            .args(["--output.csv_path", "results.csv"])
            .output()
            .unwrap(),
    );
    assert!(shown.starts_with("Improved: overview/reward"), "{shown}");
    let ours = std::fs::read_to_string(folder.path().join("results.csv")).unwrap();
    let golden = repository("crates/analysis/tests/goldens/metta/golden_e2e_paired.csv");
    let golden = std::fs::read_to_string(golden).unwrap();
    let values = |text: &str| {
        text.split('\n')
            .take(16)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(values(&ours), values(&golden));
}

#[test]
fn wrong_input_ends_with_code_2_and_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let sides = [
        "analyze",
        "--control-run-ids",
        "a",
        "--candidate-run-ids",
        "b",
    ];
    let asked = |further: &[&'static str]| [&sides[..], further].concat();
    let slope = asked(&["--summary.type", "slope", "--summary.n", "3"]);
    let steps = ["--summary.step_min", "1", "--summary.step_max", "2"];
    let last = asked(&[&["--summary.type", "eval_last_n"], &steps[..]].concat());
    let share = asked(&["--summary.type", "slope", "--summary.percent", "0.5"]);
    let area = asked(&["--summary.n", "3"]);
    let cases: [(&[&str], &str); 9] = [
        (
            &slope,
            "--summary.n says something about --summary.type eval_last_n alone",
        ),
        (
            &last,
            "--summary.step_min says something about --summary.type auc alone",
        ),
        (
            &share,
            "--summary.percent says something about --summary.type auc alone",
        ),
        (
            &area,
            "--summary.n says something about --summary.type eval_last_n alone",
        ),
        (&["analyze", "--pairs", "{}"], "missing field `control`"),
        (
            &[
                "analyze",
                "--control-run-ids",
                "a",
                "--candidate-run-ids",
                "b",
            ],
            "there is no run `a`",
        ),
        (
            &["analyze", "--pairs", "[]", "--summary.percent", "2"],
            "--summary.percent = 2",
        ),
        (&["variance", "a", "--output", "plot.jpg"], ".png or .svg"),
        (&["power", "--sd", "-1", "--effect", "1"], "--sd"),
    ];
    for (arguments, part) in cases {
        let ran = fairtrial(folder.path()).args(arguments).output().unwrap();
        assert_eq!(
            ran.status.code(),
            Some(2),
            "{arguments:?}: {}",
            text(&ran.stderr)
        );
        assert!(
            text(&ran.stderr).contains(part),
            "{arguments:?}: {}",
            text(&ran.stderr)
        );
    }
}

/// Runs of one level without any difference between the sides.
fn null_table(number: u64) -> String {
    let mut stream = fairtrial_stats::rng::Stream::new(
        9,
        fairtrial_stats::rng::Purpose::new("null-cli"),
        number,
    );
    let mut table = "run_id,seed,step,overview/reward\n".to_owned();
    for seed in 0..10 {
        let shared = 2.0 * stream.normal();
        for arm in ["a", "b"] {
            let level = 10.0 + shared + stream.normal();
            for step in 0..20 {
                let _ = writeln!(
                    table,
                    "{arm}{seed},{seed},{step},{:.6}",
                    level + 0.01 * f64::from(step)
                );
            }
        }
    }
    table
}

/// A few, to see that the command asks what it should: the library counts over thousands.
#[test]
fn runs_without_a_difference_rarely_get_a_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let ids = |arm: &str| {
        (0..10)
            .map(|seed| format!("{arm}{seed}"))
            .collect::<Vec<_>>()
    };
    let (comparisons, alpha) = (8_u32, 0.05);
    let mut wrong = 0;
    for number in 0..comparisons {
        std::fs::write(folder.path().join("null.csv"), null_table(number.into())).unwrap();
        let mut command = fairtrial(folder.path());
        command.args([
            "analyze",
            "--from",
            "null.csv",
            "--json",
            "--summary.percent",
            "1",
            "--control-run-ids",
        ]);
        command
            .args(ids("a"))
            .arg("--candidate-run-ids")
            .args(ids("b"));
        let found: serde_json::Value =
            serde_json::from_str(&succeeded(&command.output().unwrap())).unwrap();
        let word = found["comparison"]["verdict"]["word"].as_str().unwrap();
        wrong += u32::from(word == "improved" || word == "regressed");
    }
    let n = f64::from(comparisons);
    let most = n * alpha + 3.0 * (n * alpha * (1.0 - alpha)).sqrt();
    assert!(f64::from(wrong) <= most, "{wrong} of {comparisons}");
}

#[test]
fn curves_with_few_points_are_told_how_to_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let table = |points: u32| {
        let mut rows = "run_id,seed,step,overview/reward\n".to_owned();
        for run in ["a", "b", "c", "d"] {
            for step in 0..points {
                let _ = writeln!(rows, "{run},1,{step},{}", step * 2 + run.len() as u32);
            }
        }
        std::fs::write(folder.path().join("few.csv"), rows).unwrap();
    };
    let asked = |further: &[&str]| {
        let mut command = fairtrial(folder.path());
        command.args([
            "analyze",
            "--from",
            "few.csv",
            "--control-run-ids",
            "a",
            "b",
        ]);
        command
            .args(["--candidate-run-ids", "c", "d"])
            .args(further);
        command.output().unwrap()
    };
    table(10);
    let message = text(&asked(&[]).stderr);
    assert!(
        message.contains("there are 3; --summary.share_of steps takes a share of the steps"),
        "{message}"
    );
    succeeded(&asked(&["--summary.share_of", "steps"]));
    table(20);
    let message = text(&asked(&[]).stderr);
    assert!(
        message.contains("--summary.percent 1 takes the whole curve"),
        "{message}"
    );
    succeeded(&asked(&["--summary.percent", "1"]));
}
