//! The hierarchical bootstrap: clusters (tasks, builds) first, then what lies within each.
//!
//! With few clusters the outer draw sees too little of the world and the interval is too short, so that below ten it
//! is refused: there a t interval on the cluster means is the honest one.

use serde::Serialize;

use super::endpoints::{Distribution, Estimate, ends};
use super::entry::{check_plan, check_sample};
use super::replicates::{Draws, Replicates, resampled_sum};
use super::statistic::mean as mean_of;
use super::{Flag, Method, Plan};
use crate::rng::Purpose;
use crate::{Dropped, Explain, Interval, Outcome, Undefined};
use fairtrial_text::significant::short;

const PURPOSE: Purpose = Purpose::new("bootstrap/hierarchical");
const FEWEST_CLUSTERS: usize = 10;

/// The interval of a mean over clusters, each cluster with the same weight.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HierarchicalInterval {
    /// How the ends were made.
    pub method: Method,
    /// How many clusters.
    pub clusters: usize,
    /// How many observations in all.
    pub n: usize,
    /// The mean of the cluster means.
    pub estimate: f64,
    /// The interval.
    pub interval: Interval,
    /// The standard deviation of the bootstrap distribution.
    pub standard_error: f64,
    /// How many resamples.
    pub resamples: usize,
    /// Their seed.
    pub seed: u64,
    /// What a reader should know.
    pub flags: Vec<Flag>,
    /// What was left out.
    pub dropped: Vec<Dropped>,
}

impl Explain for HierarchicalInterval {
    fn reading(&self) -> String {
        format!(
            "The mean over {} clusters ({} observations) is {}; {} (clusters resampled, then observations within \
             them; {} resamples, seed {}).",
            self.clusters,
            self.n,
            short(self.estimate),
            self.interval.words(),
            self.resamples,
            self.seed
        )
    }
}

/// Resamples clusters, then observations within them; percentile or basic ends.
pub fn hierarchical(clusters: &[&[f64]], plan: &Plan) -> Outcome<HierarchicalInterval> {
    check_plan(plan)?;
    if !matches!(plan.method, Method::Percentile | Method::Basic) {
        return Err(Undefined::NoSolution(format!(
            "the hierarchical bootstrap has percentile and basic ends, not {}",
            plan.method.name()
        )));
    }
    if clusters.is_empty() {
        return Err(Undefined::Empty {
            what: "clusters".into(),
        });
    }
    for (index, cluster) in clusters.iter().enumerate() {
        check_sample(&format!("cluster {index}"), cluster, 1)?;
    }
    if clusters.len() < FEWEST_CLUSTERS {
        return Err(Undefined::TooFew {
            method:
                "the hierarchical bootstrap (below that, use a t interval on the cluster means)"
                    .into(),
            have: clusters.len(),
            need: FEWEST_CLUSTERS,
        });
    }
    let n = clusters.iter().map(|c| c.len()).sum::<usize>();
    let mut replicates = Replicates::new(draw(
        clusters,
        Draws {
            count: plan.resamples,
            seed: plan.seed,
        },
    ))?;
    let means: Vec<f64> = clusters.iter().map(|c| mean_of(c)).collect();
    let estimate = Estimate {
        value: mean_of(&means),
        leave_one_out: Vec::new(),
    };
    let ends = ends(&mut replicates, &estimate, plan.method, plan.level);
    if !estimate.value.is_finite() {
        return Err(Undefined::NoSolution(
            "the values are too large for the arithmetic of the bootstrap".into(),
        ));
    }
    Ok(HierarchicalInterval {
        method: plan.method,
        clusters: clusters.len(),
        n,
        estimate: estimate.value,
        interval: Interval {
            low: ends.low,
            high: ends.high,
            level: plan.level,
        },
        standard_error: replicates.standard_error(),
        resamples: plan.resamples,
        seed: plan.seed,
        flags: ends.flags,
        dropped: replicates.dropped,
    })
}

fn draw(clusters: &[&[f64]], draws: Draws) -> Vec<f64> {
    let count = clusters.len();
    let cost = clusters.iter().map(|c| c.len()).sum();
    let mut out = vec![0.0; draws.count];
    draws.source(PURPOSE).fill(&mut out, cost, |stream, block| {
        for value in block {
            let mut total = 0.0;
            for _ in 0..count {
                let cluster = clusters[stream.below(count)];
                total += resampled_sum(stream, cluster) / cluster.len() as f64;
            }
            *value = total / count as f64;
        }
    });
    out
}
