//! Several sides in order: who is best, how sure that is, and who may be as good.
//!
//! Scale, units and tests are those of the comparison, so that a ranking and the verdicts above it cannot disagree. The
//! best is picked by the same numbers that it is tested with: of ten equal arms the best and the worst differ by 3
//! standard errors. So every test against it counts as one of all pairs (Bonferroni over k (k - 1) / 2), whichever of
//! them the data single out.

use crate::compare::data::fill::{Fill, FillByTask};
use crate::compare::data::sample::Sample;
use crate::compare::data::side::ComparedSide;
use crate::compare::data::trials::TrialsOfBoth;
use crate::compare::data::unit::{Missing, TaskRole};
use crate::compare::method::choose::Case;
use crate::compare::method::kind::{DataKind, Scale};
use crate::compare::method::rates;
use crate::compare::objections::objection::Objection;
use crate::compare::objections::{curve_parts, one_process, validity_floor};
use crate::compare::options::CompareOptions;
use crate::compare::question::MetricQuestion;
use crate::compare::rule::Rule;
use crate::compare::verdict::{Verdict, verdict};
use crate::compare::word::Word;
use crate::validity::MOST_BROKEN;
use fairtrial_model::{Direction, Method};
use fairtrial_stats::one_arm::mean_interval;
use fairtrial_stats::suite::{Scores, mean_t};
use fairtrial_stats::{Interval, Level};
use serde::Serialize;
use std::collections::BTreeSet;

/// The sides in order, best first and those that cannot be the best last.
#[derive(Debug, Clone)]
pub(crate) struct Standings {
    pub(crate) order: Vec<Standing>,
    /// The scale of the comparison; on that of ratios, means are geometric.
    pub(crate) scale: Scale,
    /// The pairs over which each p value is adjusted.
    pub(crate) pairs: usize,
}

/// What one of several sides comes to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Standing {
    /// Its place in the list that was given.
    #[serde(skip)]
    pub(crate) place: usize,
    /// The mean of the values it has.
    pub mean: f64,
    /// Its trials that failed.
    pub failed: u64,
    /// Its mean with every failure as the worst value seen, which the order goes by; absent where none failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worst_case: Option<f64>,
    /// Why it cannot be the best.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_ranked: Option<NotRanked>,
    /// The interval of its mean; overlapping intervals are no test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
    /// Its units.
    pub n: usize,
    /// How it compares with the best; absent for the best, and where it is not ranked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against_best: Option<AgainstBest>,
}

impl Standing {
    /// Whether the data cannot tell it from the best.
    pub fn is_rival(&self) -> bool {
        let against = self.against_best.as_ref();
        against.is_some_and(|against| !against.separable)
    }

    /// The p value against the best.
    pub fn p_against_best(&self) -> Option<f64> {
        self.against_best.as_ref()?.p
    }
}

/// A side held against the best.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgainstBest {
    /// The p value of "no difference", adjusted over all pairs, because the best was picked by the same data; absent where
    /// chance has no measure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// Whether the data tell it from the best.
    pub separable: bool,
    /// The verdict against the best: `regressed` where it is surely worse.
    pub verdict: Verdict,
}

/// Why a side cannot be the best.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum NotRanked {
    /// Too many of its trials have no value: what is left says too little about the rest.
    Missing {
        /// Trials without a value.
        without_value: u64,
        /// All its trials.
        trials: u64,
    },
    /// It has nothing in tasks that others have: without the hard ones anybody would win.
    LacksTasks {
        /// How many.
        tasks: usize,
    },
    /// Too few of its trials count.
    TooFewCount {
        /// Trials that count.
        counted: usize,
        /// All its trials.
        trials: usize,
        /// The share that must count.
        share: f64,
        /// Whether what is missing can be run again.
        can_resume: bool,
    },
}

/// What a ranking is about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RankingQuestion<'a> {
    pub(crate) metric: &'a MetricQuestion,
    pub(crate) options: &'a CompareOptions,
    pub(crate) direction: Direction,
    /// One minus the confidence of each side's interval.
    pub(crate) alpha: f64,
}

