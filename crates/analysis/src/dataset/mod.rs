//! The trials that a comparison works on, from wherever they came: a run, a result file, a table.
//!
//! Values stand in one column per metric, so that a comparison of one metric over 100,000 trials touches only that.

mod baseline;
mod cell;
mod column;
pub(crate) mod horizon;
mod imported;
mod intact;
mod interruptions;
pub mod kept_source;
mod only;
mod part;
pub(crate) mod result_json;
mod reuse;
mod run;
mod seeds;
mod several_rows;
mod shared;
mod sheet;
mod table;
mod values;

use crate::compare::method::kind::may_be_pass_or_fail;
use crate::order::Listed;
use crate::ran_code::{CodeGroup, RanCode};
use crate::validity::Floor;
use fairtrial_journal::observation::{Behind, Observation};
use fairtrial_model::{MetricDeclaration, Outcome, Params, Stamp, without_case};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{Hash, Hasher};

pub use interruptions::Interruptions;

/// What one row below a seed is called.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Repeat {
    /// A trial of its own: another process.
    #[default]
    Rollout,
    /// A measured iteration inside one process.
    Iteration,
}

/// Where trials came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Origin {
    /// A run of ours.
    Run {
        /// The benchmark.
        name: String,
        /// The run.
        stamp: Stamp,
    },
    /// A result file of a registered experiment.
    ResultJson {
        /// Its run id.
        run_id: String,
    },
    /// A CSV table.
    Table,
    /// Records in memory.
    Records,
}

impl Origin {
    /// Whether its trials are numbered in the order in which they ran; the rows of a table may have been sorted.
    pub(crate) fn is_in_time_order(&self) -> bool {
        matches!(
            self,
            Self::Run { .. } | Self::ResultJson { .. } | Self::Records
        )
    }
}

/// A fact about how trials were made that both sides should share.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// What kind of fact.
    pub kind: FactKind,
    /// Its name (`commit`, `cpu`, `params.lr`).
    pub name: String,
    /// Its value.
    pub value: String,
}

/// Kinds of facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactKind {
    /// Parameters and commands.
    Parameters,
    /// Which seeds were run.
    Seeds,
    /// The machine.
    Machine,
    /// How a metric's numbers are made.
    Definition,
    /// What an agent's task is, and how it is scored.
    Task,
    /// The state of the source.
    Source,
    /// Uncommitted changes.
    DirtyTree,
    /// Versions of the code within one side.
    Code,
    /// Whose program an experiment of a shared name is.
    Implementation,
}

/// Where the same seed on two sides is a pair; the stricter of two sides decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SeedsPair {
    /// In any two runs.
    Everywhere,
    /// In the same run: seeds number the turns of a bench.
    WithinRun,
    /// Nowhere: a seed is only the number of a process.
    Nowhere,
}

impl SeedsPair {
    pub(crate) fn everywhere_if(pairs: bool) -> Self {
        if pairs {
            Self::Everywhere
        } else {
            Self::Nowhere
        }
    }
}

