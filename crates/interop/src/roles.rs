//! Which field is the arm, the task and the seed: by the format's rules, shown before use, and as the user says.

use crate::error::InteropError;
use crate::execution::Execution;
use crate::fields::{Fields, joined};
use crate::rules::{Arm, Rules, Subject, Way};
use fairtrial_model::{Params, Sha256};
use fairtrial_text::count::first_of;
use std::collections::BTreeSet;

/// Names of fields that hold a seed, as people write them.
const SEED_NAMES: [&str; 4] = ["seed", "random_seed", "random_state", "rng_seed"];
/// What the task is called where nothing names one.
const ONLY_TASK: &str = "all";
/// Values of a field that a table shows.
const SHOWN: usize = 3;
/// Fields that a question names.
const NAMED: usize = 8;

/// Fields that the user names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Given {
    /// `--arm`.
    pub arm: Option<String>,
    /// `--task`.
    pub task: Option<String>,
    /// `--seed`.
    pub seed: Option<String>,
}

/// Whether a source holds all arms, or is one side of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// All of them.
    Alone,
    /// One side.
    Side,
}

/// Which fields have which part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roles {
    /// The fields that together name the arm; none where nothing tells arms apart.
    pub arm: Vec<String>,
    /// The fields that together name the task.
    pub task: Vec<String>,
    /// The field that is the seed.
    pub seed: Option<String>,
    /// The field that numbers repetitions.
    pub repeat: Option<String>,
    /// The arm that others are compared with, where the format has one.
    pub control: Option<String>,
    /// What the numbers are about.
    pub subject: Subject,
}

/// A line of the table that shows the roles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleLine {
    /// `arm`, `task`, `seed` or `repeat`.
    pub role: &'static str,
    /// The fields.
    pub fields: String,
    /// Some of the values, and how many there are.
    pub values: String,
}

impl Roles {
    /// The roles by the format's rules and what the user says. Where the rules leave more than one field, the user is
    /// asked for the flag.
    pub fn guess(
        rules: &Rules,
        executions: &[Execution],
        scope: Scope,
        given: &Given,
    ) -> Result<Self, InteropError> {
        let fields = Fields::of(executions);
        let seed = match &given.seed {
            Some(key) => Some(fields.resolve("seed", key)?),
            None => guessed_seed(rules, &fields),
        };
        let ways = match scope {
            Scope::Alone => rules.alone,
            Scope::Side => rules.side,
        };
        let (arm, way) = if let Some(key) = &given.arm {
            let arm = vec![fields.resolve("arm", key)?];
            let way = way_of_arm(rules.alone, &arm[0]);
            (arm, way)
        } else {
            let (arm, way) = guessed_arm(ways, (&fields, executions), seed.as_deref())?;
            // Where nothing tells arms apart, the source is what one side of a comparison would be.
            (arm, way.or(rules.side.last()))
        };
        let task = match &given.task {
            Some(key) => vec![fields.resolve("task", key)?],
            None => way.map_or_else(Vec::new, |way| tasks(way, &fields, &arm)),
        };
        let mut repeat = rules.repeat.iter().copied();
        Ok(Self {
            control: control(rules, &fields, &arm),
            task,
            arm,
            seed,
            repeat: repeat
                .find(|field| fields.count(field) > 0)
                .map(str::to_owned),
            subject: rules.subject,
        })
    }

    /// The name of an execution's arm; none for one that says nothing about it.
    pub fn arm_of(&self, execution: &Execution) -> Option<String> {
        let arm = joined(&self.arm, execution);
        (!arm.is_empty()).then_some(arm)
    }

    /// Which executions say nothing about their arm, where others do.
    pub(crate) fn without_arm(&self, executions: &[Execution]) -> Option<String> {
        if self.arm.is_empty() {
            return None;
        }
        let without = |execution: &&Execution| self.arm_of(execution).is_none();
        let without: Vec<&Execution> = executions.iter().filter(without).collect();
        if without.is_empty() {
            return None;
        }
        let named = without.iter().map(|execution| {
            format!(
                "{} ({})",
                execution.source.display(),
                execution.outcome.word()
            )
        });
        Some(format!(
            "no `{}` in {} of {} executions, which are in no arm and not compared: {}",
            self.arm.join("` or `"),
            without.len(),
            executions.len(),
            first_of(named, SHOWN)
        ))
    }

    /// The name of its task.
    pub fn task_of(&self, execution: &Execution) -> String {
        let task = joined(&self.task, execution);
        if task.is_empty() {
            return ONLY_TASK.to_owned();
        }
        task
    }

    /// Its seed. What is no whole number is given one that depends on nothing else, so that it is the same on both sides.
    pub fn seed_of(&self, execution: &Execution) -> Option<u64> {
        let value = execution.fields.get(self.seed.as_ref()?)?;
        let text = Params::display(value);
        Some(text.parse().unwrap_or_else(|_| number_for(&text)))
    }

