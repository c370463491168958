//! Runs pushed to real trackers come back with the same verdict and the same interval: a real `mlflow server`, and the
//! real `wandb` client without a network.

use crate::common::{Project, Ran};
use crate::mlflow_server::{Server, python_with};
use serde_json::{Value, json};
use std::path::Path;

/// Curves whose value is not their last point, a value without a curve, and a trial that fails.
const SPEC: &str = r#"
name = "pushed"
seeds = 7

[[tasks]]
id = "train"
command = ["sh", "train.sh", "{lift}", "{seed}"]

[arms.control]
lift = 20
[arms.candidate]
lift = 0

[metrics.loss]
direction = "down"
summary = "mean"
[metrics."final loss"]
direction = "down"
[metrics.time]
direction = "down"
"#;

const TRAIN: &str = r#"
[ $2 != 4085 ] || [ $1 = 0 ] || exit 1
i=0
while [ $i -lt 30 ]; do
  value=$((100 + $1 + ($2 * ($1 + 1) + i) % 7))
  echo "{\"step\": $i, \"loss\": $value, \"final loss\": $value}" >> "$FAIRTRIAL_METRICS"
  i=$((i + 1))
done
echo "{\"time\": $((($1 + 7) * ($2 % 11)))}" >> "$FAIRTRIAL_METRICS"
"#;

/// A run with all of that, in a folder where the Python with the client is the first.
struct Lab<'a> {
    project: Project,
    python: &'a Path,
    /// What the client is told by the environment.
    told: Vec<(&'static str, String)>,
}

impl<'a> Lab<'a> {
    fn new(python: &'a Path, told: &[(&'static str, &str)]) -> Self {
        let project = Project::with_spec(SPEC);
        project.write("train.sh", TRAIN);
        project.expect(1, &["run", "bench.toml"]);
        let told = told
            .iter()
            .map(|(name, value)| (*name, (*value).to_owned()));
        Self {
            project,
            python,
            told: told.collect(),
        }
    }

    fn run(&self, args: &[&str]) -> Ran {
        let mut command = self.project.command(args);
        command.env("FAIRTRIAL_PYTHON", self.python);
        command.envs(self.told.iter().map(|(name, value)| (name, value)));
        let ran = Ran::from(command.output().unwrap());
        assert_eq!(ran.code, 0, "{args:?}\n{}\n{}", ran.out, ran.err);
        ran
    }

    /// The verdict on a metric of what lies somewhere: ours, or what came back.
    fn verdict(&self, of: &[&str], metric: &str) -> Value {
        let mut args = vec!["compare"];
        args.extend(of);
        args.extend(["--metric", metric, "--direction", "down", "--json"]);
        let answer = self.run(&args).json();
        let contrast = &answer["contrasts"][0];
        let found = &contrast["metrics"][0];
        json!({
            "candidate": contrast["candidate"]["arm"], "word": found["verdict"]["word"],
            "effect": found["effect"], "count": found["count"], "method": found["method"],
        })
    }

    /// What was pushed gives the same answers as the run itself.
    fn assert_same(&self, pushed: &str) {
        let ours = ["control", "candidate", "--run", "pushed"];
        let theirs = [pushed, "--arm", "arm"];
        // The value of a curve that is not its last point stands beside it.
        for (metric, there) in [
            ("loss", "loss.value"),
            ("final loss", "final loss"),
            ("time", "time"),
        ] {
            let before = self.verdict(&ours, metric);
            assert!(before["effect"]["absolute"]["low"].is_number(), "{before}");
            assert_eq!(before, self.verdict(&theirs, there), "{metric}");
        }
        let summary = self
            .run(&["summarize", pushed, "--arm", "arm", "--json"])
            .json();
        assert_eq!(summary["outcomes"]["ok"], 13, "{summary}");
        assert_eq!(summary["outcomes"]["failed"], 1, "{summary}");
    }
}

#[test]
fn a_run_that_was_pushed_to_mlflow_has_the_same_verdict_there() {
    let Some(python) = python_with("mlflow") else {
        return;
    };
    let server = Server::start(&python);
    let lab = Lab::new(&python, &[("MLFLOW_TRACKING_URI", &server.url)]);
    let place = format!("mlflow:{}#pushed", server.url);
    let said = lab.run(&["export", "pushed", "--to", "mlflow"]).out;
    assert!(said.starts_with("14 runs in experiment pushed"), "{said}");
    lab.assert_same(&place);
    // Pushed again, nothing is there twice.
    let said = lab.run(&["export", "pushed", "--to", "mlflow"]).out;
    assert!(
        said.starts_with("0 runs") && said.contains("14 were there already"),
        "{said}"
    );
    lab.assert_same(&place);
    // What was imported is a run of its own, with the same answer.
    lab.run(&["import", &place, "--name", "back", "--arm", "arm"]);
    let of = |run: &'static str| lab.verdict(&["control", "candidate", "--run", run], "time");
    assert_eq!(of("pushed"), of("back"));
}

#[test]
fn a_run_that_was_pushed_to_wandb_offline_has_the_same_verdict_there() {
    let Some(python) = python_with("wandb") else {
        return;
    };
    let lab = Lab::new(
        &python,
        &[("WANDB_MODE", "offline"), ("WANDB_SILENT", "true")],
    );
    let said = lab.run(&["export", "pushed", "--to", "wandb"]).out;
    assert_eq!(said, "14 runs in project pushed\n");
    lab.assert_same("wandb");
    // Pushed again, each trial is another part of the same run.
    lab.run(&["export", "pushed", "--to", "wandb"]);
    lab.assert_same("wandb");
    let curves = lab
        .run(&[
            "export", "wandb", "--to", "csv", "--rows", "series", "--long",
        ])
        .out;
    let ours = lab
        .run(&[
            "export", "pushed", "--to", "csv", "--rows", "series", "--long",
        ])
        .out;
    let points = |text: &str| text.lines().filter(|line| line.contains(",loss,")).count();
    assert_eq!(
        (points(&curves), points(&ours)),
        (13 * 30, 13 * 30),
        "{curves}"
    );
}

#[test]
fn a_curve_whose_steps_are_not_whole_is_not_pushed() {
    let project = Project::with_spec(
        "command = [\"sh\", \"-c\", \"echo '{\\\"step\\\": 0.5, \\\"loss\\\": 1}' >> $FAIRTRIAL_METRICS; echo '{\\\"step\\\": 1, \\\"loss\\\": 1}' >> $FAIRTRIAL_METRICS\"]\nmetrics = { loss = { direction = \"down\" } }\n",
    );
    project.expect(0, &["run", "bench.toml"]);
    let ran = project.expect(2, &["export", "bench", "--to", "mlflow"]);
    assert!(
        ran.err.contains("`loss` has a point at step 0.5"),
        "{}",
        ran.err
    );
}
