//! The answer of a run in a few lines: what a person reads who reads nothing else.
//!
//! One line per primary metric and candidate, what speaks against it, what failed and why, and what to type next. The
//! tables behind it are made elsewhere, for those who ask.

use crate::comparison::{answer_size, mismatch_sentences, tone, why};
use crate::grid::Tone;
use crate::ranking::{format_of, standing_word};
use crate::{rollouts, sequential, summary, sweep, words};
use fairtrial_analysis::compare::{Contrast, MetricComparison, Ranking, Role, SweepChoice, Word};
use fairtrial_analysis::sequential::Trajectory;
use fairtrial_analysis::{Comparison, FailureKind, RunSummary};
use fairtrial_text::count::{count, counted};
use fairtrial_text::escape::terminal;
use fairtrial_text::shell_word::shell_word;
use unicode_width::UnicodeWidthStr;

/// Candidates that have a line each; more of them are ranked.
const MOST_CANDIDATES: usize = 4;
/// Places of a ranking that are shown.
const PLACES: usize = 6;
/// Kinds of failures that are shown.
const MOST_KINDS: usize = 4;

/// How much of an answer is shown where not all of it has room.
struct Cut {
    /// Kinds of failures that are shown with what they said.
    explained: usize,
    /// Objections that are shown.
    concerns: usize,
}

/// From all of it to the least.
const CUTS: [Cut; 6] = [
    Cut {
        explained: 2,
        concerns: 4,
    },
    Cut {
        explained: 1,
        concerns: 4,
    },
    Cut {
        explained: 1,
        concerns: 2,
    },
    Cut {
        explained: 1,
        concerns: 1,
    },
    Cut {
        explained: 0,
        concerns: 1,
    },
    Cut {
        explained: 0,
        concerns: 0,
    },
];

/// What the answer is made from.
#[derive(Debug, Clone, Copy)]
pub struct RunAnswer<'a> {
    /// How the trials ended, and their numbers.
    pub summary: &'a RunSummary,
    /// The looks of a run that stops when it is decided.
    pub trajectory: Option<&'a Trajectory>,
    /// The arms against the control.
    pub comparison: Option<&'a Comparison>,
    /// What a sweep chose.
    pub choice: Option<&'a SweepChoice>,
    /// Why trials did not end well.
    pub failures: &'a [FailureKind],
    /// What a command needs so that it finds the run: ` --data-dir DIR`, or nothing.
    pub data_words: &'a str,
}

/// One line of the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) text: String,
    pub(crate) tone: Tone,
}

impl Line {
    fn new(text: impl Into<String>, tone: Tone) -> Self {
        let text = text.into();
        Self { text, tone }
    }
}

