//! All judges of a rollout: each is asked, each answer is kept, and together they come to one score per rubric.

use super::ask::{JudgeScore, JudgeSpent, LmEvaluation, ask};
use crate::score::scorer::Scorer;
use fairtrial_model::JudgeVerdict;
use serde::Serialize;

/// What one judge said, and what it took.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JudgeAnswer {
    /// Its name: the model, with a number where that is asked more than once.
    pub judge: String,
    /// What it said.
    #[serde(flatten)]
    pub evaluation: LmEvaluation,
    /// What was spent on it.
    #[serde(flatten)]
    pub spent: JudgeSpent,
}

/// What all judges said.
#[derive(Debug, Clone, Default)]
pub(crate) struct JudgePanel {
    /// Each of them.
    pub(crate) verdicts: Vec<JudgeAnswer>,
    /// What they come to together; absent where one gave no answer.
    pub(crate) together: Option<LmEvaluation>,
    /// What was spent on all, also where one gave no answer.
    pub(crate) spent: JudgeSpent,
}

impl JudgePanel {
    /// The verdicts for the record, in one line.
    pub(crate) fn fact(&self) -> Option<String> {
        let each = |verdict: &JudgeAnswer| JudgeVerdict {
            judge: verdict.judge.clone(),
            score: verdict.evaluation.weighted_score,
            tokens: verdict.spent.tokens,
            cost_usd: verdict.spent.cost_usd,
            scores: verdict
                .evaluation
                .scores()
                .map(|(id, score)| (id.to_owned(), score))
                .collect(),
        };
        let all: Vec<JudgeVerdict> = self.verdicts.iter().map(each).collect();
        let text = serde_json::to_string(&all).ok();
        text.filter(|_| !all.is_empty())
    }
}

/// Asks every judge, as often as it is to be asked. The first that gives no answer ends it: there is no score then, and
/// the others would cost money for nothing.
pub(crate) fn ask_all(scorer: &Scorer<'_>, diff: &str) -> (JudgePanel, Option<String>) {
    let mut panel = JudgePanel::default();
    for (name, choice) in scorer.options.raters() {
        let (answer, spent) = ask(choice, scorer, diff);
        panel.spent.add_all(spent);
        match answer {
            Ok(evaluation) => panel.verdicts.push(JudgeAnswer {
                judge: name,
                evaluation,
                spent,
            }),
            Err(error) => return (panel, Some(error.to_string())),
        }
    }
    panel.together = together(scorer, &panel.verdicts);
    (panel, None)
}

fn together(scorer: &Scorer<'_>, verdicts: &[JudgeAnswer]) -> Option<LmEvaluation> {
    let names: Vec<&str> = verdicts
        .iter()
        .map(|verdict| verdict.judge.as_str())
        .collect();
    let rubrics = scorer.task.rubrics.iter().enumerate();
    let rubrics = rubrics.map(|(place, rubric)| {
        let scores = verdicts
            .iter()
            .filter_map(|verdict| verdict.evaluation.rubrics.get(place));
        let scores: Vec<&JudgeScore> = scores.collect();
        // Several reasons stand with the verdicts.
        let reason = match scores[..] {
            [one] => one.reason.clone(),
            _ => String::new(),
        };
        let scores: Vec<f64> = scores.into_iter().map(|judged| judged.score).collect();
        Some(JudgeScore {
            id: rubric.id.clone(),
            score: scorer.options.judge_rule.combine(&scores)?,
            reason,
        })
    });
    let rubrics = rubrics.collect::<Option<Vec<_>>>()?;
    Some(LmEvaluation::of(names.join(", "), scorer.task, rubrics))
}
