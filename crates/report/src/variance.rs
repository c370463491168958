//! The spread of runs as text and as a figure: what the runs at hand give, the documented report, and why they differ.

use fairtrial_analysis::variance::{Measure, Precision, Spread, Variance};
use fairtrial_chart::{Axis, Figure, Mark, Panel, Series, TickFormat};
use fairtrial_text::count::counted;
use fairtrial_text::escape::terminal_line;
use fairtrial_text::number::NumberFormat;
use std::fmt::Write as _;

/// A share as percent with sensible digits.
fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    format!(
        "{} %",
        NumberFormat::Fixed(if percent.abs() < 10.0 { 2 } else { 1 }).number(percent)
    )
}

/// The threshold as the user wrote it.
fn threshold(share: f64) -> String {
    // Rounded, because 100 · 0.07 does not print as 7.
    format!("{} %", (share * 1e8).round() / 1e6)
}

/// The answer first: how precise the mean is, and how many runs the threshold needs.
pub(crate) fn headline(variance: &Variance) -> String {
    let runs = variance.runs.len();
    // The first is what is asked about; a curve's slope only stands beside its area.
    let first = variance.spreads.first();
    let Some(precision) = first.and_then(|spread| spread.precision.as_ref()) else {
        let why = first.and_then(|spread| spread.why_none.as_deref());
        let why = why.unwrap_or_default();
        return format!(
            "How precise the mean of {} is cannot be said: {why}.",
            variance.metric
        );
    };
    let wanted = threshold(variance.threshold);
    let answer = match precision.needed {
        Some(needed) if needed <= runs => format!("enough for ±{wanted}, which takes {needed}"),
        Some(needed) => format!("±{wanted} takes {needed}: {} more", needed - runs),
        None => format!("±{wanted} takes more than 2,000"),
    };
    format!(
        "{} of {} give the mean to ±{} (95 % interval); {answer}.",
        counted(runs as u64, "run"),
        variance.metric,
        percent(precision.now)
    )
}

/// The report in the form that the original documents.
pub fn documented(variance: &Variance) -> String {
    let rule = "=".repeat(70);
    let runs = variance.runs.len();
    let limit = format!("{:.1}%", 100.0 * variance.threshold);
    let mut text = format!(
        "Analyzing {} runs...\nMetric: {}\nVariance threshold: {limit}\n\nSuccessfully processed {runs} runs\n\n\
         {rule}\nVARIANCE ANALYSIS RESULTS\n{rule}\n\nMetric: {}\nSummary type: {}\nTotal runs analyzed: {runs}\n",
        runs + variance.left_out.len(),
        terminal_line(&variance.metric),
        terminal_line(&variance.metric),
        variance.summary
    );
    for spread in &variance.spreads {
        let name = spread.of;
        let crossing = match spread.documented.first_n {
            Some(n) => format!(" Variance drops below {limit} at N = {n} runs"),
            None => format!(" Variance never drops below {limit} (need more runs)"),
        };
        let last = spread
            .documented
            .cv
            .last()
            .copied()
            .unwrap_or(f64::INFINITY);
        let _ = write!(
            text,
            "\n--- {name} Variance ---\n{crossing}\nFinal variance (N={runs}): {:.2}%\n",
            100.0 * last
        );
    }
    let _ = write!(text, "\n{rule}\n");
    text
}

/// Where the documented answer and the useful one differ, and why.
pub(crate) fn differences(variance: &Variance) -> Vec<String> {
    let spreads = variance.spreads.iter();
    let mut sentences: Vec<String> = spreads
        .filter_map(|spread| difference(spread, variance))
        .collect();
    sentences.push(
        "Why: the coefficient of variation is the spread of single runs. It is a constant that more runs measure \
         better but do not make smaller, and the documented rule stops at the first N, in the order given, where its \
         estimate happens to be low. What more runs do improve is the mean: its interval shrinks with the square root \
         of N, whatever the order."
            .to_owned(),
    );
    sentences
}

fn difference(spread: &Spread, variance: &Variance) -> Option<String> {
    let name = spread.of;
    let precision = spread.precision.as_ref()?;
    let documented = stops_at(spread.documented.first_n);
    let reversed = stops_at(spread.documented_reversed);
    let order = if spread.documented.first_n == spread.documented_reversed {
        String::new()
    } else {
        format!(" (the same runs in reverse order: {reversed})")
    };
    let needed = match precision.needed {
        Some(needed) => format!("N = {needed}{}", range(precision)),
        None => "more than 2,000 runs".to_owned(),
    };
    Some(format!(
        "{name}: the documented rule {documented}{order}; the mean is known to ±{} with {needed}. Single runs spread by {} \
         (between {} and {}).",
        threshold(variance.threshold),
        percent(precision.spread.value),
        percent(precision.spread.interval.low),
        percent(precision.spread.interval.high)
    ))
}