impl RunAnswer<'_> {
    /// The lines, the verdict last but for what to type next: the most telling of them that have `room` in a terminal of
    /// this width.
    pub(crate) fn lines(&self, width: usize, room: usize) -> Vec<Line> {
        let height = |lines: &[Line]| -> usize {
            let heights = lines
                .iter()
                .map(|line| line.text.width().div_ceil(width.max(1)));
            heights.map(|lines| lines.max(1)).sum()
        };
        let tries = CUTS.iter().map(|cut| self.cut_to(cut));
        let mut last = Vec::new();
        for lines in tries {
            if height(&lines) <= room {
                return lines;
            }
            last = lines;
        }
        last
    }

    fn cut_to(&self, cut: &Cut) -> Vec<Line> {
        let mut lines = self.failure_lines(cut.explained);
        lines.push(Line::new(summary::headline(self.summary), Tone::Plain));
        let problems = self.summary.problems.iter();
        lines.extend(problems.map(|problem| Line::new(problem, Tone::Caution)));
        let rollouts = self.summary.rollouts.iter();
        let copies = rollouts
            .flat_map(rollouts::identical_by_arm)
            .take(cut.concerns);
        lines.extend(copies.map(|text| Line::new(format!("! {text}"), Tone::Caution)));
        if let Some(trajectory) = self.trajectory {
            lines.extend(trajectory_lines(trajectory));
        }
        match (self.choice, self.comparison) {
            // A verdict for each of many points is no answer.
            (Some(choice), _) => lines.extend(choice_lines(choice)),
            (None, Some(comparison)) => lines.extend(comparison_lines(comparison, cut.concerns)),
            (None, None) => {}
        }
        lines.extend(self.comparison.into_iter().flat_map(source_lines));
        lines.extend(self.next_line());
        lines
    }

    /// The kinds of failures, the first ones with what they said.
    fn failure_lines(&self, explained: usize) -> Vec<Line> {
        let run = self.summary.run.as_ref();
        let name = run.map_or(String::new(), |run| shell_word(&run.name));
        let mut lines = Vec::new();
        for (place, kind) in self.failures.iter().take(MOST_KINDS).enumerate() {
            let cause = kind.cause.as_ref().map(|cause| format!(": {cause}"));
            let first = if kind.count > 1 { "first: " } else { "" };
            lines.push(Line::new(
                format!(
                    "✗ {} {}{} ({first}{})",
                    count(kind.count),
                    kind.outcome,
                    cause.unwrap_or_default(),
                    kind.label
                ),
                Tone::Bad,
            ));
            if place >= explained {
                continue;
            }
            // What is the cause has been said.
            let said = kind.said.iter();
            let said = said.filter(|line| kind.cause.as_deref() != Some(line.trim()));
            lines.extend(said.map(|line| Line::new(format!("    {line}"), Tone::Faint)));
            if !kind.said.is_empty() {
                let command = format!(
                    "fairtrial logs {name} --trial {} --stderr{}",
                    kind.trial, self.data_words
                );
                lines.push(Line::new(
                    format!("    `{command}` shows all of it"),
                    Tone::Faint,
                ));
            }
        }
        let rest = self.failures.iter().skip(MOST_KINDS);
        let rest: u64 = rest.map(|kind| kind.count).sum();
        if rest > 0 {
            let text = format!("✗ {} more that did not end well", count(rest));
            lines.push(Line::new(text, Tone::Bad));
        }
        if explained == 0 && !self.failures.is_empty() {
            let command = format!("fairtrial explain {name}{}", self.data_words);
            lines.push(Line::new(format!("    `{command}` says why"), Tone::Faint));
        }
        lines
    }

    fn next_line(&self) -> Option<Line> {
        let name = shell_word(&self.summary.run.as_ref()?.name);
        let found = self.data_words;
        let compare = self.comparison.map_or("", |_| "`compare`, ");
        let text = format!("more: `fairtrial report {name}{found}` (or {compare}`summarize`)");
        Some(Line::new(text, Tone::Faint))
    }
}

fn trajectory_lines(trajectory: &Trajectory) -> Vec<Line> {
    let tone = sequential::tone(trajectory.stop);
    let mut lines = vec![Line::new(sequential::headline(trajectory), tone)];
    for answer in trajectory.answers.iter().take(MOST_CANDIDATES) {
        let sentence = sequential::arm_sentence(trajectory, answer);
        let arm = if trajectory.answers.len() > 1 {
            format!("{}: ", answer.arm)
        } else {
            String::new()
        };
        lines.push(Line::new(
            format!("{arm}{sentence}"),
            sequential::tone(answer.stop),
        ));
    }
    lines
}

fn choice_lines(choice: &SweepChoice) -> Vec<Line> {
    let mut lines = vec![Line::new(sweep::headline(choice), Tone::Plain)];
    let against = sweep::against_control(choice);
    lines.extend(against.map(|(sentence, tone)| Line::new(sentence, tone)));
    let without = sweep::without_value(choice);
    lines.extend(without.map(|text| Line::new(format!("! {text}"), Tone::Caution)));
    lines
}

