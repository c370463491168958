//! Performance profiles: the share of runs (or of task means) above each score, with a pointwise band.

use serde::Serialize;

use super::kernel::for_each_index;
use super::plan::SuitePlan;
use super::scores::Scores;
use crate::bootstrap::{Replicates, percentile_interval, plain_mean};
use crate::rng::{Purpose, Source};
use crate::{Explain, Interval, Outcome, Undefined};

const PURPOSE: Purpose = Purpose::new("suite/profile");

/// What a profile counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ProfileKind {
    /// The share of all runs, rliable's run-score distribution.
    Runs,
    /// The share of tasks by their mean score.
    TaskMeans,
}

/// A performance profile.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Profile {
    /// What was counted.
    pub kind: ProfileKind,
    /// How many scores or tasks.
    pub n: usize,
    /// The scores at which it is read.
    pub thresholds: Vec<f64>,
    /// The share strictly above each.
    pub share: Vec<f64>,
}

/// A profile of runs with a pointwise band.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProfileBand {
    /// The profile.
    pub profile: Profile,
    /// At each threshold, the interval of the share; valid for one threshold at a time.
    pub band: Vec<Interval>,
    /// How many resamples.
    pub resamples: usize,
    /// Their seed.
    pub seed: u64,
}

impl Explain for Profile {
    fn reading(&self) -> String {
        let what = match self.kind {
            ProfileKind::Runs => "runs",
            ProfileKind::TaskMeans => "task means",
        };
        format!(
            "The share of the {} {what} that lie above each of {} scores.",
            self.n,
            self.thresholds.len()
        )
    }
}

impl Explain for ProfileBand {
    fn reading(&self) -> String {
        format!(
            "{} The band holds for one score at a time ({} resamples, seed {}).",
            self.profile.reading(),
            self.resamples,
            self.seed
        )
    }
}

/// The profile at these scores.
pub fn profile(scores: &Scores<'_>, thresholds: &[f64], kind: ProfileKind) -> Outcome<Profile> {
    check_thresholds(thresholds)?;
    let counted: Vec<f64> = match kind {
        ProfileKind::Runs => scores.tasks().iter().flatten().copied().collect(),
        ProfileKind::TaskMeans => scores.tasks().iter().map(|runs| plain_mean(runs)).collect(),
    };
    let share =
        |tau: &f64| counted.iter().filter(|&x| x > tau).count() as f64 / counted.len() as f64;
    Ok(Profile {
        kind,
        n: counted.len(),
        thresholds: thresholds.to_vec(),
        share: thresholds.iter().map(share).collect(),
    })
}

/// The profile of runs with its stratified bootstrap band; the plan's metric and correction do not apply.
pub fn profile_band(
    scores: &Scores<'_>,
    thresholds: &[f64],
    plan: &SuitePlan,
) -> Outcome<ProfileBand> {
    plan.checked()?;
    scores.resamplable()?;
    let profile = profile(scores, thresholds, ProfileKind::Runs)?;
    let mut rows = vec![vec![0u32; thresholds.len()]; plan.resamples];
    let cells = Cells::new(scores, thresholds);
    let source = Source {
        seed: plan.seed,
        purpose: PURPOSE,
    };
    source.fill(&mut rows, scores.count(), |stream, block| {
        for row in block {
            cells.draw(stream, row);
        }
    });
    let total = scores.count() as f64;
    let band = (0..thresholds.len()).map(|column| {
        let shares = rows
            .iter()
            .map(|row| f64::from(row[column]) / total)
            .collect();
        Ok(percentile_interval(&mut Replicates::new(shares)?, plan.level)?.0)
    });
    let band = band.collect::<Outcome<Vec<Interval>>>()?;
    Ok(ProfileBand {
        profile,
        band,
        resamples: plan.resamples,
        seed: plan.seed,
    })
}

/// For every run, how many of the thresholds (in order) it exceeds.
struct Cells {
    exceeded: Vec<Vec<usize>>,
    /// The places of the thresholds in ascending order.
    order: Vec<usize>,
}

impl Cells {
    fn new(scores: &Scores<'_>, thresholds: &[f64]) -> Self {
        let mut order: Vec<usize> = (0..thresholds.len()).collect();
        order.sort_unstable_by(|&a, &b| thresholds[a].total_cmp(&thresholds[b]));
        let exceeded = |x: &f64| order.partition_point(|&t| thresholds[t] < *x);
        let cells = scores
            .tasks()
            .iter()
            .map(|runs| runs.iter().map(exceeded).collect());
        Self {
            exceeded: cells.collect(),
            order: order.clone(),
        }
    }

    fn draw(&self, stream: &mut crate::rng::Stream, row: &mut [u32]) {
        let mut last_exceeded = vec![0u32; row.len() + 1];
        for cells in &self.exceeded {
            for_each_index(stream, cells.len(), |i| last_exceeded[cells[i]] += 1);
        }
        let mut above = 0;
        for place in (0..row.len()).rev() {
            above += last_exceeded[place + 1];
            row[self.order[place]] = above;
        }
    }
}

fn check_thresholds(thresholds: &[f64]) -> Outcome<()> {
    if thresholds.is_empty() {
        return Err(Undefined::Empty {
            what: "the scores at which a profile is read".into(),
        });
    }
    crate::sample::finite("profile thresholds", thresholds)
}
