//! What every method asks of its data before it starts, and the explicit ways to leave values out.

use crate::undefined::{Dropped, Outcome, Undefined};

/// Fails on an empty sample or on the first NaN or infinite value.
pub(crate) fn finite(what: &str, xs: &[f64]) -> Outcome<()> {
    if xs.is_empty() {
        return Err(Undefined::Empty { what: what.into() });
    }
    match xs.iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(index) => Err(Undefined::NotFinite {
            what: what.into(),
            index,
            value: xs[index].to_string(),
        }),
    }
}

/// Finite, and at least `need` values.
pub(crate) fn at_least(method: &str, what: &str, xs: &[f64], need: usize) -> Outcome<()> {
    finite(what, xs)?;
    if xs.len() < need {
        return Err(Undefined::TooFew {
            method: method.into(),
            have: xs.len(),
            need,
        });
    }
    Ok(())
}

/// Two samples of one length, finite, with at least `need` pairs.
pub(crate) fn pairs(method: &str, control: &[f64], candidate: &[f64], need: usize) -> Outcome<()> {
    if control.len() != candidate.len() {
        return Err(Undefined::UnequalLengths {
            left: control.len(),
            right: candidate.len(),
        });
    }
    at_least(method, "control", control, need)?;
    at_least(method, "candidate", candidate, need)
}

/// Differences candidate - control.
pub(crate) fn differences(control: &[f64], candidate: &[f64]) -> Vec<f64> {
    control.iter().zip(candidate).map(|(a, b)| b - a).collect()
}

/// The largest absolute value.
pub(crate) fn max_abs(xs: &[f64]) -> f64 {
    xs.iter().fold(0.0, |m, x| m.max(x.abs()))
}

/// Whether a standard deviation is nothing but rounding, given the size of the numbers it came from.
pub(crate) fn is_constant(sd: f64, scale: f64) -> bool {
    sd <= 8.0 * f64::EPSILON * scale
}

/// Passes a number on, unless it left the range of numbers on the way.
pub(crate) fn representable(name: &str, x: f64) -> Outcome<f64> {
    if x.is_finite() {
        return Ok(x);
    }
    Err(Undefined::NoSolution(format!(
        "{name} cannot be written as a number: the values are too large or too close"
    )))
}

/// Refuses a chance outside (0, 1).
pub(crate) fn open_chance(name: &str, value: f64) -> Outcome<f64> {
    if value > 0.0 && value < 1.0 {
        return Ok(value);
    }
    Err(Undefined::BadArgument {
        name: name.into(),
        value,
        expected: "between 0 and 1, both excluded".into(),
    })
}

/// Refuses anything but a finite number above zero.
pub(crate) fn positive(name: &str, value: f64) -> Outcome<f64> {
    if value > 0.0 && value.is_finite() {
        return Ok(value);
    }
    Err(Undefined::BadArgument {
        name: name.into(),
        value,
        expected: "a finite number above 0".into(),
    })
}

/// The finite values, and how many were not: the explicit step before a method that refuses NaN.
pub fn keep_finite(xs: &[f64]) -> (Vec<f64>, Option<Dropped>) {
    let kept: Vec<f64> = xs.iter().copied().filter(|x| x.is_finite()).collect();
    let dropped = dropped(xs.len() - kept.len(), "not a finite number");
    (kept, dropped)
}

/// A note about left-out observations, unless there are none.
pub(crate) fn dropped(count: usize, why: &str) -> Option<Dropped> {
    (count > 0).then(|| Dropped {
        count,
        why: why.into(),
    })
}
