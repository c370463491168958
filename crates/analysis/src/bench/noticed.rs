//! What a reader of timings should know: things that make a number less than it seems.

use super::timing::Timing;
use fairtrial_stats::descriptive::{correlation, mad, median};
use serde::Serialize;

/// Deviations from the median, in median deviations, from which on a run is an outlier; hyperfine's bound.
const OUTLIER: f64 = 14.826;
/// Fewer runs have no spread that one of them could be far from: of three, two are close by chance.
const FEW: usize = 5;
/// Runs from which on something can be said about their order and their shape.
const ENOUGH: usize = 20;
/// Change between the first and the last third of the runs that is a drift.
const DRIFT: f64 = 0.02;
/// Share of the spread that two groups must explain to be two groups: of a normal law it is 0.64, of a uniform one 0.75.
const TWO_GROUPS: f64 = 0.88;
/// The smaller of two groups has at least this share of the runs.
const GROUP: f64 = 0.15;
/// Share of the time spent waiting for a CPU that is worth a word.
const WAITED: f64 = 0.05;
/// Seconds below which starting a process is most of what is measured.
const FAST: f64 = 0.001;
/// The first warm-up is slow by this factor.
const COLD: f64 = 1.25;

/// Something about one command, or about all of them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NoticedIn {
    /// The command; absent where it is about all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// What.
    #[serde(flatten)]
    pub what: Noticed,
}

/// Something that makes a number less than it seems.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Noticed {
    /// Runs far from the others.
    Outliers {
        /// How many.
        count: usize,
        /// Of how many.
        of: usize,
    },
    /// Later runs were slower or faster than earlier ones.
    Drift {
        /// The last third over the first, less one.
        change: f64,
    },
    /// The runs form two groups.
    TwoGroups {
        /// The typical time of each, in seconds.
        at: [f64; 2],
    },
    /// The runs waited for a CPU.
    Waited {
        /// The share of their time.
        share: f64,
    },
    /// Most of what is measured is the start of a process.
    Fast,
    /// The first warm-up took much longer.
    FirstRun {
        /// Its seconds.
        first: f64,
        /// Those of the last.
        later: f64,
    },
    /// Runs ended with another exit code than 0 and count all the same.
    Failures {
        /// How many.
        count: usize,
        /// Of how many.
        of: usize,
    },
    /// The program takes no longer than the shell around it.
    FasterThanShell,
    /// The CPU slowed itself down because it was too hot.
    Throttled {
        /// How often, over all cores.
        times: u64,
    },
    /// The commands print different things.
    OutputDiffers,
    /// The typical run and the mean say different things.
    MeanDisagrees {
        /// Candidate over control, by the typical pair.
        typical: f64,
        /// By the means.
        mean: f64,
    },
}

/// What is to be noticed in the runs of one command; `warm_ups` are its runs before, in seconds.
pub fn noticed(timing: &Timing, warm_ups: &[f64]) -> Vec<NoticedIn> {
    let values = &timing.values;
    let found = [
        (timing.failures > 0).then_some(Noticed::Failures {
            count: timing.failures,
            of: timing.runs,
        }),
        (timing.median <= 0.0).then_some(Noticed::FasterThanShell),
        (timing.median > 0.0 && timing.median < FAST).then_some(Noticed::Fast),
        first_run(warm_ups),
        outliers(values),
        drift(values),
        two_groups(values),
        (timing.waited.filter(|share| *share > WAITED)).map(|share| Noticed::Waited { share }),
    ];
    let command = Some(timing.name.clone());
    (found.into_iter().flatten())
        .map(|what| NoticedIn {
            command: command.clone(),
            what,
        })
        .collect()
}

fn first_run(warm_ups: &[f64]) -> Option<Noticed> {
    let (first, later) = (*warm_ups.first()?, *warm_ups.last()?);
    let cold = warm_ups.len() > 1 && first > COLD * later && first - later > FAST;
    cold.then_some(Noticed::FirstRun { first, later })
}

fn outliers(values: &[f64]) -> Option<Noticed> {
    if values.len() < FEW {
        return None;
    }
    let (middle, spread) = (median(values).ok()?, mad(values).ok()?);
    let far = |value: &&f64| (**value - middle).abs() > OUTLIER * spread;
    let count = values.iter().filter(far).count();
    (spread > 0.0 && count > 0).then_some(Noticed::Outliers {
        count,
        of: values.len(),
    })
}

