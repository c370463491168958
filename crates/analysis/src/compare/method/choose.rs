//! One metric of one contrast, made ready: which kind of data it is, its units, its method, its rule.

use crate::compare::data::sample::{Sample, Stratum};
use crate::compare::data::trials::TrialsOfBoth;
use crate::compare::data::unit::{TaskRole, UnitKind, UnitRules};
use crate::compare::data::units::Units;
use crate::compare::method::answer::Answer;
use crate::compare::method::exact;
use crate::compare::method::family::Test;
use crate::compare::method::interval::answer;
use crate::compare::method::kind::{DataKind, Scale, is_timing, may_be_pass_or_fail};
use crate::compare::options::{Beyond, CompareOptions, Role};
use crate::compare::question::MetricQuestion;
use crate::compare::rule::{Rule, RuleFor};
use crate::compare::verdict::Evidence;
use fairtrial_model::{Method, MetricDeclaration};
use fairtrial_stats::permutation::patterns;
use fairtrial_stats::{Level, Outcome, descriptive};
use serde::Serialize;

/// Pairs from which on the sign-flip test decides. Below, t has the larger power (17 points at six pairs, half a point at
/// ten), and above, it has none and is less safe.
pub(crate) const SIGN_FLIP_PAIRS: usize = 10;
/// Sign patterns that a test must be able to leave beyond it on each side, so that the steps of its p value do not matter.
const LEAST_BEYOND: f64 = 8.0;

/// A metric ready to be judged.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) declaration: MetricDeclaration,
    pub(crate) declared: bool,
    pub(crate) role: Role,
    pub(crate) kind: DataKind,
    pub(crate) scale: Scale,
    pub(crate) method: Method,
    /// Whether the method was left to the data.
    automatic: bool,
    pub(crate) units: Units,
    pub(crate) sample: Sample,
    pub(crate) trials: TrialsOfBoth,
    /// Whether values are scores between reference points.
    pub(crate) normalised: bool,
    pub(crate) note: Option<MethodNote>,
    pub(crate) beyond: Beyond,
}

/// Why the method is not the one that a reader expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MethodNote {
    /// A ratio needs values above 0, so the difference is compared.
    NoRatio,
    /// The units are no pairs whose signs could be flipped, so their means are compared by t.
    NotPaired,
    /// The units are not all 0 or 1, so their means are compared by t.
    NotPassOrFail,
    /// The method cannot average fixed tasks, so each of them is one observation.
    TasksAsUnits,
    /// Pass and fail are on one scale without reference points.
    NoPointsNeeded,
}

impl Case {
    pub(crate) fn new(
        trials: TrialsOfBoth,
        question: &MetricQuestion,
        options: &CompareOptions,
    ) -> Self {
        let declaration = question.declaration.clone();
        let trials = match &question.between {
            Some(reference) => trials.between(reference),
            None => trials,
        };
        let kind = (question.kind).unwrap_or_else(|| match data_kind(&trials, &declaration) {
            DataKind::Timing if question.between.is_some() => DataKind::Scalar,
            kind => kind,
        });
        let positive = trials.finite().all(|value| value > 0.0);
        let asked = options.method.or(declaration.method).unwrap_or_default();
        let wants_ratio = match asked {
            Method::Auto | Method::Rank => kind == DataKind::Timing,
            method => method == Method::LogRatio,
        };
        let scale = if wants_ratio && positive {
            Scale::Ratio
        } else {
            Scale::Difference
        };
        let strata_fit = matches!(
            asked,
            Method::Auto | Method::T | Method::LogRatio | Method::Proportion
        );
        let rules = UnitRules {
            pairing: options.pairing,
            tasks: if strata_fit {
                options.tasks
            } else {
                TaskRole::Random
            },
            binary: kind == DataKind::Binary,
            logarithms: scale == Scale::Ratio,
        };
        let units = Units::form(&trials, rules);
        let sample = units.sample();
        let method = match asked {
            Method::Auto if kind == DataKind::Binary && sample.is_binary() => Method::Proportion,
            Method::Auto if scale == Scale::Ratio => Method::LogRatio,
            Method::Proportion if !sample.is_binary() => Method::T,
            Method::LogRatio if scale == Scale::Difference => Method::T,
            Method::SignFlip if !sample.paired => Method::T,
            Method::Auto => Method::T,
            asked => asked,
        };
        let changed = asked != Method::Auto && method != asked;
        let unneeded = kind == DataKind::Binary && declaration.reference.is_some();
        let note = match asked {
            Method::SignFlip if changed => Some(MethodNote::NotPaired),
            Method::Auto | Method::LogRatio | Method::Rank
                if wants_ratio && scale == Scale::Difference =>
            {
                Some(MethodNote::NoRatio)
            }
            _ if changed => Some(MethodNote::NotPassOrFail),
            _ if !strata_fit
                && options.tasks == TaskRole::Fixed
                && units.kind == UnitKind::Task =>
            {
                Some(MethodNote::TasksAsUnits)
            }
            _ if unneeded => Some(MethodNote::NoPointsNeeded),
            _ => None,
        };
        Self {
            declaration,
            declared: question.declared,
            role: question.role,
            kind,
            scale,
            method,
            automatic: asked == Method::Auto,
            units,
            sample,
            trials,
            normalised: question.between.is_some(),
            note,
            beyond: options.beyond,
        }
    }

