//! One root finder for every inverse distribution function.

/// The root of an increasing function in `[lo, hi]`; `f` gives value and slope, NaN for a slope that is not known.
///
/// Newton steps (secant steps without a slope), replaced by bisection whenever a step leaves the bracket or does not
/// halve in time, so that the search ends for any monotone function. Outside values are clamped to the nearer end.
pub(crate) fn increasing_root(lo: f64, hi: f64, f: impl Fn(f64) -> (f64, f64)) -> f64 {
    increasing_root_from(0.5 * (lo + hi), lo, hi, f)
}

/// The same from a first guess inside the bracket.
pub(super) fn increasing_root_from(
    start: f64,
    lo: f64,
    hi: f64,
    f: impl Fn(f64) -> (f64, f64),
) -> f64 {
    let (mut lo, mut hi) = (lo, hi);
    let mut x = start.clamp(lo, hi);
    let mut last_step = hi - lo;
    let mut before = (f64::NAN, f64::NAN);
    for _ in 0..400 {
        let (value, slope) = f(x);
        if value == 0.0 {
            return x;
        }
        if value > 0.0 {
            hi = x;
        } else {
            // A NaN value (both tails underflowed) also lands here and moves on towards the middle.
            lo = x;
        }
        let slope = if slope.is_nan() {
            (value - before.1) / (x - before.0)
        } else {
            slope
        };
        before = (x, value);
        let newton = x - value / slope;
        let good = newton > lo && newton < hi && (newton - x).abs() < 0.5 * last_step.abs();
        let next = if good { newton } else { 0.5 * (lo + hi) };
        last_step = next - x;
        if last_step.abs() <= 1e-16 * x.abs() || hi - lo <= f64::EPSILON * x.abs() {
            return next;
        }
        x = next;
    }
    x
}