/// Later runs differ from earlier ones by more than a little, and not by chance.
fn drift(values: &[f64]) -> Option<Noticed> {
    if values.len() < ENOUGH {
        return None;
    }
    let third = values.len() / 3;
    let (first, last) = (&values[..third], &values[values.len() - third..]);
    let change = median(last).ok()? / median(first).ok()? - 1.0;
    let order: Vec<f64> = (0..values.len()).map(|place| place as f64).collect();
    let together = correlation(&order, values).ok()?;
    // Beyond three standard errors of no correlation.
    let surely = together.abs() > 3.0 / (values.len() as f64).sqrt();
    (surely && change.abs() > DRIFT).then_some(Noticed::Drift { change })
}

/// The split into a lower and an upper group that explains most of the spread (Otsu 1979).
fn two_groups(values: &[f64]) -> Option<Noticed> {
    if values.len() < ENOUGH {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let n = sorted.len() as f64;
    let mean = sorted.iter().sum::<f64>() / n;
    let total: f64 = sorted.iter().map(|value| (value - mean).powi(2)).sum();
    let least = (GROUP * n).ceil() as usize;
    let mut below: f64 = sorted[..least].iter().sum();
    let mut best = (0.0, least);
    for split in least..=sorted.len() - least {
        if split > least {
            below += sorted[split - 1];
        }
        let (low, high) = (split as f64, n - split as f64);
        let apart = below / low - (mean * n - below) / high;
        let between = low * high / n * apart * apart;
        if between > best.0 {
            best = (between, split);
        }
    }
    let (low, high) = sorted.split_at(best.1);
    (total > 0.0 && best.0 > TWO_GROUPS * total).then_some(())?;
    Some(Noticed::TwoGroups {
        at: [median(low).ok()?, median(high).ok()?],
    })
}

#[cfg(test)]
mod tests {
    use super::{Noticed, drift, first_run, outliers, two_groups};

    /// A spread without order: steps of the golden ratio.
    fn spread(n: usize) -> impl Iterator<Item = f64> {
        (0..n).map(|i| (i as f64 * 0.618_033_988_75).fract() - 0.5)
    }

    #[test]
    fn steady_runs_have_nothing_to_be_noticed() {
        let values: Vec<f64> = spread(60).map(|x| 1.0 + 0.05 * x).collect();
        assert_eq!(
            (outliers(&values), drift(&values), two_groups(&values)),
            (None, None, None)
        );
    }

    #[test]
    fn slow_runs_drifts_and_two_groups_are_noticed() {
        let mut values: Vec<f64> = spread(60).map(|x| 1.0 + 0.01 * x).collect();
        values[7] = 2.0;
        assert_eq!(outliers(&[1.0, 1.001, 2.0]), None);
        assert_eq!(
            outliers(&values),
            Some(Noticed::Outliers { count: 1, of: 60 })
        );
        let rising: Vec<f64> = spread(60)
            .enumerate()
            .map(|(i, x)| 1.0 + 0.01 * x + 0.002 * i as f64)
            .collect();
        assert!(matches!(drift(&rising), Some(Noticed::Drift { change }) if change > 0.05));
        let groups: Vec<f64> = spread(60)
            .enumerate()
            .map(|(i, x)| if i % 3 == 0 { 1.5 } else { 1.0 } + 0.02 * x)
            .collect();
        let Some(Noticed::TwoGroups { at }) = two_groups(&groups) else {
            panic!("{groups:?}")
        };
        assert!(
            (at[0] - 1.0).abs() < 0.01 && (at[1] - 1.5).abs() < 0.01,
            "{at:?}"
        );
    }

    #[test]
    fn a_slow_first_run_is_noticed() {
        assert_eq!(first_run(&[0.1, 0.1]), None);
        assert_eq!(first_run(&[]), None);
        let found = first_run(&[0.3, 0.12, 0.1]);
        assert_eq!(
            found,
            Some(Noticed::FirstRun {
                first: 0.3,
                later: 0.1
            })
        );
    }
}
