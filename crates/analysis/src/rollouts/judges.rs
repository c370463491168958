//! What judges said, rollout by rollout: how far they agree with each other, and with people who scored the same work.

use super::gathered::ANSWER_FACT;
use super::human_scores::HumanScores;
use super::judged_rollout::JudgedRollout;
use super::mean_score::MeanScore;
use fairtrial_journal::observation::Observation;
use fairtrial_model::JUDGES_FACT;
use fairtrial_spec::{JUDGED_GOOD, JudgeRule};
use fairtrial_stats::agreement::{kappa, kappa_interval};
use fairtrial_stats::bootstrap::{Method, Plan};
use fairtrial_stats::one_arm::clustered_share;
use fairtrial_stats::{Interval, Level};
use serde::Serialize;
use std::collections::BTreeMap;

/// The name under which the score of all judges stands beside theirs.
const TOGETHER: &str = "together";

/// The judges of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JudgeSummary {
    /// Each judge.
    pub judges: Vec<JudgeTotals>,
    /// Each set of judges that scored the same rollouts.
    pub agreement: Vec<JudgeAgreement>,
    /// How they stand beside people, where people scored something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub humans: Option<HumanAgreement>,
}

/// One judge over all rollouts, by the attempts that count.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JudgeTotals {
    /// Its name.
    pub judge: String,
    /// Rollouts that it scored.
    pub rollouts: usize,
    /// The mean of its scores of rubrics.
    pub mean: f64,
    /// Tokens that it took.
    pub tokens: u64,
    /// Dollars, where all are known.
    pub cost_usd: Option<f64>,
}

/// How far raters agree.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JudgeAgreement {
    /// Who.
    pub judges: Vec<String>,
    /// Rollouts with verdicts of all of them.
    pub rollouts: usize,
    /// Rubrics that all of them scored, over the rollouts.
    pub verdicts: usize,
    /// Cohen's or Fleiss' kappa, or why there is none.
    #[serde(flatten)]
    pub kappa: KappaFound,
    /// The same for each rubric by itself, where there are several: raters who agree which rubric is the hard one
    /// agree over all of them, and need not agree on any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rubrics: Vec<RubricAgreement>,
}

/// How far raters agree on one rubric.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RubricAgreement {
    /// The rubric.
    pub criterion: String,
    /// Rollouts whose rubric all of them scored.
    pub verdicts: usize,
    /// Cohen's or Fleiss' kappa, or why there is none.
    #[serde(flatten)]
    pub kappa: KappaFound,
}

/// A kappa with its interval, or why there is none.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct KappaFound {
    /// What was computed.
    pub method: Option<&'static str>,
    /// The value.
    pub kappa: Option<f64>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_kappa: Option<String>,
    /// Its interval over rollouts.
    pub interval: Option<Interval>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_interval: Option<String>,
}

/// Judges beside people.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HumanAgreement {
    /// Each judge, and all together where there are several.
    pub judges: Vec<JudgeAccuracy>,
    /// Rows of the file that belong to no verdict, in words.
    pub unmatched: Vec<String>,
}

/// One judge beside people.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JudgeAccuracy {
    /// Its name.
    pub judge: String,
    /// Verdicts that people gave, too.
    pub verdicts: usize,
    /// The share of verdicts on the side of 0.5 on which the people's score is.
    pub accuracy: MeanScore,
    /// The mean of its scores minus that of theirs.
    pub bias: f64,
    /// Cohen's kappa of judge and people.
    #[serde(flatten)]
    pub kappa: KappaFound,
}

/// Gathers verdicts.
#[derive(Debug, Default)]
pub(crate) struct JudgeGatherer {
    rollouts: Vec<JudgedRollout>,
}

/// Scores of items by two or more raters, and the rollouts that they are about.
#[derive(Debug, Default)]
struct Ratings {
    items: Vec<Vec<f64>>,
    rollouts: Vec<u64>,
}

/// Judges who scored the same rollouts.
#[derive(Debug, Default)]
struct Together<'a> {
    judges: Vec<&'a str>,
    rollouts: usize,
    all: Ratings,
    rubrics: BTreeMap<&'a str, Ratings>,
}

impl JudgeGatherer {
    /// Takes in a rollout, of a task whose judges are combined by this rule.
    pub(crate) fn add(&mut self, seen: &Observation<'_>, rule: JudgeRule) {
        let verdicts = seen.facts.get(JUDGES_FACT);
        let verdicts = verdicts.and_then(|text| serde_json::from_str(text).ok());
        if let Some(verdicts) = verdicts {
            self.rollouts.push(JudgedRollout {
                trial: seen.trial.index,
                task: seen.trial.task.to_string(),
                answer: seen.facts.get(ANSWER_FACT).cloned(),
                verdicts,
                rule,
            });
        }
    }

