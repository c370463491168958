//! The answer in a sentence that can be pasted.

use super::bench_answer::{BenchAnswer, BenchNumbers};
use super::unit::Unit;
use crate::grid::Tone;
use fairtrial_analysis::bench::{BenchEnd, CommandAnswer, Finding, Timing};
use fairtrial_text::count::{count, counted};
use fairtrial_text::duration::span;
use fairtrial_text::number::NumberFormat;

/// An interval whose ends are further apart than this factor says nothing that is worth a number.
const WIDE: f64 = 10.0;

/// One sentence for each command but the first; for one alone, its mean.
pub(super) fn sentences(answer: &BenchAnswer<'_>) -> Vec<(String, Tone)> {
    let mark = match answer.end {
        Some(BenchEnd::Interrupted) => "interrupted; so far: ",
        Some(BenchEnd::Failed) => "a command failed; before that: ",
        _ => "",
    };
    let said: Vec<(String, Tone)> = match (answer.answers, answer.commands) {
        ([], [alone]) => vec![(mean(answer, alone), Tone::Plain)],
        ([], _) => Vec::new(),
        (several, _) => several
            .iter()
            .map(|of| (compared(answer, of), tone(of.finding)))
            .collect(),
    };
    if said.is_empty() && !mark.is_empty() {
        let nothing = format!("{mark}nothing was measured");
        return vec![(nothing, Tone::Caution)];
    }
    said.into_iter()
        .map(|(text, tone)| (format!("{mark}{text}"), tone))
        .collect()
}

/// What is known so far, while it goes on: a few words for each command but the first.
pub fn live(answers: &[CommandAnswer]) -> String {
    let of = |of: &CommandAnswer| match of.interval {
        Some([low, high]) if high < WIDE * low => {
            let digits = digits([low, high]);
            let (low, high) = (digits.number(low), digits.number(high));
            format!(
                "{} takes {low} to {high} × the time of the first",
                of.command
            )
        }
        _ => format!("{}: not yet known", of.command),
    };
    answers.iter().map(of).collect::<Vec<_>>().join(", ")
}

fn mean(answer: &BenchAnswer<'_>, alone: &Timing) -> String {
    if answer.numbers == BenchNumbers::Exact {
        let count = count(alone.mean as u64);
        return format!(
            "{} executes {count} {} (one run)",
            alone.name, answer.metric
        );
    }
    let unit = Unit::of(answer.numbers, std::iter::once(alone.mean));
    let half = alone.interval.map(|interval| interval.high - alone.mean);
    let time = unit.show(alone.mean, half);
    let runs = counted(alone.runs, "run");
    let took = span(answer.took.as_secs_f64());
    let known = alone
        .interval
        .is_some_and(|interval| interval.high - alone.mean <= answer.margin * alone.mean);
    let open = if known || answer.end != Some(BenchEnd::TimeLimit) {
        ""
    } else {
        "; the time limit came before that was known better"
    };
    format!(
        "{} takes {time} ({}, mean of {runs}, {took}{open})",
        alone.name, answer.metric
    )
}

/// Of what was counted: how much more or less, and nothing about chance.
fn counted_against(answer: &BenchAnswer<'_>, of: &CommandAnswer) -> String {
    let change = of.ratio.unwrap_or(f64::NAN) - 1.0;
    let percent = NumberFormat::alone(100.0 * change.abs()).number(100.0 * change.abs());
    let how = match change {
        less if less < 0.0 => format!("{percent} % fewer {} than", answer.metric),
        more if more > 0.0 => format!("{percent} % more {} than", answer.metric),
        _ => format!("as many {} as", answer.metric),
    };
    let matters = NumberFormat::alone(answer.margin * 100.0).number(answer.margin * 100.0);
    let small = match of.finding {
        Finding::Equivalent => format!("; no difference larger than {matters} % (equivalent)"),
        _ => String::new(),
    };
    let (command, reference) = (&of.command, &of.reference);
    format!("{command} executes {how} {reference} (counted, one run each){small}")
}

