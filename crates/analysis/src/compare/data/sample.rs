//! The numbers that a method works on, after trials became units: two columns, in pairs or not, by task or not.

use crate::compare::data::rounding::alike;
use fairtrial_stats::two_arm::{Design, t_test};
use fairtrial_stats::{Level, Outcome, descriptive};

/// One value per unit and side.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stratum {
    pub(crate) control: Vec<f64>,
    pub(crate) candidate: Vec<f64>,
}

/// The values of both sides; more than one stratum where fixed tasks are averaged with equal weights.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sample {
    pub(crate) paired: bool,
    pub(crate) strata: Vec<Stratum>,
}

/// Spread and size as planning needs them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spread {
    /// Standard deviation of the differences (paired), or of one arm (unpaired).
    pub(crate) sd: f64,
    /// Pairs, or runs per arm; per task where tasks are averaged.
    pub(crate) n: f64,
}

impl Sample {
    pub(crate) fn design(&self) -> Design {
        if self.paired {
            Design::Paired
        } else {
            Design::Unpaired
        }
    }

    /// The two columns, where there is one stratum.
    pub(crate) fn flat(&self) -> Option<&Stratum> {
        match &self.strata[..] {
            [only] => Some(only),
            _ => None,
        }
    }

    /// Units of the control and of the candidate.
    pub(crate) fn sizes(&self) -> (usize, usize) {
        let size = |side: fn(&Stratum) -> &Vec<f64>| {
            self.strata.iter().map(|stratum| side(stratum).len()).sum()
        };
        (
            size(|stratum| &stratum.control),
            size(|stratum| &stratum.candidate),
        )
    }

    /// Whether both sides have a value.
    pub(crate) fn has_both(&self) -> bool {
        let (control, candidate) = self.sizes();
        control > 0 && candidate > 0
    }

    /// Whether every value of both sides is the same.
    pub(crate) fn is_constant(&self) -> bool {
        let all = |stratum: &Stratum| {
            let mut values = stratum.control.iter().chain(&stratum.candidate);
            let first = values.next();
            values.all(|value| first.is_none_or(|first| alike(*first, *value)))
        };
        self.strata.iter().all(all)
    }

    /// Whether the sides do not differ at all: pair by pair, or in any value where there are none.
    pub(crate) fn is_same(&self) -> bool {
        if self.paired {
            let same = |of: &Stratum| {
                let mut pairs = of.control.iter().zip(&of.candidate);
                pairs.all(|(control, candidate)| alike(*control, *candidate))
            };
            self.strata.iter().all(same)
        } else {
            self.is_constant()
        }
    }

    /// Differences candidate - control, task by task; only in a paired sample.
    pub(crate) fn differences(&self) -> Vec<Vec<f64>> {
        let of = |stratum: &Stratum| {
            let pairs = stratum.control.iter().zip(&stratum.candidate);
            pairs
                .map(|(control, candidate)| candidate - control)
                .collect()
        };
        self.strata.iter().map(of).collect()
    }

    /// Whether the difference is exactly the same in every unit of each task: pair by pair, or as both sides do not vary.
    pub(crate) fn has_one_difference(&self) -> bool {
        let same = |values: &[f64]| values.windows(2).all(|two| two[0] == two[1]);
        if self.paired {
            return self.differences().iter().all(|of| same(of));
        }
        let mut strata = self.strata.iter();
        strata.all(|of| same(&of.control) && same(&of.candidate))
    }

    /// The centre of one side, by a mean or a median in each task, tasks with equal weights.
    pub(crate) fn centre(
        &self,
        side: fn(&Stratum) -> &Vec<f64>,
        in_task: fn(&[f64]) -> Outcome<f64>,
    ) -> Option<f64> {
        let strata = self.strata.iter();
        let centres: Outcome<Vec<f64>> = strata.map(|stratum| in_task(side(stratum))).collect();
        descriptive::mean(&centres.ok()?).ok()
    }

    /// Whether every value is 0 or 1.
    pub(crate) fn is_binary(&self) -> bool {
        let all = self
            .strata
            .iter()
            .flat_map(|stratum| stratum.control.iter().chain(&stratum.candidate));
        all.into_iter().all(|value| *value == 0.0 || *value == 1.0)
    }

