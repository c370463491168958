//! The spread of a pilot: one value per seed and arm, out of a run's trials.

use crate::AnalysisError;
use crate::dataset::Dataset;
use std::collections::BTreeMap;

/// Which numbers of a run are the pilot.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PilotQuestion {
    /// The metric; default: the only declared one.
    pub metric: Option<String>,
    /// The control arm; default: the spec's.
    pub control: Option<String>,
    /// The candidate arm; default: the only other one.
    pub candidate: Option<String>,
}

/// One value per seed.
#[derive(Debug, Clone, PartialEq)]
pub struct Pilot {
    /// Where it came from.
    pub source: String,
    /// The metric.
    pub metric: String,
    /// The control's values.
    pub control: Vec<f64>,
    /// The candidate's values, where there is one.
    pub candidate: Option<Vec<f64>>,
    /// Whether value i of both sides has the same seed.
    pub paired: bool,
    /// The arms.
    pub arms: Vec<String>,
    /// What was left out.
    pub notes: Vec<String>,
}

impl Pilot {
    /// Takes the values out of a run's trials. Repetitions under a seed are averaged, then tasks with equal weights.
    pub fn from_dataset(data: &Dataset, question: &PilotQuestion) -> Result<Self, AnalysisError> {
        let metric = metric(data, question)?;
        if data.point_values.len() > 1 {
            return Err(AnalysisError::Question(format!(
                "{} sweeps {} points; a pilot is one point (run it with --only)",
                data.label,
                data.point_values.len()
            )));
        }
        let (control, candidate) = arms(data, question)?;
        let control_seeds = by_seed(data, &metric, control.as_deref());
        let candidate_seeds = candidate
            .as_deref()
            .map(|arm| by_seed(data, &metric, Some(arm)));
        let mut pilot = Self {
            source: data.label.clone(),
            arms: control.into_iter().chain(candidate).collect(),
            metric,
            control: Vec::new(),
            candidate: None,
            paired: false,
            notes: Vec::new(),
        };
        pilot.fill(&control_seeds, candidate_seeds.as_ref());
        if pilot.control.len() < 2 {
            return Err(AnalysisError::Question(format!(
                "a pilot needs at least 2 seeds with a value of `{}`, {} has {}",
                pilot.metric,
                data.label,
                pilot.control.len()
            )));
        }
        Ok(pilot)
    }

    fn fill(&mut self, control: &Seeds, candidate: Option<&Seeds>) {
        let values = |seeds: &Seeds| seeds.complete.values().copied().collect::<Vec<f64>>();
        let missing = control.incomplete + candidate.map_or(0, |seeds| seeds.incomplete);
        if missing > 0 {
            self.notes.push(format!(
                "{missing} seeds without a value in every task were left out"
            ));
        }
        let Some(candidate) = candidate else {
            self.control = values(control);
            return;
        };
        let shared: Vec<u64> = control
            .complete
            .keys()
            .filter(|seed| candidate.complete.contains_key(seed))
            .copied()
            .collect();
        if shared.len() < 2 {
            self.notes.push(
                "the arms share fewer than 2 seeds, so that nothing is known about pairs"
                    .to_owned(),
            );
            self.control = values(control);
            self.candidate = Some(values(candidate));
            return;
        }
        let alone = control.complete.len() + candidate.complete.len() - 2 * shared.len();
        if alone > 0 {
            self.notes
                .push(format!("{alone} seeds that only one arm has were left out"));
        }
        let of = |seeds: &Seeds| {
            shared
                .iter()
                .filter_map(|seed| seeds.complete.get(seed).copied())
                .collect()
        };
        self.control = of(control);
        self.candidate = Some(of(candidate));
        self.paired = true;
    }

    /// The pilot in a few words.
    pub(super) fn words(&self) -> String {
        let of = if self.arms.is_empty() {
            String::new()
        } else {
            format!(", {}", self.arms.join(" and "))
        };
        format!(
            "{} of {}{of}, {} seeds",
            self.metric,
            self.source,
            self.control.len()
        )
    }
}

/// The values of one arm by seed.
struct Seeds {
    complete: BTreeMap<u64, f64>,
    incomplete: usize,
}

fn by_seed(data: &Dataset, metric: &str, arm: Option<&str>) -> Seeds {
    let mut sums: BTreeMap<u64, BTreeMap<u32, (f64, u32)>> = BTreeMap::new();
    let mut tasks = std::collections::BTreeSet::new();
    for (trial, value) in data.trials.iter().zip(data.values(metric)) {
        if arm.is_some() && data.arms.get(trial.arm).as_deref() != arm {
            continue;
        }
        tasks.insert(trial.task);
        let seed = sums.entry(trial.seed).or_default();
        if let Some(value) = value.filter(|value| value.is_finite()) {
            let (sum, n) = seed.entry(trial.task).or_insert((0.0, 0));
            *sum += value;
            *n += 1;
        }
    }
    let all = sums.len();
    let whole = sums
        .into_iter()
        .filter(|(_, by_task)| !by_task.is_empty() && by_task.len() == tasks.len());
    let complete: BTreeMap<u64, f64> = whole
        .map(|(seed, by_task)| {
            let means = by_task.values().map(|(sum, n)| sum / f64::from(*n));
            (seed, means.sum::<f64>() / by_task.len() as f64)
        })
        .collect();
    Seeds {
        incomplete: all - complete.len(),
        complete,
    }
}

fn metric(data: &Dataset, question: &PilotQuestion) -> Result<String, AnalysisError> {
    let known = data.metric_names();
    match (&question.metric, &data.declared[..], &known[..]) {
        (Some(metric), _, _) if known.contains(metric) => Ok(metric.clone()),
        (Some(metric), _, _) => Err(AnalysisError::Question(format!(
            "no trial reports the metric `{metric}`; there are {}",
            known.join(", ")
        ))),
        (None, [first, ..], _) => Ok(first.name.clone()),
        (None, [], [only]) => Ok(only.clone()),
        (None, [], _) => Err(AnalysisError::Question(format!(
            "say which metric (--metric); there are {}",
            known.join(", ")
        ))),
    }
}

/// Control and candidate; neither where the run has no arms.
fn arms(
    data: &Dataset,
    question: &PilotQuestion,
) -> Result<(Option<String>, Option<String>), AnalysisError> {
    let known = data.arm_names();
    for asked in [&question.control, &question.candidate]
        .into_iter()
        .flatten()
    {
        if !known.contains(asked) {
            return Err(AnalysisError::Question(format!(
                "there is no arm `{asked}`; the arms are {}",
                known.join(", ")
            )));
        }
    }
    let control = question
        .control
        .clone()
        .or_else(|| data.control.clone())
        .filter(|arm| known.contains(arm));
    let control = control.or_else(|| known.first().cloned());
    let others: Vec<&String> = known
        .iter()
        .filter(|arm| Some(*arm) != control.as_ref())
        .collect();
    let candidate = match (&question.candidate, &others[..]) {
        (Some(candidate), _) => Some(candidate.clone()),
        (None, [only]) => Some((*only).clone()),
        (None, []) => None,
        (None, _) => {
            return Err(AnalysisError::Question(format!(
                "say which arm is the candidate (--candidate); there are {}",
                known.join(", ")
            )));
        }
    };
    Ok((control, candidate))
}
