//! Scoring a rollout: its own phase, which can be repeated from what the rollout left without running it again.

mod control;
mod evidence;
mod files;
mod judge;
mod proof;
mod rubric;
mod script;
mod sections;
mod verify;

pub use files::{DIFF_FILE, EVALUATION_FILE, Heading, SCORING_FILE};
pub use judge::{JudgeScore, LmEvaluation};
pub use rubric::{Evaluation, RubricScore, Scores, evaluate};
pub use script::ScriptReport;
pub use verify::TestResult;

use crate::baseline::Baseline;
use crate::error::AgentError;
use crate::sandbox::{Confinement, Env, Room};
use crate::task::AgentTask;
use fairtrial_episode::read_own;
use fairtrial_journal::redact::Redactor;
use fairtrial_spec::RolloutOptions;
use serde_json::{Map, Value};
use std::path::Path;
use verify::Verified;

/// What scoring needs.
pub struct Scorer<'a> {
    /// The task.
    pub task: &'a AgentTask,
    /// What the agent started from.
    pub baseline: &'a Baseline,
    /// How it is scored.
    pub options: &'a RolloutOptions,
    /// Where tests run.
    pub(crate) sandbox: &'a Confinement,
    /// Variables of tests in a room: those of the rollout without secrets.
    pub env: &'a dyn Fn(&Room) -> Env,
    /// The judge's key.
    pub judge_key: Option<&'a str>,
    /// Takes secrets out of what is written.
    pub redactor: &'a Redactor,
    /// A workspace that is the baseline's, file by file; absent means that a copy is made.
    pub fresh: Option<&'a Path>,
    /// What the agent left and its diff does not have, in words.
    pub left_out: &'a [String],
}

/// What scoring found.
#[derive(Debug, Clone, Default)]
pub struct Scored {
    /// The rubrics and the total.
    pub evaluation: Evaluation,
    /// Each test.
    pub tests: Vec<TestResult>,
    /// What the evaluation script said.
    pub script: ScriptReport,
    /// What the judge said.
    pub judged: Option<LmEvaluation>,
    /// Why there is no score, where the machine or the task is to blame.
    pub broken: Option<String>,
    /// What was said about the score and does not count.
    pub warnings: Vec<String>,
    /// What the agent did to files that decide how tests run, in words.
    pub control: Vec<String>,
    /// Seconds of the tests.
    pub seconds: f64,
}

impl Scorer<'_> {
    /// Scores what a rollout left in its directory; `scratch` is an empty folder.
    pub fn score(&self, dir: &Path, scratch: &Path, name: &str) -> Result<Scored, AgentError> {
        let room = self.room(scratch, name)?;
        let began = std::time::Instant::now();
        let Verified {
            tests,
            script,
            mut broken,
            notes,
            control,
        } = self.verify(dir, &room)?;
        let seconds = began.elapsed().as_secs_f64();
        let mut extra = script.rubrics.clone();
        let mut judged = None;
        if let (Some(choice), None, false) =
            (&self.options.judge, &broken, self.task.rubrics.is_empty())
        {
            let diff = read_own(&dir.join(files::DIFF_FILE), u64::MAX).unwrap_or_default();
            match judge::ask(choice, self, &String::from_utf8_lossy(&diff)) {
                Ok(answer) => {
                    for (id, score) in answer.scores() {
                        extra.entry(id.to_owned()).or_insert((score, "judge"));
                    }
                    judged = Some(answer);
                }
                Err(error) => broken = Some(error.to_string()),
            }
        }
        let passed: Vec<(&str, bool)> = tests
            .iter()
            .map(|test| (test.rubric_id.as_str(), test.success))
            .collect();
        let mut warnings = script.warnings(&self.task.rubrics, &passed);
        warnings.extend(notes);
        if !control.is_empty() {
            let files = control.join(", ");
            warnings.push(format!(
                "the agent changed files that decide how tests run, and they did not count: {files}"
            ));
        }
        warnings.extend(self.without().map(|files| {
            format!("left out of the diff, so that neither tests nor a judge saw it: {files}")
        }));
        let evaluation = evaluate(
            &self.task.rubrics,
            &Scores {
                tests: &passed,
                extra: &extra,
            },
            self.options.scoring,
        );
        Ok(Scored {
            evaluation,
            tests,
            script,
            judged,
            broken,
            warnings,
            control,
            seconds,
        })
    }

    /// What is scored as if it were not there.
    fn without(&self) -> Option<String> {
        (!self.left_out.is_empty()).then(|| self.left_out.join(", "))
    }
}

impl Scored {
    /// The score; absent where nothing scores, or where the machine or the task is to blame.
    pub fn total(&self) -> Option<f64> {
        self.evaluation
            .total_score
            .filter(|_| self.broken.is_none())
    }

    /// The metrics that scoring adds to a record.
    pub fn metrics(&self, pass_score: f64) -> Map<String, Value> {
        let mut metrics = Map::new();
        let mut set = |name: &str, value: Option<f64>| {
            if let Some(value) = value.filter(|value| value.is_finite()) {
                metrics.insert(name.to_owned(), value.into());
            }
        };
        let total = self.total();
        set("score", total);
        // Weights are decimal fractions: their sums miss 1 by a rounding.
        let solved = |total: f64| f64::from(u8::from(total >= pass_score - 1e-9));
        set("solved", total.map(solved));
        if self.broken.is_none() {
            let passed = self.tests.iter().filter(|test| test.success).count();
            set("tests_passed", Some(passed as f64));
            set("tests_total", Some(self.tests.len() as f64));
            let hung = self.tests.iter().filter(|test| test.timed_out).count();
            set("tests_timed_out", (hung > 0).then_some(hung as f64));
            let large = self.tests.iter().filter(|test| test.out_of_memory).count();
            set("tests_out_of_memory", (large > 0).then_some(large as f64));
        }
        let lm = self
            .judged
            .as_ref()
            .and_then(|judged| judged.weighted_score);
        set("lm_score", lm);
        set("verify_s", Some(self.seconds));
        for (name, value) in &self.script.custom_metrics {
            // A metric of ours keeps its meaning whatever a script calls its own.
            let taken = METRICS.iter().chain(&AGENT_METRICS).any(|own| own == name);
            let taken = taken || name == STEP;
            let name = if taken {
                format!("custom/{name}")
            } else {
                name.clone()
            };
            if value.is_number() {
                metrics.insert(name, value.clone());
            }
        }
        metrics
    }
}

/// The metrics that scoring gives.
pub const METRICS: [&str; 8] = [
    "score",
    "solved",
    "tests_passed",
    "tests_total",
    "tests_timed_out",
    "tests_out_of_memory",
    "lm_score",
    "verify_s",
];

/// The key in a line of metrics that is no metric.
const STEP: &str = "step";

/// The metrics that a rollout gives besides those of scoring, and that scoring again leaves as they are.
pub const AGENT_METRICS: [&str; 10] = [
    "agent_s",
    "cost_usd",
    "diff_lines",
    "setup_s",
    "tokens_cached",
    "tokens_input",
    "tokens_output",
    "tokens_reasoning",
    "tokens_total",
    "tool_calls",
];
