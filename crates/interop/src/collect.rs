//! Everything that readers found, in memory: executions with their numbers, and of every curve only what was asked for.

use crate::error::InteropError;
use crate::execution::{Execution, Fact, Metric, MetricId};
use crate::format::Format;
use crate::input::Input;
use crate::locate::Located;
use crate::sink::Sink;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What was found.
#[derive(Debug, Default)]
pub struct Collected {
    /// The metrics, by [`MetricId`].
    pub metrics: Vec<Metric>,
    /// The executions, in the order of their files.
    pub executions: Vec<Execution>,
    /// The curves of each execution.
    pub curves: Vec<BTreeMap<MetricId, Curve>>,
    /// How the files were made.
    pub facts: BTreeSet<Fact>,
    /// What a user must know.
    pub notes: Vec<String>,
    keep: Keep,
    /// The metric whose points are kept, once it is known.
    kept: Option<MetricId>,
    by_name: HashMap<String, MetricId>,
    /// The curves of the execution to come, by their metric's number.
    open: Vec<Option<Curve>>,
    /// Who takes every point as it comes.
    points: Option<Box<dyn PointSink>>,
}

/// Takes every point of every curve as it is read, for who keeps them elsewhere.
pub trait PointSink: std::fmt::Debug + Send + Sync {
    /// A point of a metric in the execution of this number.
    fn point(&mut self, execution: usize, metric: &str, point: (f64, f64));

    /// The execution of this number was cut off and does not count: another one will have its number.
    fn forget(&mut self, execution: usize);
}

/// Which points of curves are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Keep {
    /// None: the last value counts.
    #[default]
    Ends,
    /// Those of one metric.
    Points(String),
}

/// A metric over steps.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// How many points it has.
    pub count: u64,
    /// Its first step.
    pub first_step: f64,
    /// Its last step.
    pub last_step: f64,
    /// The value at its last step; of several there, the one that was written last.
    pub last: f64,
    /// Its points as they were written, where they are kept.
    pub points: Vec<(f64, f64)>,
}

impl Curve {
    fn new(step: f64, value: f64) -> Self {
        Self {
            count: 0,
            first_step: step,
            last_step: step,
            last: value,
            points: Vec::new(),
        }
    }

    fn push(&mut self, step: f64, value: f64) {
        self.count += 1;
        self.first_step = self.first_step.min(step);
        if step >= self.last_step || self.last_step.is_nan() {
            self.last_step = step;
            self.last = value;
        }
    }
}

/// Which curves somebody wants, for those who must ask for each.
pub(crate) trait Wanted {
    /// Whether the points of a metric are of use.
    #[cfg(feature = "server")]
    fn wants(&self, metric: &str) -> bool;

    /// The names of all metrics whose points are of use; `*` for all.
    fn wanted(&self) -> Vec<String>;
}

impl Wanted for Collected {
    #[cfg(feature = "server")]
    fn wants(&self, metric: &str) -> bool {
        self.points.is_some() || matches!(&self.keep, Keep::Points(name) if name == metric)
    }

    fn wanted(&self) -> Vec<String> {
        match &self.keep {
            _ if self.points.is_some() => vec!["*".to_owned()],
            Keep::Ends => Vec::new(),
            Keep::Points(name) => vec![name.clone()],
        }
    }
}

impl Collected {
    /// Nothing yet; keeps the points that were asked for.
    pub fn keeping(keep: Keep) -> Self {
        Self {
            keep,
            ..Self::default()
        }
    }

    /// Nothing yet; hands every point on.
    pub fn handing_on(points: Box<dyn PointSink>) -> Self {
        Self {
            points: Some(points),
            ..Self::default()
        }
    }

    /// Reads everything that was located. A file that is cut off gives what is whole in it, with a note.
    pub fn read(located: &Located, keep: Keep) -> Result<Self, InteropError> {
        Self::keeping(keep).filled(located)
    }

    /// The same with what is found in what was located.
    pub fn filled(self, located: &Located) -> Result<Self, InteropError> {
        let mut found = self;
        for unit in &located.units {
            let before = found.executions.len();
            match located.format.read(unit, &mut found) {
                Err(InteropError::Cut { place }) if found.executions.len() > before => {
                    found.open.clear();
                    if let Some(points) = &mut found.points {
                        points.forget(found.executions.len());
                    }
                    let whole = found.executions.len() - before;
                    found.notes.push(format!(
                        "{place}: the file is cut off here; what stands whole before it is used ({whole} executions)"
                    ));
                }
                read => read?,
            }
        }
        if found.executions.is_empty() {
            let first = located.units.first().and_then(|unit| unit.paths.first());
            let first = first.map_or_else(String::new, |path| path.display().to_string());
            return Err(InteropError::Unknown(format!(
                "{first} holds no {}",
                located.format.title()
            )));
        }
        Ok(found)
    }

    /// Everything was read: who takes points may close their files.
    pub(crate) fn close_points(&mut self) {
        self.points = None;
    }

    /// Keeps some executions alone.
    pub(crate) fn retain(&mut self, wanted: impl Fn(&Execution) -> bool) {
        let kept: Vec<bool> = self.executions.iter().map(wanted).collect();
        let mut of = kept.iter();
        self.executions.retain(|_| of.next() == Some(&true));
        let mut of = kept.iter();
        self.curves.retain(|_| of.next() == Some(&true));
    }

    /// The number of a metric of this name.
    pub fn metric_named(&self, name: &str) -> Option<MetricId> {
        self.by_name.get(name).copied()
    }
}

impl Sink for Collected {
    fn metric(&mut self, metric: &Metric) -> MetricId {
        if let Some(known) = self.by_name.get(&metric.name) {
            return *known;
        }
        let id = MetricId(self.metrics.len() as u32);
        self.by_name.insert(metric.name.clone(), id);
        if matches!(&self.keep, Keep::Points(name) if *name == metric.name) {
            self.kept = Some(id);
        }
        self.metrics.push(metric.clone());
        id
    }

    fn known(&self, name: &str) -> Option<MetricId> {
        self.metric_named(name)
    }

    fn point(&mut self, metric: MetricId, step: f64, value: f64) {
        let wanted = self.kept == Some(metric);
        let place = metric.0 as usize;
        if let Some(points) = &mut self.points {
            let name = &self.metrics[place].name;
            points.point(self.executions.len(), name, (step, value));
        }
        if place >= self.open.len() {
            self.open.resize(place + 1, None);
        }
        let curve = self.open[place].get_or_insert_with(|| Curve::new(step, value));
        curve.push(step, value);
        if wanted {
            curve.points.push((step, value));
        }
    }

    fn execution(&mut self, mut execution: Execution) {
        let curves = std::mem::take(&mut self.open).into_iter().zip(0..);
        let curves: BTreeMap<MetricId, Curve> = curves
            .filter_map(|(curve, number)| Some((MetricId(number), curve?)))
            .collect();
        for (metric, curve) in &curves {
            if execution.metrics.iter().all(|(known, _)| known != metric) {
                execution.metrics.push((*metric, curve.last));
            }
        }
        self.executions.push(execution);
        self.curves.push(curves);
    }

    fn fact(&mut self, fact: Fact) {
        self.facts.insert(fact);
    }

    fn note(&mut self, note: String) {
        self.notes.push(note);
    }
}

/// Reads bytes as a file of a format: what a fuzzer calls, and who has a file in memory.
pub fn parse(format: &dyn Format, name: &str, bytes: &[u8]) -> Result<Collected, InteropError> {
    let mut found = Collected::default();
    format.read_file(Input::bytes(name, bytes), &mut found)?;
    Ok(found)
}
