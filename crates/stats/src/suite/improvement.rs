//! The probability of improvement: the chance that a run of the candidate beats a run of the control on a random task.
//!
//! A resample is not compared run by run. For each task the control's scores are ordered once; a resample then needs
//! the counts of drawn control runs, their running sum, and two look-ups per drawn candidate run.

use serde::Serialize;

use super::interval::draw_all;
use super::kernel::for_each_index;
use super::plan::SuitePlan;
use super::scores::{Scores, same_tasks};
use crate::bootstrap::{Replicates, percentile_interval};
use crate::rng::{Purpose, Source, Stream};
use crate::{Dropped, Explain, Interval, Outcome};
use fairtrial_text::significant::short;

const PURPOSE: Purpose = Purpose::new("suite/improvement");

/// The probability of improvement with its interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Improvement {
    /// How many tasks.
    pub tasks: usize,
    /// How many scores in all, control and candidate.
    pub n: [usize; 2],
    /// The mean over tasks of the share of run pairs that the candidate wins (a tie counts one half).
    pub estimate: f64,
    /// Its stratified percentile interval.
    pub interval: Interval,
    /// The standard deviation of the bootstrap distribution.
    pub standard_error: f64,
    /// How many resamples.
    pub resamples: usize,
    /// Their seed.
    pub seed: u64,
    /// What was left out.
    pub dropped: Vec<Dropped>,
}

impl Explain for Improvement {
    fn reading(&self) -> String {
        format!(
            "A run of the candidate beats a run of the control on the same task with probability {}; {} (0.5 would be \
             no difference; {} tasks, {} resamples, seed {}).",
            short(self.estimate),
            self.interval.words(),
            self.tasks,
            self.resamples,
            self.seed
        )
    }
}

/// The probability of improvement; the plan's metric and correction do not apply.
pub fn probability_of_improvement(
    control: &Scores<'_>,
    candidate: &Scores<'_>,
    plan: &SuitePlan,
) -> Outcome<Improvement> {
    plan.checked()?;
    same_tasks(control, candidate)?;
    control.resamplable()?;
    candidate.resamplable()?;
    let pairs = control.tasks().iter().zip(candidate.tasks());
    let tasks: Vec<Wins> = pairs.map(|(a, b)| Wins::new(a, b)).collect();
    let estimate = tasks.iter().map(Wins::share).sum::<f64>() / tasks.len() as f64;
    let longest = control.runs()[1];
    let source = Source {
        seed: plan.seed,
        purpose: PURPOSE,
    };
    let values = draw_all(
        source,
        plan.resamples,
        control.count() + candidate.count(),
        || {
            let mut running = vec![0u32; longest + 1];
            let tasks = &tasks;
            move |stream: &mut Stream| {
                let total: f64 = tasks
                    .iter()
                    .map(|task| task.draw(stream, &mut running))
                    .sum();
                total / tasks.len() as f64
            }
        },
    );
    let mut replicates = Replicates::new(values)?;
    let (interval, standard_error) = percentile_interval(&mut replicates, plan.level)?;
    Ok(Improvement {
        tasks: tasks.len(),
        n: [control.count(), candidate.count()],
        estimate,
        interval,
        standard_error,
        resamples: plan.resamples,
        seed: plan.seed,
        dropped: replicates.dropped,
    })
}

/// One task's comparison of all runs.
struct Wins {
    controls: usize,
    /// For each candidate run: how many control runs lie below it, and how many not above it.
    beaten: Vec<[u32; 2]>,
    /// One over twice the number of pairs.
    scale: f64,
}

impl Wins {
    fn new(control: &[f64], candidate: &[f64]) -> Self {
        let mut sorted = control.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let beaten = candidate.iter().map(|x| {
            [
                sorted.partition_point(|c| c < x) as u32,
                sorted.partition_point(|c| c <= x) as u32,
            ]
        });
        let pairs = control.len() as f64 * candidate.len() as f64;
        Self {
            controls: control.len(),
            beaten: beaten.collect(),
            scale: 0.5 / pairs,
        }
    }

    fn share(&self) -> f64 {
        self.beaten
            .iter()
            .map(|&[below, not_above]| f64::from(below) + f64::from(not_above))
            .sum::<f64>()
            * self.scale
    }

    #[inline]
    fn draw(&self, stream: &mut Stream, running: &mut [u32]) -> f64 {
        let running = &mut running[..=self.controls];
        running.fill(0);
        for_each_index(stream, self.controls, |i| running[i + 1] += 1);
        let mut sum = 0;
        for count in running.iter_mut() {
            sum += *count;
            *count = sum;
        }
        let mut doubled = 0u64;
        for_each_index(stream, self.beaten.len(), |j| {
            let [below, not_above] = self.beaten[j];
            doubled += u64::from(running[below as usize]) + u64::from(running[not_above as usize]);
        });
        doubled as f64 * self.scale
    }
}