impl RankingQuestion<'_> {
    /// The sides in order; nothing where one of them has no value, or where none can be the best.
    ///
    /// Who fails where it is hard must not win by what is left: as soon as a trial of any of them failed, failures count
    /// as the worst value seen.
    pub(crate) fn standings(&self, sides: &[ComparedSide<'_>]) -> Option<Standings> {
        let (metric, options) = self.in_common(sides);
        let alike = RankingQuestion {
            metric: &metric,
            options: &options,
            ..*self
        };
        alike.ranked(sides)
    }

    fn ranked(&self, sides: &[ComparedSide<'_>]) -> Option<Standings> {
        let alone: Vec<Case> = sides.iter().map(|one| self.case(one, one)).collect();
        let scale = alone.first()?.scale;
        let means: Vec<f64> = alone
            .iter()
            .map(Case::control_centre)
            .collect::<Option<_>>()?;
        let missing: Vec<Missing> = alone
            .iter()
            .map(|case| case.units.control_missing())
            .collect();
        let worst = self.worst(&alone, &missing);
        let ranked: Vec<f64> = alone
            .iter()
            .map(|case| {
                filled(case, worst.as_ref()).centre(|stratum| &stratum.control, case.in_task())
            })
            .collect::<Option<_>>()?;
        let not_ranked = self.not_ranked(sides, &alone, &missing);
        let able: Vec<usize> = (0..sides.len())
            .filter(|place| not_ranked[*place].is_none())
            .collect();
        let of_able: Vec<f64> = able.iter().map(|place| ranked[*place]).collect();
        let best = able[best_of(&of_able, self.direction)?];
        let pairs = able.len() * (able.len() - 1) / 2;
        let against_best = |place: usize| {
            let rival = place != best && not_ranked[place].is_none();
            rival.then(|| self.against(&sides[best], &sides[place], worst.as_ref(), pairs))
        };
        let standing = |place: usize| Standing {
            place,
            mean: means[place],
            failed: missing[place].failed,
            worst_case: (missing[place].failed > 0).then(|| scale.in_own_unit(ranked[place])),
            not_ranked: not_ranked[place],
            interval: interval(&alone[place], Level::two_sided(self.alpha)),
            n: alone[place].sample.sizes().0,
            against_best: against_best(place),
        };
        let mut order: Vec<Standing> = (0..sides.len()).map(standing).collect();
        order.sort_by(|a, b| {
            let by_value = ranked[a.place].total_cmp(&ranked[b.place]);
            let by_value = match self.direction {
                Direction::Up => by_value.reverse(),
                Direction::Down => by_value,
            };
            (a.not_ranked.is_some().cmp(&b.not_ranked.is_some())).then(by_value)
        });
        Some(Standings {
            order,
            scale,
            pairs,
        })
    }

    /// Why each side cannot be the best, where that is so.
    fn not_ranked(
        &self,
        sides: &[ComparedSide<'_>],
        alone: &[Case],
        missing: &[Missing],
    ) -> Vec<Option<NotRanked>> {
        let tasks: Vec<BTreeSet<u32>> = alone
            .iter()
            .map(|case| case.units.control_tasks())
            .collect();
        let all: BTreeSet<u32> = tasks.iter().flatten().copied().collect();
        let each = sides.iter().zip(missing).zip(&tasks);
        each.map(|((side, missing), tasks)| {
            NotRanked::by_floor(side, self.options)
                .or_else(|| NotRanked::by_missing(missing))
                .or_else(|| NotRanked::by_tasks(all.len() - tasks.len()))
        })
        .collect()
    }

    /// What holds for all sides, as each pair of them would be compared: one whose scores all happen to be 0 or 1 is no
    /// pass/fail among others, and a ratio needs values above 0 of everybody.
    fn in_common(&self, sides: &[ComparedSide<'_>]) -> (MetricQuestion, CompareOptions) {
        let mut options = self.options.clone();
        let asked = options.method.or(self.metric.declaration.method);
        if matches!(asked, Some(Method::Percentile | Method::Bca)) {
            // They have no p value to adjust, and compare means of the same units as t does.
            options.method = Some(Method::T);
            options.tasks = TaskRole::Random;
        }
        let first = RankingQuestion {
            options: &options,
            ..*self
        };
        let alone: Vec<Case> = sides.iter().map(|one| first.case(one, one)).collect();
        let positive = alone.iter().all(Case::is_positive);
        let kinds = || alone.iter().map(|case| case.kind);
        let kind = match kinds().next() {
            Some(kind) if kinds().all(|other| other == kind) => kind,
            _ => DataKind::Scalar,
        };
        let by_ratio = match asked.unwrap_or_default() {
            Method::Auto => kind == DataKind::Timing,
            method => method == Method::LogRatio,
        };
        if by_ratio && !positive {
            options.method = Some(Method::T);
        }
        let metric = MetricQuestion {
            kind: Some(kind),
            ..self.metric.clone()
        };
        (metric, options)
    }

    /// The worst value that any side has in each task, where trials of any failed. Sides are of one source, so that their
    /// tasks have the same numbers.
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

    /// A side against the best, failures as given: one of all pairs.
    fn against(
        &self,
        best: &ComparedSide<'_>,
        other: &ComparedSide<'_>,
        worst: Option<&FillByTask>,
        pairs: usize,
    ) -> AgainstBest {
        let mut case = self.case(best, other).among(pairs, self.options.alpha);
        let sample = filled(&case, worst);
        // A unit of which a part failed is neither passed nor failed.
        if case.method == Method::Proportion && !sample.is_binary() {
            case.method = Method::T;
        }
        let answered = case.answer(&sample, self.options.alpha / pairs.max(1) as f64);
        let rule = Rule {
            direction: Some(self.direction),
            margin: None,
            beyond_margin: false,
        };
        let parts = curve_parts::find(&case.trials, &case.declaration);
        let objections: Vec<Objection> =
            one_process::find(&case).into_iter().chain(parts).collect();
        let verdict = verdict(&case.evidence(&answered), &rule, objections);
        let p = answered.ok().and_then(|answer| answer.p);
        AgainstBest {
            p: p.map(|p| (p * pairs as f64).min(1.0)),
            separable: matches!(verdict.word, Word::Regressed | Word::Improved),
            verdict,
        }
    }

    /// Whether a side has anything to show.
    pub(crate) fn has_value(&self, one: &ComparedSide<'_>) -> bool {
        self.case(one, one).control_centre().is_some()
    }

    fn case(&self, control: &ComparedSide<'_>, candidate: &ComparedSide<'_>) -> Case {
        let metric = &self.metric.declaration.name;
        let trials = TrialsOfBoth::among(control, candidate, metric);
        Case::new(trials, self.metric, self.options)
    }
}

impl NotRanked {
    fn by_floor(side: &ComparedSide<'_>, options: &CompareOptions) -> Option<Self> {
        let validity = validity_floor::broken(side, options)?;
        Some(Self::TooFewCount {
            counted: validity.counted,
            trials: validity.trials,
            share: validity.share,
            can_resume: validity.can_resume,
        })
    }

    fn by_missing(missing: &Missing) -> Option<Self> {
        let many = missing.without_value as f64 > MOST_BROKEN * missing.trials as f64;
        many.then_some(Self::Missing {
            without_value: missing.without_value,
            trials: missing.trials,
        })
    }

    fn by_tasks(tasks: usize) -> Option<Self> {
        (tasks > 0).then_some(Self::LacksTasks { tasks })
    }
}

/// The first of the best.
fn best_of(means: &[f64], direction: Direction) -> Option<usize> {
    (0..means.len()).min_by(|a, b| match direction {
        Direction::Up => means[*b].total_cmp(&means[*a]),
        Direction::Down => means[*a].total_cmp(&means[*b]),
    })
}

/// The sample with failures as the worst value, where there is one.
fn filled(case: &Case, worst: Option<&FillByTask>) -> Sample {
    worst.map_or_else(|| case.sample.clone(), |worst| case.units.filled(worst))
}

/// The interval of a side's mean: of a rate by Wilson, of a timing on logarithms, else by t.
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

#[cfg(test)]
mod tests {
    use super::best_of;
    use fairtrial_model::Direction;

    #[test]
    fn of_a_tie_the_first_is_best() {
        let means = [0.5, 1.0, 1.0];
        assert_eq!(best_of(&means, Direction::Up), Some(1));
        assert_eq!(best_of(&means, Direction::Down), Some(0));
    }
}
