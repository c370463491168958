//! `spatial_performance_analyzer`: how the cost of each index grows with the number of points.

use super::index::Algorithm;
use super::points::Pattern;
use super::timing::{Questions, Times, bytes_of, measure};
use crate::configured::{About, Configured, case};
use fairtrial_experiment::{Context, Experiment, Failure, Metrics, Param, Registration};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug, Deserialize)]
struct Knobs {
    algorithms: Vec<Algorithm>,
    agent_counts: Vec<usize>,
    world_sizes: Vec<f64>,
    query_patterns: Vec<Pattern>,
    query_radii: Vec<f64>,
    steps: usize,
    analyze_complexity: bool,
    analyze_scalability: bool,
    analyze_memory_efficiency: bool,
}

struct Analyzer(Knobs);

impl Configured for Analyzer {
    type Params = Knobs;

    fn new(params: Knobs) -> Self {
        Self(params)
    }
}

impl Analyzer {
    /// Mean times at one number of points, over worlds, patterns and radii.
    fn at(&self, algorithm: Algorithm, count: usize, seed: u64) -> Times {
        let mut sum = Times::default();
        let mut cases = 0.0;
        for &world in &self.0.world_sizes {
            for &pattern in &self.0.query_patterns {
                let points = pattern.points(count, world, seed);
                let places = pattern.points(self.0.steps, world, seed ^ 1);
                for &radius in &self.0.query_radii {
                    let asked = Questions {
                        world,
                        radius,
                        places: &places,
                    };
                    let times = measure(algorithm, &points, &asked);
                    sum.build_time += times.build_time;
                    sum.avg_query_time += times.avg_query_time;
                    sum.avg_nearest_time += times.avg_nearest_time;
                    sum.avg_update_time += times.avg_update_time;
                    sum.avg_found += times.avg_found;
                    cases += 1.0;
                }
            }
        }
        Times {
            build_time: sum.build_time / cases,
            avg_query_time: sum.avg_query_time / cases,
            avg_nearest_time: sum.avg_nearest_time / cases,
            avg_update_time: sum.avg_update_time / cases,
            avg_found: sum.avg_found / cases,
        }
    }

    fn analyse(&self, algorithm: Algorithm, seed: u64) -> Value {
        let mut counts = self.0.agent_counts.clone();
        counts.sort_unstable();
        counts.dedup();
        let times: Vec<(f64, Times)> = counts
            .iter()
            .map(|&count| (count as f64, self.at(algorithm, count, seed)))
            .collect();
        let cases = times
            .iter()
            .map(|(count, times)| case(&json!({"n": count}), &json!(times)));
        let mut found = json!({"cases": cases.collect::<Vec<Value>>()});
        let column = |of: fn(&Times) -> f64| -> Vec<(f64, f64)> {
            times
                .iter()
                .map(|(count, times)| (*count, of(times)))
                .collect()
        };
        let columns = [
            ("build", column(|times| times.build_time)),
            ("query", column(|times| times.avg_query_time)),
            ("nearest", column(|times| times.avg_nearest_time)),
            ("update", column(|times| times.avg_update_time)),
        ];
        for (name, column) in &columns {
            if let Some(exponent) = exponent(column).filter(|_| self.0.analyze_complexity) {
                found["exponent"][*name] = json!(exponent);
            }
            if let (true, Some(first), Some(last)) =
                (self.0.analyze_scalability, column.first(), column.last())
            {
                found["growth"][*name] = json!(last.1 / first.1.max(1e-12));
            }
        }
        if let (true, Some(&count), Some(&world)) = (
            self.0.analyze_memory_efficiency,
            counts.last(),
            self.0.world_sizes.first(),
        ) {
            let points = Pattern::Random.points(count, world, seed);
            let bytes = bytes_of(|| algorithm.build(&points, world, world / 10.0));
            if let Some(bytes) = bytes {
                found["bytes_per_entity"] = json!(bytes / count as f64);
            }
        }
        found
    }
}

/// The power of n with which a cost grows: the slope of a line through the logarithms.
fn exponent(column: &[(f64, f64)]) -> Option<f64> {
    let logs: Vec<(f64, f64)> = column
        .iter()
        .filter(|(count, cost)| *count > 0.0 && *cost > 0.0)
        .map(|(count, cost)| (count.ln(), cost.ln()))
        .collect();
    let n = logs.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(|log| log.0), mean(|log| log.1));
    let spread: f64 = logs.iter().map(|log| (log.0 - x).powi(2)).sum();
    let joint: f64 = logs.iter().map(|log| (log.0 - x) * (log.1 - y)).sum();
    (logs.len() >= 2 && spread > 0.0).then(|| joint / spread)
}

impl Experiment for Analyzer {
    fn execute_once(&mut self, context: &mut Context) -> Result<Metrics, Failure> {
        let seed = context.seed();
        let all = self.0.algorithms.iter();
        Ok(all
            .map(|&algorithm| (algorithm.name().to_owned(), self.analyse(algorithm, seed)))
            .collect())
    }
}

pub(crate) fn registration() -> Registration {
    About {
        slug: "spatial_performance_analyzer",
        summary: "How the cost of spatial indexes grows with the number of points.",
        tags: &["spatial", "performance", "analysis"],
        params: vec![
            super::algorithms(),
            super::counts(&[100, 500, 1000, 2000, 5000]),
            super::worlds(&[100.0, 200.0, 500.0, 1000.0]),
            super::query_patterns(),
            super::radii(&[10.0, 20.0, 50.0, 100.0]),
            super::steps(200),
            Param::bool("analyze_complexity", true)
                .doc("Fit the power of n with which each cost grows"),
            Param::bool("analyze_scalability", true)
                .doc("Cost at the largest size over that at the smallest"),
            Param::bool("analyze_memory_efficiency", true).doc("Measure bytes per point"),
        ],
    }
    .registration::<Analyzer>()
}

#[cfg(test)]
mod tests {
    use super::exponent;

    #[test]
    fn the_exponent_of_a_power_is_found() {
        let column: Vec<(f64, f64)> = [10.0, 100.0, 1000.0]
            .map(|n: f64| (n, 3.0 * n.powf(1.5)))
            .into();
        assert!((exponent(&column).unwrap() - 1.5).abs() < 1e-9);
        assert_eq!(exponent(&column[..1]), None);
    }
}