    /// The numbers; absent where no judge was asked.
    pub(crate) fn finish(
        mut self,
        humans: Option<&HumanScores>,
        level: Level,
    ) -> Option<JudgeSummary> {
        if self.rollouts.is_empty() {
            return None;
        }
        self.rollouts.sort_by_key(|rollout| rollout.trial);
        Some(JudgeSummary {
            judges: self.totals(),
            agreement: self.agreement(level),
            humans: humans.map(|humans| self.beside(humans, level)),
        })
    }

    fn totals(&self) -> Vec<JudgeTotals> {
        let mut all: Vec<(JudgeTotals, Vec<f64>)> = Vec::new();
        for verdict in self.rollouts.iter().flat_map(|rollout| &rollout.verdicts) {
            let known = all.iter().position(|(it, _)| it.judge == verdict.judge);
            let place = known.unwrap_or_else(|| {
                let nothing = JudgeTotals {
                    judge: verdict.judge.clone(),
                    rollouts: 0,
                    mean: 0.0,
                    tokens: 0,
                    cost_usd: Some(0.0),
                };
                all.push((nothing, Vec::new()));
                all.len() - 1
            });
            let (totals, scores) = &mut all[place];
            totals.rollouts += 1;
            totals.tokens += verdict.tokens;
            totals.cost_usd = totals.cost_usd.zip(verdict.cost_usd).map(|(a, b)| a + b);
            scores.extend(verdict.scores.values());
        }
        all.into_iter()
            .map(|(totals, scores)| JudgeTotals {
                mean: mean(&scores),
                ..totals
            })
            .collect()
    }

    /// Raters are those who scored the same rollout: tasks may have judges of their own.
    fn agreement(&self, level: Level) -> Vec<JudgeAgreement> {
        let mut sets: Vec<Together<'_>> = Vec::new();
        for rollout in &self.rollouts {
            let judges: Vec<&str> = rollout.verdicts.iter().map(|it| &*it.judge).collect();
            if judges.len() < 2 {
                continue;
            }
            let known = sets.iter().position(|set| set.judges == judges);
            let place = known.unwrap_or_else(|| {
                sets.push(Together {
                    judges,
                    ..Together::default()
                });
                sets.len() - 1
            });
            let set = &mut sets[place];
            set.rollouts += 1;
            for criterion in rollout.criteria() {
                let scores = rollout.verdicts.iter();
                let scores = scores.map(|it| it.scores.get(criterion).copied());
                if let Some(scores) = scores.collect::<Option<Vec<f64>>>() {
                    let rubric = set.rubrics.entry(criterion).or_default();
                    rubric.add(scores.clone(), rollout.trial);
                    set.all.add(scores, rollout.trial);
                }
            }
        }
        sets.into_iter().map(|set| set.agreement(level)).collect()
    }

    fn beside(&self, humans: &HumanScores, level: Level) -> HumanAgreement {
        let (scored, unmatched) = humans.matched(&self.rollouts);
        let mut raters: Vec<(String, Ratings)> = Vec::new();
        for (place, criterion, human) in scored {
            let rollout = &self.rollouts[place];
            let mut said: Vec<(&str, f64)> = rollout
                .verdicts
                .iter()
                .filter_map(|it| Some((&*it.judge, *it.scores.get(criterion)?)))
                .collect();
            if said.len() > 1 {
                let all: Vec<f64> = said.iter().map(|(_, score)| *score).collect();
                said.extend(rollout.rule.combine(&all).map(|score| (TOGETHER, score)));
            }
            for (name, score) in said {
                let known = raters.iter().position(|(rater, _)| rater == name);
                let at = known.unwrap_or_else(|| {
                    raters.push((name.to_owned(), Ratings::default()));
                    raters.len() - 1
                });
                raters[at].1.add(vec![score, human], rollout.trial);
            }
        }
        HumanAgreement {
            judges: raters
                .into_iter()
                .map(|(judge, ratings)| ratings.accuracy(judge, level))
                .collect(),
            unmatched,
        }
    }
}

