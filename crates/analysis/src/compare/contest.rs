//! Several contestants in order: who is best, how sure that is, and who cannot be told from the best.

use super::case::{Asked, Case};
use super::fill::{Fill, FillByTask};
use super::joined::UnitKey;
use super::sample::Sample;
use super::sides::{Selected, SideRows};
use super::units::Missing;
use super::{CompareOptions, Method};
use crate::validity::MOST_BROKEN;
use fairtrial_model::{Direction, Params};
use fairtrial_stats::multiplicity::{Adjustment, adjust};
use fairtrial_stats::one_arm::mean_interval;
use fairtrial_stats::rng::{Purpose, Stream};
use fairtrial_stats::suite::{Scores, mean_t};
use fairtrial_stats::{Interval, Level};
use std::collections::{BTreeMap, BTreeSet};

/// Resamples behind the chance of being best.
const RESAMPLES: u64 = 10_000;
/// Units per contestant up to which the chance is found; beyond, the order is clear or the contestants are alike.
const MOST_UNITS: usize = 5_000;

/// One arm at one sweep point.
#[derive(Debug, Clone)]
pub(crate) struct Contestant<'a> {
    pub(crate) side: Selected<'a>,
    pub(crate) point: Params,
}

/// A contestant's result.
#[derive(Debug, Clone)]
pub(crate) struct Standing {
    /// Its place in the list that was given.
    pub(crate) place: usize,
    pub(crate) mean: f64,
    pub(crate) failed: u64,
    /// The mean with every failure as the worst value seen: what the order goes by. Absent where nothing failed.
    pub(crate) worst_case: Option<f64>,
    /// Why it cannot be the best.
    pub(crate) barred: Option<String>,
    pub(crate) interval: Option<Interval>,
    pub(crate) n: usize,
    pub(crate) chance_best: Option<f64>,
    pub(crate) p_against_best: Option<f64>,
    pub(crate) not_separable: bool,
}

/// What a contest is about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Contest<'a> {
    pub(crate) asked: &'a Asked,
    pub(crate) options: &'a CompareOptions,
    pub(crate) direction: Direction,
    /// One minus the confidence of each contestant's interval.
    pub(crate) alpha: f64,
}

