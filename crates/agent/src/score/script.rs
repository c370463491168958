//! What an evaluation script says. An answer that cannot be meant is no answer: to take what can be read of it would
//! change scores without a word.

use crate::bulk::LARGEST;
use crate::task::Rubric;
use fairtrial_episode::read_own;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// The file in the folder that `FAIRTRIAL_OUT` names in which scripts leave metrics.
pub(super) const REPORT_FILE: &str = "evaluation.json";

/// What it may hold.
const KEYS: [&str; 3] = ["custom_metrics", "standard_metrics", "rubrics"];

/// What an evaluation script left in `evaluation.json`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ScriptReport {
    /// Metrics of its own.
    pub custom_metrics: Map<String, Value>,
    /// Further figures, kept as they are.
    pub standard_metrics: Map<String, Value>,
    /// Scores of rubrics, each from 0 to 1.
    pub rubrics: BTreeMap<String, (f64, &'static str)>,
    /// Keys that mean nothing.
    pub unknown: Vec<String>,
}

impl ScriptReport {
    /// Reads the file, where there is one; else says what is wrong with it.
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let parsed = match read_own(path, LARGEST) {
            Ok(text) => Self::parse(&text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(format!("cannot be read: {error}")),
        };
        parsed.map_err(|wrong| format!("the evaluation script's answer {wrong}"))
    }

    fn parse(text: &[u8]) -> Result<Self, String> {
        let mut all = match serde_json::from_slice(text) {
            Ok(Value::Object(all)) => all,
            Ok(_) => return Err("is no JSON object".to_owned()),
            Err(error) => return Err(format!("is no JSON: {error}")),
        };
        let mut table = |key: &str| match all.remove(key) {
            Some(Value::Object(table)) => Ok(table),
            None | Some(Value::Null) => Ok(Map::new()),
            Some(other) => Err(format!("has no object under `{key}` but {other}")),
        };
        let [custom_metrics, standard_metrics, rubrics] = KEYS.map(&mut table);
        let mut scores = BTreeMap::new();
        for (id, value) in rubrics? {
            let score = value.as_f64().filter(|score| (0.0..=1.0).contains(score));
            let score = score.ok_or_else(|| {
                format!("has no number from 0 to 1 for rubric `{id}` but {value}")
            })?;
            scores.insert(id, (score, "script"));
        }
        Ok(Self {
            custom_metrics: custom_metrics?,
            standard_metrics: standard_metrics?,
            rubrics: scores,
            unknown: all.into_iter().map(|(key, _)| key).collect(),
        })
    }

    /// What it says without effect.
    pub(super) fn warnings(&self, rubrics: &[Rubric], tested: &[(&str, bool)]) -> Vec<String> {
        let unknown = self.unknown.iter().map(|key| {
            format!("the evaluation script's answer has the unknown key `{key}`; it does not count")
        });
        let mut warnings: Vec<String> = unknown.collect();
        for id in self.rubrics.keys() {
            if !rubrics.iter().any(|rubric| rubric.id == *id) {
                warnings.push(format!(
                    "the evaluation script scores rubric `{id}`, which is not there; it does not count"
                ));
            } else if tested.iter().any(|(rubric, _)| rubric == id) {
                warnings.push(format!(
                    "the evaluation script scores rubric `{id}`, which has tests; the tests count"
                ));
            }
        }
        warnings
    }
}

#[cfg(test)]
mod tests {
    use super::ScriptReport;

    #[test]
    fn an_answer_that_has_no_end_is_none() {
        let out = tempfile::tempdir().unwrap();
        let path = out.path().join(super::REPORT_FILE);
        assert_eq!(ScriptReport::read(&path), Ok(ScriptReport::default()));
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        let told = "the evaluation script's answer cannot be read: it is not a regular file";
        assert_eq!(ScriptReport::read(&path), Err(told.to_owned()));
    }

    #[test]
    fn an_answer_that_cannot_be_meant_is_none() {
        for (text, said) in [
            ("{not json", "is no JSON: "),
            ("", "is no JSON: "),
            ("[1]", "is no JSON object"),
            (r#"{"rubrics": [1]}"#, "no object under `rubrics` but [1]"),
            (r#"{"rubrics": {"b": 5}}"#, "for rubric `b` but 5"),
            (r#"{"rubrics": {"b": -0.1}}"#, "for rubric `b` but -0.1"),
            (r#"{"rubrics": {"b": "1"}}"#, "for rubric `b` but \"1\""),
        ] {
            let wrong = ScriptReport::parse(text.as_bytes()).unwrap_err();
            assert!(wrong.contains(said), "{text}: {wrong}");
        }
        let good = ScriptReport::parse(br#"{"rubrics": {"a": 1}, "rubric": {}}"#).unwrap();
        assert_eq!(good.rubrics["a"].0, 1.0);
        assert_eq!(good.unknown, ["rubric"]);
    }
}
