//! The arithmetic of rubrics.

use crate::task::Rubric;
use fairtrial_spec::Scoring;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What there is to score with.
#[derive(Debug, Clone, Copy)]
pub struct Scores<'a> {
    /// Each test: its rubric, and whether it passed.
    pub tests: &'a [(&'a str, bool)],
    /// Scores from elsewhere by rubric, from 0 to 1, and from where; tests go before them.
    pub extra: &'a BTreeMap<String, (f64, &'static str)>,
}

/// One rubric, scored or not.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RubricScore {
    /// Its id.
    #[serde(skip)]
    pub id: String,
    /// What it asks.
    pub criterion: String,
    /// Its weight.
    pub weight: f64,
    /// From 0 to 1; absent where nothing scores it.
    pub score: Option<f64>,
    /// Always 1.
    pub max_score: f64,
    /// Score times weight.
    pub weighted_score: Option<f64>,
    /// Its tests.
    pub test_count: usize,
    /// Those that passed.
    pub tests_passed: usize,
    /// `tests`, `judge` or `script`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scored_by: Option<&'static str>,
}

/// All rubrics and the total.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evaluation {
    /// The rubrics in the task's order.
    pub rubrics: Vec<RubricScore>,
    /// From 0 to 1; absent where nothing scores.
    pub total_score: Option<f64>,
}

impl Evaluation {
    /// The rubrics that nothing scores.
    pub fn unscored(&self) -> impl Iterator<Item = &str> {
        let unscored = self.rubrics.iter().filter(|rubric| rubric.score.is_none());
        unscored.map(|rubric| rubric.id.as_str())
    }

    /// In the original's form.
    pub fn json(&self) -> Value {
        let mut rubrics = Map::new();
        for rubric in &self.rubrics {
            let value = serde_json::to_value(rubric).unwrap_or_default();
            rubrics.insert(rubric.id.clone(), value);
        }
        let mut all = Map::new();
        all.insert("rubrics".to_owned(), Value::Object(rubrics));
        all.insert("total_score".to_owned(), self.total_score.into());
        all.insert("max_score".to_owned(), 1.0.into());
        Value::Object(all)
    }
}

/// Scores rubrics. A rubric's score is the share of its tests that passed; a test without a rubric counts where a task
/// has no rubrics at all, as the share of passed tests (not in the original's rule, which gives 0 there).
pub fn evaluate(rubrics: &[Rubric], scores: &Scores<'_>, rule: Scoring) -> Evaluation {
    let scored: Vec<RubricScore> = rubrics.iter().map(|rubric| one(rubric, scores)).collect();
    let sum = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, |sum, value| sum + value);
    let gained = sum(&mut scored.iter().filter_map(|rubric| rubric.weighted_score));
    let counted = |rubric: &&RubricScore| rule == Scoring::Oneshot || rubric.score.is_some();
    let weights = sum(&mut scored.iter().filter(counted).map(|rubric| rubric.weight));
    let total_score = match rule {
        _ if weights > 0.0 => Some(gained / weights),
        Scoring::Oneshot => Some(0.0),
        Scoring::Weighted if rubrics.is_empty() && !scores.tests.is_empty() => {
            let passed = scores.tests.iter().filter(|(_, passed)| *passed).count();
            Some(passed as f64 / scores.tests.len() as f64)
        }
        Scoring::Weighted => None,
    };
    Evaluation {
        rubrics: scored,
        total_score,
    }
}

fn one(rubric: &Rubric, scores: &Scores<'_>) -> RubricScore {
    let own = scores.tests.iter().filter(|(id, _)| *id == rubric.id);
    let (mut test_count, mut tests_passed) = (0, 0);
    for (_, passed) in own {
        test_count += 1;
        tests_passed += usize::from(*passed);
    }
    let (score, scored_by) = match (test_count, scores.extra.get(&rubric.id)) {
        (0, Some((score, from))) => (Some(*score), Some(*from)),
        (0, None) => (None, None),
        _ => (Some(tests_passed as f64 / test_count as f64), Some("tests")),
    };
    RubricScore {
        id: rubric.id.clone(),
        criterion: rubric.criterion.clone(),
        weight: rubric.weight,
        score,
        max_score: 1.0,
        weighted_score: score.map(|score| score * rubric.weight),
        test_count,
        tests_passed,
        scored_by,
    }
}

#[cfg(test)]
mod tests {
    use super::{Scores, evaluate};
    use crate::task::{Rubric, TestScript};
    use fairtrial_spec::Scoring;
    use serde_json::Value;
    use std::collections::BTreeMap;

    fn golden() -> Vec<Value> {
        let text = include_str!("../../tests/goldens/golden_rubric_scoring.json");
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn the_originals_rule_gives_the_originals_numbers() {
        for case in golden() {
            let evaluation = &case["tb_meta"]["evaluation"];
            let list = |key: &str| evaluation.get(key).cloned().unwrap_or(Value::Array(vec![]));
            let rubrics: Vec<Rubric> = serde_json::from_value(list("rubrics")).unwrap();
            let scripts: Vec<TestScript> = serde_json::from_value(list("test_scripts")).unwrap();
            let tests: Vec<(&str, bool)> = scripts
                .iter()
                .map(|test| {
                    let passed = case["tests_passed"][&test.path].as_bool().unwrap();
                    (test.rubric_id.as_str(), passed)
                })
                .collect();
            let scores = Scores {
                tests: &tests,
                extra: &BTreeMap::new(),
            };
            let ours = evaluate(&rubrics, &scores, Scoring::Oneshot).json();
            let theirs = &case["result"];
            let near = |a: &Value, b: &Value| match (a.as_f64(), b.as_f64()) {
                (Some(a), Some(b)) => (a - b).abs() < 1e-12,
                _ => a == b,
            };
            assert!(near(&ours["total_score"], &theirs["total_score"]), "{case}");
            for (id, rubric) in theirs["rubrics"].as_object().unwrap() {
                for (key, value) in rubric.as_object().unwrap() {
                    assert!(near(&ours["rubrics"][id][key], value), "{id} {key}");
                }
            }
        }
    }

    #[test]
    fn what_nothing_scores_is_left_out_of_the_weighted_mean() {
        let rubric = |id: &str| Rubric {
            id: id.into(),
            criterion: String::new(),
            weight: 0.5,
        };
        let rubrics = [rubric("tested"), rubric("manual")];
        let mut extra = BTreeMap::new();
        let tests = [("tested", true)];
        let score = |extra: &BTreeMap<String, (f64, &'static str)>, rule| {
            let scores = Scores {
                tests: &tests,
                extra,
            };
            evaluate(&rubrics, &scores, rule)
        };
        let ours = score(&extra, Scoring::Weighted);
        assert_eq!(ours.total_score, Some(1.0));
        assert_eq!(ours.unscored().collect::<Vec<_>>(), ["manual"]);
        assert_eq!(score(&extra, Scoring::Oneshot).total_score, Some(0.5));
        extra.insert("manual".to_owned(), (0.5, "judge"));
        extra.insert("tested".to_owned(), (0.0, "judge"));
        assert_eq!(score(&extra, Scoring::Weighted).total_score, Some(0.75));
        let none = Scores {
            tests: &[],
            extra: &BTreeMap::new(),
        };
        assert_eq!(evaluate(&[], &none, Scoring::Weighted).total_score, None);
        let half = Scores {
            tests: &[("", true), ("", false)],
            extra: &BTreeMap::new(),
        };
        assert_eq!(
            evaluate(&[], &half, Scoring::Weighted).total_score,
            Some(0.5)
        );
    }
}
