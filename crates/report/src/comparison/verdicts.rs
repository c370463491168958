//! The verdicts of a contrast as one table, with the digits, marks and titles that its other parts share.

use crate::grid::{Cell, Column, Grid, Section, Tone};
use fairtrial_analysis::Comparison;
use fairtrial_analysis::compare::{Contrast, Effect, MetricComparison, Role, Scale, Word};
use fairtrial_analysis::summary::Numbers;
use fairtrial_text::number::{NumberFormat, is_rounding};
use fairtrial_text::share;

/// How a verdict is stressed.
pub(crate) fn tone(word: Word) -> Tone {
    match word {
        Word::Improved => Tone::Good,
        Word::Regressed => Tone::Bad,
        Word::Inconclusive | Word::Insufficient => Tone::Caution,
        Word::Equivalent | Word::NotWorse | Word::Identical => Tone::Plain,
    }
}

/// How a verdict looks in a pull request.
pub(crate) fn glyph(word: Word) -> &'static str {
    match word {
        Word::Improved => "✅",
        Word::Regressed => "❌",
        Word::Equivalent | Word::NotWorse | Word::Identical => "⬜",
        Word::Inconclusive => "❔",
        Word::Insufficient => "—",
    }
}

/// `candidate against control (bench 20250824__12-34-56)`.
pub(crate) fn title(contrast: &Contrast) -> String {
    let (control, candidate) = (&contrast.control, &contrast.candidate);
    let sides = match (&control.arm, &candidate.arm) {
        (Some(left), Some(right)) if control.source == candidate.source => {
            format!("{right} against {left} ({})", control.source)
        }
        (Some(left), Some(right)) if left == right => {
            format!("{right}: {} against {}", candidate.source, control.source)
        }
        _ => format!("{} against {}", candidate.short(), control.short()),
    };
    if contrast.point.is_empty() {
        sides
    } else {
        format!("{sides} at {}", contrast.point)
    }
}

/// The digits of one metric's values.
fn format_of(metric: &MetricComparison) -> NumberFormat {
    let Some(effect) = &metric.effect else {
        let values: Vec<f64> = [metric.control, metric.candidate]
            .into_iter()
            .flatten()
            .map(|numbers| numbers.mean)
            .collect();
        return NumberFormat::choose(&values, &[], metric.precision);
    };
    NumberFormat::choose(
        &[effect.control, effect.candidate],
        &[resolution(effect)],
        metric.precision,
    )
}

/// The digits of its difference, which may be small against the decimals that are declared for values.
pub(crate) fn difference_format(metric: &MetricComparison) -> NumberFormat {
    let values = format_of(metric);
    metric.effect.as_ref().map_or(values, |effect| {
        let ends = (effect.absolute.low, effect.absolute.high);
        let format = values.for_difference(ends, resolution(effect));
        let margin = effect.margin.unwrap_or(0.0);
        [margin, -margin]
            .into_iter()
            .filter(|edge| *edge != 0.0)
            .fold(format, |format, edge| format.apart(&[ends.0, ends.1], edge))
    })
}

/// What the digits of a difference must tell apart.
fn resolution(effect: &Effect) -> f64 {
    let half_width = (effect.absolute.high - effect.absolute.low) / 2.0;
    let largest = effect.control.abs().max(effect.candidate.abs());
    // Differences that do not vary at all still want to be seen.
    if is_rounding(half_width, largest) {
        effect.absolute.value
    } else {
        half_width
    }
}

/// One table per contrast.
pub(crate) fn verdict_section(contrast: &Contrast, comparison: &Comparison) -> Section {
    let alphas = contrast.metrics.iter().filter_map(level_of);
    let one_level = share::common_level(alphas);
    let interval = one_level
        .as_ref()
        .map_or("adjusted interval".to_owned(), |level| {
            format!("{level} interval")
        });
    let mut grid = Grid::new(vec![
        Column::words("metric"),
        Column::numbers("control").may_go(2),
        Column::numbers("candidate").may_go(2),
        Column::numbers("Δ"),
        Column::numbers(interval),
        Column::numbers("level").may_go(1),
        Column::numbers("Δ %").may_go(1),
        Column::numbers("p").may_go(4),
        Column::numbers("n").may_go(3),
        Column::words("verdict"),
    ]);
    for metric in &contrast.metrics {
        grid.push(row(metric, one_level.is_none()));
    }
    Section {
        title: title(contrast),
        grid: grid.without_empty_columns(),
        notes: family_notes(contrast, comparison.alpha),
    }
}

