//! Rates of pass/fail units: an interval that fits rates, and an exact test beside it.
//!
//! The test's error rate is at most its level whatever the rates are; the interval's is not, where trials are few.

use crate::compare::data::sample::{Sample, Stratum};
use crate::compare::method::answer::Answer;
use fairtrial_stats::binary::{
    DifferenceMethod, McNemarMethod, PairedCounts, PairedDifferenceMethod, barnard, fisher,
    mcnemar, paired_proportion_difference, proportion_difference, stratified_fisher,
};
use fairtrial_stats::one_arm::{Proportion, share_interval};
use fairtrial_stats::{Interval, Level, Outcome, Side, Undefined};

/// Pairs up to which McNemar's test is the unconditional one; beyond, the conditional one is hardly timid any more.
const UNCONDITIONAL_PAIRS: u64 = 500;
/// Tables (one side's trials times the other's) up to which Barnard's test is made; beyond, Fisher's.
const BARNARD_TABLES: u64 = 10_000;

/// Pairs: Tango's interval and McNemar's test.
pub(crate) fn of_pairs(flat: &Stratum, level: Level) -> Outcome<Answer> {
    let counts = pairs(flat);
    enough(flat)?;
    let difference = paired_proportion_difference(counts, PairedDifferenceMethod::Tango, level)?;
    let exact = if counts.total() <= UNCONDITIONAL_PAIRS {
        McNemarMethod::Unconditional
    } else {
        McNemarMethod::Exact
    };
    let test = mcnemar(counts, exact, Side::TwoSided)?;
    Ok(Answer {
        value: difference.estimate,
        interval: difference.interval,
        p: Some(test.p),
        df: None,
        method: format!("{}, {}", difference.method.name(), test.method),
    })
}

/// Two groups: Newcombe's interval and Barnard's test.
pub(crate) fn of_groups(flat: &Stratum, level: Level) -> Outcome<Answer> {
    let (control, candidate) = groups(flat);
    enough(flat)?;
    let difference = proportion_difference(control, candidate, DifferenceMethod::Newcombe, level)?;
    let (p, test) = if control.trials.saturating_mul(candidate.trials) <= BARNARD_TABLES {
        let test = barnard(control, candidate, Side::TwoSided)?;
        (test.p, test.method)
    } else {
        let test = fisher(control, candidate, Side::TwoSided)?;
        (test.p, test.method)
    };
    Ok(Answer {
        value: difference.estimate,
        interval: difference.interval,
        p: Some(p),
        df: None,
        method: format!("{}, {test}", difference.method.name()),
    })
}

/// Tasks with equal weights: the intervals of the tasks joined (MOVER, the stratified form of Newcombe's), and the exact
/// test of "no difference in any task".
pub(crate) fn by_task(sample: &Sample, level: Level) -> Outcome<Answer> {
    let each = sample.strata.iter().map(|of| {
        if sample.paired {
            let found =
                paired_proportion_difference(pairs(of), PairedDifferenceMethod::Tango, level)?;
            Ok((found.estimate, found.interval))
        } else {
            let (control, candidate) = groups(of);
            let found =
                proportion_difference(control, candidate, DifferenceMethod::Newcombe, level)?;
            Ok((found.estimate, found.interval))
        }
    });
    let each: Vec<(f64, Interval)> = each.collect::<Outcome<_>>()?;
    let (value, interval) = joined(&each, (-1.0, 1.0), level);
    let (name, p, test) = if sample.paired {
        let all = PairedCounts::from_pairs(sample.strata.iter().flat_map(outcomes));
        let test = mcnemar(all, McNemarMethod::Exact, Side::TwoSided)?;
        ("Tango", Some(test.p), test.method)
    } else {
        let strata: Vec<_> = sample.strata.iter().map(groups).collect();
        // With more trials than it can count, the interval needs no test beside it.
        let p = stratified_fisher(&strata).ok().map(|test| test.p);
        ("Newcombe", p, "stratified exact test")
    };
    Ok(Answer {
        value,
        interval,
        p,
        df: None,
        method: format!(
            "{name} intervals joined over {} tasks with equal weights, {test}",
            each.len()
        ),
    })
}

/// The rate of one side alone, its tasks with equal weights; units are passes and fails, or rates of these.
pub(crate) fn of_one_side(tasks: &[Vec<f64>], level: Level) -> Outcome<Interval> {
    let each = tasks.iter().map(|units| {
        let found = share_interval(units, level)?;
        Ok((found.estimate, found.interval))
    });
    let each: Vec<(f64, Interval)> = each.collect::<Outcome<_>>()?;
    let (_, interval) = joined(&each, (0.0, 1.0), level);
    Ok(interval)
}

/// The mean of the tasks' estimates, and their intervals joined around it (MOVER).
fn joined(each: &[(f64, Interval)], (least, most): (f64, f64), level: Level) -> (f64, Interval) {
    let tasks = each.len() as f64;
    let value = each.iter().map(|(value, _)| value).sum::<f64>() / tasks;
    let reach = |end: fn(&Interval) -> f64| {
        let squares = each.iter().map(|(value, of)| (value - end(of)).powi(2));
        squares.sum::<f64>().sqrt() / tasks
    };
    let interval = Interval {
        low: (value - reach(|of| of.low)).max(least),
        high: (value + reach(|of| of.high)).min(most),
        level,
    };
    (value, interval)
}

/// One outcome on a side says no more about its rate than one value says about a mean.
fn enough(flat: &Stratum) -> Outcome<()> {
    let have = flat.control.len().min(flat.candidate.len());
    if have < 2 {
        return Err(Undefined::TooFew {
            method: "a comparison of rates".to_owned(),
            have,
            need: 2,
        });
    }
    Ok(())
}

fn passed(value: f64) -> bool {
    value == 1.0
}

fn outcomes(of: &Stratum) -> impl Iterator<Item = (bool, bool)> + '_ {
    let pairs = of.control.iter().zip(&of.candidate);
    pairs.map(|(control, candidate)| (passed(*control), passed(*candidate)))
}

fn pairs(of: &Stratum) -> PairedCounts {
    PairedCounts::from_pairs(outcomes(of))
}

fn groups(flat: &Stratum) -> (Proportion, Proportion) {
    let counts = |values: &[f64]| Proportion {
        successes: values.iter().filter(|value| passed(**value)).count() as u64,
        trials: values.len() as u64,
    };
    (counts(&flat.control), counts(&flat.candidate))
}