fn compared(answer: &BenchAnswer<'_>, of: &CommandAnswer) -> String {
    if answer.numbers == BenchNumbers::Exact {
        return counted_against(answer, of);
    }
    let CommandAnswer {
        reference, command, ..
    } = of;
    let about = format!(
        "({}, {}, {})",
        answer.metric,
        counted(of.pairs, "pair"),
        span(answer.took.as_secs_f64())
    );
    let percent = NumberFormat::alone(answer.margin * 100.0).number(answer.margin * 100.0);
    // What is no time makes nothing faster.
    let (what, same) = match answer.numbers {
        BenchNumbers::Times => ("time", "the same time"),
        _ => (answer.metric, "the same number"),
    };
    match (of.finding, of.ratio, of.interval) {
        (Finding::Faster | Finding::Slower, Some(ratio), Some(ends)) if what != "time" => format!(
            "{command} takes {} the {what} of {reference} {} {about}",
            factor(ratio, ends),
            range(ends)
        ),
        (Finding::Faster, Some(ratio), Some([low, high])) => {
            let factor = factor(1.0 / ratio, [1.0 / high, 1.0 / low]);
            format!(
                "{command} is {factor} faster than {reference} {} {about}",
                range([1.0 / high, 1.0 / low])
            )
        }
        (Finding::Slower, Some(ratio), Some([low, high])) => {
            let factor = factor(ratio, [low, high]);
            format!(
                "{command} is {factor} slower than {reference} {} {about}",
                range([low, high])
            )
        }
        (Finding::Equivalent, Some(ratio), Some([low, high])) => format!(
            "no difference larger than {percent} % (equivalent): {command} takes {} the {what} of {reference} {} {about}",
            factor(ratio, [low, high]),
            range([low, high])
        ),
        (Finding::Equivalent, ..) => {
            format!("no difference: {command} and {reference} take {same} {about}")
        }
        (_, _, Some([low, high])) if high < WIDE * low => format!(
            "cannot tell yet: {command} takes between {} × and {} × the {what} of {reference} {about}{}",
            digits([low, high]).number(low),
            digits([low, high]).number(high),
            more(answer, of)
        ),
        _ => format!(
            "cannot tell yet whether {command} or {reference} takes less {what} {about}{}",
            more(answer, of)
        ),
    }
}

fn tone(finding: Finding) -> Tone {
    match finding {
        Finding::Faster => Tone::Good,
        Finding::Slower => Tone::Bad,
        Finding::Equivalent => Tone::Plain,
        Finding::Open => Tone::Caution,
    }
}

fn more(answer: &BenchAnswer<'_>, of: &CommandAnswer) -> String {
    let by = match answer.end {
        Some(BenchEnd::TimeLimit) => "with a longer --time-limit",
        _ => "of more runs",
    };
    // Longer than anybody waits says only that it is not worth it.
    match of.needs_s {
        Some(seconds) if seconds < 86_400.0 => format!(
            "; needs about {} more: a new bench {by} would probably tell",
            span(seconds)
        ),
        Some(_) => "; with so much noise it would take days to tell".to_owned(),
        None => String::new(),
    }
}

fn factor(ratio: f64, interval: [f64; 2]) -> String {
    format!("{} ×", digits(interval).number(ratio))
}

fn range([low, high]: [f64; 2]) -> String {
    digits([low, high]).range(low, high)
}

/// Two digits of the interval's half width, and enough to see that it excludes 1 where it does.
fn digits([low, high]: [f64; 2]) -> NumberFormat {
    let format = NumberFormat::choose(&[low, high], &[0.5 * (high - low)], None);
    if low > 1.0 || high < 1.0 {
        format.apart(&[low, high], 1.0)
    } else {
        format
    }
}