impl Together<'_> {
    fn agreement(self, level: Level) -> JudgeAgreement {
        let several = self.rubrics.len() > 1;
        let rubrics = self.rubrics.into_iter().filter(|_| several);
        JudgeAgreement {
            judges: self.judges.into_iter().map(str::to_owned).collect(),
            rollouts: self.rollouts,
            verdicts: self.all.items.len(),
            kappa: self.all.kappa(level),
            rubrics: rubrics
                .map(|(criterion, ratings)| RubricAgreement {
                    criterion: criterion.to_owned(),
                    verdicts: ratings.items.len(),
                    kappa: ratings.kappa(level),
                })
                .collect(),
        }
    }
}

impl Ratings {
    fn add(&mut self, scores: Vec<f64>, rollout: u64) {
        self.items.push(scores);
        self.rollouts.push(rollout);
    }

    fn kappa(&self, level: Level) -> KappaFound {
        let plan = Plan {
            level,
            ..Plan::new(Method::Percentile, 0)
        };
        let found = match kappa(&self.items) {
            Ok(found) => found,
            Err(why) => {
                return KappaFound {
                    no_kappa: Some(why.to_string()),
                    ..KappaFound::default()
                };
            }
        };
        let interval = kappa_interval(&self.items, &self.rollouts, &plan);
        KappaFound {
            method: Some(found.method),
            kappa: Some(found.kappa),
            no_kappa: None,
            no_interval: interval.as_ref().err().map(ToString::to_string),
            interval: interval.ok(),
        }
    }

    fn accuracy(&self, judge: String, level: Level) -> JudgeAccuracy {
        let is_right = |item: &Vec<f64>| (item[0] >= JUDGED_GOOD) == (item[1] >= JUDGED_GOOD);
        let right: Vec<f64> = self
            .items
            .iter()
            .map(|item| f64::from(u8::from(is_right(item))))
            .collect();
        let share = clustered_share(&right, &self.rollouts, level);
        let apart: Vec<f64> = self.items.iter().map(|item| item[0] - item[1]).collect();
        JudgeAccuracy {
            judge,
            verdicts: self.items.len(),
            accuracy: MeanScore {
                mean: mean(&right),
                no_interval: share.as_ref().err().map(ToString::to_string),
                interval: share.ok().map(|share| share.interval),
            },
            bias: mean(&apart),
            kappa: self.kappa(level),
        }
    }
}