    /// The same without one unit: of both sides in a paired sample, else of the side that `place` falls on.
    pub(crate) fn without(&self, stratum: usize, place: usize) -> Self {
        let mut rest = self.clone();
        let of = &mut rest.strata[stratum];
        if self.paired {
            of.control.remove(place);
            of.candidate.remove(place);
        } else if place < of.control.len() {
            of.control.remove(place);
        } else {
            of.candidate.remove(place - of.control.len());
        }
        rest
    }

    /// What a pass/fail unit shows, for a place of [`Sample::places`]: the passes of both sides of a pair, or which side
    /// it is of and whether it passed.
    pub(crate) fn outcome(&self, stratum: usize, place: usize) -> (bool, bool) {
        let of = &self.strata[stratum];
        let passed = |value: &f64| *value == 1.0;
        match of.candidate.get(place) {
            Some(candidate) if self.paired => (passed(&of.control[place]), passed(candidate)),
            _ => match of.control.get(place) {
                Some(control) => (false, passed(control)),
                None => (true, passed(&of.candidate[place - of.control.len()])),
            },
        }
    }

    /// Every unit that can be left out: stratum and place for [`Sample::without`].
    pub(crate) fn places(&self) -> Vec<(usize, usize)> {
        let units = |stratum: &Stratum| {
            if self.paired {
                stratum.control.len()
            } else {
                stratum.control.len() + stratum.candidate.len()
            }
        };
        let numbered = self.strata.iter().enumerate();
        numbered
            .flat_map(|(stratum, of)| (0..units(of)).map(move |place| (stratum, place)))
            .collect()
    }

    /// What planning needs, where the sample varies.
    pub(crate) fn spread(&self) -> Option<Spread> {
        let of = |stratum: &Stratum| {
            let test = t_test(
                &stratum.control,
                &stratum.candidate,
                self.design(),
                Level::TWO_SIDED_95,
            )
            .ok()?;
            let (a, b) = (stratum.control.len() as f64, stratum.candidate.len() as f64);
            let n = if self.paired {
                a
            } else {
                2.0 / (1.0 / a + 1.0 / b)
            };
            let scale = if self.paired { n } else { n / 2.0 };
            Some((test.standard_error.powi(2) * scale, n))
        };
        let parts: Vec<(f64, f64)> = self.strata.iter().filter_map(of).collect();
        if parts.len() < self.strata.len() {
            return None;
        }
        let tasks = parts.len() as f64;
        // Tasks with equal weights: the variance of the mean of the task means, as that of one task.
        let variance = parts.iter().map(|(variance, _)| variance).sum::<f64>() / (tasks * tasks);
        let n = parts.iter().map(|(_, n)| n).sum::<f64>() / tasks;
        // The square of a very small or very large spread is no number.
        let usable = variance.is_normal();
        usable.then(|| Spread {
            sd: variance.sqrt(),
            n,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Sample, Stratum};

    fn sample(paired: bool) -> Sample {
        Sample {
            paired,
            strata: vec![Stratum {
                control: vec![1.0, 2.0, 3.0],
                candidate: vec![2.0, 4.0, 3.0],
            }],
        }
    }

    #[test]
    fn leaving_out_takes_both_sides_of_a_pair_and_one_of_the_rest() {
        assert_eq!(sample(true).places().len(), 3);
        assert_eq!(sample(true).without(0, 1).sizes(), (2, 2));
        assert_eq!(sample(false).places().len(), 6);
        assert_eq!(sample(false).without(0, 4).strata[0].candidate, [2.0, 3.0]);
    }

    #[test]
    fn the_spread_is_that_of_the_differences_or_of_one_arm() {
        let paired = sample(true).spread().unwrap();
        assert!((paired.sd - 1.0).abs() < 1e-12);
        assert_eq!(paired.n, 3.0);
        let unpaired = sample(false).spread().unwrap();
        assert!((unpaired.sd - 1.0).abs() < 1e-12);
    }
}