fn stops_at(n: Option<usize>) -> String {
    n.map_or("never stops".to_owned(), |n| format!("stops at N = {n}"))
}

fn range(precision: &Precision) -> String {
    let end = |n: Option<usize>| n.map_or("more than 2,000".to_owned(), |n| n.to_string());
    let (low, high) = (end(precision.needed_low), end(precision.needed_high));
    if low == high {
        String::new()
    } else {
        format!(" ({low} to {high}, given the uncertainty in the spread)")
    }
}

/// The documented panels, and under (or beside) each the precision of the mean.
pub fn figure(variance: &Variance) -> Figure {
    let spreads = variance.spreads.iter();
    let documented = spreads
        .clone()
        .map(|spread| spread_panel(spread, variance.threshold));
    let precision = spreads.filter_map(|spread| {
        let precision = spread.precision.as_ref()?;
        Some(precision_panel(spread.of, precision, variance))
    });
    Figure {
        title: format!("Variance of {}", variance.metric),
        subtitle: vec![headline(variance)],
        notes: Vec::new(),
        description: description(variance),
        columns: 2,
        panels: documented.chain(precision).collect(),
    }
}

fn description(variance: &Variance) -> String {
    let mut text = headline(variance);
    for sentence in differences(variance) {
        text.push(' ');
        text.push_str(&sentence);
    }
    text
}

/// Blue for what was measured, orange for what was asked for, green for the answer.
const MEASURED: Series = Series(0);
const ASKED: Series = Series(1);
const ANSWER: Series = Series(2);

fn spread_panel(spread: &Spread, limit: f64) -> Panel {
    let name = spread.of;
    let cv = &spread.documented.cv;
    let points: Vec<(f64, f64)> = cv
        .iter()
        .enumerate()
        .map(|(place, cv)| ((place + 1) as f64, *cv))
        .collect();
    let largest = cv
        .iter()
        .copied()
        .filter(|cv| cv.is_finite())
        .fold(limit, f64::max);
    let mut marks = vec![
        Mark::Level {
            series: ASKED,
            y: limit,
            label: format!("threshold {}", threshold(limit)),
        },
        Mark::Line {
            series: MEASURED,
            points,
            label: "coefficient of variation of the first N runs".to_owned(),
        },
    ];
    if let Some(n) = spread.documented.first_n {
        marks.push(Mark::At {
            series: ANSWER,
            x: n as f64,
            label: format!("documented rule: N = {n}"),
        });
    }
    Panel {
        title: format!("{name}: spread of single runs (documented)"),
        x: Axis::new("number of runs", 1.0, cv.len() as f64 + 0.5).format(TickFormat::Count),
        y: Axis::new("coefficient of variation", 0.0, 1.15 * largest).format(TickFormat::Percent),
        marks,
    }
}

fn precision_panel(name: Measure, precision: &Precision, variance: &Variance) -> Panel {
    let limit = variance.threshold;
    let line: Vec<(f64, f64)> = precision
        .points
        .iter()
        .map(|point| (point.n as f64, point.relative))
        .collect();
    // An end that is not bounded is drawn to the top of the panel and beyond.
    let band = precision
        .points
        .iter()
        .map(|point| (point.n as f64, point.low, point.high.min(1e6)));
    // Two or three runs have intervals of many times the rest; the panel shows where decisions are made.
    let at_four = precision
        .points
        .iter()
        .find(|point| point.n == 4)
        .map_or(limit, |point| point.relative);
    let top = at_four.max(2.0 * limit).max(1.3 * precision.now);
    let mut marks = vec![
        Mark::Band {
            series: MEASURED,
            points: band.collect(),
            label: "if the spread lies at an end of its interval".to_owned(),
        },
        Mark::Level {
            series: ASKED,
            y: limit,
            label: format!("threshold ±{}", threshold(limit)),
        },
        Mark::Line {
            series: MEASURED,
            points: line,
            label: "expected half-width of the 95 % interval of the mean".to_owned(),
        },
    ];
    if let Some(needed) = precision.needed {
        marks.push(Mark::At {
            series: ANSWER,
            x: needed as f64,
            label: format!("reaches the threshold: N = {needed}{}", range(precision)),
        });
    }
    let last = precision.points.last().map_or(2.0, |point| point.n as f64);
    Panel {
        title: format!("{name}: precision of the mean (any order)"),
        x: Axis::new("number of runs", 1.0, last + 0.5).format(TickFormat::Count),
        y: Axis::new("half-width / mean", 0.0, 1.1 * top).format(TickFormat::Percent),
        marks,
    }
}
