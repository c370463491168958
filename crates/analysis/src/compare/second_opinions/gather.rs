//! Every second opinion that fits a case.

use crate::compare::method::choose::Case;
use crate::compare::method::kind::Scale;
use crate::compare::method::plan::detectable;
use crate::compare::second_opinions::equivalence::tost;
use crate::compare::second_opinions::opinion::{
    Detectable, SecondOpinions, SignFlipOpinion, Standardised,
};
use fairtrial_model::Method;
use fairtrial_stats::permutation;
use fairtrial_stats::permutation::sign_flip_of;
use fairtrial_stats::rank::{RankMethod, mann_whitney, paired_location, unpaired_location};
use fairtrial_stats::two_arm::{Design, paired_effect, t_test, unpaired_effect};
use fairtrial_stats::{Level, Side, descriptive};

/// Pairs up to which sign patterns and pairwise averages are looked at.
const MOST_PAIRS: usize = 2_000;
/// Random sign patterns where there are too many to count.
const SIGN_DRAWS: u32 = 20_000;
/// Everything that fits the case.
pub(crate) fn opinions(case: &Case, alpha: f64, power: f64) -> SecondOpinions {
    let mut found = SecondOpinions {
        detectable: has_plan(case)
            .then(|| detectable(case, alpha, power))
            .flatten()
            .and_then(|size| own_detectable(case, size, power)),
        tost_p: tost(case, alpha),
        ..SecondOpinions::default()
    };
    if case.units.paired {
        of_pairs(&mut found, case, alpha);
    } else {
        of_groups(&mut found, case, alpha);
    }
    if case.method == Method::Rank {
        only_ranks(&mut found);
    }
    found
}

/// Where ranks decide, leaves out what is about means, and the estimate itself.
fn only_ranks(found: &mut SecondOpinions) {
    *found = SecondOpinions {
        superiority: found.superiority,
        ..SecondOpinions::default()
    };
}

/// Whether what this many units could have seen is known: planning is about means by t, and so about what compares means.
fn has_plan(case: &Case) -> bool {
    !matches!(case.method, Method::Rank | Method::Percentile | Method::Bca)
}

fn own_detectable(case: &Case, size: f64, power: f64) -> Option<Detectable> {
    let control = case.control_centre()?;
    let (absolute, relative) = match case.scale {
        Scale::Difference => (size, (control != 0.0).then(|| size / control.abs())),
        Scale::Ratio => (size.exp_m1() * control, Some(size.exp_m1())),
    };
    Some(Detectable {
        absolute,
        relative,
        power,
    })
}

fn own_shift(case: &Case, shift: f64) -> f64 {
    if case.scale == Scale::Ratio {
        shift.exp()
    } else {
        shift
    }
}

fn of_pairs(found: &mut SecondOpinions, case: &Case, alpha: f64) {
    if let Some(flat) = case.sample.flat()
        && let Ok(effect) = paired_effect(&flat.control, &flat.candidate)
    {
        found.standardised = Some(Standardised {
            g_z: effect.g_z,
            g: effect.g_av,
        });
        // Two pairs lie on a line, whatever they are.
        if flat.control.len() > 2 {
            found.correlation = effect.correlation;
            found.variance_ratio = effect.variance_ratio;
        }
    }
    let differences = case.sample.differences().concat();
    found.skewness = descriptive::skewness(&differences).ok();
    // Averages over tasks are not exchangeable between tasks: the pooled pairs say nothing about them.
    if differences.len() > MOST_PAIRS || case.units.by_task {
        return;
    }
    let options = permutation::Options {
        draws: SIGN_DRAWS,
        ..permutation::Options::default()
    };
    if case.method == Method::SignFlip {
        let test = case.sample.flat().map(|flat| {
            t_test(
                &flat.control,
                &flat.candidate,
                Design::Paired,
                Level::two_sided(alpha),
            )
        });
        found.t_p = test.and_then(Result::ok).map(|test| test.p);
    } else {
        found.sign_flip = sign_flip_opinion(&differences, options);
    }
    let shift = paired_location(&differences, Level::two_sided(alpha)).ok();
    found.hodges_lehmann = shift.map(|shift| own_shift(case, shift.estimate));
}

fn sign_flip_opinion(
    differences: &[f64],
    options: permutation::Options,
) -> Option<SignFlipOpinion> {
    sign_flip_of(differences, options)
        .ok()
        .map(|test| SignFlipOpinion {
            p: test.p,
            exact: test.exact,
            smallest_p: test.smallest_p,
        })
}

fn of_groups(found: &mut SecondOpinions, case: &Case, alpha: f64) {
    let Some(flat) = case.sample.flat() else {
        return;
    };
    let (control, candidate) = (&flat.control, &flat.candidate);
    found.standardised = unpaired_effect(control, candidate)
        .ok()
        .map(|effect| Standardised {
            g_z: None,
            g: Some(effect.g),
        });
    let skewness = [control, candidate]
        .into_iter()
        .filter_map(|side| descriptive::skewness(side).ok());
    found.skewness = skewness.reduce(f64::max);
    if let Ok(test) = mann_whitney(control, candidate, RankMethod::Auto, Side::TwoSided) {
        found.superiority = Some(test.superiority);
        found.mann_whitney_p = Some(test.p);
    }
    if control.len().saturating_mul(candidate.len()) <= MOST_PAIRS * MOST_PAIRS / 4 {
        let shift = unpaired_location(control, candidate, Level::two_sided(alpha)).ok();
        found.hodges_lehmann = shift.map(|shift| own_shift(case, shift.estimate));
    }
}