impl Contest<'_> {
    /// The contestants, best first and those that cannot be the best last; nothing where one of them has no value, or
    /// where none can be the best.
    ///
    /// Who fails where it is hard must not win by what is left: as soon as a trial of any of them failed, failures count
    /// as the worst value seen.
    pub(crate) fn standings(&self, contestants: &[Contestant<'_>]) -> Option<Vec<Standing>> {
        let alone: Vec<Case> = contestants.iter().map(|one| self.case(one, one)).collect();
        let means: Vec<f64> = alone
            .iter()
            .map(Case::control_mean)
            .collect::<Option<_>>()?;
        let missing: Vec<Missing> = alone
            .iter()
            .map(|case| case.units.control_missing())
            .collect();
        let worst = self.worst(&alone, &missing);
        let ranked: Vec<f64> = alone
            .iter()
            .map(|case| filled(case, worst.as_ref()).mean(|stratum| &stratum.control))
            .collect::<Option<_>>()?;
        let tasks: Vec<BTreeSet<u32>> = alone
            .iter()
            .map(|case| case.units.control_tasks())
            .collect();
        let all: BTreeSet<u32> = tasks.iter().flatten().copied().collect();
        let barred: Vec<Option<String>> = missing
            .iter()
            .zip(&tasks)
            .map(|(missing, tasks)| barred(missing).or_else(|| lacks(all.len() - tasks.len())))
            .collect();
        let able: Vec<usize> = (0..contestants.len())
            .filter(|place| barred[*place].is_none())
            .collect();
        let of_able: Vec<f64> = able.iter().map(|place| ranked[*place]).collect();
        let best = able[best_of(&of_able, self.direction)?];
        let p: Vec<f64> = contestants
            .iter()
            .enumerate()
            .map(|(place, one)| {
                let rival = place != best && barred[place].is_none();
                let against_best = || self.p(&contestants[best], one, worst.as_ref());
                rival.then(against_best).flatten().unwrap_or(f64::NAN)
            })
            .collect();
        let adjusted = adjust(&p, Adjustment::Holm)
            .map_or_else(|_| vec![None; p.len()], |family| family.adjusted);
        let chances = self.chances(&alone, &able, worst.as_ref());
        let standing = |place: usize| Standing {
            place,
            mean: means[place],
            failed: missing[place].failed,
            worst_case: (missing[place].failed > 0).then_some(ranked[place]),
            barred: barred[place].clone(),
            interval: interval(&alone[place], Level::two_sided(self.alpha)),
            n: alone[place].sample.sizes().0,
            chance_best: chances
                .as_ref()
                .and_then(|chances| chances.get(&place).copied()),
            p_against_best: adjusted[place],
            not_separable: place == best || adjusted[place].is_none_or(|p| p > self.options.alpha),
        };
        let mut standings: Vec<Standing> = (0..contestants.len()).map(standing).collect();
        standings.sort_by(|a, b| {
            let by_value = ranked[a.place].total_cmp(&ranked[b.place]);
            let by_value = match self.direction {
                Direction::Up => by_value.reverse(),
                Direction::Down => by_value,
            };
            (a.barred.is_some().cmp(&b.barred.is_some())).then(by_value)
        });
        Some(standings)
    }

    /// The worst value that any contestant has in each task, where trials of any failed. Contestants are of one source, so
    /// that their tasks have the same numbers.
    fn worst(&self, alone: &[Case], missing: &[Missing]) -> Option<FillByTask> {
        if missing.iter().all(|missing| missing.failed == 0) {
            return None;
        }
        let mut worst: FillByTask = Vec::new();
        for extremes in alone.iter().map(Case::extremes) {
            worst.resize(extremes.len(), None);
            for (worst, seen) in worst.iter_mut().zip(extremes) {
                let Some((least, most)) = seen else { continue };
                let value = match (self.direction, *worst) {
                    (Direction::Up, so_far) => {
                        so_far.map_or(least, |so_far| so_far.control.min(least))
                    }
                    (Direction::Down, so_far) => {
                        so_far.map_or(most, |so_far| so_far.control.max(most))
                    }
                };
                *worst = Some(Fill {
                    control: value,
                    candidate: value,
                });
            }
        }
        Some(worst)
    }

    /// The p value of "no difference", failures as given.
    fn p(
        &self,
        best: &Contestant<'_>,
        other: &Contestant<'_>,
        worst: Option<&FillByTask>,
    ) -> Option<f64> {
        let case = self.case(best, other);
        let answer = case.answer(&filled(&case, worst), self.options.alpha);
        answer.ok()?.p
    }

    /// Whether a contestant has anything to show.
    pub(crate) fn has_value(&self, one: &Contestant<'_>) -> bool {
        self.case(one, one).control_mean().is_some()
    }

    /// Two contestants, on the metric's own scale, so that the means are the ones a reader knows.
    fn case(&self, control: &Contestant<'_>, candidate: &Contestant<'_>) -> Case {
        let options = CompareOptions {
            method: Method::T,
            ..self.options.clone()
        };
        let metric = &self.asked.declaration.name;
        let rows = SideRows::of(
            (&control.side, &control.point),
            (&candidate.side, &candidate.point),
            metric,
        );
        Case::new(rows, self.asked, &options)
    }

    /// How often each that can be the best is, over resamples of the units: within their tasks and with equal weights of
    /// these where the estimate has them so. Units that all share are drawn together.
    fn chances(
        &self,
        alone: &[Case],
        able: &[usize],
        worst: Option<&FillByTask>,
    ) -> Option<BTreeMap<usize, f64>> {
        let by_task = alone[able[0]].units.by_task;
        let alike = |place: &usize| alone[*place].units.by_task == by_task;
        let values: Vec<BTreeMap<UnitKey, f64>> = able
            .iter()
            .map(|place| alone[*place].units.control_values(worst))
            .collect();
        let unfit = |of: &BTreeMap<UnitKey, f64>| of.len() > MOST_UNITS || of.len() < 2;
        if values.iter().any(unfit) || !able.iter().all(alike) {
            return None;
        }
        let shared = |key: &UnitKey| values.iter().all(|of| of.contains_key(key));
        let columns = |keep: &dyn Fn(&UnitKey) -> bool| -> Vec<Columns> {
            let of = |of: &BTreeMap<UnitKey, f64>| {
                let mut tasks = Columns::new();
                for (key, value) in of.iter().filter(|(key, _)| keep(key)) {
                    let task = if by_task { key.0 } else { 0 };
                    tasks.entry(task).or_default().push(*value);
                }
                tasks
            };
            values.iter().map(of).collect()
        };
        let (together, all) = (columns(&shared), columns(&|_| true));
        // What the contestants share must be all of their tasks, and enough of each.
        let enough = together[0].values().all(|units| units.len() >= 2);
        let paired = alone[0].units.paired
            && enough
            && !together[0].is_empty()
            && same_tasks(&together, &all);
        let columns = if paired { together } else { all };
        if !same_tasks(&columns, &columns) {
            return None;
        }
        let mut wins = vec![0.0; columns.len()];
        for resample in 0..RESAMPLES {
            let mut stream = Stream::new(
                self.options.seed,
                Purpose::new("chance of being best"),
                resample,
            );
            let means = draw(&columns, paired, &mut stream);
            share_win(&means, self.direction, &mut wins);
        }
        let shares = wins.into_iter().map(|won| won / RESAMPLES as f64);
        Some(able.iter().copied().zip(shares).collect())
    }
}

