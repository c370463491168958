//! The comparison that people post: per experiment and metric, baseline, proposed, difference, and one mark.
//!
//! With [`MarkRule::Exact`] the mark is the sign of the difference, as such tables were always made. With
//! [`MarkRule::Noise`] a change counts only where the evidence shows that it is more than noise; the line says where the
//! noise came from.

use super::compared::compare_all;
use super::evidence::Noise;
use super::post_line::{MarkRule, PostLine, PostOptions, is_count};
use crate::compare::result::MetricComparison;
use crate::compare::word::Word;
use crate::error::AnalysisError;
use fairtrial_model::{Direction, Margin};
use fairtrial_text::digits::Digits;
use serde::Serialize;

/// What a line ends in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// Better.
    Better,
    /// Worse.
    Worse,
    /// The same.
    Equal,
    /// Different, and no direction says which is better.
    Changed,
    /// Not shown to be more than noise.
    Noise,
    /// Different, and nothing says how much noise there is.
    Unknown,
    /// A side has no number.
    Missing,
}

impl Mark {
    /// The glyph that is posted.
    pub const fn glyph(self) -> &'static str {
        match self {
            Self::Better => "✅",
            Self::Worse => "❌",
            Self::Equal => "⬜",
            Self::Changed => "≠",
            Self::Noise => "ns",
            Self::Unknown => "?",
            Self::Missing => "—",
        }
    }
}

/// Why a line has its mark.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum MarkReason {
    /// A side has no number.
    NoNumber,
    /// Both numbers are the same.
    Same,
    /// Any difference counts.
    AnyDifference,
    /// A count has no noise.
    Count,
    /// The comparison behind it says so.
    Compared,
    /// The noise is not known.
    NoiseUnknown,
    /// The difference lies beyond the declared margin.
    BeyondMargin {
        /// The margin as it is declared.
        margin: Margin,
    },
    /// The difference lies within the declared margin.
    WithinMargin {
        /// The margin as it is declared.
        margin: Margin,
        /// Whether it does so only when what the column rounds away is counted.
        rounding: bool,
    },
}

/// A judged line.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PostedLine {
    /// The experiment.
    pub experiment: String,
    /// The column.
    pub column: String,
    /// The metric.
    pub metric: String,
    /// Unit for display.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Digits for display.
    #[serde(flatten)]
    pub digits: Digits,
    /// The number to beat, as precisely as it is known.
    pub baseline: Option<f64>,
    /// The new number.
    pub proposed: Option<f64>,
    /// Proposed minus baseline.
    pub delta: Option<f64>,
    /// The mark.
    pub mark: Mark,
    /// Where the noise came from; absent where nothing had to be told from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noise: Option<Noise>,
    /// Why it has this mark.
    pub reason: MarkReason,
    /// The comparison behind it, where one was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Box<MetricComparison>>,
}

/// All lines.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Posted {
    /// The rule.
    pub rule: MarkRule,
    /// Two-sided error rate.
    pub alpha: f64,
    /// The lines, in the order that was given.
    pub lines: Vec<PostedLine>,
}

/// Judges the lines.
pub fn post(lines: &[PostLine], options: &PostOptions) -> Result<Posted, AnalysisError> {
    let compared = match options.rule {
        MarkRule::Exact => Vec::new(),
        MarkRule::Noise => compare_all(lines, options)?,
    };
    let judged = lines.iter().enumerate().map(|(place, line)| {
        let found = compared.iter().find(|(of, ..)| *of == place);
        judge(
            line,
            options.rule,
            found.map(|(_, kind, metric)| (*kind, metric)),
        )
    });
    Ok(Posted {
        rule: options.rule,
        alpha: options.alpha,
        lines: judged.collect(),
    })
}

