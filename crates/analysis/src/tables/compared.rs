//! Lines of a posted comparison that noise could explain, compared column by column: all experiments of a column are one
//! family, whatever each of them has for evidence.

use super::evidence::{Collector, Noise, Which, kinds};
use super::post_line::{PostLine, PostOptions, is_count};
use crate::compare::comparison::compare;
use crate::compare::data::side::Inputs;
use crate::compare::options::CompareOptions;
use crate::compare::result::Comparison;
use crate::compare::result::MetricComparison;
use crate::compare::word::Word;
use crate::error::AnalysisError;
use fairtrial_model::{Margin, MetricDeclaration, MetricSource};

/// A line by its place, what it was judged by, and what came out.
pub(super) type Compared = (usize, Noise, MetricComparison);

/// A line that has no answer yet, with the evidence that is left to try, the best first.
type Open = (usize, Vec<Noise>);

/// One comparison per metric, over all experiments that have evidence; what its best evidence cannot decide is tried
/// with the next.
pub(super) fn compare_all(
    lines: &[PostLine],
    options: &PostOptions,
) -> Result<Vec<Compared>, AnalysisError> {
    let mut titles: Vec<&str> = lines.iter().map(|line| line.title.as_str()).collect();
    titles.sort_unstable();
    titles.dedup();
    let mut found = Vec::new();
    for title in titles {
        let mut open: Vec<Open> = lines
            .iter()
            .enumerate()
            .filter(|(_, line)| line.title == title && needs_noise(line))
            .map(|(place, line)| (place, evidence_of(line)))
            .filter(|(_, kinds)| !kinds.is_empty())
            .collect();
        while !open.is_empty() {
            let family = Family::compare(lines, &open, options)?;
            let mut left = Vec::new();
            for (place, mut kinds) in open {
                let kind = kinds.remove(0);
                match family.of(&lines[place], kind) {
                    Some(metric) if metric.verdict.word != Word::Insufficient => {
                        found.push((place, kind, metric.clone()));
                    }
                    _ if !kinds.is_empty() => left.push((place, kinds)),
                    // A margin may still tell; without one, why the evidence does not suffice is the answer.
                    Some(metric) if lines[place].metric.margin.is_none() => {
                        found.push((place, kind, metric.clone()));
                    }
                    _ => {}
                }
            }
            open = left;
        }
    }
    Ok(found)
}

/// Whether both sides have numbers that differ and that noise could explain.
fn needs_noise(line: &PostLine) -> bool {
    line.delta().is_some() && !line.is_equal() && !is_count(&line.metric)
}

fn evidence_of(line: &PostLine) -> Vec<Noise> {
    let sides = [&line.baseline.evidence, &line.proposed.evidence];
    kinds(sides, crate::compare::method::kind::is_timing(&line.metric))
}

/// What an absolute margin is divided by, to be in the unit of the values that a line is judged by: trials have the
/// column's, single episodes of a share are 0 or 1.
fn margin_scale(line: &PostLine, kind: Noise) -> f64 {
    if kind != Noise::Trials && is_share(&line.metric) {
        line.share_scale
    } else {
        1.0
    }
}

/// The experiments of one column, compared once with the margin in each unit that their values have. Each time it is the
/// whole family, so that the error rate holds over all of it.
struct Family {
    by_scale: Vec<(f64, Comparison)>,
}

impl Family {
    fn compare(
        lines: &[PostLine],
        open: &[Open],
        options: &PostOptions,
    ) -> Result<Self, AnalysisError> {
        let mut by_scale: Vec<(f64, Comparison)> = Vec::new();
        for (place, kinds) in open {
            let line = &lines[*place];
            let scale = margin_scale(line, kinds[0]);
            if by_scale.iter().all(|(known, _)| *known != scale) {
                let mut metric = line.metric.clone();
                if let Some(Margin::Absolute(margin)) = metric.margin {
                    metric.margin = Some(Margin::Absolute(margin / scale));
                }
                by_scale.push((scale, compare_metric(lines, open, &metric, options)?));
            }
        }
        Ok(Self { by_scale })
    }

    /// What came out for a line.
    fn of(&self, line: &PostLine, kind: Noise) -> Option<&MetricComparison> {
        let scale = margin_scale(line, kind);
        let (_, comparison) = self.by_scale.iter().find(|(known, _)| *known == scale)?;
        of_experiment(comparison, &line.experiment)
    }
}

fn compare_metric(
    lines: &[PostLine],
    open: &[Open],
    metric: &MetricDeclaration,
    options: &PostOptions,
) -> Result<Comparison, AnalysisError> {
    let name = &metric.name;
    let mut sides = [
        Collector::new(Which::Baseline, name),
        Collector::new(Which::Proposed, name),
    ];
    for (place, kinds) in open {
        let (line, kind) = (&lines[*place], kinds[0]);
        let inputs = [&line.baseline, &line.proposed];
        for (collector, side) in sides.iter_mut().zip(inputs) {
            let share = side.value.unwrap_or(0.0) / line.share_scale;
            collector.take(&line.experiment, &side.evidence, kind, share);
            if collector.data.facts.is_empty() {
                collector.data.facts.clone_from(&side.evidence.facts);
            }
        }
    }
    for side in &mut sides {
        side.data.declared = vec![metric.clone()];
    }
    let asked = CompareOptions {
        alpha: options.alpha,
        metrics: vec![name.clone()],
        accept: options.accept.clone(),
        ..CompareOptions::default()
    };
    compare(Inputs::Two(&sides[0].data, &sides[1].data), &asked)
}

fn of_experiment<'a>(comparison: &'a Comparison, experiment: &str) -> Option<&'a MetricComparison> {
    let named = |value: Option<&fairtrial_model::ParamValue>| {
        value.and_then(|value| value.as_str()) == Some(experiment)
    };
    let contrast = comparison
        .contrasts
        .iter()
        .find(|contrast| named(contrast.point.get("experiment")))?;
    contrast.metrics.first()
}

/// Whether it is the share of the episodes that have something.
pub(super) fn is_share(metric: &MetricDeclaration) -> bool {
    match &metric.source {
        MetricSource::Episodes { measure, .. } => {
            matches!(measure.kind, fairtrial_model::MeasureKind::Share(_))
        }
        _ => false,
    }
}
