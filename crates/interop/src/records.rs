//! Executions as records of trials: each gets its task, arm, seed and number, and the iterations inside it stay its samples.

use crate::collect::{Collected, Curve};
use crate::execution::{Execution, HashedTexts, MetricId};
use crate::roles::Roles;
use crate::rules::Subject;
use fairtrial_model::{
    MetricDeclaration, Number, Params, Record, SeriesInfo, TrialId, TrialKey, UtcTime, hex,
};
use std::collections::{BTreeMap, HashMap};

/// Words that a record keeps: so many fields, so many letters each.
const MOST_FACTS: usize = 64;
const FACT_LETTERS: usize = 300;

/// What a seed is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeedMeaning {
    /// The same on both sides: what has the same seed is a pair.
    Shared,
    /// The number of a process, which has nothing in common with that number on the other side.
    Process,
}

/// The places of executions in a design.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    /// The place of each execution.
    pub keys: Vec<TrialKey>,
    /// What their seeds are.
    pub seeds: SeedMeaning,
}

/// Which executions are repetitions of one thing: task, arm, and seed where there is one.
type Group = (String, Option<String>, Option<u64>);

/// Trials that are there already: those that come get the numbers behind them.
#[derive(Debug, Clone, Default)]
pub struct Known {
    trials: u64,
    groups: HashMap<Group, u64>,
}

impl Known {
    /// One more.
    pub fn add(&mut self, key: &TrialKey, roles: &Roles) {
        let seed = roles.seed.is_some().then_some(key.seed);
        let group = (key.task.clone(), key.arm.clone(), seed);
        *self.groups.entry(group).or_insert(0) += 1;
        self.trials = self.trials.max(key.index + 1);
    }
}

impl Layout {
    /// Lays executions out as trials, behind those that are known.
    pub fn of(executions: &[&Execution], roles: &Roles, known: &Known) -> Self {
        let groups: Vec<Group> = executions
            .iter()
            .map(|execution| {
                let arm = roles.arm_of(execution);
                (roles.task_of(execution), arm, roles.seed_of(execution))
            })
            .collect();
        let mut numbers = numbers(executions, roles, &groups);
        for (number, group) in numbers.iter_mut().zip(&groups) {
            *number += known.groups.get(group).copied().unwrap_or(0);
        }
        // Several processes with iterations inside: the process is what is independent.
        let has_samples = |execution: &&Execution| !execution.samples.is_empty();
        let by_process = roles.seed.is_none()
            && executions.iter().any(has_samples)
            && numbers.iter().any(|number| *number > 0);
        let keys = groups.into_iter().zip(&numbers).zip(known.trials..);
        let keys = keys.map(|(((task, arm, seed), number), index)| {
            let (seed, rollout) = if by_process {
                (*number, 0)
            } else {
                (seed.unwrap_or(0), *number)
            };
            TrialKey {
                index,
                task,
                arm,
                point: Params::new(),
                seed,
                rollout: u32::try_from(rollout).unwrap_or(u32::MAX),
            }
        });
        let is_shared = roles.seed.is_some() && roles.subject != Subject::Timing;
        Self {
            keys: keys.collect(),
            seeds: if is_shared {
                SeedMeaning::Shared
            } else {
                SeedMeaning::Process
            },
        }
    }
}

/// Numbers the executions of each group: by the field that numbers repetitions, else as they come.
fn numbers(executions: &[&Execution], roles: &Roles, groups: &[Group]) -> Vec<u64> {
    let repeat = |place: &usize| {
        let value = executions[*place].fields.get(roles.repeat.as_ref()?)?;
        value.as_i64().or_else(|| value.as_str()?.parse().ok())
    };
    let mut order: Vec<usize> = (0..groups.len()).collect();
    if roles.repeat.is_some() {
        order.sort_by_key(repeat);
    }
    let mut next: HashMap<&Group, u64> = HashMap::new();
    let mut numbers = vec![0; groups.len()];
    for place in order {
        let number = next.entry(&groups[place]).or_insert(0);
        numbers[place] = *number;
        *number += 1;
    }
    numbers
}

impl Collected {
    /// The metrics that the tool is asked for, as a spec would declare them.
    pub fn declarations(&self) -> Vec<MetricDeclaration> {
        let headline = self.metrics.iter().filter(|metric| metric.headline);
        let declared = headline.map(|metric| MetricDeclaration {
            direction: metric.direction,
            unit: metric.unit.clone(),
            ..MetricDeclaration::named(&metric.name)
        });
        declared.collect()
    }

    /// The record of an execution at a place of the design. `now` stands for its end where the tool kept none.
    pub fn record(&self, place: usize, key: &TrialKey, now: UtcTime) -> Record {
        let execution = &self.executions[place];
        let ended = execution.ended_at.or(execution.started_at).unwrap_or(now);
        let mut record = Record::of(key.clone(), self.identity(place), 1, ended);
        record.outcome = execution.outcome;
        record.cause.clone_from(&execution.cause);
        record.started_at = execution.started_at;
        record.notes.clone_from(&execution.notes);
        let name = |metric: &MetricId| self.metrics[metric.0 as usize].name.clone();
        for samples in &execution.samples {
            let values = samples.values.iter().map(|value| Number(*value));
            record
                .samples
                .insert(name(&samples.metric), values.collect());
            // An iteration that failed has no number; the others do.
            let there = samples.values.iter().filter(|value| !value.is_nan());
            let (sum, count) =
                there.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
            let mean = sum / count;
            record.metrics.insert(name(&samples.metric), Number(mean));
        }
        for (metric, value) in &execution.metrics {
            record.metrics.insert(name(metric), Number(*value));
        }
        for (metric, curve) in &self.curves[place] {
            record.series.insert(name(metric), info(curve));
        }
        record.facts = facts(execution);
        let source = execution.source.display().to_string();
        record.facts.entry("source".to_owned()).or_insert(source);
        record
    }

    /// A name for what an execution says, whichever file says it.
    pub fn identity(&self, place: usize) -> TrialId {
        let execution = &self.executions[place];
        let mut hash = execution.fields.hashed();
        let mut texts = HashedTexts::default();
        texts.add(execution.outcome.word());
        for (metric, value) in &execution.metrics {
            texts.add(&self.metrics[metric.0 as usize].name);
            texts.add_bits(*value);
        }
        for samples in &execution.samples {
            texts.add(&self.metrics[samples.metric.0 as usize].name);
            for value in &samples.values {
                texts.add_bits(*value);
            }
        }
        for (metric, curve) in &self.curves[place] {
            texts.add(&self.metrics[metric.0 as usize].name);
            texts.add(&format!(
                "{} {} {}",
                curve.count,
                curve.last_step,
                curve.last.to_bits()
            ));
        }
        texts.go_into(&mut hash);
        TrialId(hex(&hash.finalize()[..16]))
    }
}

fn info(curve: &Curve) -> SeriesInfo {
    SeriesInfo {
        sha256: None,
        file: String::new(),
        step: None,
        points: curve.count,
        first_step: Number(curve.first_step),
        last_step: Number(curve.last_step),
        summary: "last".to_owned(),
        not_reached: false,
    }
}

/// The fields of an execution as words, so that two sides can be held to share them.
fn facts(execution: &Execution) -> BTreeMap<String, String> {
    let fields = execution.fields.iter().take(MOST_FACTS);
    let short = |text: String| {
        if text.len() <= FACT_LETTERS {
            return text;
        }
        text.chars().take(FACT_LETTERS).collect()
    };
    fields
        .map(|(name, value)| (name.to_owned(), short(Params::display(value))))
        .collect()
}
