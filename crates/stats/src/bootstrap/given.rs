//! Bootstrap intervals from index lists that the caller gives: nothing is random, so that the numbers of another
//! program can be checked to the last digits.

use super::acceleration::leave_one_out;
use super::entry::{
    Subject, check_arms, check_contrast, check_method, check_plan, check_sample, contrast_jackknife,
};
use super::plan::{Method, Plan};
use super::replicates::Replicates;
use super::result::{BootstrapInterval, Resampling};
use super::statistic::{Contrast, Design, Statistic};
use super::studentised::{self, MeanAndError};
use crate::{Outcome, Undefined};

/// One list of indices into the sample per resample.
pub type IndexLists = [Vec<usize>];

/// A statistic of one sample. The plan's count and seed are not used.
pub fn statistic(
    sample: &[f64],
    indices: &IndexLists,
    statistic: &Statistic<'_>,
    plan: &Plan,
) -> Outcome<BootstrapInterval> {
    let resampling = check(indices, sample.len(), plan)?;
    check_sample("sample", sample, 2)?;
    check_method(plan.method, statistic)?;
    let subject = Subject::of_sample(sample, statistic, resampling)?;
    let resamples = indices.iter().map(|list| pick(sample, list));
    if plan.method == Method::Studentised {
        let drawn: Vec<MeanAndError> = resamples.map(|values| MeanAndError::of(&values)).collect();
        return subject.studentised(&drawn, plan);
    }
    let values = resamples
        .map(|mut values| statistic.evaluate(&mut values))
        .collect();
    subject.interval(Replicates::new(values)?, plan, || {
        vec![leave_one_out(sample, statistic)]
    })
}

/// A contrast of two independent samples, `[control, candidate]`, with one set of index lists for each.
pub fn contrast(
    arms: [&[f64]; 2],
    indices: [&IndexLists; 2],
    contrast: &Contrast<'_>,
    plan: &Plan,
) -> Outcome<BootstrapInterval> {
    let resampling = check(indices[0], arms[0].len(), plan)?;
    check(indices[1], arms[1].len(), plan)?;
    if indices[0].len() != indices[1].len() {
        return Err(Undefined::UnequalLengths {
            left: indices[0].len(),
            right: indices[1].len(),
        });
    }
    check_arms(arms, Design::Unpaired)?;
    check_contrast(plan.method, contrast)?;
    let subject = Subject::of_arms(arms, contrast, resampling)?;
    let resamples = indices[0]
        .iter()
        .zip(indices[1])
        .map(|(a, b)| [pick(arms[0], a), pick(arms[1], b)]);
    if plan.method == Method::Studentised {
        let drawn: Vec<MeanAndError> = resamples.map(|pair| studentised::combine(&pair)).collect();
        return subject.studentised(&drawn, plan);
    }
    let values = resamples
        .map(|[mut a, mut b]| contrast.evaluate(&mut a, &mut b))
        .collect();
    subject.interval(Replicates::new(values)?, plan, || {
        contrast_jackknife(arms, contrast, Design::Unpaired)
    })
}

fn pick(sample: &[f64], indices: &[usize]) -> Vec<f64> {
    indices.iter().map(|&i| sample[i]).collect()
}

fn check(indices: &IndexLists, n: usize, plan: &Plan) -> Outcome<Resampling> {
    check_plan(&Plan {
        resamples: indices.len(),
        ..*plan
    })?;
    let bad = |value: usize, expected: String| Undefined::BadArgument {
        name: "resample indices".into(),
        value: value as f64,
        expected,
    };
    for list in indices {
        if list.is_empty() {
            return Err(Undefined::Empty {
                what: "a list of resample indices".into(),
            });
        }
        if let Some(&index) = list.iter().find(|&&index| index >= n) {
            return Err(bad(index, format!("below the {n} values of the sample")));
        }
    }
    Ok(Resampling::Given {
        resamples: indices.len(),
    })
}
