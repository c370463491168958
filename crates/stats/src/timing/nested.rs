//! Nested repetitions (builds, executions, iterations): where the variance is, and what to repeat (Kalibera, Jones 2013).

use serde::Serialize;

use crate::descriptive::{Moments, sum};
use crate::dist::student_t;
use crate::sample::{self, representable};
use crate::{Explain, Interval, Level, Outcome, Undefined};
use fairtrial_text::significant::short;

/// One level of a nested experiment.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct NestedLevel {
    /// Repetitions at this level.
    pub repetitions: usize,
    /// Variance of the means at this level, with the noise of the levels below still in it.
    pub observed: f64,
    /// The same without that noise; negative by chance where this level adds nothing.
    pub own: f64,
}

/// A balanced nested experiment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Nested {
    /// What was computed.
    pub method: &'static str,
    /// All measurements.
    pub n: usize,
    /// The grand mean.
    pub mean: f64,
    /// Its t interval from the top level's means.
    pub interval: Interval,
    /// The levels, innermost (iterations) first.
    pub levels: Vec<NestedLevel>,
}

/// Analyses measurements in nested order; `shape` is the repetitions from the outermost level (builds) to the innermost
/// (iterations), and the values run through the innermost level first.
pub fn nested(values: &[f64], shape: &[usize], level: Level) -> Outcome<Nested> {
    let level = level.checked()?;
    sample::finite("the measurements", values)?;
    let expected = shape
        .iter()
        .try_fold(1usize, |product, r| product.checked_mul(*r));
    if expected != Some(values.len()) {
        return Err(Undefined::UnequalLengths {
            left: values.len(),
            right: expected.unwrap_or(usize::MAX),
        });
    }
    if let Some(few) = shape.iter().find(|r| **r < 2) {
        return Err(Undefined::TooFew {
            method: "a nested level".into(),
            have: *few,
            need: 2,
        });
    }
    if shape.is_empty() {
        return Err(Undefined::TooFew {
            method: "a nested experiment (levels)".into(),
            have: 0,
            need: 1,
        });
    }
    let (levels, top) = climb(values, shape)?;
    if top.is_constant() {
        return Err(Undefined::ZeroVariance {
            what: "the means of the top level".into(),
            value: top.mean,
        });
    }
    let se = representable("the standard error", top.standard_error())?;
    let interval = Interval::around(top.mean, se, level, |tail| {
        student_t::inverse_sf(tail, top.n - 1.0)
    });
    Ok(Nested {
        method: "nested variances with t at the top level (Kalibera-Jones)",
        n: values.len(),
        mean: representable("the mean", top.mean)?,
        interval: interval.representable()?,
        levels,
    })
}

/// Variances level by level, and the moments of the top level's means.
fn climb(values: &[f64], shape: &[usize]) -> Outcome<(Vec<NestedLevel>, Moments)> {
    let mut means = values.to_vec();
    let mut levels: Vec<NestedLevel> = Vec::with_capacity(shape.len());
    let mut top = Moments::of(values);
    for repetitions in shape.iter().rev() {
        let groups: Vec<Moments> = means.chunks(*repetitions).map(Moments::of).collect();
        let observed = representable(
            "a variance",
            sum(groups.iter().map(Moments::variance)) / groups.len() as f64,
        )?;
        let below = levels
            .last()
            .map_or(0.0, |l| l.observed / l.repetitions as f64);
        levels.push(NestedLevel {
            repetitions: *repetitions,
            observed,
            own: observed - below,
        });
        means = groups.iter().map(|g| g.mean).collect();
        top = groups[0];
    }
    Ok((levels, top))
}

impl Nested {
    /// The repetitions at each level below the top that give the most precision for the cost, innermost first.
    ///
    /// `costs[i]` is the cost of one more repetition at level i (innermost first, the top level last). A level whose
    /// variance is zero or below needs one repetition; one whose upper neighbour adds nothing has no finite optimum.
    pub fn optimal_repetitions(&self, costs: &[f64]) -> Outcome<Vec<Option<u64>>> {
        if costs.len() != self.levels.len() {
            return Err(Undefined::UnequalLengths {
                left: costs.len(),
                right: self.levels.len(),
            });
        }
        costs
            .iter()
            .try_for_each(|c| sample::positive("cost", *c).map(|_| ()))?;
        let optimum = |(i, pair): (usize, &[NestedLevel])| {
            let (here, above) = (pair[0].own.max(0.0), pair[1].own.max(0.0));
            if here == 0.0 {
                return Some(1);
            }
            let best = (costs[i + 1] / costs[i] * here / above).sqrt().ceil();
            (best < 1e9).then_some(best.max(1.0) as u64)
        };
        Ok(self.levels.windows(2).enumerate().map(optimum).collect())
    }
}

impl Explain for Nested {
    fn reading(&self) -> String {
        let total: f64 = self.levels.iter().map(|l| l.own.max(0.0)).sum();
        let shares: Vec<String> = self
            .levels
            .iter()
            .rev()
            .map(|l| format!("{} %", short(100.0 * l.own.max(0.0) / total)))
            .collect();
        format!(
            "The grand mean is {} ({}); of the variance of one measurement, the levels carry {} (outermost first).",
            short(self.mean),
            self.interval.words(),
            shares.join(", ")
        )
    }
}
