//! Stratified bootstrap intervals of suite metrics and of their differences between two arms.

use serde::Serialize;

use super::kernel::{Kernel, Scratch};
use super::metric::point;
use super::plan::{Correction, SuitePlan};
use super::scores::{Scores, same_runs, same_tasks};
use crate::bootstrap::{Replicates, percentile_interval};
use crate::rng::{Purpose, Source, Stream};
use crate::two_arm::Design;
use crate::{Dropped, Explain, Interval, Outcome};
use fairtrial_text::significant::short;

/// The interval of a suite metric, or of its difference.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SuiteInterval {
    /// The metric and how it was resampled.
    pub plan: SuitePlan,
    /// What was estimated, in words.
    pub statistic: String,
    /// How many tasks.
    pub tasks: usize,
    /// The fewest and the most runs of a task (over both arms).
    pub runs: [usize; 2],
    /// How many scores in all.
    pub n: usize,
    /// The value on the data.
    pub estimate: f64,
    /// The interval.
    pub interval: Interval,
    /// The standard deviation of the bootstrap distribution.
    pub standard_error: f64,
    /// What was left out.
    pub dropped: Vec<Dropped>,
}

impl Explain for SuiteInterval {
    fn reading(&self) -> String {
        let correction = match self.plan.correction {
            Correction::Stretched => "deviations stretched for the small number of runs",
            Correction::None => "without a correction for few runs, which makes it too short",
        };
        format!(
            "The {} over {} tasks with {} to {} runs is {}; {} (runs resampled within each task, {correction}; {} \
             resamples, seed {}). It speaks about these tasks, not about others.",
            self.statistic,
            self.tasks,
            self.runs[0],
            self.runs[1],
            short(self.estimate),
            self.interval.words(),
            self.plan.resamples,
            self.plan.seed
        )
    }
}

const ONE_ARM: Purpose = Purpose::new("suite/one-arm");
const TWO_ARMS: Purpose = Purpose::new("suite/two-arms");

/// The interval of one arm's metric.
pub fn interval(scores: &Scores<'_>, plan: &SuitePlan) -> Outcome<SuiteInterval> {
    plan.checked()?;
    let estimate = point(scores, plan.metric)?;
    scores.resamplable()?;
    let kernel = Kernel::new(scores, plan.metric, plan.correction);
    let source = Source {
        seed: plan.seed,
        purpose: ONE_ARM,
    };
    let values = draw_all(source, plan.resamples, scores.count(), || {
        let mut scratch = kernel.scratch();
        let kernel = &kernel;
        move |stream: &mut Stream| kernel.draw(stream, &mut scratch)
    });
    finish(
        &[scores],
        plan,
        (plan.metric.name().into(), estimate),
        values,
    )
}

/// The interval of the candidate's metric minus the control's, over the same tasks. In pairs, the runs of a task belong
/// together in their order, and are drawn together: what a pair shares is not noise of the difference.
pub fn difference(
    control: &Scores<'_>,
    candidate: &Scores<'_>,
    design: Design,
    plan: &SuitePlan,
) -> Outcome<SuiteInterval> {
    plan.checked()?;
    same_tasks(control, candidate)?;
    if design == Design::Paired {
        same_runs(control, candidate)?;
    }
    let estimate = point(candidate, plan.metric)? - point(control, plan.metric)?;
    control.resamplable()?;
    candidate.resamplable()?;
    let kernels =
        [control, candidate].map(|scores| Kernel::new(scores, plan.metric, plan.correction));
    let source = Source {
        seed: plan.seed,
        purpose: TWO_ARMS,
    };
    let values = draw_all(
        source,
        plan.resamples,
        control.count() + candidate.count(),
        || {
            let mut scratch: [Scratch; 2] = [kernels[0].scratch(), kernels[1].scratch()];
            let kernels = &kernels;
            move |stream: &mut Stream| {
                // The same numbers again draw the same runs.
                let again = stream.clone();
                let left = kernels[0].draw(stream, &mut scratch[0]);
                if design == Design::Paired {
                    *stream = again;
                }
                kernels[1].draw(stream, &mut scratch[1]) - left
            }
        },
    );
    let name = format!("difference of the {}", plan.metric.name());
    finish(&[control, candidate], plan, (name, estimate), values)
}

/// Resamples in blocks; `worker` makes one block's drawing function with its own working memory.
pub(super) fn draw_all<F>(
    source: Source,
    count: usize,
    cost: usize,
    worker: impl Fn() -> F + Sync,
) -> Vec<f64>
where
    F: FnMut(&mut Stream) -> f64,
{
    let mut out = vec![0.0; count];
    source.fill(&mut out, cost, |stream, block| {
        let mut draw = worker();
        block.fill_with(|| draw(stream));
    });
    out
}

fn finish(
    arms: &[&Scores<'_>],
    plan: &SuitePlan,
    (statistic, estimate): (String, f64),
    values: Vec<f64>,
) -> Outcome<SuiteInterval> {
    let mut replicates = Replicates::new(values)?;
    let (interval, standard_error) = percentile_interval(&mut replicates, plan.level)?;
    let ranges: Vec<[usize; 2]> = arms.iter().map(|a| a.runs()).collect();
    Ok(SuiteInterval {
        plan: *plan,
        statistic,
        tasks: arms[0].tasks().len(),
        runs: [
            ranges.iter().map(|r| r[0]).min().unwrap_or(0),
            ranges.iter().map(|r| r[1]).max().unwrap_or(0),
        ],
        n: arms.iter().map(|a| a.count()).sum(),
        estimate,
        interval,
        standard_error,
        dropped: replicates.dropped,
    })
}