/// What is wrong with the records themselves.
fn source_lines(comparison: &Comparison) -> impl Iterator<Item = Line> {
    let problems = comparison.problems.iter().cloned();
    let texts = problems.chain(mismatch_sentences(&comparison.mismatches));
    texts.map(|text| Line::new(format!("! {text}"), Tone::Caution))
}

pub(crate) fn comparison_lines(comparison: &Comparison, most: usize) -> Vec<Line> {
    let contrasts = &comparison.contrasts;
    let concerns = concerns(contrasts);
    let of_all = |concern: &Concern| concern.about.len() == contrasts.len();
    if let [ranking] = comparison.rankings.as_slice()
        && contrasts.len() > MOST_CANDIDATES
    {
        // What is about one of many is for those who look at that one.
        let shared: Vec<Concern> = concerns.into_iter().filter(of_all).collect();
        let mut lines = ranking_lines(ranking);
        lines.extend(concern_lines(&shared, contrasts.len(), most));
        return lines;
    }
    let mut lines = verdict_lines(contrasts);
    lines.extend(concern_lines(&concerns, contrasts.len(), most));
    lines
}

/// The places of many arms.
fn ranking_lines(ranking: &Ranking) -> Vec<Line> {
    let format = format_of(ranking.arms.iter().map(|arm| &arm.standing));
    let rows = ranking.arms.iter().enumerate().take(PLACES);
    let rows = rows.map(|(place, arm)| {
        let word = standing_word(&arm.arm, place, &arm.standing);
        let interval = arm.standing.interval.map_or(String::new(), |interval| {
            format.range(interval.low, interval.high)
        });
        let mean = format.number(arm.standing.mean);
        let rank = format!("{}.", place + 1);
        (
            vec![rank, arm.arm.clone(), mean, interval, word.text],
            word.tone,
        )
    });
    let mut lines = vec![Line::new(
        format!("{} arms by {}", ranking.arms.len(), ranking.metric),
        Tone::Plain,
    )];
    lines.extend(aligned(rows.collect()));
    let more = ranking.arms.len().saturating_sub(PLACES);
    if more > 0 {
        lines.push(Line::new(
            format!("and {} more", counted(more as u64, "arm")),
            Tone::Faint,
        ));
    }
    lines
}

/// A comparison in one line per metric and candidate, and what is wrong with the records.
pub(crate) fn brief_lines(comparison: &Comparison) -> Vec<Line> {
    let contrasts = &comparison.contrasts;
    let rows = contrasts.iter().flat_map(|contrast| {
        let metrics = contrast.metrics.iter();
        metrics.map(|metric| verdict_row(metric, contrast, contrasts))
    });
    let mut lines = aligned(rows.collect());
    lines.extend(source_lines(comparison));
    lines
}

/// Which metric of which candidate, the verdict, how much it moved, and by how many units that is known.
fn verdict_row(
    metric: &MetricComparison,
    contrast: &Contrast,
    all: &[Contrast],
) -> (Vec<String>, Tone) {
    let who = if all.len() > 1 {
        candidate(contrast)
    } else {
        String::new()
    };
    let word = metric.verdict.word;
    let cells = vec![
        who,
        metric.metric.clone(),
        word.text().to_owned(),
        answer_size(metric),
        words::units(&metric.count),
    ];
    (cells, tone(word))
}

/// One line per primary metric of each candidate.
fn verdict_lines(contrasts: &[Contrast]) -> Vec<Line> {
    let rows = contrasts.iter().take(MOST_CANDIDATES).flat_map(|contrast| {
        primary(contrast).map(|metric| verdict_row(metric, contrast, contrasts))
    });
    let mut lines = aligned(rows.collect());
    let more = contrasts.len().saturating_sub(MOST_CANDIDATES);
    if more > 0 {
        let text = format!("and {}", counted(more as u64, "more comparison"));
        lines.push(Line::new(text, Tone::Faint));
    }
    lines.extend(moved_too(contrasts));
    lines
}

