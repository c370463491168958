//! The files that scoring leaves: `evaluation_results.json` in the original's form and more, `scoring_results.md` for
//! people.

use crate::error::AgentError;
use crate::score::scored::Scored;
use fairtrial_journal::redact::Redactor;
use fairtrial_journal::{Durability, write_atomic_bytes};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::path::Path;

/// What the agent changed.
pub const DIFF_FILE: &str = "artifacts/diff.patch";
/// The scores.
pub const EVALUATION_FILE: &str = "evaluation_results.json";
/// The scores for people.
pub const SCORING_FILE: &str = "scoring_results.md";

/// What stands around the scores.
#[derive(Debug, Clone)]
pub struct Heading<'a> {
    /// The task's own id.
    pub task_id: &'a str,
    /// The attempt's name.
    pub run_id: &'a str,
    /// What the agent used.
    pub agent_metrics: &'a Value,
    /// Lines of the diff.
    pub diff_lines: Option<usize>,
}

impl Scored {
    /// Writes both files.
    pub fn write(
        &self,
        dir: &Path,
        heading: &Heading<'_>,
        redactor: &Redactor,
    ) -> Result<(), AgentError> {
        let json = serde_json::to_string_pretty(&self.json(heading)).unwrap_or_default();
        let clean = redactor.redact(&json);
        let path = dir.join(EVALUATION_FILE);
        write_atomic_bytes(&path, Durability::Process, clean.as_bytes())?;
        let text = self.markdown(heading);
        let path = dir.join(SCORING_FILE);
        write_atomic_bytes(
            &path,
            Durability::Process,
            redactor.redact(&text).as_bytes(),
        )?;
        Ok(())
    }

    fn json(&self, heading: &Heading<'_>) -> Value {
        let mut tests = Map::new();
        for test in &self.tests {
            let value = serde_json::to_value(test).unwrap_or_default();
            tests.insert(test.path.clone(), value);
        }
        let mut evaluation = self.evaluation.json();
        evaluation["total_score"] = self.total().into();
        let mut all = json!({
            "task_id": heading.task_id,
            "run_id": heading.run_id,
            "total_score": self.total(),
            "evaluation": evaluation,
            "test_results": tests,
            "diff_lines": heading.diff_lines,
            "agent_metrics": heading.agent_metrics,
            "custom_metrics": self.script.custom_metrics,
            "standard_metrics": self.script.standard_metrics,
            "unscored_rubrics": self.evaluation.unscored().collect::<Vec<_>>(),
        });
        if let Some(judged) = &self.panel.together {
            all["lm_evaluation"] = serde_json::to_value(judged).unwrap_or_default();
        }
        if !self.panel.verdicts.is_empty() {
            all["judges"] = serde_json::to_value(&self.panel.verdicts).unwrap_or_default();
        }
        if !self.warnings.is_empty() {
            all["warnings"] = self.warnings.clone().into();
        }
        if let Some(broken) = &self.broken {
            all["error"] = broken.as_str().into();
        }
        all
    }

    fn markdown(&self, heading: &Heading<'_>) -> String {
        let mut text = format!(
            "# Scoring of {}\n\n- Task: {}\n- Total score: {}\n",
            heading.run_id,
            heading.task_id,
            percent(self.total())
        );
        if let Some(broken) = &self.broken {
            let _ = writeln!(text, "- No score: {broken}");
        }
        for warning in &self.warnings {
            let _ = writeln!(text, "- **Warning:** {warning}");
        }
        let unscored: Vec<_> = self.evaluation.unscored().collect();
        if !unscored.is_empty() {
            let _ = writeln!(
                text,
                "- **Warning:** nothing scores {}; left out of the weighted total",
                unscored.join(", ")
            );
        }
        if !self.evaluation.rubrics.is_empty() {
            text.push_str("\n| rubric | weight | score | tests | by |\n|---|---:|---:|---:|---|\n");
        }
        for rubric in &self.evaluation.rubrics {
            let _ = writeln!(
                text,
                "| {} | {} | {} | {}/{} | {} |",
                rubric.id,
                rubric.weight,
                percent(rubric.score),
                rubric.tests_passed,
                rubric.test_count,
                rubric.scored_by.unwrap_or("nothing"),
            );
        }
        if !self.tests.is_empty() {
            text.push_str("\n| test | result | seconds |\n|---|---|---:|\n");
        }
        for test in &self.tests {
            let word = if test.success { "passed" } else { "failed" };
            let _ = writeln!(text, "| {} | {word} | {:.2} |", test.path, test.seconds);
        }
        if let (Some(judged), true) = (&self.panel.together, self.panel.verdicts.len() > 1) {
            let score = percent(judged.weighted_score);
            let _ = writeln!(text, "\n## Judges together: {score}\n");
            for rubric in &judged.rubrics {
                let _ = writeln!(text, "- {}: {}", rubric.id, percent(Some(rubric.score)));
            }
        }
        for verdict in &self.panel.verdicts {
            let judged = &verdict.evaluation;
            let _ = writeln!(
                text,
                "\n## Judge ({}): {}\n",
                verdict.judge,
                percent(judged.weighted_score)
            );
            for rubric in &judged.rubrics {
                let _ = writeln!(
                    text,
                    "- {}: {} ({})",
                    rubric.id,
                    percent(Some(rubric.score)),
                    rubric.reason
                );
            }
        }
        text
    }
}

fn percent(value: Option<f64>) -> String {
    value.map_or("N/A".to_owned(), |value| format!("{:.0}%", value * 100.0))
}
