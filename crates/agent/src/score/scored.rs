//! What scoring found, and the metrics that it gives.

use super::judge::JudgePanel;
use super::rubric::Evaluation;
use super::script::ScriptReport;
use serde::Serialize;
use serde_json::{Map, Value};

/// What scoring found.
#[derive(Debug, Clone, Default)]
pub struct Scored {
    /// The rubrics and the total.
    pub evaluation: Evaluation,
    /// Each test.
    pub tests: Vec<TestResult>,
    /// What the evaluation script said.
    pub script: ScriptReport,
    /// What judges said, and what was spent on them.
    pub(crate) panel: JudgePanel,
    /// Why there is no score, where the machine or the task is to blame.
    pub broken: Option<String>,
    /// What was said about the score and does not count.
    pub warnings: Vec<String>,
    /// What the agent did to files that decide how tests run, in words.
    pub control: Vec<String>,
    /// Seconds of the tests.
    pub seconds: f64,
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
        let together = self.panel.together.as_ref();
        set("lm_score", together.and_then(|all| all.weighted_score));
        let spent = Some(self.panel.spent).filter(|spent| spent.tokens > 0);
        set("judge_tokens", spent.map(|spent| spent.tokens as f64));
        set("judge_cost_usd", spent.and_then(|spent| spent.cost_usd));
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
pub const METRICS: [&str; 10] = [
    "score",
    "solved",
    "tests_passed",
    "tests_total",
    "tests_timed_out",
    "tests_out_of_memory",
    "lm_score",
    "judge_tokens",
    "judge_cost_usd",
    "verify_s",
];

/// The key in a line of metrics that is no metric.
pub(super) const STEP: &str = "step";

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

/// What one test said.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TestResult {
    /// Its path.
    #[serde(skip)]
    pub path: String,
    /// Its rubric.
    #[serde(skip)]
    pub rubric_id: String,
    /// Whether it passed.
    pub success: bool,
    /// The last of what it wrote.
    pub output: String,
    /// Its exit code.
    pub exit_code: i32,
    /// By what it is known whether it passed.
    pub proof: &'static str,
    /// How many tests its result names as passed, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cases_passed: Option<usize>,
    /// Whether it was ended for its time, which counts as not passed: an agent's endless loop is the agent's.
    pub timed_out: bool,
    /// Whether the memory limit of its sandbox ended it, which counts in the same way.
    pub out_of_memory: bool,
    /// Seconds.
    pub seconds: f64,
}