impl PostLine {
    /// By how much rounding can have moved the difference, half a digit on each side. Without repetitions, what the
    /// column does not show is no news either, so it counts for numbers that are known in full too.
    fn blur(&self) -> f64 {
        let sides = [self.baseline.value, self.proposed.value];
        let sizes = sides.into_iter().flatten().map(f64::abs);
        self.digits.last(sizes.fold(0.0, f64::max))
    }

    fn mark(&self, delta: f64) -> Mark {
        let up = delta > 0.0;
        match self.metric.direction {
            None => Mark::Changed,
            Some(Direction::Up) if up => Mark::Better,
            Some(Direction::Down) if !up => Mark::Better,
            Some(_) => Mark::Worse,
        }
    }
}

/// What a line came to.
struct Judged {
    mark: Mark,
    noise: Option<Noise>,
    reason: MarkReason,
}

fn judge(line: &PostLine, rule: MarkRule, found: Option<(Noise, &MetricComparison)>) -> PostedLine {
    let Judged {
        mark,
        noise,
        reason,
    } = judged(line, rule, found);
    PostedLine {
        experiment: line.experiment.clone(),
        column: line.title.clone(),
        metric: line.metric.name.clone(),
        unit: line.metric.unit.clone(),
        digits: line.digits,
        baseline: line.baseline.value,
        proposed: line.proposed.value,
        delta: line.delta(),
        mark,
        noise,
        reason,
        comparison: found.map(|(_, metric)| Box::new(metric.clone())),
    }
}

fn judged(line: &PostLine, rule: MarkRule, found: Option<(Noise, &MetricComparison)>) -> Judged {
    let plain = |mark, reason: MarkReason| Judged {
        mark,
        noise: None,
        reason,
    };
    let Some(delta) = line.delta() else {
        return plain(Mark::Missing, MarkReason::NoNumber);
    };
    if line.is_equal() {
        return plain(Mark::Equal, MarkReason::Same);
    }
    if rule == MarkRule::Exact {
        return plain(line.mark(delta), MarkReason::AnyDifference);
    }
    if is_count(&line.metric) {
        return Judged {
            noise: Some(Noise::Exact),
            ..plain(line.mark(delta), MarkReason::Count)
        };
    }
    if let Some((kind, metric)) = found {
        return by_verdict(line, delta, (kind, metric));
    }
    by_margin(line, delta)
}

fn by_verdict(line: &PostLine, delta: f64, (kind, metric): (Noise, &MetricComparison)) -> Judged {
    let mark = match metric.verdict.word {
        Word::Improved => Mark::Better,
        Word::Regressed => Mark::Worse,
        // Nothing was judged, so nothing was found to be within noise.
        Word::Insufficient => Mark::Unknown,
        _ => Mark::Noise,
    };
    // A difference beyond noise has no better side where no direction is declared.
    let beyond = metric.direction.is_none()
        && metric
            .effect
            .as_ref()
            .is_some_and(|effect| effect.absolute.low > 0.0 || effect.absolute.high < 0.0);
    Judged {
        mark: if beyond { line.mark(delta) } else { mark },
        noise: Some(kind),
        reason: MarkReason::Compared,
    }
}

/// Without repetitions, a declared margin tells what matters; rounding may have moved the difference too.
fn by_margin(line: &PostLine, delta: f64) -> Judged {
    let base = line.baseline.value.unwrap_or(0.0).abs();
    let Some(margin) = line.metric.margin else {
        return Judged {
            mark: Mark::Unknown,
            noise: Some(Noise::Unknown),
            reason: MarkReason::NoiseUnknown,
        };
    };
    let size = match margin {
        Margin::Absolute(size) => size,
        Margin::Relative(share) => share * base,
    };
    let certain = delta.abs() - line.blur();
    let (mark, reason) = if certain > size {
        (line.mark(delta), MarkReason::BeyondMargin { margin })
    } else {
        let rounding = delta.abs() > size;
        (Mark::Noise, MarkReason::WithinMargin { margin, rounding })
    };
    Judged {
        mark,
        noise: Some(Noise::Margin),
        reason,
    }
}
