//! One metric of one contrast, made ready: which kind of data it is, its units, its method, its rule.

use super::edges::Edges;
use super::family::Test;
use super::method::{Answer, Method, answer};
use super::sample::Sample;
use super::sides::{Row, SideRows};
use super::units::{TaskRole, UnitKind, UnitRules, Units};
use super::verdict::Rule;
use super::{Beyond, CompareOptions, Role};
use fairtrial_model::{Margin, MetricDeclaration, MetricSource, Reference};
use fairtrial_stats::{Level, Outcome};
use serde::Serialize;

/// The kind of data, which picks the method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DataKind {
    /// Every value is 0 or 1.
    Binary,
    /// A duration: compared by ratio, where all are above zero.
    Timing,
    /// Any other number.
    Scalar,
}

/// The scale that the verdict is made on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// Candidate minus control.
    Difference,
    /// Candidate over control.
    Ratio,
}

impl Scale {
    /// A mean of the units in the metric's own unit.
    pub(crate) fn in_own_unit(self, mean: f64) -> f64 {
        match self {
            Self::Difference => mean,
            Self::Ratio => mean.exp(),
        }
    }
}

/// Smallest change of a timing that matters where no margin is declared, as a share of the control.
const TIMING_THRESHOLD: f64 = 0.01;
/// From 2^53 on not every whole number can be kept; beyond 2^64 numbers are hardly meant to be whole.
const INEXACT: std::ops::Range<f64> = 9_007_199_254_740_992.0..1.844_674_407_370_955_2e19;
/// Units of time.
const TIME_UNITS: [&str; 14] = [
    "s", "sec", "secs", "second", "seconds", "ms", "us", "µs", "ns", "min", "mins", "minutes", "h",
    "hours",
];

/// A metric ready to be judged.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) declaration: MetricDeclaration,
    pub(crate) declared: bool,
    pub(crate) role: Role,
    pub(crate) kind: DataKind,
    pub(crate) scale: Scale,
    pub(crate) method: Method,
    pub(crate) units: Units,
    pub(crate) sample: Sample,
    pub(crate) rows: SideRows,
    /// Whether values are scores between reference points.
    pub(crate) normalised: bool,
    /// Why the method that was asked for is not the one that is used.
    pub(crate) note: Option<String>,
    pub(crate) beyond: Beyond,
}

/// A metric as the comparison sees it.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) declaration: MetricDeclaration,
    pub(crate) declared: bool,
    pub(crate) role: Role,
    /// The kind of all its values, where these are a part of them; else they tell.
    pub(crate) kind: Option<DataKind>,
    /// The points that values are put between, where [`super::scores::between_points`] found that they can be.
    pub(crate) between: Option<Reference>,
}

