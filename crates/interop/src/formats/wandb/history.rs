//! The rows of a run's history: a step, and numbers under names. This is where nearly all of a log's bytes are.

use crate::execution::{Execution, Metric, MetricId};
use crate::json;
use crate::protobuf::{Broken, Message, Wire};
use crate::sink::Sink;
use fairtrial_model::Number;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap};

/// What was logged so far.
#[derive(Default)]
pub(super) struct History {
    /// What is known of a name; nothing for names that are not metrics.
    known: HashMap<Vec<u8>, Option<MetricId>>,
    /// The names in the order in which they came first, which most rows have too: looked at before [`Self::known`] is.
    usual: Vec<(Vec<u8>, MetricId)>,
    /// How many metrics of the row were read.
    place: usize,
    /// What the summary has under names, as text.
    summary: BTreeMap<Vec<u8>, Vec<u8>>,
    /// The names that other names are drawn over, where that is not the step.
    steps: Vec<StepRule>,
    /// The row that is read at present, kept to use its memory again.
    row: Vec<Cell>,
    /// A name of several parts.
    name: Vec<u8>,
    /// The segment that is read, by its place.
    pub(super) segment: usize,
    /// The last segment that has a row of a step (its bits), where there are several segments.
    pub(super) latest: HashMap<u64, usize>,
}

/// A name (or the beginning of names) and the name of the metric that it is drawn over.
struct StepRule {
    name: Vec<u8>,
    is_prefix: bool,
    step: Vec<u8>,
}

struct Cell {
    metric: MetricId,
    name: Vec<u8>,
    value: f64,
}

impl History {
    /// A row: its points are given away.
    pub(super) fn row(&mut self, row: Message<'_>, sink: &mut dyn Sink) -> Result<(), Broken> {
        let mut step = None;
        let mut points = std::mem::take(&mut self.row);
        points.clear();
        self.place = 0;
        for field in row {
            let (number, value) = field?;
            match number {
                1 => {
                    let item = self.item(value.message())?;
                    if item.is_step {
                        step = number_of(item.value).or(step);
                    } else {
                        self.cell(&item, sink, &mut points);
                    }
                }
                2 => step = step.or(Some(step_number(value.message()))),
                _ => {}
            }
        }
        let step = step.unwrap_or(f64::NAN);
        let latest = self.latest.get(&step.to_bits());
        if latest.is_some_and(|latest| *latest > self.segment) {
            points.clear();
        }
        for cell in &points {
            let at = self.step_of(cell, &points).unwrap_or(step);
            sink.point(cell.metric, at, cell.value);
        }
        self.row = points;
        Ok(())
    }

    /// The step of a row alone, as bits.
    pub(super) fn step_of_row(&mut self, row: Message<'_>) -> Result<u64, Broken> {
        let (mut named, mut numbered) = (None, None);
        for field in row {
            let (number, value) = field?;
            if number == 2 {
                numbered = Some(step_number(value.message()));
            } else if number == 1 && named.is_none() {
                let item = self.item(value.message())?;
                named = item.is_step.then(|| number_of(item.value)).flatten();
            }
        }
        Ok(named.or(numbered).unwrap_or(f64::NAN).to_bits())
    }

