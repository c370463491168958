//! Rewards: what the tests of a contained task leave, and what several steps of it come to.

use crate::bulk::LARGEST;
use crate::contained::{REWARD, Step, StepRule};
use crate::process::ProgramEnd;
use crate::score::scored::{Scored, TestResult};
use crate::score::{Evaluation, ScriptReport};
use fairtrial_episode::read_own;
use fairtrial_text::excerpt::excerpt;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

type Rewards = BTreeMap<String, f64>;

/// What the tests of one step came to.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct StepEnd {
    /// The step's name; empty where there is one alone.
    pub(super) name: String,
    /// What they left, where that is a reward.
    rewards: Option<Rewards>,
    /// Why there is none.
    problem: Option<String>,
    exit_code: i32,
    timed_out: bool,
    seconds: f64,
    /// The last of what they printed.
    output: String,
}

/// What all steps came to that were taken.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct StepEnds {
    pub(super) rule: StepRule,
    pub(super) steps: Vec<StepEnd>,
}

impl StepEnd {
    /// A step that was not tested.
    pub(super) fn unready(name: &str, why: &str) -> Self {
        Self {
            name: name.to_owned(),
            problem: Some(why.to_owned()),
            ..Self::default()
        }
    }

    /// Reads what tests left in their folder that ended so.
    pub(super) fn read(folder: &Path, ended: &ProgramEnd, said: &str) -> Self {
        let mut read = match &ended.stopped {
            Some(limit) => Err(format!("the tests were ended at {limit}")),
            None => rewards(folder),
        };
        let last = said.lines().rev().find(|line| !line.trim().is_empty());
        if let (Err(why), Some(line)) = (&mut read, last) {
            *why = format!(
                "{why} (exit code {}: {})",
                ended.code,
                excerpt(line.trim(), 160)
            );
        }
        let shown = said.char_indices().rev().nth(2000).map_or(0, |(at, _)| at);
        Self {
            name: String::new(),
            problem: read.as_ref().err().cloned(),
            rewards: read.ok(),
            exit_code: ended.code,
            timed_out: ended.timed_out,
            seconds: ended.seconds,
            output: said[shown..].to_owned(),
        }
    }
}

