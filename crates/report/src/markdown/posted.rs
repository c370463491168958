//! The comparison that people post under a pull request: one table per experiment, one mark per line.

use crate::words::mark_reason;
use fairtrial_analysis::tables::{Mark, MarkRule, Noise, Posted, PostedLine};
use fairtrial_text::escape::{markdown, markdown_sentence};
use fairtrial_text::number::is_zero;
use std::fmt::Write;

/// Marks in the order of the closing line.
const MARKS: [Mark; 7] = [
    Mark::Better,
    Mark::Worse,
    Mark::Changed,
    Mark::Noise,
    Mark::Unknown,
    Mark::Equal,
    Mark::Missing,
];

/// The page. `notes` say what else a reader should know.
pub fn posted(posted: &Posted, notes: &[String]) -> String {
    let mut page = format!("{}\n", summary(posted));
    let mut experiments: Vec<&str> = Vec::new();
    for line in &posted.lines {
        if !experiments.contains(&line.experiment.as_str()) {
            experiments.push(&line.experiment);
        }
    }
    for experiment in experiments {
        let of = posted
            .lines
            .iter()
            .filter(|line| line.experiment == experiment);
        // Writing to a string cannot fail.
        let _ = write!(
            page,
            "\n### {}\n\n| Metric | Baseline | Proposed | Δ | Result |\n|---|---:|---:|---:|:---:|\n",
            markdown(experiment)
        );
        for line in of {
            let _ = writeln!(page, "{}", row(line));
        }
    }
    for note in notes {
        let _ = write!(page, "\n> {}\n", markdown_sentence(note));
    }
    if posted.rule == MarkRule::Noise {
        page.push_str(&reasons(posted));
    }
    page
}

fn summary(posted: &Posted) -> String {
    let counts = MARKS.iter().filter_map(|mark| {
        let n = posted
            .lines
            .iter()
            .filter(|line| line.mark == *mark)
            .count();
        (n > 0).then(|| format!("{n} {} {}", mark.glyph(), word(*mark)))
    });
    let rule = match posted.rule {
        MarkRule::Exact => "any difference counts",
        MarkRule::Noise => "a change counts where it is beyond noise",
    };
    format!("{} ({rule})", counts.collect::<Vec<_>>().join(", "))
}

const fn word(mark: Mark) -> &'static str {
    match mark {
        Mark::Better => "better",
        Mark::Worse => "worse",
        Mark::Changed => "changed",
        Mark::Noise => "within noise",
        Mark::Unknown => "noise not known",
        Mark::Equal => "equal",
        Mark::Missing => "missing",
    }
}

fn row(line: &PostedLine) -> String {
    let shown =
        |value: Option<f64>| value.map_or_else(|| "—".to_owned(), |value| line.digits.write(value));
    let delta = line.delta.map_or_else(
        || "—".to_owned(),
        |delta| {
            let text = line.digits.write(delta);
            if is_zero(&text) {
                return "0".to_owned();
            }
            let sign = if delta > 0.0 { "+" } else { "" };
            format!("{sign}{text}")
        },
    );
    format!(
        "| {} | {} | {} | {delta} | {} |",
        markdown(&line.column),
        shown(line.baseline),
        shown(line.proposed),
        line.mark.glyph()
    )
}

/// Where the noise came from, line by line, folded away.
fn reasons(posted: &Posted) -> String {
    let judged: Vec<&PostedLine> = posted
        .lines
        .iter()
        .filter(|line| line.noise.is_some_and(|noise| noise != Noise::Exact))
        .collect();
    if judged.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "\n<details><summary>Where the noise came from (error rate {} for each metric over all experiments)</summary>\n\n",
        posted.alpha
    );
    for line in judged {
        let _ = writeln!(
            text,
            "- {} · {} {}: {}",
            markdown(&line.experiment),
            markdown(&line.column),
            line.mark.glyph(),
            markdown_sentence(&mark_reason(line))
        );
    }
    text.push_str("\n</details>\n");
    text
}
