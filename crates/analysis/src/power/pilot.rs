//! The spread of a pilot: the units that a comparison of its arms would count, out of a run's trials.

use crate::compare::data::sample::Sample;
use crate::compare::data::sample::Stratum;
use crate::compare::data::scores::between_points;
use crate::compare::data::scores::without_points;
use crate::compare::data::side::ComparedSide;
use crate::compare::data::trials::{TrialOfSide, TrialsOfBoth};
use crate::compare::data::unit::Pairing;
use crate::compare::data::unit::UnitKind;
use crate::compare::method::choose::Case;
use crate::compare::method::kind::Scale;
use crate::compare::options::Beyond;
use crate::compare::options::CompareOptions;
use crate::compare::options::Role;
use crate::compare::question::MetricQuestion;
use crate::dataset::Dataset;
use crate::error::AnalysisError;
use fairtrial_model::{Margin, MetricDeclaration, Params};
use fairtrial_stats::descriptive::variance;
use fairtrial_stats::planning::{TDesign, TaskNoise, tasks_worth};
use fairtrial_text::count::first_of;
use fairtrial_text::share::percent_to;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Which numbers of a run are the pilot.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PilotQuestion {
    /// The metric; default: the only declared one.
    pub metric: Option<String>,
    /// The control arm; default: the spec's.
    pub control: Option<String>,
    /// The candidate arm; default: the only other one.
    pub candidate: Option<String>,
    /// The threshold that the whole interval must clear; default: that of the verdict (the margin, for timings).
    pub beyond: Option<Margin>,
}

/// The units of a pilot's arms, as `compare` forms them.
#[derive(Debug, Clone, PartialEq)]
pub struct Pilot {
    /// Where it came from.
    pub source: String,
    /// The metric.
    pub metric: String,
    /// What is one independent observation.
    pub unit: UnitKind,
    /// Tasks that are averaged with equal weights; the units are counted in each of them.
    pub tasks: usize,
    /// Whether value i of both sides belongs together.
    pub paired: bool,
    /// The scale that the verdict is made on.
    pub scale: Scale,
    /// The arms.
    pub arms: Vec<String>,
    /// What was left out.
    pub notes: Vec<String>,
    /// The mean of the control, in the metric's unit.
    pub control_mean: f64,
    /// What the interval must clear, on the scale of the verdict.
    pub(super) threshold: f64,
    /// What the spec declares as the smallest difference that matters.
    margin: Option<Margin>,
    sample: Sample,
}

/// What the units say about the noise, on the scale of the verdict; tasks averaged.
pub(super) struct Moments {
    /// That of one unit of an arm.
    pub(super) one: Noise,
    /// That of a pair's difference.
    pub(super) difference: Option<Noise>,
    /// Correlation of the arms over pairs, where both vary.
    pub(super) correlation: Option<f64>,
}

/// One spread.
#[derive(Debug, Clone, Copy)]
pub(super) struct Noise {
    /// The standard deviation.
    pub(super) sd: f64,
    /// How well it is known.
    pub(super) df: f64,
    /// How many tasks of equal noise it is averaged over.
    pub(super) tasks: f64,
}

