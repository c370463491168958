//! Scoring a rollout: its own phase, which can be repeated from what the rollout left without running it again.

mod control;
mod evidence;
pub(crate) mod files;
mod judge;
mod proof;
mod rubric;
pub(crate) mod scored;
pub(crate) mod scorer;
mod script;
mod sections;
mod verify;

pub use files::{DIFF_FILE, EVALUATION_FILE, Heading, SCORING_FILE};
use judge::JudgePanel;
pub use judge::{JudgeAnswer, JudgeScore, JudgeSpent, LmEvaluation};
pub use rubric::{Evaluation, RubricScore, Scores, evaluate};
pub use scored::{AGENT_METRICS, METRICS, Scored, TestResult};
pub use scorer::Scorer;
pub use script::ScriptReport;

use crate::error::AgentError;
use fairtrial_episode::read_own;
use std::path::Path;
use verify::Verified;

impl Scorer<'_> {
    /// Scores what a rollout left in its directory; `scratch` is an empty folder.
    pub fn score(&self, dir: &Path, scratch: &Path, name: &str) -> Result<Scored, AgentError> {
        let began = std::time::Instant::now();
        let Verified {
            tests,
            script,
            mut broken,
            notes,
            control,
        } = self.verify(dir, scratch, name)?;
        let seconds = began.elapsed().as_secs_f64();
        let mut extra = script.rubrics.clone();
        let mut panel = JudgePanel::default();
        if broken.is_none() && !self.task.rubrics.is_empty() {
            let diff = read_own(&dir.join(files::DIFF_FILE), u64::MAX).unwrap_or_default();
            (panel, broken) = judge::ask_all(self, &String::from_utf8_lossy(&diff));
            for (id, score) in panel.together.iter().flat_map(LmEvaluation::scores) {
                extra.entry(id.to_owned()).or_insert((score, "judge"));
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
            panel,
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