/// Trials with their values.
#[derive(Debug, Clone)]
pub struct Dataset {
    /// What the user calls it.
    pub label: String,
    /// Where it came from.
    pub origin: Origin,
    /// When and where its run was opened, which no other run shares; a stamp is a second, and two runs may begin in it.
    pub opened: Option<String>,
    /// What a row below a seed is.
    pub repeat: Repeat,
    /// Metrics as declared, in the user's order.
    pub declared: Vec<MetricDeclaration>,
    /// How often its trials were interrupted by other programs.
    pub interruptions: Interruptions,
    /// What is known of metrics that nobody declared: they are compared where they are asked for.
    pub measured: Vec<MetricDeclaration>,
    /// Arms in the user's order, where that is known.
    pub arm_order: Vec<String>,
    /// The control, where the spec names one.
    pub control: Option<String>,
    /// The arms' parameters, where they are known.
    pub arm_params: Vec<(String, Params)>,
    /// The tasks' own parameters, where they are known.
    pub task_params: Vec<(String, Params)>,
    /// What the other side should share.
    pub facts: Vec<Fact>,
    /// What is wrong with the source.
    pub problems: Vec<String>,
    /// What is compared where nothing was said about that.
    pub assumed: Option<String>,
    /// Why it must not decide anything, where records of a finished run are damaged or gone.
    pub loss: Option<String>,
    /// What is mixed, where trials of a task ran different versions of the code, and nobody accepted that.
    pub mixed: Option<String>,
    /// Whether the user accepted that.
    pub accepts_code: bool,
    /// Why a verdict does not keep its error rate, where seeds were added to ones that had been looked at.
    pub extended: Option<String>,
    /// How much of a side must count for a verdict, where something must.
    pub floor: Option<Floor>,
    /// The metric by which a run stopped, where it did by looking.
    pub looked_at: Option<String>,
    /// Whether tasks of its spec list seeds of their own.
    pub own_seeds: bool,
    /// Whether its spec can run again: not where another tool measured it, nor for commands that were timed.
    pub can_run_again: bool,
    /// Where the same seed on two sides is a pair.
    pub seeds_pair: SeedsPair,
    /// Columns of numbers that count rows (`epoch`, `id`), which nobody means as a metric unless it is named.
    pub counters: Vec<String>,
    pub(crate) tasks: Names<String>,
    pub(crate) arms: Names<Option<String>>,
    pub(crate) points: Names<String>,
    pub(crate) point_values: Vec<Params>,
    pub(crate) trials: Vec<Trial>,
    pub(crate) columns: Vec<Column>,
    /// What the trials ran.
    pub(crate) code: RanCode,
    /// What the trials of an arm at a point say about themselves in words, by key: every different answer.
    pub(crate) said: BTreeMap<(String, u32, u32), BTreeSet<String>>,
    by_metric: HashMap<String, usize>,
}

/// One trial; task, arm and point by their number in the dataset's lists.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Trial {
    pub(crate) index: u64,
    pub(crate) task: u32,
    pub(crate) arm: u32,
    pub(crate) point: u32,
    pub(crate) seed: u64,
    pub(crate) rollout: u32,
    pub(crate) outcome: Outcome,
    /// What it ran, by number; absent where that is not known.
    pub(crate) code: Option<u32>,
    /// The hash of its directory: two trials that share it are one record. Absent where it has none.
    pub(crate) evidence: Option<u64>,
    /// Whether it was taken over from another run.
    pub(crate) reused: bool,
}

/// The values of one metric: place in `trials`, value.
#[derive(Debug, Clone, Default)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) values: Vec<(u32, f64)>,
    /// The series behind the values that are of one.
    pub(crate) series: Vec<(u32, Behind)>,
}

/// Distinct names with their numbers.
#[derive(Debug, Clone)]
pub(crate) struct Names<T> {
    list: Vec<T>,
    numbers: HashMap<String, u32>,
}

impl<T> Names<T> {
    fn new() -> Self {
        Self {
            list: Vec::new(),
            numbers: HashMap::new(),
        }
    }

    /// The number of a name; a new one is made where it was not seen before.
    fn number(&mut self, key: &str, make: impl FnOnce() -> T) -> u32 {
        if let Some(number) = self.numbers.get(key) {
            return *number;
        }
        let number = self.list.len() as u32;
        self.list.push(make());
        self.numbers.insert(key.to_owned(), number);
        number
    }

    pub(crate) fn get(&self, number: u32) -> &T {
        &self.list[number as usize]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.list.iter()
    }
}

/// The hash of a trial's directory.
fn evidence(dir: &str) -> Option<u64> {
    let mut hash = std::hash::DefaultHasher::new();
    dir.hash(&mut hash);
    (!dir.is_empty()).then(|| hash.finish())
}

/// Stands for "no arm" among the arms' names; no name can hold it.
const NO_ARM: &str = "\u{0}";

