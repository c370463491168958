//! Several contestants in order: who is best, how sure that is, and who cannot be told from the best.
//!
//! Scale, units and tests are those of the comparison, so that a ranking and the verdicts above it cannot disagree. The
//! best is picked by the same numbers that it is tested with: of ten equal arms the best and the worst differ by 3
//! standard errors. So every test against it counts as one of all pairs (Bonferroni over k (k - 1) / 2), whichever of
//! them the data single out.

use super::case::{Asked, Case, DataKind, Scale};
use super::chances::{Draws, best_of};
use super::fill::{Fill, FillByTask};
use super::rates;
use super::sample::Sample;
use super::sides::{Selected, SideRows};
use super::units::{Missing, TaskRole};
use super::{CompareOptions, Method};
use crate::validity::MOST_BROKEN;
use fairtrial_model::{Direction, Params};
use fairtrial_stats::one_arm::mean_interval;
use fairtrial_stats::suite::{Scores, mean_t};
use fairtrial_stats::{Interval, Level};
use std::collections::{BTreeMap, BTreeSet};

/// One arm at one sweep point.
#[derive(Debug, Clone)]
pub(crate) struct Contestant<'a> {
    pub(crate) side: Selected<'a>,
    pub(crate) point: Params,
}

/// The contestants in order, best first and those that cannot be the best last.
#[derive(Debug, Clone)]
pub(crate) struct Standings {
    pub(crate) order: Vec<Standing>,
    /// The scale of the comparison; on that of ratios, means are geometric.
    pub(crate) scale: Scale,
    /// Why nobody's chance to be best is given.
    pub(crate) no_chance: Option<String>,
    /// The pairs over which each p value is adjusted.
    pub(crate) pairs: usize,
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
    /// The contestants in order; nothing where one of them has no value, or where none can be the best.
    ///
    /// Who fails where it is hard must not win by what is left: as soon as a trial of any of them failed, failures count
    /// as the worst value seen.
    pub(crate) fn standings(&self, contestants: &[Contestant<'_>]) -> Option<Standings> {
        let (asked, options) = self.in_common(contestants);
        let alike = Contest {
            asked: &asked,
            options: &options,
            ..*self
        };
        alike.ranked(contestants)
    }

    fn ranked(&self, contestants: &[Contestant<'_>]) -> Option<Standings> {
        let alone: Vec<Case> = contestants.iter().map(|one| self.case(one, one)).collect();
        let scale = alone.first()?.scale;
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
        let pairs = able.len() * (able.len() - 1) / 2;
        let p_against_best = |place: usize| {
            let rival = place != best && barred[place].is_none();
            let against = || self.p(&contestants[best], &contestants[place], worst.as_ref());
            let p = rival.then(against).flatten()?;
            Some((p * pairs as f64).min(1.0))
        };
        let (chances, no_chance) = match self.chances(&alone, &able, worst.as_ref()) {
            Ok(chances) => (chances, None),
            Err(why) => (BTreeMap::new(), Some(why)),
        };
        let standing = |place: usize| {
            let p = p_against_best(place);
            Standing {
                place,
                mean: means[place],
                failed: missing[place].failed,
                worst_case: (missing[place].failed > 0).then(|| scale.in_own_unit(ranked[place])),
                barred: barred[place].clone(),
                interval: interval(&alone[place], Level::two_sided(self.alpha)),
                n: alone[place].sample.sizes().0,
                chance_best: chances.get(&place).copied(),
                p_against_best: p,
                not_separable: place == best || p.is_none_or(|p| p > self.options.alpha),
            }
        };
        let mut order: Vec<Standing> = (0..contestants.len()).map(standing).collect();
        order.sort_by(|a, b| {
            let by_value = ranked[a.place].total_cmp(&ranked[b.place]);
            let by_value = match self.direction {
                Direction::Up => by_value.reverse(),
                Direction::Down => by_value,
            };
            (a.barred.is_some().cmp(&b.barred.is_some())).then(by_value)
        });
        Some(Standings {
            order,
            scale,
            no_chance,
            pairs,
        })
    }

    /// What holds for all contestants, as each pair of them would be compared: one whose scores all happen to be 0 or 1
    /// is no pass/fail among others, and a ratio needs values above 0 of everybody.
    fn in_common(&self, contestants: &[Contestant<'_>]) -> (Asked, CompareOptions) {
        let mut options = self.options.clone();
        if matches!(options.method, Method::Percentile | Method::Bca) {
            // They have no p value to adjust, and compare means of the same units as t does.
            options.method = Method::T;
            options.tasks = TaskRole::Random;
        }
        let first = Contest {
            options: &options,
            ..*self
        };
        let alone: Vec<Case> = contestants.iter().map(|one| first.case(one, one)).collect();
        let positive = alone.iter().all(Case::is_positive);
        let kinds = || alone.iter().map(|case| case.kind);
        let kind = match kinds().next() {
            Some(kind) if kinds().all(|other| other == kind) => kind,
            _ => DataKind::Scalar,
        };
        let by_ratio = match options.method {
            Method::Auto => kind == DataKind::Timing,
            method => method == Method::LogRatio,
        };
        if by_ratio && !positive {
            options.method = Method::T;
        }
        let asked = Asked {
            kind: Some(kind),
            ..self.asked.clone()
        };
        (asked, options)
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
        let mut case = self.case(best, other);
        let sample = filled(&case, worst);
        // A unit of which a part failed is neither passed nor failed.
        if case.method == Method::Proportion && !sample.is_binary() {
            case.method = Method::T;
        }
        case.answer(&sample, self.options.alpha).ok()?.p
    }

    /// Whether a contestant has anything to show.
    pub(crate) fn has_value(&self, one: &Contestant<'_>) -> bool {
        self.case(one, one).control_mean().is_some()
    }

    fn case(&self, control: &Contestant<'_>, candidate: &Contestant<'_>) -> Case {
        let metric = &self.asked.declaration.name;
        let rows = SideRows::among(
            (&control.side, &control.point),
            (&candidate.side, &candidate.point),
            metric,
        );
        Case::new(rows, self.asked, self.options)
    }

    /// The chance of each that can be the best, on the scale and over the units of the comparison.
    fn chances(
        &self,
        alone: &[Case],
        able: &[usize],
        worst: Option<&FillByTask>,
    ) -> Result<BTreeMap<usize, f64>, String> {
        let units = || able.iter().map(|place| &alone[*place].units);
        let by_task = units().any(|units| units.by_task);
        if units().any(|units| units.by_task != by_task) {
            return Err("their tasks do not all have enough values".to_owned());
        }
        let values: Vec<_> = units().map(|units| units.control_values(worst)).collect();
        let draws = Draws {
            direction: self.direction,
            by_task,
            paired: units().all(|units| units.paired),
            seed: self.options.seed,
        };
        let chances = draws.chances(&values)?;
        Ok(able.iter().copied().zip(chances).collect())
    }
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

/// The interval of a contestant's mean: of a rate by Wilson, of a timing on logarithms, else by t.
fn interval(case: &Case, level: Level) -> Option<Interval> {
    let strata = case.sample.strata.iter();
    let tasks: Vec<Vec<f64>> = strata.map(|stratum| stratum.control.clone()).collect();
    if case.kind == DataKind::Binary {
        return rates::of_one_side(&tasks, level).ok();
    }
    let interval = match &tasks[..] {
        [only] => mean_interval(only, level).ok()?.interval,
        _ => mean_t(&Scores::new(&tasks).ok()?, level).ok()?.interval,
    };
    Some(Interval {
        low: case.scale.in_own_unit(interval.low),
        high: case.scale.in_own_unit(interval.high),
        level,
    })
}