    /// The name, in `self.name`, and the value of an item.
    fn item<'a>(&mut self, item: Message<'a>) -> Result<Item<'a>, Broken> {
        let mut value: &[u8] = &[];
        self.name.clear();
        for field in item {
            let (number, part) = field?;
            match number {
                1 | 2 => {
                    let part = part.bytes();
                    if !self.name.is_empty() && !part.is_empty() {
                        self.name.push(b'.');
                    }
                    self.name.extend_from_slice(part);
                }
                16 => value = part.bytes(),
                _ => {}
            }
        }
        Ok(Item {
            is_step: self.name == b"_step",
            value,
        })
    }

    fn cell(&mut self, item: &Item<'_>, sink: &mut dyn Sink, points: &mut Vec<Cell>) {
        if self.name.first() == Some(&b'_') && is_own(&self.name) {
            return;
        }
        if let Some(value) = number_of(item.value) {
            let metric = match self.usual.get(self.place) {
                Some((name, metric)) if *name == self.name => *metric,
                _ => {
                    let known = self.known.get(self.name.as_slice()).copied();
                    known.flatten().unwrap_or_else(|| self.learn(sink))
                }
            };
            self.place += 1;
            // Only where something is drawn over something else is the name needed again.
            let name = if self.steps.is_empty() {
                Vec::new()
            } else {
                self.name.clone()
            };
            points.push(Cell {
                metric,
                name,
                value,
            });
        } else if item.value.first() == Some(&b'{') {
            // Logs of 0.16 keep tables as text; those with a type are pictures and the like.
            let Ok(table) = json::parse::<Map<String, Value>>("", item.value) else {
                return;
            };
            if table.contains_key("_type") {
                return;
            }
            let name = self.name.clone();
            for (path, value) in numbers_in(&table) {
                self.name.clear();
                self.name.extend_from_slice(&name);
                self.name.push(b'.');
                self.name.extend_from_slice(path.as_bytes());
                let metric = self.learn(sink);
                points.push(Cell {
                    metric,
                    name: self.name.clone(),
                    value,
                });
            }
        }
    }

    fn learn(&mut self, sink: &mut dyn Sink) -> MetricId {
        let text = String::from_utf8_lossy(&self.name);
        let metric = sink.metric(&Metric::named(text));
        self.known.insert(self.name.clone(), Some(metric));
        self.usual.push((self.name.clone(), metric));
        metric
    }

    /// The value that a point is drawn over, where that is another metric of its row.
    fn step_of(&self, cell: &Cell, row: &[Cell]) -> Option<f64> {
        let rule = self.steps.iter().rev().find(|rule| {
            if rule.is_prefix {
                cell.name.starts_with(&rule.name)
            } else {
                cell.name == rule.name
            }
        })?;
        let found = row.iter().find(|other| other.name == rule.step)?;
        (found.metric != cell.metric).then_some(found.value)
    }

    /// `define_metric(name, step_metric=…)`.
    pub(super) fn define(&mut self, metric: Message<'_>) -> Result<(), Broken> {
        let mut rule = StepRule {
            name: Vec::new(),
            is_prefix: false,
            step: Vec::new(),
        };
        for field in metric {
            let (number, value) = field?;
            match number {
                1 => rule.name = value.bytes().to_vec(),
                2 => {
                    let glob = value.bytes();
                    rule.is_prefix = glob.ends_with(b"*");
                    rule.name = glob.strip_suffix(b"*").unwrap_or(glob).to_vec();
                }
                4 => rule.step = value.bytes().to_vec(),
                _ => {}
            }
        }
        if !rule.step.is_empty() && rule.step != b"_step" {
            self.steps.push(rule);
        }
        Ok(())
    }

    /// The summary: what a user put there counts where the history has nothing under the name.
    pub(super) fn summary(&mut self, summary: Message<'_>) -> Result<(), Broken> {
        for field in summary {
            let (number, item) = field?;
            if number != 1 && number != 2 {
                continue;
            }
            let item = self.item(item.message())?;
            if self.name.first() == Some(&b'_') && is_own(&self.name)
                || self.known.contains_key(self.name.as_slice())
            {
                continue;
            }
            if number == 2 {
                self.summary.remove(&self.name);
            } else if let Some(known) = self.summary.get_mut(&self.name) {
                known.clear();
                known.extend_from_slice(item.value);
            } else {
                self.summary.insert(self.name.clone(), item.value.to_vec());
            }
        }
        Ok(())
    }

    /// Adds what stands in the summary alone to the run's numbers.
    pub(super) fn give(self, execution: &mut Execution, sink: &mut dyn Sink) {
        for (name, text) in self.summary {
            if self.known.contains_key(&name) {
                continue;
            }
            let name = String::from_utf8_lossy(&name);
            if let Some(value) = number_of(&text) {
                let metric = sink.metric(&Metric::named(name));
                execution.metrics.push((metric, value));
                continue;
            }
            let Ok(table) = json::parse::<Map<String, Value>>("", &text) else {
                continue;
            };
            if table.contains_key("_type") {
                continue;
            }
            for (path, value) in numbers_in(&table) {
                let name = format!("{name}.{path}");
                if !self.known.contains_key(name.as_bytes()) {
                    let metric = sink.metric(&Metric::named(name));
                    execution.metrics.push((metric, value));
                }
            }
        }
    }
}

/// The value of an item, whose name is kept aside.
struct Item<'a> {
    is_step: bool,
    value: &'a [u8],
}

/// Names that W&B itself logs.
fn is_own(name: &[u8]) -> bool {
    matches!(name, b"_step" | b"_runtime" | b"_timestamp") || name.starts_with(b"_wandb")
}

/// The number in the message of a row's step, where 0 is left out.
fn step_number(mut step: Message<'_>) -> f64 {
    match step.next() {
        Some(Ok((1, Wire::Varint(number)))) => number as i64 as f64,
        _ => 0.0,
    }
}

/// The number that a JSON text is: also a truth value, and what JSON has no number for.
fn number_of(text: &[u8]) -> Option<f64> {
    match text {
        b"true" => return Some(1.0),
        b"false" => return Some(0.0),
        [b'"', inner @ .., b'"'] => {
            let word = std::str::from_utf8(inner).ok()?;
            return Number::from_word(word).map(|number| number.0);
        }
        _ => {}
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// The numbers in a table, by their paths.
fn numbers_in(table: &Map<String, Value>) -> Vec<(String, f64)> {
    let mut found = Vec::new();
    fairtrial_model::each_leaf("", table, &mut |path, leaf| {
        if let fairtrial_model::Leaf::Number(value) = leaf {
            found.push((path, value));
        }
    });
    found
}