/// Secondary metrics that moved, in one line.
fn moved_too(contrasts: &[Contrast]) -> Option<Line> {
    let [contrast] = contrasts else {
        return None;
    };
    let moved = contrast.metrics.iter().filter(|metric| {
        let word = metric.verdict.word;
        metric.role == Role::Secondary && matches!(word, Word::Improved | Word::Regressed)
    });
    let moved: Vec<String> = moved
        .map(|metric| format!("{} {}", metric.metric, metric.verdict.word))
        .collect();
    (!moved.is_empty()).then(|| Line::new(format!("also: {}", moved.join(", ")), Tone::Plain))
}

/// What speaks against verdicts, and whose.
struct Concern {
    text: String,
    about: Vec<String>,
}

/// What speaks against the verdicts, each once.
fn concerns(contrasts: &[Contrast]) -> Vec<Concern> {
    let mut concerns: Vec<Concern> = Vec::new();
    for contrast in contrasts {
        for text in primary(contrast).flat_map(concerns_of) {
            let who = candidate(contrast);
            match concerns.iter_mut().find(|concern| concern.text == text) {
                Some(concern) => concern.about.push(who),
                None => concerns.push(Concern {
                    text,
                    about: vec![who],
                }),
            }
        }
    }
    concerns
}

fn concern_lines(concerns: &[Concern], contrasts: usize, most: usize) -> Vec<Line> {
    let line = |concern: &Concern| {
        let who = if concern.about.len() == contrasts {
            String::new()
        } else {
            format!("{}: ", concern.about.join(", "))
        };
        Line::new(format!("! {who}{}", concern.text), Tone::Caution)
    };
    let mut lines: Vec<Line> = concerns.iter().take(most).map(line).collect();
    let more = concerns.len().saturating_sub(most);
    if more > 0 {
        let text = format!(
            "! {} more (`compare` shows all)",
            counted(more, "objection")
        );
        lines.push(Line::new(text, Tone::Caution));
    }
    lines
}

/// Why a metric is undecided and what would decide it, and what a reader must know of a verdict.
fn concerns_of(metric: &MetricComparison) -> Vec<String> {
    let verdict = &metric.verdict;
    let mut concerns = Vec::new();
    if matches!(verdict.word, Word::Inconclusive | Word::Insufficient) {
        let advice = verdict.advice.as_ref().map(words::advice);
        concerns.push(format!("{}.{}", why(metric), advice.unwrap_or_default()));
    }
    let noted = verdict.objections.iter().filter(|of| !of.holds_back());
    concerns.extend(noted.map(words::objection));
    concerns
}

fn primary(contrast: &Contrast) -> impl Iterator<Item = &MetricComparison> {
    let metrics = contrast.metrics.iter();
    metrics.filter(|metric| metric.role == Role::Primary)
}

/// The candidate, with its point of a sweep.
fn candidate(contrast: &Contrast) -> String {
    let name = contrast.candidate.short();
    if contrast.point.is_empty() {
        name.to_owned()
    } else {
        format!("{name} at {}", contrast.point)
    }
}

/// Cells under each other, two blanks between them; empty columns take no room.
fn aligned(rows: Vec<(Vec<String>, Tone)>) -> Vec<Line> {
    let clean = |(cells, tone): (Vec<String>, Tone)| {
        let cells = cells.iter().map(|cell| terminal(cell).into_owned());
        (cells.collect::<Vec<_>>(), tone)
    };
    let rows: Vec<(Vec<String>, Tone)> = rows.into_iter().map(clean).collect();
    let columns = rows.iter().map(|(cells, _)| cells.len()).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|(cells, _)| cells.get(column));
        cells.map(|cell| cell.width()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |(cells, tone): &(Vec<String>, Tone)| {
        let padded = cells.iter().zip(&widths).filter(|(_, width)| **width > 0);
        let padded =
            padded.map(|(cell, width)| format!("{cell}{}", " ".repeat(width - cell.width())));
        Line::new(padded.collect::<Vec<_>>().join("  ").trim_end(), *tone)
    };
    rows.iter().map(line).collect()
}
