//! Records into cells, one pass, keeping one number per value and nothing else of a record.

use super::describe;
use super::gathered::{Gathered, Values};
use super::result::{Cell, MISSING_RULE, MetricInfo, Numbers, RunSummary, SUMMARY_SCHEMA};
use crate::compare::method::kind::{is_timing, may_be_pass_or_fail};
use crate::error::AnalysisError;
use crate::order;
use crate::trial_set::TrialSet;
use crate::validity::Floor;
use fairtrial_journal::OutcomeCounts;
use fairtrial_journal::observation::Observation;
use fairtrial_model::{MetricDeclaration, Outcome, Record, without_case};
use fairtrial_spec::{DEFAULT_ALPHA, Spec};
use fairtrial_stats::Level;
use std::borrow::Borrow;
use std::collections::HashMap;
use std::fmt::Write;

/// What a summary needs to know besides the records.
#[derive(Debug, Clone, PartialEq)]
pub struct SummaryOptions {
    /// Declared metrics, in the user's order.
    pub metrics: Vec<MetricDeclaration>,
    /// Task ids in the order of the table.
    pub tasks: Vec<String>,
    /// Arm names in the order of the table.
    pub arms: Vec<String>,
    /// One minus the confidence of the intervals.
    pub alpha: f64,
    /// What must count of agent tasks, where there are any.
    pub floor: Option<Floor>,
}

impl Default for SummaryOptions {
    fn default() -> Self {
        Self {
            metrics: Vec::new(),
            tasks: Vec::new(),
            arms: Vec::new(),
            alpha: DEFAULT_ALPHA,
            floor: None,
        }
    }
}

impl From<&Spec> for SummaryOptions {
    fn from(spec: &Spec) -> Self {
        Self {
            metrics: spec
                .metrics
                .iter()
                .map(MetricDeclaration::reduced)
                .collect(),
            tasks: spec.tasks.iter().map(|task| task.id.clone()).collect(),
            arms: spec.arms.iter().map(|arm| arm.name.clone()).collect(),
            alpha: spec.analysis.alpha(),
            floor: Floor::of(spec),
        }
    }
}

/// Summarises records: one effective record per trial, in any order.
pub fn summarize<I>(records: I, options: SummaryOptions) -> Result<RunSummary, AnalysisError>
where
    I: IntoIterator,
    I::Item: Borrow<Record>,
{
    let mut summarizer = Summarizer::new(options)?;
    for record in records {
        summarizer.add(&Observation::from(record.borrow()));
    }
    Ok(summarizer.finish())
}

/// Takes observations one by one and gives their summary at the end.
#[derive(Debug)]
pub struct Summarizer {
    options: SummaryOptions,
    level: Level,
    /// Metric names, declared ones first; their places are the metric numbers used below.
    names: Vec<String>,
    by_name: HashMap<String, usize>,
    cells: Vec<Gathered>,
    by_key: HashMap<String, usize>,
    key: String,
}

impl Summarizer {
    /// Refuses an alpha that is no chance.
    pub fn new(options: SummaryOptions) -> Result<Self, AnalysisError> {
        if !(options.alpha > 0.0 && options.alpha < 1.0) {
            return Err(AnalysisError::Option {
                name: "alpha",
                value: options.alpha.to_string(),
                expected: "a chance between 0 and 1, both excluded",
            });
        }
        let names: Vec<String> = options
            .metrics
            .iter()
            .map(|metric| metric.name.clone())
            .collect();
        let by_name = names.iter().cloned().zip(0..).collect();
        Ok(Self {
            level: Level::two_sided(options.alpha),
            options,
            names,
            by_name,
            cells: Vec::new(),
            by_key: HashMap::new(),
            key: String::new(),
        })
    }

    /// Takes in one trial's effective record.
    pub fn add(&mut self, observation: &Observation<'_>) {
        let place = self.cell_of(observation);
        let trial = &observation.trial;
        let cell = &mut self.cells[place];
        cell.trials.push(trial.index);
        cell.outcomes.add(observation.outcome);
        cell.seeds.insert(trial.seed);
        // A trial that did not end well may have reported something on its way: that is no result.
        if observation.outcome != Outcome::Ok {
            return;
        }
        cell.walls.extend(observation.resources.wall);
        for (name, value) in &observation.metrics.0 {
            // Of a threshold that was not reached only a bound is known: no number of steps.
            let behind = observation.series.get(name.as_ref());
            if behind.is_some_and(|behind| behind.not_reached) {
                continue;
            }
            let metric = match self.by_name.get(name.as_ref()) {
                Some(metric) => *metric,
                None => new_metric(&mut self.names, &mut self.by_name, name),
            };
            let values = cell.values(metric);
            values.push(trial.seed, *value);
            let samples = observation.samples.get(name.as_ref()).into_iter();
            values
                .iterations
                .extend(samples.flatten().map(|sample| sample.0));
        }
    }

