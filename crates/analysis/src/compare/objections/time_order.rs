//! Timings that were not steady while they were measured: a warm-up, a drift, neighbours that resemble each other.

use crate::compare::data::trials::TrialOfSide;
use crate::compare::method::choose::Case;
use crate::compare::method::kind::DataKind;
use crate::compare::objections::objection::{Objection, ObjectionKind};
use fairtrial_stats::timing::{Autocorrelation, Drift, time_order};

/// What the order of time gives away on each side.
pub(crate) fn find(case: &Case) -> Vec<Objection> {
    if case.kind != DataKind::Timing || !case.trials.in_time_order {
        return Vec::new();
    }
    let sides = [
        (false, &case.trials.control),
        (true, &case.trials.candidate),
    ];
    let found = sides.into_iter().flat_map(|(candidate, trials)| {
        let series = series(trials, case.trials.task_names.len());
        of_side(&series, candidate)
    });
    found.map(Objection::noted).collect()
}

/// The values of a side as they were measured, as logarithms and without what is usual in their task.
fn series(trials: &[TrialOfSide], tasks: usize) -> Vec<f64> {
    let measured = |trial: &TrialOfSide| trial.value.filter(|x| x.is_finite() && *x > 0.0);
    let mut of_task = vec![(0.0, 0.0); tasks];
    for trial in trials {
        if let Some(value) = measured(trial) {
            let (sum, n) = &mut of_task[trial.task as usize];
            (*sum, *n) = (*sum + value.ln(), *n + 1.0);
        }
    }
    let mut in_order: Vec<&TrialOfSide> = trials.iter().collect();
    in_order.sort_by_key(|trial| (trial.index, trial.rollout));
    let steady = in_order.into_iter().filter_map(|trial| {
        let (sum, n) = of_task[trial.task as usize];
        Some(measured(trial)?.ln() - sum / n)
    });
    steady.collect()
}

fn of_side(series: &[f64], candidate: bool) -> Vec<ObjectionKind> {
    let Ok(found) = time_order(series) else {
        return Vec::new();
    };
    let of = found.n;
    let warm_up = (found.warm_up > 0).then_some(ObjectionKind::WarmUp {
        candidate,
        first: found.warm_up,
        of,
    });
    let drift = found
        .drift
        .map(|Drift { change, .. }| ObjectionKind::Drift {
            candidate,
            change: change.exp_m1(),
            of,
        });
    let alike = found.autocorrelation.map(|found| {
        let Autocorrelation { lag1, effective_n } = found;
        ObjectionKind::Autocorrelated {
            candidate,
            lag1,
            worth: effective_n,
            of,
        }
    });
    [warm_up, drift, alike].into_iter().flatten().collect()
}