impl Pilot {
    /// Takes the units out of a run's trials, as a comparison of the two arms would.
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
        let known = data.declaration(&metric);
        let mut asked = MetricQuestion {
            declared: known.is_some(),
            declaration: known.map_or_else(
                || MetricDeclaration::named(metric.as_str()),
                Cow::into_owned,
            ),
            role: Role::Primary,
            kind: None,
            between: None,
        };
        let tasks = data.reporting_tasks(&metric).into_iter().collect();
        if data.is_pass_or_fail(&metric) {
            without_points(&mut asked.declaration);
        } else {
            asked.between = between_points(&mut asked.declaration, &tasks)?;
        }
        let margin = asked.declaration.margin;
        asked.declaration.margin = question.beyond.or(margin);
        let options = CompareOptions {
            // One arm alone is compared with itself: its spread is all there is to learn.
            pairing: match candidate {
                Some(_) => Pairing::Auto,
                None => Pairing::Unpaired,
            },
            beyond: match question.beyond {
                Some(_) => Beyond::Margin,
                None => Beyond::ByKind,
            },
            ..CompareOptions::default()
        };
        let point = data.point_values.first().cloned();
        let side = |arm: &Option<String>| ComparedSide {
            data,
            arm: arm.clone(),
            point: point.clone().unwrap_or_else(Params::new),
        };
        let other = candidate.as_ref().map_or(&control, |_| &candidate);
        let trials = TrialsOfBoth::of(&side(&control), &side(other), &metric);
        let case = Case::new(trials, &asked, &options);
        let mut pilot = Self {
            source: data.label.clone(),
            unit: case.units.kind,
            tasks: case.sample.strata.len(),
            paired: case.units.paired,
            scale: case.scale,
            notes: left_out(&case),
            control_mean: case.control_centre().unwrap_or(0.0),
            threshold: case.rule().edge(),
            margin,
            sample: case.sample.clone(),
            metric,
            arms: control.into_iter().chain(candidate).collect(),
        };
        let (least, _) = pilot.least();
        if least < 2 {
            return Err(AnalysisError::Question(format!(
                "a pilot needs at least 2 {}s with a value of `{}`, {} has {least}",
                pilot.unit.word(),
                pilot.metric,
                data.label,
            )));
        }
        if pilot.arms.len() > 1 && !pilot.paired {
            pilot.notes.push(format!(
                "the arms share no {}, so that nothing is known about pairs",
                pilot.unit.word()
            ));
        }
        pilot.notes.extend(rollouts_note(&case));
        Ok(pilot)
    }

    /// The difference to find where none is named: the margin, unless a verdict has to clear just that.
    pub fn default_effect(&self) -> Option<Margin> {
        self.margin.filter(|_| self.threshold == 0.0)
    }

    /// The fewest units of a side (in a task), and how many there are on average.
    fn least(&self) -> (usize, usize) {
        let sizes = |stratum: &Stratum| stratum.control.len().min(stratum.candidate.len());
        let all = self.sample.strata.iter().map(sizes);
        let (sum, tasks) = (all.clone().sum::<usize>(), self.tasks.max(1));
        (all.min().unwrap_or(0), sum / tasks)
    }

    /// Pairs, or units per arm, that the pilot has (in each task).
    pub fn size(&self) -> usize {
        self.least().1
    }

    pub(super) fn moments(&self) -> Result<Moments, AnalysisError> {
        let of = |values: &[f64]| {
            variance(values).map_err(|why| AnalysisError::Question(why.to_string()))
        };
        // Of each task: the variance of one unit, and how many there are.
        let (mut control, mut candidate, mut differences) = (Vec::new(), Vec::new(), Vec::new());
        for stratum in &self.sample.strata {
            control.push((of(&stratum.control)?, stratum.control.len()));
            candidate.push((of(&stratum.candidate)?, stratum.candidate.len()));
            if self.paired {
                let both = stratum.control.iter().zip(&stratum.candidate);
                let of_pairs = of(&both.map(|(a, b)| b - a).collect::<Vec<f64>>())?;
                differences.push((of_pairs, stratum.control.len()));
            }
        }
        let sum = |parts: &[(f64, usize)]| parts.iter().map(|(variance, _)| variance).sum::<f64>();
        let sides = [sum(&control), sum(&candidate)];
        let both = (sides[0] * sides[1]).sqrt();
        let correlation = (sides[0] + sides[1] - sum(&differences)) / (2.0 * both);
        // One arm alone stands on both sides: it is known as well as it is, not twice as well.
        let alone = (self.arms.len() < 2).then_some(0.5);
        let arms = [control, candidate].concat();
        let one = self.noise(TDesign::Unpaired, &arms);
        Ok(Moments {
            one: Noise {
                df: one.df * alone.unwrap_or(1.0),
                ..one
            },
            difference: self
                .paired
                .then(|| self.noise(TDesign::Paired, &differences)),
            correlation: (self.paired && both > 0.0).then_some(correlation),
        })
    }

    /// Tasks with equal weights: the noise of the mean over tasks, as that of one unit.
    fn noise(&self, design: TDesign, parts: &[(f64, usize)]) -> Noise {
        let tasks = self.tasks.max(1) as f64;
        let arms = parts.len() as f64 / tasks;
        let variance = parts.iter().map(|(variance, _)| variance).sum::<f64>() / arms;
        Noise {
            sd: variance.sqrt() / tasks,
            df: parts.iter().map(|(_, n)| *n as f64 - 1.0).sum(),
            tasks: match self.tasks {
                0 | 1 => 1.0,
                _ => tasks_worth(design, parts),
            },
        }
    }

    /// A size in the metric's unit, on the scale of the verdict.
    pub(super) fn on_scale(&self, size: Margin) -> Result<f64, AnalysisError> {
        let mean = self.control_mean.abs();
        match (size, self.scale) {
            (Margin::Absolute(size), Scale::Difference) => Ok(size),
            (Margin::Relative(share), Scale::Ratio) => Ok(share.ln_1p()),
            (Margin::Absolute(size), Scale::Ratio) => Ok((size / mean).ln_1p()),
            (Margin::Relative(share), Scale::Difference) if mean > 0.0 => Ok(share * mean),
            (Margin::Relative(_), Scale::Difference) => Err(AnalysisError::Question(
                "a relative effect needs a control whose mean is not 0; give the effect in the metric's unit".to_owned(),
            )),
        }
    }

    /// The other way round.
    pub(super) fn in_unit(&self, size: f64) -> f64 {
        match self.scale {
            Scale::Difference => size,
            Scale::Ratio => self.control_mean.abs() * size.exp_m1(),
        }
    }

    /// The pilot in a few words.
    pub(super) fn words(&self) -> String {
        let of = if self.arms.is_empty() {
            String::new()
        } else {
            format!(", {}", self.arms.join(" and "))
        };
        format!(
            "{} of {}{of}, {} {}s{}",
            self.metric,
            self.source,
            self.size(),
            self.unit.word(),
            self.in_tasks()
        )
    }

    /// Where the units are counted.
    pub(super) fn in_tasks(&self) -> String {
        match self.tasks {
            0 | 1 => String::new(),
            tasks => format!(" in each of {tasks} tasks"),
        }
    }
}