    /// Takes in the iterations of a trial that was added, by metric.
    pub(super) fn add_iterations(
        &mut self,
        observation: &Observation<'_>,
        iterations: Vec<(String, Vec<f64>)>,
    ) {
        let place = self.cell_of(observation);
        for (name, values) in iterations {
            if let Some(metric) = self.by_name.get(&name) {
                let known = &mut self.cells[place].values(*metric).iterations;
                known.extend(values);
            }
        }
    }

    fn cell_of(&mut self, observation: &Observation<'_>) -> usize {
        let trial = &observation.trial;
        self.key.clear();
        let arm = trial.arm.as_deref().unwrap_or("\u{1}");
        let written = write!(self.key, "{}\u{0}{arm}\u{0}{}", trial.task, trial.point);
        debug_assert!(written.is_ok(), "a String takes every write");
        if let Some(place) = self.by_key.get(self.key.as_str()) {
            return *place;
        }
        let place = self.cells.len();
        self.cells.push(Gathered::new(observation));
        self.by_key.insert(self.key.clone(), place);
        place
    }

    /// The summary of all that was added.
    pub fn finish(mut self) -> RunSummary {
        let tasks = order::Listed::of(&self.options.tasks);
        let arms = order::Listed::of(&self.options.arms);
        self.cells.sort_by(|a, b| {
            let by_arm = || {
                let name = |cell: &Gathered| cell.arm.clone().unwrap_or_default();
                arms.cmp(&name(a), &name(b))
            };
            tasks
                .cmp(&a.task, &b.task)
                .then_with(|| order::points(&a.point, &b.point))
                .then_with(by_arm)
        });
        let metrics = self.metric_infos();
        let mut outcomes = OutcomeCounts::default();
        self.cells
            .iter()
            .for_each(|cell| outcomes.merge(&cell.outcomes));
        let floor = self.options.floor.as_ref();
        let described = describe::metric_cells(&self.cells, &metrics, self.level, floor);
        let cells = self.cells.into_iter().zip(described);
        RunSummary {
            left_out: 0,
            schema: SUMMARY_SCHEMA,
            run: None,
            planned: None,
            imported: false,
            outcomes,
            alpha: self.options.alpha,
            missing_rule: MISSING_RULE,
            metrics,
            cells: cells
                .map(|(cell, metrics)| Cell {
                    wall: Numbers::of(&cell.walls),
                    task: cell.task,
                    arm: cell.arm,
                    point: cell.point,
                    trials: cell.trials.into_iter().collect::<TrialSet>(),
                    seeds: cell.seeds.len(),
                    outcomes: cell.outcomes,
                    metrics,
                })
                .collect(),
            rollouts: None,
            problems: Vec::new(),
        }
    }

    /// Declared metrics, then the others by name.
    fn metric_infos(&mut self) -> Vec<MetricInfo> {
        let declared = self.options.metrics.len();
        let mut order: Vec<usize> = (0..self.names.len()).collect();
        order[declared..].sort_by(|a, b| self.names[*a].cmp(&self.names[*b]));
        for cell in &mut self.cells {
            cell.metrics.resize_with(self.names.len(), Values::default);
            cell.metrics = order
                .iter()
                .map(|old| std::mem::take(&mut cell.metrics[*old]))
                .collect();
        }
        let info = |(place, old): (usize, &usize)| {
            let name = &self.names[*old];
            let declared = self.options.metrics.get(*old);
            // A case has what is declared of its metric.
            let of_case = || {
                let (base, _) = without_case(name);
                self.options
                    .metrics
                    .iter()
                    .find(|metric| metric.name == base)
            };
            let about = declared.or_else(of_case).cloned();
            let about = about.unwrap_or_else(|| MetricDeclaration::named(name.as_str()));
            let mut values = self.cells.iter().map(|cell| &cell.metrics[place]);
            MetricInfo {
                name: name.clone(),
                declared: declared.is_some(),
                timing: is_timing(&about),
                binary: may_be_pass_or_fail(&about) && describe::is_binary(&mut values),
                direction: about.direction,
                unit: about.unit,
                precision: about.precision,
            }
        };
        order.iter().enumerate().map(info).collect()
    }
}

fn new_metric(names: &mut Vec<String>, by_name: &mut HashMap<String, usize>, name: &str) -> usize {
    let metric = names.len();
    names.push(name.to_owned());
    by_name.insert(name.to_owned(), metric);
    metric
}
