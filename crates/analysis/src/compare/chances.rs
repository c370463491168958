//! How often each of several contestants comes out best when the units are drawn again.

use fairtrial_model::Direction;
use fairtrial_stats::rng::{Purpose, Stream};
use std::collections::BTreeMap;

use super::joined::UnitKey;

/// Resamples behind the chance of being best.
const RESAMPLES: u64 = 10_000;
/// Units per contestant up to which the chance is found; beyond, the order is clear or the contestants are alike.
const MOST_UNITS: usize = 5_000;
/// Units from which on it is found. Draws of fewer hardly leave the values that are there: of four equal arms with two
/// seeds each, one had a chance of 99 % or more in a quarter of all tables.
const LEAST_UNITS: usize = 5;

/// The values of one contestant, by unit.
pub(super) type Values = BTreeMap<UnitKey, f64>;

/// How units are drawn.
#[derive(Debug, Clone, Copy)]
pub(super) struct Draws {
    pub(super) direction: Direction,
    /// Whether units are drawn within their tasks, which have equal weights.
    pub(super) by_task: bool,
    /// Whether units that all share are drawn together.
    pub(super) paired: bool,
    pub(super) seed: u64,
}

impl Draws {
    /// The share of draws in which each has the best mean, or why that says nothing.
    pub(super) fn chances(&self, values: &[Values]) -> Result<Vec<f64>, String> {
        let columns = |keep: &dyn Fn(&UnitKey) -> bool| -> Vec<Columns> {
            let of = |of: &Values| {
                let mut tasks = Columns::new();
                for (key, value) in of.iter().filter(|(key, _)| keep(key)) {
                    let task = if self.by_task { key.0 } else { 0 };
                    tasks.entry(task).or_default().push(*value);
                }
                tasks
            };
            values.iter().map(of).collect()
        };
        let shared = |key: &UnitKey| values.iter().all(|of| of.contains_key(key));
        let (together, all) = (columns(&shared), columns(&|_| true));
        // What the contestants share must be all of their tasks, and enough of each.
        let paired = self.paired && fewest(&together) >= LEAST_UNITS && same_tasks(&together, &all);
        let columns = if paired { together } else { all };
        if !same_tasks(&columns, &columns) {
            return Err("they were not tried on the same tasks".to_owned());
        }
        self.enough(&columns)?;
        let mut wins = vec![0.0; columns.len()];
        for resample in 0..RESAMPLES {
            let purpose = Purpose::new("chance of being best");
            let mut stream = Stream::new(self.seed, purpose, resample);
            let means = draw(&columns, paired, &mut stream);
            share_win(&means, self.direction, &mut wins);
        }
        Ok(wins.into_iter().map(|won| won / RESAMPLES as f64).collect())
    }

    fn enough(&self, columns: &[Columns]) -> Result<(), String> {
        let fewest = fewest(columns);
        let of_all = |of: &Columns| of.values().map(Vec::len).sum::<usize>();
        if fewest < LEAST_UNITS {
            let in_a_task = if self.by_task { " in a task" } else { "" };
            return Err(format!(
                "draws of {fewest} values{in_a_task} say more than there is; it takes {LEAST_UNITS}"
            ));
        }
        if columns.iter().any(|of| of_all(of) > MOST_UNITS) {
            return Err(format!(
                "there are more than {MOST_UNITS} values to draw from"
            ));
        }
        Ok(())
    }
}

/// A contestant's values by task; all under one number where tasks are not averaged.
type Columns = BTreeMap<u32, Vec<f64>>;

/// The size of the smallest set that is drawn from.
fn fewest(columns: &[Columns]) -> usize {
    let sizes = columns.iter().flat_map(BTreeMap::values).map(Vec::len);
    sizes.min().unwrap_or(0)
}

/// Whether these and those are all about the same tasks.
fn same_tasks(these: &[Columns], those: &[Columns]) -> bool {
    let mut all = these.iter().chain(those);
    all.all(|of| of.keys().eq(these[0].keys()))
}

/// The first of the best.
pub(super) fn best_of(means: &[f64], direction: Direction) -> Option<usize> {
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