impl Dataset {
    /// No trials yet.
    pub fn new(label: impl Into<String>, origin: Origin) -> Self {
        Self {
            label: label.into(),
            origin,
            opened: None,
            repeat: Repeat::Rollout,
            declared: Vec::new(),
            interruptions: Interruptions::default(),
            measured: Vec::new(),
            arm_order: Vec::new(),
            control: None,
            arm_params: Vec::new(),
            task_params: Vec::new(),
            facts: Vec::new(),
            problems: Vec::new(),
            assumed: None,
            loss: None,
            mixed: None,
            accepts_code: false,
            extended: None,
            floor: None,
            looked_at: None,
            own_seeds: false,
            can_run_again: false,
            seeds_pair: SeedsPair::Everywhere,
            counters: Vec::new(),
            tasks: Names::new(),
            arms: Names::new(),
            points: Names::new(),
            point_values: Vec::new(),
            trials: Vec::new(),
            columns: Vec::new(),
            code: RanCode::default(),
            said: BTreeMap::new(),
            by_metric: HashMap::new(),
        }
    }

    /// Whether both are of the same run. Where one of them does not say when it was opened, the stamp must do.
    pub(crate) fn is_same_run(&self, other: &Self) -> bool {
        let is_run = matches!(self.origin, Origin::Run { .. });
        let opened = self.opened.as_ref().zip(other.opened.as_ref());
        is_run && self.origin == other.origin && opened.is_none_or(|(one, two)| one == two)
    }

    /// Whether the same seed here and there is a pair.
    pub(crate) fn pairs_with(&self, other: &Self) -> bool {
        match self.seeds_pair.max(other.seeds_pair) {
            SeedsPair::Everywhere => true,
            SeedsPair::WithinRun => self.is_same_run(other),
            SeedsPair::Nowhere => false,
        }
    }

    /// Takes in one trial's effective record.
    pub fn push(&mut self, observation: &Observation<'_>) {
        let key = &observation.trial;
        let place = self.trials.len() as u32;
        let arm = key.arm.as_deref();
        let point = key.point.to_string();
        let known_points = self.points.list.len();
        let trial = Trial {
            index: key.index,
            task: self.tasks.number(&key.task, || key.task.to_string()),
            arm: self
                .arms
                .number(arm.unwrap_or(NO_ARM), || arm.map(str::to_owned)),
            point: self.points.number(&point, || point.clone()),
            seed: key.seed,
            rollout: key.rollout,
            outcome: observation.outcome,
            code: observation.code.as_ref().map(|code| self.code.number(code)),
            evidence: evidence(&observation.dir),
            reused: observation.reused_from.is_some(),
        };
        if self.points.list.len() > known_points {
            self.point_values.push(key.point.clone());
        }
        for (key, words) in &observation.facts {
            let answers = self.said.entry((key.clone(), trial.arm, trial.point));
            answers.or_default().insert(words.clone());
        }
        self.trials.push(trial);
        if observation.outcome == Outcome::Ok {
            for (name, value) in &observation.metrics.0 {
                let column = self.column_of(name);
                let column = &mut self.columns[column];
                column.values.push((place, *value));
                let behind = observation.series.get(name.as_ref());
                column.series.extend(behind.map(|behind| (place, *behind)));
            }
        }
    }

    fn column_of(&mut self, name: &str) -> usize {
        if let Some(column) = self.by_metric.get(name) {
            return *column;
        }
        let column = self.columns.len();
        self.columns.push(Column {
            name: name.to_owned(),
            values: Vec::new(),
            series: Vec::new(),
        });
        self.by_metric.insert(name.to_owned(), column);
        column
    }

    /// How many trials.
    pub fn len(&self) -> usize {
        self.trials.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.trials.is_empty()
    }

    /// The trials by the commit that they ran.
    pub fn commits(&self) -> Vec<CodeGroup> {
        let known = self.trials.iter();
        let known = known.filter_map(|trial| Some((trial.code?, trial.index)));
        self.code.by_commit(known)
    }

