//! From numbers to an estimate with an interval: which method, and what it says.

use crate::compare::data::sample::{Sample, Stratum};
use crate::compare::method::answer::Answer;
use crate::compare::method::{exact, rates};
use fairtrial_model::Method;
use fairtrial_stats::dist::{ln_binomial, student_t};
use fairtrial_stats::permutation::flipped_mean;
use fairtrial_stats::rank::{
    RankMethod, SignedRankOptions, mann_whitney, paired_location, signed_rank_of, unpaired_location,
};
use fairtrial_stats::suite::{Scores, mean_difference_t, mean_t};
use fairtrial_stats::two_arm::t_test;
use fairtrial_stats::{Level, Outcome, Side, Undefined, bootstrap};

/// Units from which on the smallest p value is 0 as far as numbers go.
const ALWAYS_ENOUGH: usize = 1_100;

/// Runs a method that is no longer `Auto`; the sample of `LogRatio` is in logarithms already. Where nothing varies, the exact
/// test answers in its place.
pub(crate) fn answer(sample: &Sample, method: Method, level: Level) -> Outcome<Answer> {
    match by_method(sample, method, level) {
        Err(why @ Undefined::ZeroVariance { .. }) => exact::of_constant(sample, level).ok_or(why),
        found => found,
    }
}

fn by_method(sample: &Sample, method: Method, level: Level) -> Outcome<Answer> {
    let Some(flat) = sample.flat() else {
        return match method {
            Method::Proportion => rates::by_task(sample, level),
            _ => stratified(sample, level),
        };
    };
    match method {
        Method::Auto | Method::T | Method::LogRatio => t(sample, flat, level),
        Method::Rank | Method::Percentile | Method::Bca | Method::SignFlip
            if is_constant(sample, flat, level) =>
        {
            t(sample, flat, level)
        }
        Method::Rank => rank(sample, flat, level),
        Method::SignFlip => sign_flips(sample, level),
        Method::Proportion if sample.paired => rates::of_pairs(flat, level),
        Method::Proportion => rates::of_groups(flat, level),
        Method::Percentile => resampled(sample, flat, level, bootstrap::Method::Percentile),
        Method::Bca => resampled(sample, flat, level, bootstrap::Method::Bca),
    }
}

fn t(sample: &Sample, flat: &Stratum, level: Level) -> Outcome<Answer> {
    let test = t_test(&flat.control, &flat.candidate, sample.design(), level)?;
    Ok(Answer {
        value: test.estimate,
        interval: test.interval,
        p: Some(test.p),
        df: Some(test.df),
        method: test.method.to_owned(),
    })
}

/// The mean of the pairs by the sign-flip test and the interval that belongs to it.
fn sign_flips(sample: &Sample, level: Level) -> Outcome<Answer> {
    let differences = sample.differences().concat();
    let found = flipped_mean(&differences, level)?;
    if found.interval.low.is_infinite() {
        // 2^(1 - n) is the smallest p value.
        let need = (2.0 / level.alpha).log2().ceil() as usize;
        return Err(Undefined::TooFew {
            method: "the sign-flip test at this level".to_owned(),
            have: differences.len(),
            need,
        });
    }
    let patterns = if found.exact { "all" } else { "drawn" };
    Ok(Answer {
        value: found.estimate,
        interval: found.interval,
        p: Some(found.p),
        df: None,
        method: format!("sign-flip test ({patterns} patterns)"),
    })
}

/// Whether the difference never varies: then no method has a measure of chance, and t says so.
fn is_constant(sample: &Sample, flat: &Stratum, level: Level) -> bool {
    let test = t_test(&flat.control, &flat.candidate, sample.design(), level);
    matches!(test, Err(Undefined::ZeroVariance { .. }))
}

fn stratified(sample: &Sample, level: Level) -> Outcome<Answer> {
    let found = if sample.paired {
        mean_t(&Scores::new(&sample.differences())?, level)?
    } else {
        let side = |of: fn(&Stratum) -> &Vec<f64>| {
            sample
                .strata
                .iter()
                .map(|stratum| of(stratum).clone())
                .collect()
        };
        let (control, candidate): (Vec<_>, Vec<_>) =
            (side(|of| &of.control), side(|of| &of.candidate));
        mean_difference_t(&Scores::new(&control)?, &Scores::new(&candidate)?, level)?
    };
    Ok(Answer {
        value: found.estimate,
        interval: found.interval,
        p: Some(student_t::two_sided(
            found.estimate / found.standard_error,
            found.df,
        )),
        df: Some(found.df),
        method: format!(
            "{} over {} tasks with equal weights",
            found.method, found.tasks
        ),
    })
}

fn rank(sample: &Sample, flat: &Stratum, level: Level) -> Outcome<Answer> {
    let (location, p) = if sample.paired {
        let differences = sample.differences().concat();
        let p = signed_rank_of(&differences, SignedRankOptions::default())?.p;
        (paired_location(&differences, level)?, p)
    } else {
        let p = mann_whitney(
            &flat.control,
            &flat.candidate,
            RankMethod::Auto,
            Side::TwoSided,
        )?
        .p;
        (unpaired_location(&flat.control, &flat.candidate, level)?, p)
    };
    let interval = location.interval.ok_or_else(|| {
        Undefined::NoSolution("so few values give no rank-based interval at this level".to_owned())
    })?;
    Ok(Answer {
        value: location.estimate,
        interval,
        p: Some(p),
        df: None,
        method: location.method.to_owned(),
    })
}

/// Over all resamples, weighted by their chance: a verdict hangs on no seed.
fn resampled(
    sample: &Sample,
    flat: &Stratum,
    level: Level,
    method: bootstrap::Method,
) -> Outcome<Answer> {
    let design = if sample.paired {
        bootstrap::Design::Paired
    } else {
        bootstrap::Design::Unpaired
    };
    let (control, candidate) = (&flat.control, &flat.candidate);
    enough_to_resample(sample, flat, level, method)?;
    let found = bootstrap::exact::mean_difference(control, candidate, design, (method, level))?;
    Ok(Answer {
        value: found.estimate,
        interval: found.interval,
        p: None,
        df: None,
        method: format!("{} (all resamples)", method.name()),
    })
}

/// Resamples of few units cannot leave the values that are there: of two pairs that point the same way, as half of all do
/// by chance, every one does. So many units are needed that an exact test of signs (of labels, without pairs) could
/// answer at this level at all.
fn enough_to_resample(
    sample: &Sample,
    flat: &Stratum,
    level: Level,
    method: bootstrap::Method,
) -> Outcome<()> {
    let (control, candidate) = (flat.control.len(), flat.candidate.len());
    let smallest_p = |control: usize, candidate: usize| {
        if sample.paired {
            2.0 * (-(control as f64) * std::f64::consts::LN_2).exp()
        } else {
            2.0 * (-ln_binomial((control + candidate) as f64, control as f64)).exp()
        }
    };
    // A hair of slack: at the level itself a test rejects.
    let enough = |control, candidate| smallest_p(control, candidate) <= level.alpha * (1.0 + 1e-12);
    if enough(control, candidate) {
        return Ok(());
    }
    let have = control.min(candidate);
    let need = (have + 1..=ALWAYS_ENOUGH)
        .find(|n| enough(*n, *n))
        .unwrap_or(ALWAYS_ENOUGH);
    Err(Undefined::TooFew {
        method: format!("a {} interval at this level", method.name()),
        have,
        need,
    })
}