/// One minus the confidence of its interval: several tests share an error rate, and each has its part.
fn level_of(metric: &MetricComparison) -> Option<f64> {
    metric.effect.as_ref().map(|effect| effect.alpha)
}

fn row(metric: &MetricComparison, with_level: bool) -> Vec<Cell> {
    let (format, difference) = (format_of(metric), difference_format(metric));
    let effect = metric.effect.as_ref();
    let text = |value: Option<String>| Cell::from(value.unwrap_or_default());
    let number = |centre: Option<f64>| text(centre.map(|centre| format.number(centre)));
    let [control, candidate] = centres(metric);
    let name = match metric.role {
        Role::Primary => Cell::from(metric.metric.as_str()),
        Role::Secondary => Cell::from(format!("{} ·", metric.metric)),
    };
    vec![
        name,
        number(control),
        number(candidate),
        text(effect.map(|effect| difference.signed(effect.absolute.value))),
        text(
            effect.map(|effect| difference.signed_range(effect.absolute.low, effect.absolute.high)),
        ),
        text(level_of(metric).filter(|_| with_level).map(share::level)),
        text(effect.and_then(|effect| Some(share::change(effect.relative?.value)))),
        text(metric.family.adjusted_p.map(share::p_cell)),
        units(metric).into(),
        Cell::from(metric.verdict.word.text()).toned(tone(metric.verdict.word)),
    ]
}

/// What stands for each side: its mean, or its median where ranks decide.
pub(crate) fn centres(metric: &MetricComparison) -> [Option<f64>; 2] {
    let of = |numbers: Option<Numbers>| {
        let medians = metric.method.as_ref().is_some_and(|method| method.medians);
        numbers.map(|of| if medians { of.median } else { of.mean })
    };
    match &metric.effect {
        Some(effect) => [Some(effect.control), Some(effect.candidate)],
        None => [of(metric.control), of(metric.candidate)],
    }
}

fn units(metric: &MetricComparison) -> String {
    if metric.count.paired {
        metric.count.control.to_string()
    } else {
        format!("{} / {}", metric.count.control, metric.count.candidate)
    }
}

fn family_notes(contrast: &Contrast, alpha: f64) -> Vec<String> {
    let mut notes = Vec::new();
    let has = |role: Role| contrast.metrics.iter().find(|metric| metric.role == role);
    if has(Role::Secondary).is_some() {
        notes.push("· secondary: shown beside the verdict, decides nothing.".to_owned());
    }
    let by_ratio = |metric: &MetricComparison| {
        let scale = metric.effect.as_ref().map(|effect| effect.scale);
        scale == Some(Scale::Ratio)
    };
    let by_ranks = |metric: &MetricComparison| metric.method.as_ref().is_some_and(|of| of.medians);
    for (ratio, ranks, how) in [
        (true, false, "by ratio, with geometric means"),
        (true, true, "by ratio and by ranks, with medians"),
        (false, true, "by ranks, with medians"),
    ] {
        let so =
            |metric: &&MetricComparison| (by_ratio(metric), by_ranks(metric)) == (ratio, ranks);
        let names: Vec<&str> = (contrast.metrics.iter().filter(so))
            .map(|metric| metric.metric.as_str())
            .collect();
        if !names.is_empty() {
            notes.push(format!("Compared {how}: {}.", names.join(", ")));
        }
    }
    for role in [Role::Primary, Role::Secondary] {
        if let Some(metric) = has(role).filter(|metric| metric.family.size > 1) {
            let which = if role == Role::Primary {
                "primary"
            } else {
                "secondary"
            };
            notes.push(format!(
                "The {} {which} tests share an error rate of {} ({}): p is adjusted, intervals are at each test's level.",
                metric.family.size,
                share::percent(alpha),
                metric.family.method
            ));
        }
    }
    notes
}