impl Case {
    pub(crate) fn new(rows: SideRows, asked: &Asked, options: &CompareOptions) -> Self {
        let declaration = asked.declaration.clone();
        let rows = match &asked.between {
            Some(reference) => rows.between(reference),
            None => rows,
        };
        let kind = (asked.kind).unwrap_or_else(|| match data_kind(&rows, &declaration) {
            DataKind::Timing if asked.between.is_some() => DataKind::Scalar,
            kind => kind,
        });
        let positive = finite(&rows).all(|value| value > 0.0);
        let wants_ratio = match options.method {
            Method::Auto => kind == DataKind::Timing,
            method => method == Method::LogRatio,
        };
        let scale = if wants_ratio && positive {
            Scale::Ratio
        } else {
            Scale::Difference
        };
        let strata_fit = matches!(
            options.method,
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
        let units = Units::form(&rows, rules);
        let sample = units.sample();
        let method = match options.method {
            Method::Auto if kind == DataKind::Binary && sample.is_binary() => Method::Proportion,
            Method::Auto if scale == Scale::Ratio => Method::LogRatio,
            Method::Proportion if !sample.is_binary() => Method::T,
            Method::LogRatio if scale == Scale::Difference => Method::T,
            Method::Auto => Method::T,
            asked => asked,
        };
        let changed = options.method != Method::Auto && method != options.method;
        let unneeded = kind == DataKind::Binary && declaration.reference.is_some();
        let note = match options.method {
            Method::Auto | Method::LogRatio if wants_ratio && scale == Scale::Difference => {
                Some("a ratio needs values above 0, so the difference is compared")
            }
            _ if changed => Some("the units are not all 0 or 1, so their means are compared by t"),
            _ if !strata_fit
                && options.tasks == TaskRole::Fixed
                && units.kind == UnitKind::Task =>
            {
                Some("it cannot average fixed tasks, so each of them is one observation")
            }
            _ if unneeded => Some("pass and fail are on one scale without reference points"),
            _ => None,
        };
        Self {
            declaration,
            declared: asked.declared,
            role: asked.role,
            kind,
            scale,
            method,
            units,
            sample,
            rows,
            normalised: asked.between.is_some(),
            note: note.map(str::to_owned),
            beyond: options.beyond,
        }
    }

    /// What the method says about a sample at a level.
    pub(crate) fn answer(&self, sample: &Sample, alpha: f64) -> Outcome<Answer> {
        let mut found = answer(sample, self.method, Level::two_sided(alpha))?;
        if self.kind == DataKind::Binary && self.scale == Scale::Difference {
            found.interval.low = found.interval.low.max(-1.0);
            found.interval.high = found.interval.high.min(1.0);
        }
        Ok(found)
    }

    /// What the family has to know about it.
    pub(crate) fn test(&self, alpha: f64) -> Test {
        match self.answer(&self.sample, alpha) {
            Ok(answer) if self.rule().margin.is_some() => Test::Interval(answer.p),
            Ok(answer) => answer.p.map_or(Test::Interval(None), Test::P),
            Err(_) => Test::None,
        }
    }

    /// The p value, where the method has one.
    pub(crate) fn p(&self, alpha: f64) -> Option<f64> {
        self.answer(&self.sample, alpha).ok()?.p
    }

    /// The mean of the control's units, on the metric's own scale.
    pub(crate) fn control_mean(&self) -> Option<f64> {
        self.own_scale(self.sample.mean(|stratum| &stratum.control))
    }

    /// The same of the candidate.
    pub(crate) fn candidate_mean(&self) -> Option<f64> {
        self.own_scale(self.sample.mean(|stratum| &stratum.candidate))
    }

    fn own_scale(&self, mean: Option<f64>) -> Option<f64> {
        mean.map(|mean| self.scale.in_own_unit(mean))
    }

    /// What the interval is held against.
    pub(crate) fn rule(&self) -> Rule {
        let base = self.control_mean().map_or(0.0, f64::abs);
        let timing = self.kind == DataKind::Timing;
        rule_for(&self.declaration, (self.scale, timing), base, self.beyond)
    }

    /// Smallest and largest value that any trial of either side reported in each task, on the scale of the sample.
    pub(crate) fn extremes(&self) -> Vec<Option<(f64, f64)>> {
        let scaled = |value: f64| {
            if self.scale == Scale::Ratio {
                value.ln()
            } else {
                value
            }
        };
        let tasks = self.rows.task_names.len();
        if self.kind == DataKind::Binary {
            return vec![Some((0.0, 1.0)); tasks];
        }
        let mut found: Vec<Option<(f64, f64)>> = vec![None; tasks];
        // Who failed on the way to a threshold would have taken at least as long as the longest of the others ran.
        let open = self.declaration.counts_steps() && self.rows.not_reached() == [0, 0];
        for row in self.rows.control.iter().chain(&self.rows.candidate) {
            let ran = row.steps.filter(|_| open).map(|[_, last]| last);
            for value in row
                .value
                .into_iter()
                .chain(ran)
                .filter(|value| value.is_finite())
                .map(scaled)
            {
                let (least, most) = found[row.task as usize].get_or_insert((value, value));
                (*least, *most) = (least.min(value), most.max(value));
            }
        }
        found
    }

    /// Whether there are values that only whole numbers have (a count, an id, nanoseconds) and that are too large to keep
    /// all their digits.
    pub(crate) fn has_rounded(&self) -> bool {
        finite(&self.rows).any(|value| INEXACT.contains(&value.abs()))
    }

    /// Whether there are values, and all are above zero.
    pub(crate) fn is_positive(&self) -> bool {
        finite(&self.rows).next().is_some() && finite(&self.rows).all(|value| value > 0.0)
    }
}

/// What an interval of this metric is held against, where the control's mean is `base`.
pub(crate) fn rule_for(
    declaration: &MetricDeclaration,
    (scale, timing): (Scale, bool),
    base: f64,
    beyond: Beyond,
) -> Rule {
    let by_kind = timing.then_some(Margin::Relative(TIMING_THRESHOLD));
    let margin = match (declaration.margin.or(by_kind), scale) {
        (Some(Margin::Absolute(size)), Scale::Difference) => Edges::of_difference(size),
        (Some(Margin::Relative(share)), Scale::Difference) => Edges::of_difference(share * base),
        (Some(Margin::Relative(share)), Scale::Ratio) => Edges::of_ratio(share),
        (Some(Margin::Absolute(size)), Scale::Ratio) => Edges::of_ratio(size / base),
        (None, _) => None,
    };
    Rule {
        direction: declaration.direction,
        margin,
        beyond_margin: margin.is_some() && (beyond == Beyond::Margin || timing),
    }
}

fn finite(rows: &SideRows) -> impl Iterator<Item = f64> + '_ {
    let all = rows.control.iter().chain(&rows.candidate);
    all.filter_map(|row: &Row| row.value)
        .filter(|value| value.is_finite())
}

fn data_kind(rows: &SideRows, declaration: &MetricDeclaration) -> DataKind {
    let binary = finite(rows).all(|value| value == 0.0 || value == 1.0);
    if is_timing(declaration) {
        // Also where a clock too coarse for the work gives zeros, which are no failures.
        DataKind::Timing
    } else if binary && may_be_pass_or_fail(declaration) && finite(rows).next().is_some() {
        DataKind::Binary
    } else {
        DataKind::Scalar
    }
}

/// Times and numbers of steps are never meant as pass or fail, whatever values they happen to have.
pub(crate) fn may_be_pass_or_fail(declaration: &MetricDeclaration) -> bool {
    !is_timing(declaration) && !declaration.counts_steps()
}

/// A duration by its source, its unit or, where neither is declared, the ending that durations have.
pub(crate) fn is_timing(declaration: &MetricDeclaration) -> bool {
    let by_source = match &declaration.source {
        MetricSource::Resource { field } => field != "peak_memory",
        _ => false,
    };
    let by_unit = declaration
        .unit
        .as_deref()
        .map(|unit| TIME_UNITS.contains(&unit));
    by_source || by_unit.unwrap_or_else(|| declaration.name.ends_with("duration_s"))
}