    /// The arms that have trials, in the user's order.
    pub fn arm_names(&self) -> Vec<String> {
        let mut arms: Vec<String> = self.arms.iter().flatten().cloned().collect();
        let listed = Listed::of(&self.arm_order);
        arms.sort_by(|a, b| listed.cmp(a, b));
        arms
    }

    /// The tasks that have trials.
    pub fn task_names(&self) -> Vec<String> {
        self.tasks.iter().cloned().collect()
    }

    /// Takes the arms in the order in which they came; the control is the one of that name, else the first, as in a spec.
    pub(super) fn arms_as_they_came(&mut self) {
        self.arm_order = self.arms.iter().flatten().cloned().collect();
        let called = |name| {
            let mut arms = self.arm_order.iter();
            arms.find(|arm| arm.eq_ignore_ascii_case(name))
        };
        let control = called("control").or_else(|| called("baseline"));
        self.control = control.or(self.arm_order.first()).cloned();
    }

    /// The metrics that some trial reported, declared ones first.
    pub fn metric_names(&self) -> Vec<String> {
        let listed = Listed::of(self.declared.iter().map(|metric| &metric.name));
        let mut names: Vec<String> = self
            .columns
            .iter()
            .map(|column| column.name.clone())
            .collect();
        names.sort_by(|a, b| listed.cmp(a, b));
        names
    }

    /// How a metric is declared; a case of one that is declared has what is said of that.
    pub fn declaration(&self, metric: &str) -> Option<Cow<'_, MetricDeclaration>> {
        let named = |name: &str| {
            let mut known = self.declared.iter().chain(&self.measured);
            known.find(|known| known.name == name)
        };
        let of_case = || {
            let (name, case) = without_case(metric);
            let found = case.and_then(|_| named(name))?;
            Some(Cow::Owned(MetricDeclaration {
                name: metric.to_owned(),
                ..found.clone()
            }))
        };
        named(metric).map(Cow::Borrowed).or_else(of_case)
    }

    /// Whether the spec, or its experiment, declares a metric or the one that it is a case of.
    pub fn declares(&self, metric: &str) -> bool {
        let of_case = without_case(metric).0;
        let mut declared = self.declared.iter();
        declared.any(|known| known.name == metric || known.name == of_case)
    }

    /// The tasks that a metric is about: those with a value of it, and those of which no trial ended ok, so that what
    /// failed does not change what is compared.
    pub(crate) fn reporting_tasks(&self, metric: &str) -> Vec<&str> {
        let tasks = self.tasks.iter().count();
        let (mut reporting, mut tried, mut worked) =
            (vec![false; tasks], vec![false; tasks], vec![false; tasks]);
        for (trial, value) in self.trials.iter().zip(self.values(metric)) {
            let task = trial.task as usize;
            reporting[task] |= value.is_some();
            tried[task] = true;
            worked[task] |= trial.outcome == Outcome::Ok;
        }
        let about =
            |(task, _): &(usize, &String)| reporting[*task] || tried[*task] && !worked[*task];
        let tasks = self.tasks.iter().enumerate().filter(about);
        tasks.map(|(_, task)| task.as_str()).collect()
    }

    /// Whether every value of a metric is 0 or 1; also where there is none. Never where it cannot be meant so.
    pub(crate) fn is_pass_or_fail(&self, metric: &str) -> bool {
        let declared = self.declaration(metric);
        let undeclared = || may_be_pass_or_fail(&MetricDeclaration::named(metric));
        if !declared.map_or_else(undeclared, |known| may_be_pass_or_fail(&known)) {
            return false;
        }
        let column = self
            .by_metric
            .get(metric)
            .map(|column| &self.columns[*column]);
        let mut values = column.into_iter().flat_map(|column| &column.values);
        values.all(|(_, value)| !value.is_finite() || *value == 0.0 || *value == 1.0)
    }

    /// Adds a fact.
    pub(crate) fn fact(
        &mut self,
        kind: FactKind,
        name: impl Into<String>,
        value: impl Into<String>,
    ) {
        self.facts.push(Fact {
            kind,
            name: name.into(),
            value: value.into(),
        });
    }
}