/// Most units that a note names.
const MOST_NAMED: usize = 5;

fn left_out(case: &Case) -> Vec<String> {
    let dropped = case.units.dropped();
    if dropped.is_empty() {
        return Vec::new();
    }
    let named = dropped
        .iter()
        .map(|one| format!("{} ({})", one.unit, one.why));
    vec![format!("left out: {}", first_of(named, MOST_NAMED))]
}

/// How much of the noise of a task more rollouts of it could take away (Miller 2024).
fn rollouts_note(case: &Case) -> Option<String> {
    if case.units.kind != UnitKind::Task || !case.units.paired || case.scale != Scale::Difference {
        return None;
    }
    let (control, control_rollouts) = within_tasks(&case.trials.control)?;
    let (candidate, candidate_rollouts) = within_tasks(&case.trials.candidate)?;
    let differences = case.sample.differences().concat();
    let all = variance(&differences).ok().filter(|all| *all > 0.0)?;
    let noise = TaskNoise {
        between_tasks: 0.0,
        control_rollout: control,
        candidate_rollout: candidate,
        control_rollouts,
        candidate_rollouts,
    };
    let share = (noise.per_task() / all).min(1.0);
    Some(format!(
        "with more rollouts of each task at most {} of this variance would go away; only more tasks reduce the rest",
        percent_to(share, 0)
    ))
}

/// The variance of one rollout inside of a task, and rollouts per task; nothing where tasks have only one.
fn within_tasks(trials: &[TrialOfSide]) -> Option<(f64, u32)> {
    let mut by_task: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for trial in trials {
        let value = trial.value.filter(|value| value.is_finite());
        by_task.entry(trial.task).or_default().extend(value);
    }
    let repeated: Vec<f64> = by_task
        .values()
        .filter_map(|values| variance(values).ok())
        .collect();
    let rollouts = by_task.values().map(Vec::len).min()?;
    if rollouts < 2 {
        return None;
    }
    let mean = repeated.iter().sum::<f64>() / repeated.len() as f64;
    Some((mean, u32::try_from(rollouts).ok()?))
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