/// A contestant's values by task; all under one number where tasks are not averaged.
type Columns = BTreeMap<u32, Vec<f64>>;

/// Whether these and those are all about the same tasks.
fn same_tasks(these: &[Columns], those: &[Columns]) -> bool {
    let mut all = these.iter().chain(those);
    all.all(|of| of.keys().eq(these[0].keys()))
}

/// The sample with failures as the worst value, where there is one.
fn filled(case: &Case, worst: Option<&FillByTask>) -> Sample {
    worst.map_or_else(|| case.sample.clone(), |worst| case.units.filled(worst))
}

/// Why a contestant cannot be the best: what is left of it says too little about the rest.
fn barred(missing: &Missing) -> Option<String> {
    let many = missing.without_value as f64 > MOST_BROKEN * missing.trials as f64;
    many.then(|| {
        format!(
            "{} of {} trials have no value",
            missing.without_value, missing.trials
        )
    })
}

/// The same of one that has nothing in tasks that others have: without the hard ones anybody would win.
fn lacks(tasks: usize) -> Option<String> {
    let s = if tasks == 1 { "" } else { "s" };
    (tasks > 0).then(|| format!("nothing in {tasks} task{s} that others have"))
}

/// The interval of a contestant's mean.
fn interval(case: &Case, level: Level) -> Option<Interval> {
    if let Some(flat) = case.sample.flat() {
        let mean = mean_interval(&flat.control, level);
        return mean.ok().map(|mean| mean.interval);
    }
    let strata = case.sample.strata.iter();
    let tasks: Vec<Vec<f64>> = strata.map(|stratum| stratum.control.clone()).collect();
    let mean = mean_t(&Scores::new(&tasks).ok()?, level);
    mean.ok().map(|mean| mean.interval)
}

/// The first of the best.
fn best_of(means: &[f64], direction: Direction) -> Option<usize> {
    (0..means.len()).min_by(|a, b| match direction {
        Direction::Up => means[*b].total_cmp(&means[*a]),
        Direction::Down => means[*a].total_cmp(&means[*b]),
    })
}

/// Gives a win to the best, in equal parts where several are.
fn share_win(means: &[f64], direction: Direction, wins: &mut [f64]) {
    let Some(best) = best_of(means, direction) else {
        return;
    };
    let ties = means.iter().map(|mean| *mean == means[best]);
    let part = 1.0 / ties.clone().filter(|tie| *tie).count().max(1) as f64;
    for (won, tie) in wins.iter_mut().zip(ties) {
        *won += if tie { part } else { 0.0 };
    }
}

/// The sum of each contestant's task means over one draw of its units: the same for all, or one of its own for each.
fn draw(columns: &[Columns], together: bool, stream: &mut Stream) -> Vec<f64> {
    let mut sums = vec![0.0; columns.len()];
    for task in columns[0].keys() {
        let of_task: Vec<&Vec<f64>> = columns.iter().filter_map(|of| of.get(task)).collect();
        let mut totals = vec![0.0; of_task.len()];
        if together {
            for _ in 0..of_task[0].len() {
                let unit = stream.below(of_task[0].len());
                for (total, of) in totals.iter_mut().zip(&of_task) {
                    *total += of[unit];
                }
            }
        } else {
            for (total, of) in totals.iter_mut().zip(&of_task) {
                *total = (0..of.len()).map(|_| of[stream.below(of.len())]).sum();
            }
        }
        for ((sum, total), of) in sums.iter_mut().zip(totals).zip(of_task) {
            *sum += total / of.len() as f64;
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::{best_of, share_win};
    use fairtrial_model::Direction;

    #[test]
    fn a_tie_is_shared_and_its_first_is_named() {
        let means = [0.5, 1.0, 1.0];
        assert_eq!(best_of(&means, Direction::Up), Some(1));
        assert_eq!(best_of(&means, Direction::Down), Some(0));
        let mut wins = [0.0; 3];
        share_win(&means, Direction::Up, &mut wins);
        share_win(&means, Direction::Down, &mut wins);
        assert_eq!(wins, [1.0, 0.5, 0.5]);
    }
}
