//! The answer of a run.

use super::comparison::{source_lines, verdict_part};
use super::lines::{Cut, Line, fitting};
use crate::grid::Tone;
use crate::{rollouts, sequential, summary, sweep};
use fairtrial_analysis::compare::SweepChoice;
use fairtrial_analysis::sequential::Trajectory;
use fairtrial_analysis::{Comparison, FailureKind, RunSummary};
use fairtrial_text::count::count;
use fairtrial_text::shell_word::shell_word;

/// Candidates of a run with looks that have a line each.
const MOST_CANDIDATES: usize = 4;
/// Kinds of failures that are shown.
const MOST_KINDS: usize = 4;

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

impl RunAnswer<'_> {
    /// The lines, the verdict last but for what to type next: the most telling of them that have `room` in a terminal of
    /// this width.
    pub(crate) fn lines(&self, width: usize, room: usize) -> Vec<Line> {
        fitting(width, room, |cut| self.cut_to(cut))
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
            (None, Some(comparison)) => lines.extend(verdict_part(comparison, cut)),
            (None, None) => {}
        }
        if let Some(comparison) = self.comparison {
            lines.extend(source_lines(comparison, cut));
        }
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
        let more = match (self.choice, self.comparison) {
            (Some(_), _) => "`sweep`, ",
            (None, Some(_)) => "`compare -v`, ",
            (None, None) => "",
        };
        let text = format!("more: `fairtrial report {name}{found}` (or {more}`summarize`)");
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