/// `reward.json`, else `reward.txt`.
fn rewards(folder: &Path) -> Result<Rewards, String> {
    for (name, parse) in [
        (
            "reward.json",
            parse_json as fn(&str) -> Result<Rewards, String>,
        ),
        ("reward.txt", parse_text),
    ] {
        match read_own(&folder.join(name), LARGEST) {
            Ok(bytes) if bytes.is_empty() => return Err(format!("`{name}` is empty")),
            Ok(bytes) => {
                let wrong = |wrong| format!("`{name}` {wrong}");
                return parse(&String::from_utf8_lossy(&bytes)).map_err(wrong);
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(format!("`{name}` cannot be read: {error}")),
        }
    }
    Err("the tests left neither `/logs/verifier/reward.json` nor `reward.txt`".to_owned())
}

fn parse_text(text: &str) -> Result<Rewards, String> {
    let number: Result<f64, _> = text.trim().parse();
    let number = number.ok().filter(|number| number.is_finite());
    let number = number.ok_or_else(|| format!("holds no number: {}", excerpt(text.trim(), 60)))?;
    Ok([(REWARD.to_owned(), number)].into())
}

fn parse_json(text: &str) -> Result<Rewards, String> {
    let value: Value =
        serde_json::from_str(text).map_err(|error| format!("is no JSON: {error}"))?;
    let number = |name: &str, value: &Value| {
        let number = match value {
            Value::Bool(yes) => Some(f64::from(u8::from(*yes))),
            other => other.as_f64(),
        };
        let number = number.filter(|number| number.is_finite());
        number.ok_or_else(|| {
            format!(
                "has no number under `{name}` but {}",
                excerpt(&value.to_string(), 60)
            )
        })
    };
    match &value {
        Value::Object(table) if table.is_empty() => Err("holds no reward".to_owned()),
        Value::Object(table) => {
            let one = |(name, value): (&String, &Value)| Ok((name.clone(), number(name, value)?));
            table.iter().map(one).collect()
        }
        other => Ok([(REWARD.to_owned(), number(REWARD, other)?)].into()),
    }
}

impl StepEnds {
    /// Whether no further step follows after the last one.
    pub(super) fn is_over(&self, step: &Step) -> bool {
        let Some(last) = self.steps.last() else {
            return false;
        };
        let Some(rewards) = &last.rewards else {
            return true;
        };
        let is_short =
            |(key, least): (&String, &f64)| rewards.get(key).is_none_or(|reward| reward < least);
        step.min_reward.iter().any(is_short)
    }

    /// What all steps come to.
    pub(super) fn rewards(&self) -> Option<Rewards> {
        if self.rule == StepRule::Final {
            return self.steps.last()?.rewards.clone();
        }
        let tested: Vec<&Rewards> = self
            .steps
            .iter()
            .filter_map(|step| step.rewards.as_ref())
            .collect();
        let keys = tested.iter().flat_map(|rewards| rewards.keys());
        let mean = |key: &String| {
            let sum: f64 = tested.iter().filter_map(|rewards| rewards.get(key)).sum();
            (key.clone(), sum / tested.len() as f64)
        };
        let all: Rewards = keys.map(mean).collect();
        (!all.is_empty()).then_some(all)
    }

    /// Why there is no reward, or not one for every step.
    pub(super) fn problem(&self) -> Option<String> {
        let problems = self.steps.iter().filter_map(|step| {
            let why = step.problem.as_ref()?;
            Some(match step.name.as_str() {
                "" => why.clone(),
                name => format!("step `{name}`: {why}"),
            })
        });
        let all: Vec<String> = problems.collect();
        (!all.is_empty()).then(|| all.join("; "))
    }

    pub(super) fn seconds(&self) -> f64 {
        self.steps.iter().map(|step| step.seconds).sum()
    }

    /// The scores: the reward of that name, or the only one there is. Where there are several and none has that name,
    /// there is no score, and each is a metric.
    pub(super) fn scored(&self, pass_score: f64) -> Scored {
        let rewards = self.rewards();
        let of = |rewards: &Rewards| {
            let only = rewards.values().next().filter(|_| rewards.len() == 1);
            rewards.get(REWARD).or(only).copied()
        };
        let named = rewards.iter().flatten().filter(|(name, _)| *name != REWARD);
        let tests = self.steps.iter().map(|step| {
            let score = step.rewards.as_ref().and_then(of);
            TestResult {
                path: match step.name.as_str() {
                    "" => "tests/test.sh".to_owned(),
                    name => format!("steps/{name}/tests/test.sh"),
                },
                rubric_id: String::new(),
                success: score.is_some_and(|score| score >= pass_score - 1e-9),
                output: step.output.clone(),
                exit_code: step.exit_code,
                proof: "reward",
                cases_passed: None,
                timed_out: step.timed_out,
                out_of_memory: false,
                seconds: step.seconds,
            }
        });
        Scored {
            evaluation: Evaluation {
                rubrics: Vec::new(),
                total_score: rewards.as_ref().and_then(of),
            },
            tests: tests.collect(),
            script: ScriptReport {
                custom_metrics: named
                    .map(|(name, reward)| (name.clone(), (*reward).into()))
                    .collect(),
                ..ScriptReport::default()
            },
            warnings: self.problem().into_iter().collect(),
            seconds: self.seconds(),
            ..Scored::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Rewards, StepEnd, StepEnds, parse_json, parse_text, rewards};
    use crate::contained::{Step, StepRule};

    fn table(pairs: &[(&str, f64)]) -> Rewards {
        pairs
            .iter()
            .map(|(name, reward)| ((*name).to_owned(), *reward))
            .collect()
    }

    #[test]
    fn a_reward_is_a_number_and_everything_else_is_none() {
        assert_eq!(parse_text(" 0.5\n"), Ok(table(&[("reward", 0.5)])));
        assert_eq!(parse_json("1"), Ok(table(&[("reward", 1.0)])));
        let two = parse_json(r#"{"a": 1, "b": 0.25, "c": true}"#);
        assert_eq!(two, Ok(table(&[("a", 1.0), ("b", 0.25), ("c", 1.0)])));
        for bad in ["nan", "inf", "", "1 2", "yes"] {
            assert!(parse_text(bad).is_err(), "{bad}");
        }
        for bad in [
            "NaN",
            "1e999",
            r#"{"a": "1"}"#,
            "[1]",
            "{}",
            r#"{"a": null}"#,
        ] {
            assert!(parse_json(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn json_wins_and_nothing_is_no_reward() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
        assert!(rewards(dir.path()).unwrap_err().contains("neither"));
        write("reward.txt", "1");
        assert_eq!(rewards(dir.path()), Ok(table(&[("reward", 1.0)])));
        write("reward.json", "");
        assert!(rewards(dir.path()).unwrap_err().contains("empty"));
        write("reward.json", "{\"x\": 0}");
        assert_eq!(rewards(dir.path()), Ok(table(&[("x", 0.0)])));
    }

    #[test]
    fn several_steps_come_to_their_mean_or_to_the_last() {
        let step = |rewards: Option<Rewards>| StepEnd {
            rewards,
            problem: None,
            ..StepEnd::default()
        };
        let mut ends = StepEnds {
            rule: StepRule::Mean,
            steps: vec![
                step(Some(table(&[("reward", 1.0), ("x", 1.0)]))),
                step(Some(table(&[("reward", 0.5)]))),
                step(None),
            ],
        };
        assert_eq!(ends.rewards(), Some(table(&[("reward", 0.75), ("x", 0.5)])));
        assert_eq!(ends.scored(1.0).total(), Some(0.75));
        ends.rule = StepRule::Final;
        assert_eq!(ends.rewards(), None);
        ends.steps.pop();
        assert_eq!(ends.rewards(), Some(table(&[("reward", 0.5)])));
        let least = |least| Step {
            min_reward: table(&[("reward", least)]),
            ..Step::default()
        };
        assert!(!ends.is_over(&least(0.5)) && ends.is_over(&least(0.6)));
    }
}
