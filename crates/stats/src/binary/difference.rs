//! Intervals for the difference of two independent proportions.

use serde::Serialize;

use crate::dist::{increasing_root, normal};
use crate::one_arm::{Proportion, ProportionMethod, proportion_interval};
use crate::{Explain, Interval, Level, Outcome};
use fairtrial_text::significant::short;

/// How the interval is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum DifferenceMethod {
    /// Newcombe (1998): joins the two Wilson intervals; the default.
    #[default]
    Newcombe,
    /// Agresti and Caffo (2000): Wald after adding one success and one failure to each arm.
    AgrestiCaffo,
    /// Miettinen and Nurminen (1985): inverts the score test.
    Score,
}

impl DifferenceMethod {
    /// The name a report shows.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Newcombe => "Newcombe interval",
            Self::AgrestiCaffo => "Agresti-Caffo interval",
            Self::Score => "Miettinen-Nurminen score interval",
        }
    }
}

/// The difference of two independent proportions with its interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProportionDifference {
    /// What was computed.
    pub method: DifferenceMethod,
    /// The control's counts.
    pub control: Proportion,
    /// The candidate's counts.
    pub candidate: Proportion,
    /// Share of the candidate minus share of the control.
    pub estimate: f64,
    /// The interval, inside [-1, 1].
    pub interval: Interval,
}

/// The difference of two independent pass rates, candidate - control.
pub fn proportion_difference(
    control: Proportion,
    candidate: Proportion,
    method: DifferenceMethod,
    level: Level,
) -> Outcome<ProportionDifference> {
    let level = level.checked()?;
    let arms = Arms {
        control: control.checked("control")?,
        candidate: candidate.checked("candidate")?,
    };
    let low = level
        .lower_tail()
        .map_or(Ok(-1.0), |tail| arms.lower_end(method, tail))?;
    // The upper end is the mirror image: the lower end with the arms exchanged.
    let swapped = Arms {
        control: arms.candidate,
        candidate: arms.control,
    };
    let high = level
        .upper_tail()
        .map_or(Ok(1.0), |tail| swapped.lower_end(method, tail).map(|x| -x))?;
    Ok(ProportionDifference {
        method,
        control,
        candidate,
        estimate: arms.difference(),
        interval: Interval {
            low: low.clamp(-1.0, 1.0),
            high: high.clamp(-1.0, 1.0),
            level,
        },
    })
}

struct Arms {
    control: Proportion,
    candidate: Proportion,
}

impl Arms {
    fn difference(&self) -> f64 {
        self.candidate.share() - self.control.share()
    }

    fn lower_end(&self, method: DifferenceMethod, tail: f64) -> Outcome<f64> {
        match method {
            DifferenceMethod::Newcombe => self.newcombe(tail),
            DifferenceMethod::AgrestiCaffo => Ok(self.agresti_caffo(tail)),
            DifferenceMethod::Score => Ok(self.score_end(tail)),
        }
    }

    fn newcombe(&self, tail: f64) -> Outcome<f64> {
        let level = Level::two_sided(2.0 * tail.min(0.499_999));
        let wilson =
            |p| proportion_interval(p, ProportionMethod::Wilson, level).map(|w| w.interval);
        let down = self.candidate.share() - wilson(self.candidate)?.low;
        let up = wilson(self.control)?.high - self.control.share();
        Ok(self.difference() - down.hypot(up))
    }

    fn agresti_caffo(&self, tail: f64) -> f64 {
        let adjusted = |p: Proportion| (p.successes as f64 + 1.0, p.trials as f64 + 2.0);
        let ((ka, na), (kb, nb)) = (adjusted(self.control), adjusted(self.candidate));
        let (a, b) = (ka / na, kb / nb);
        b - a - normal::inverse_sf(tail) * (a * (1.0 - a) / na + b * (1.0 - b) / nb).sqrt()
    }

    fn score_end(&self, tail: f64) -> f64 {
        let z = normal::inverse_sf(tail);
        if self.control.successes == self.control.trials && self.candidate.successes == 0 {
            return -1.0;
        }
        increasing_root(-1.0, self.difference(), |delta| {
            (z - self.score(delta), f64::NAN)
        })
    }

    /// The score statistic at a hypothetical difference, with the n / (n - 1) correction.
    fn score(&self, delta: f64) -> f64 {
        let [k0, n0] = [self.control.successes, self.control.trials].map(|x| x as f64);
        let [k1, n1] = [self.candidate.successes, self.candidate.trials].map(|x| x as f64);
        let p0 = constrained_share((k0, n0), (k1, n1), delta);
        let p1 = (p0 + delta).clamp(0.0, 1.0);
        let n = n0 + n1;
        let variance = (p1 * (1.0 - p1) / n1 + p0 * (1.0 - p0) / n0) * n / (n - 1.0);
        (self.difference() - delta) / variance.sqrt()
    }
}

/// The control's most likely share when the candidate's is larger by `delta`: a cubic's middle root.
fn constrained_share((k0, n0): (f64, f64), (k1, n1): (f64, f64), delta: f64) -> f64 {
    let (n, k) = (n0 + n1, k0 + k1);
    let l2 = (n1 + 2.0 * n0) * delta - n - k;
    // statsmodels 0.15 has k0 instead of n0 in front of this delta; then it is not the most likely share.
    let l1 = (n0 * delta - n - 2.0 * k0) * delta + k;
    let l0 = k0 * delta * (1.0 - delta);
    let third = l2 / (3.0 * n);
    let q = third.powi(3) - l1 * l2 / (6.0 * n * n) + l0 / (2.0 * n);
    let p = (third * third - l1 / (3.0 * n)).max(0.0).sqrt().copysign(q);
    let angle = if p == 0.0 {
        0.0
    } else {
        (q / p.powi(3)).clamp(-1.0, 1.0)
    };
    let a = (std::f64::consts::PI + angle.acos()) / 3.0;
    (2.0 * p * a.cos() - third).clamp((-delta).max(0.0), (1.0 - delta).min(1.0))
}

impl Explain for ProportionDifference {
    fn reading(&self) -> String {
        format!(
            "The candidate passes {} of {}, the control {} of {}: {} percentage points {} ({}; {}).",
            self.candidate.successes,
            self.candidate.trials,
            self.control.successes,
            self.control.trials,
            short(100.0 * self.estimate.abs()),
            if self.estimate < 0.0 { "less" } else { "more" },
            self.interval.map(|x| 100.0 * x).words(),
            self.method.name()
        )
    }
}