    /// The same as one of several tests that share `alpha`: pairs go by sign-flips where there are enough of them for the
    /// level that the strictest of the tests has to hold. Which method it is hangs on numbers of units alone.
    #[must_use]
    pub(crate) fn among(mut self, tests: usize, alpha: f64) -> Self {
        let pairs = self.sample.sizes().0;
        let beyond = 0.5 * alpha / tests.max(1) as f64 * patterns(pairs) as f64;
        let fits = self.sample.paired
            && self.sample.flat().is_some()
            && pairs >= SIGN_FLIP_PAIRS
            && beyond >= LEAST_BEYOND;
        if self.automatic && fits && matches!(self.method, Method::T | Method::LogRatio) {
            self.method = Method::SignFlip;
        }
        self
    }

    /// Whether the difference is exact: the metric is declared deterministic, and the units bear it out.
    pub(crate) fn is_exact(&self) -> bool {
        self.declaration.deterministic && exact::constant_by_task(&self.sample).is_some()
    }

    /// What the method says about a sample at a level.
    pub(crate) fn answer(&self, sample: &Sample, alpha: f64) -> Outcome<Answer> {
        let level = Level::two_sided(alpha);
        if self.declaration.deterministic
            && let Some(found) = exact::of_deterministic(sample, level)
        {
            return Ok(found);
        }
        let mut found = answer(sample, self.method, level)?;
        if self.kind == DataKind::Binary && self.scale == Scale::Difference {
            found.interval.low = found.interval.low.max(-1.0);
            found.interval.high = found.interval.high.min(1.0);
        }
        Ok(found)
    }

    /// An answer of which only the estimate is wanted: the sign-flip test is about the same mean as t, and costs more.
    pub(crate) fn estimated(&self, sample: &Sample, alpha: f64) -> Outcome<Answer> {
        if self.method == Method::SignFlip && !self.declaration.deterministic {
            return answer(sample, Method::T, Level::two_sided(alpha));
        }
        self.answer(sample, alpha)
    }

    /// The same as evidence: what there is to judge.
    pub(crate) fn evidence(&self, answered: &Outcome<Answer>) -> Evidence {
        match answered {
            // Rates have an interval and a p value even then.
            Ok(_) if self.sample.is_same() => Evidence::Same,
            Ok(answer) => answer.evidence(),
            Err(_) if self.sample.is_same() && self.sample.has_both() => Evidence::Same,
            Err(_) => Evidence::Nothing,
        }
    }

    /// What the family has to know about it.
    pub(crate) fn test(&self, alpha: f64) -> Test {
        match self.answer(&self.sample, alpha) {
            // Nothing is left to chance.
            Ok(_) if self.is_exact() => Test::None,
            Ok(answer) if self.rule().margin.is_some() => Test::Interval(answer.p),
            Ok(answer) => answer.p.map_or(Test::Interval(None), Test::P),
            Err(_) => Test::None,
        }
    }

    /// The p value, where the method has one.
    pub(crate) fn p(&self, alpha: f64) -> Option<f64> {
        self.answer(&self.sample, alpha).ok()?.p
    }

    /// The mean of the control's units, on the metric's own scale; their median where ranks decide, which know no mean.
    pub(crate) fn control_centre(&self) -> Option<f64> {
        self.centre(|stratum| &stratum.control)
    }

    /// The same of the candidate.
    pub(crate) fn candidate_centre(&self) -> Option<f64> {
        self.centre(|stratum| &stratum.candidate)
    }

    fn centre(&self, side: fn(&Stratum) -> &Vec<f64>) -> Option<f64> {
        let centre = self.sample.centre(side, self.in_task())?;
        Some(self.scale.in_own_unit(centre))
    }

    /// What the centre of a task's units is.
    pub(crate) fn in_task(&self) -> fn(&[f64]) -> Outcome<f64> {
        match self.method {
            Method::Rank => descriptive::median,
            _ => descriptive::mean,
        }
    }

    /// What the interval is held against.
    pub(crate) fn rule(&self) -> Rule {
        Rule::new(RuleFor {
            declaration: &self.declaration,
            scale: self.scale,
            timing: self.kind == DataKind::Timing,
            base: self.control_centre().map_or(0.0, f64::abs),
            beyond: self.beyond,
        })
    }

    /// Smallest and largest value that any trial of either side reported in each task, on the scale of the sample.
    pub(crate) fn extremes(&self) -> Vec<Option<(f64, f64)>> {
        let scaled = |value: f64| match self.scale {
            Scale::Ratio => value.ln(),
            Scale::Difference => value,
        };
        let tasks = self.trials.task_names.len();
        if self.kind == DataKind::Binary {
            return vec![Some((0.0, 1.0)); tasks];
        }
        let mut found: Vec<Option<(f64, f64)>> = vec![None; tasks];
        // Who failed on the way to a threshold would have taken at least as long as the longest of the others ran.
        let open = self.declaration.counts_steps() && self.trials.not_reached() == [0, 0];
        for trial in self.trials.all() {
            let ran = trial.steps.filter(|_| open).map(|[_, last]| last);
            let values = trial.value.into_iter().chain(ran);
            for value in values.filter(|value| value.is_finite()).map(scaled) {
                let (least, most) = found[trial.task as usize].get_or_insert((value, value));
                (*least, *most) = (least.min(value), most.max(value));
            }
        }
        found
    }

    /// Whether there are values, and all are above zero.
    pub(crate) fn is_positive(&self) -> bool {
        self.trials.finite().next().is_some() && self.trials.finite().all(|value| value > 0.0)
    }
}

/// The kind of the values of both sides.
fn data_kind(trials: &TrialsOfBoth, declaration: &MetricDeclaration) -> DataKind {
    let binary = trials.finite().all(|value| value == 0.0 || value == 1.0);
    if is_timing(declaration) {
        // Also where a clock too coarse for the work gives zeros, which are no failures.
        DataKind::Timing
    } else if binary && may_be_pass_or_fail(declaration) && trials.finite().next().is_some() {
        DataKind::Binary
    } else {
        DataKind::Scalar
    }
}