    /// The table that is shown before use.
    pub fn lines(&self, executions: &[Execution]) -> Vec<RoleLine> {
        let mut lines = Vec::new();
        let mut line = |role, fields: &[String]| {
            if fields.is_empty() {
                return;
            }
            let values: BTreeSet<String> = executions
                .iter()
                .map(|execution| joined(fields, execution))
                .filter(|value| !value.is_empty())
                .collect();
            lines.push(RoleLine {
                role,
                fields: fields.join(" + "),
                values: first_of(&values, SHOWN),
            });
        };
        line("arm", &self.arm);
        line("task", &self.task);
        line("seed", self.seed.as_slice());
        line("repeat", self.repeat.as_slice());
        lines
    }
}

fn number_for(text: &str) -> u64 {
    let digest = Sha256::digest(text.as_bytes());
    // As many bits as every program reads without loss.
    let bytes = digest[..6].iter();
    bytes.fold(0, |number, byte| number << 8 | u64::from(*byte))
}

fn guessed_seed(rules: &Rules, fields: &Fields<'_>) -> Option<String> {
    let mut named = rules.seed.iter().copied();
    if let Some(field) = named.find(|field| fields.count(field) > 0) {
        return Some(field.to_owned());
    }
    if rules.subject != Subject::Training {
        return None;
    }
    let is_seed = |name: &&String| {
        let last = name.rsplit(['.', '/']).next().map(str::to_lowercase);
        last.is_some_and(|word| SEED_NAMES.contains(&word.as_str()))
    };
    fields.order.iter().find(is_seed).cloned()
}

/// The way whose arm a field could be, else the last one.
fn way_of_arm(ways: &'static [Way], field: &str) -> Option<&'static Way> {
    let could = |way: &&Way| match way.arm {
        Arm::None => false,
        Arm::Fields(names) => names.contains(&field),
        Arm::Differing(prefix) => field.starts_with(prefix),
    };
    ways.iter().find(could).or(ways.last())
}

/// The fields of a way's task.
fn tasks(way: &Way, fields: &Fields<'_>, arm: &[String]) -> Vec<String> {
    let mut task: Vec<String> = Vec::new();
    for name in way.task {
        let found: Vec<&String> = match (name.strip_suffix('*'), name.strip_prefix('?')) {
            (Some(prefix), _) => {
                let below = fields.order.iter();
                below.filter(|field| field.starts_with(prefix)).collect()
            }
            (_, Some(name)) if fields.count(name) < 2 => Vec::new(),
            (_, name_alone) => {
                let name = name_alone.unwrap_or(name);
                fields.order.iter().filter(|field| *field == name).collect()
            }
        };
        task.extend(
            found
                .into_iter()
                .filter(|field| !arm.contains(field))
                .cloned(),
        );
    }
    task
}

/// The arm that is compared with: not what is newest, and of several others the one that has the tool's own name for it.
fn control(rules: &Rules, fields: &Fields<'_>, arm: &[String]) -> Option<String> {
    let (field, newest) = rules.newest?;
    if arm != [field] {
        return None;
    }
    let mut others = fields.values(field).filter(|value| *value != newest);
    let first = others.next()?;
    let usual = std::iter::once(first)
        .chain(others)
        .find(|value| *value == "base");
    Some(usual.unwrap_or(first).to_owned())
}

type Guessed = (Vec<String>, Option<&'static Way>);

fn guessed_arm(
    ways: &'static [Way],
    (fields, executions): (&Fields<'_>, &[Execution]),
    seed: Option<&str>,
) -> Result<Guessed, InteropError> {
    for way in ways {
        match way.arm {
            Arm::None => return Ok((Vec::new(), Some(way))),
            Arm::Fields(names) => {
                let there = names.iter().filter(|name| fields.count(name) > 0);
                let names: Vec<String> = there.map(|name| (*name).to_owned()).collect();
                if names.iter().all(|name| fields.is_same_everywhere(name)) {
                    continue;
                }
                let mut arms = executions.iter().map(|execution| joined(&names, execution));
                let first = arms.next();
                if arms.any(|arm| Some(&arm) != first.as_ref()) {
                    return Ok((names, Some(way)));
                }
            }
            Arm::Differing(prefix) => {
                let differing = fields.differing(prefix, seed, executions);
                match differing.as_slice() {
                    [] => {}
                    [only] => return Ok((vec![(*only).clone()], Some(way))),
                    several => return Err(which_arm(several, fields)),
                }
            }
        }
    }
    Ok((Vec::new(), None))
}

fn which_arm(candidates: &[&String], fields: &Fields<'_>) -> InteropError {
    let described = candidates
        .iter()
        .map(|field| format!("`{field}` ({} values)", fields.count(field)));
    InteropError::Ambiguous(format!(
        "which field is the arm? These differ: {}; say it with --arm, as in --arm {}",
        first_of(described, NAMED),
        candidates[0]
    ))
}