/// The mean of values of which there are some.
fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::{HumanScores, JudgeGatherer, JudgeSummary};
    use fairtrial_spec::JudgeRule;
    use fairtrial_stats::Level;
    use serde_json::{Value, json};

    /// Rollouts by what each of the judges `a` and `b` says of the criterion `c`.
    fn gathered(scores: &[(f64, f64)], humans: Option<&str>) -> JudgeSummary {
        let scores = scores
            .iter()
            .map(|(a, b)| [json!({ "c": a }), json!({ "c": b })]);
        summary(scores, humans)
    }

    fn summary(said: impl IntoIterator<Item = [Value; 2]>, humans: Option<&str>) -> JudgeSummary {
        let mut all = JudgeGatherer::default();
        for (index, [a, b]) in said.into_iter().enumerate() {
            let verdict = |judge: &str, scores: Value| json!({ "judge": judge, "score": 0.5, "tokens": 10, "cost_usd": if judge == "a" { Some(0.5) } else { None }, "scores": scores });
            let judges = json!([verdict("a", a), verdict("b", b)]).to_string();
            let text = json!({
                "trial": { "index": index, "task": "t", "arm": "x", "seed": 1, "rollout": index },
                "id": "x", "outcome": "ok", "facts": { "judges": judges, "answer_digest": format!("d{index}") },
            })
            .to_string();
            all.add(&serde_json::from_str(&text).unwrap(), JudgeRule::Mean);
        }
        let humans = humans.map(|text| HumanScores::read(text).unwrap());
        all.finish(humans.as_ref(), Level::TWO_SIDED_95).unwrap()
    }

    #[test]
    fn judges_agree_as_far_as_kappa_says() {
        let found = gathered(
            &[(1.0, 1.0), (0.0, 0.0), (1.0, 0.0), (0.0, 0.0), (1.0, 1.0)],
            None,
        );
        let totals = &found.judges;
        assert_eq!((totals[0].judge.as_str(), totals[0].mean), ("a", 0.6));
        assert_eq!((totals[0].tokens, totals[0].cost_usd), (50, Some(2.5)));
        assert_eq!((totals[1].rollouts, totals[1].cost_usd), (5, None));
        let both = &found.agreement[0];
        assert_eq!(both.judges, ["a", "b"]);
        assert_eq!((both.rollouts, both.verdicts), (5, 5));
        // 1 - 0.2 / (0.6 * 0.6 + 0.4 * 0.4)
        assert!((both.kappa.kappa.unwrap() - (1.0 - 0.2 / 0.52)).abs() < 1e-12);
        assert!(found.humans.is_none());
    }

    /// Both know that `c` is easy and `d` hard, and on each of them they agree as chance would.
    #[test]
    fn agreement_is_told_for_each_rubric() {
        let said = [(1.0, 1.0), (1.0, 0.0), (0.0, 1.0), (0.0, 0.0)];
        let scores = |(a, b): (f64, f64)| {
            let of = |score: f64| json!({ "c": 0.75 + score / 4.0, "d": score / 4.0 });
            [of(a), of(b)]
        };
        let agreement = &summary(said.map(scores), None).agreement[0];
        assert_eq!(agreement.verdicts, 8);
        assert!(agreement.kappa.kappa.unwrap() > 0.5, "{agreement:?}");
        let of = agreement.rubrics.iter();
        let of: Vec<_> = of
            .map(|it| (&*it.criterion, it.verdicts, it.kappa.kappa))
            .collect();
        assert_eq!(of, [("c", 4, Some(0.0)), ("d", 4, Some(0.0))]);
        assert!(gathered(&said, None).agreement[0].rubrics.is_empty());
    }

    #[test]
    fn what_cannot_be_computed_says_why() {
        let same = gathered(&[(1.0, 1.0), (1.0, 1.0), (1.0, 1.0)], None);
        let why = same.agreement[0].kappa.no_kappa.as_ref().unwrap();
        assert!(why.contains("does not vary"), "{why}");
        let one = gathered(&[(1.0, 0.0)], None);
        let why = one.agreement[0].kappa.no_kappa.as_ref().unwrap();
        assert!(why.contains("at least 2"), "{why}");
        let equal = &gathered(&[(1.0, 1.0), (0.0, 0.0), (1.0, 1.0)], None).agreement[0];
        assert_eq!(equal.kappa.kappa, Some(1.0));
        let why = equal.kappa.no_interval.as_ref().unwrap();
        assert!(why.contains("agree on every item"), "{why}");
    }

    #[test]
    fn people_say_how_right_a_judge_is() {
        let humans = "trial,answer,task,criterion,score,grader\n0,,t,c,1,me\n0,,t,c,0.5,you\n1,,,c,1,me\n,d2,,c,0,me\n3,d9,,c,1,me\n9,,,c,1,me\n2,,,z,1,me\n2,,u,c,1,me\n";
        let found = gathered(
            &[(1.0, 1.0), (0.0, 1.0), (0.25, 0.0), (1.0, 1.0)],
            Some(humans),
        );
        let humans = found.humans.unwrap();
        let rows: Vec<_> = humans
            .judges
            .iter()
            .map(|it| (it.judge.as_str(), it.verdicts, it.accuracy.mean))
            .collect();
        let two_thirds = 2.0 / 3.0;
        assert_eq!(
            rows,
            [("a", 3, two_thirds), ("b", 3, 1.0), ("together", 3, 1.0)]
        );
        // (1 - 0.75) + (0 - 1) + (0.25 - 0)
        assert!((humans.judges[0].bias + 0.5 / 3.0).abs() < 1e-12);
        assert_eq!(humans.unmatched.len(), 4);
        assert!(humans.unmatched[0].starts_with("line 6 "), "{humans:?}");
    }

    #[test]
    fn a_file_of_human_scores_is_read_whole_or_refused() {
        for (text, why) in [
            ("trial,score\n1,1\n", "no column `criterion`"),
            (
                "criterion,score\nc,1\n",
                "neither a column `trial` nor `answer`",
            ),
            (
                "trial,criterion,score\n1,c,yes\n",
                "line 2: the score `yes` is no number from 0 to 1",
            ),
            (
                "trial,criterion,score\n1,c,2\n",
                "line 2: the score `2` is no number from 0 to 1",
            ),
            (
                "trial,criterion,score\nx,c,1\n",
                "line 2: the trial `x` is no number",
            ),
            (
                "trial,criterion,score\n,c,1\n",
                "line 2: it names neither a trial nor an answer",
            ),
            (
                "trial,criterion,score\n1,,1\n",
                "line 2: it names no criterion",
            ),
            ("trial,criterion,score\n", "it has no rows"),
            ("trial,criterion,score\n1,c\n", "line: 2"),
        ] {
            let said = HumanScores::read(text).unwrap_err();
            assert!(said.contains(why), "{said}");
        }
        let excel = "\u{feff}trial;criterion;score\n1;c;0.5\n";
        assert!(HumanScores::read(excel).is_ok());
    }
}
