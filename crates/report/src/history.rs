//! A benchmark's history as tables and as a chart.

use crate::grid::{Cell, Column, Grid, Section, Tone};
use fairtrial_analysis::history::{
    BenchmarkHistory, ChangeKind, HistoryLine, LevelChange, MeasuredUnlike, SinceWord,
};
use fairtrial_chart::Figure;
use fairtrial_chart::charts::{self, Heading, History, HistoryPoint, Shift, with_unit};
use fairtrial_text::count::{capitalised, counted, first_of};
use fairtrial_text::number::NumberFormat;
use fairtrial_text::share;
use std::collections::BTreeSet;

/// Letters of a sparkline.
const SPARK: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Points that a sparkline has at most.
const SPARK_POINTS: usize = 40;
/// Letters of a commit that are shown.
const COMMIT: usize = 10;
/// RunRows that are named at most.
const NAMED: usize = 3;

/// What changed, in a sentence.
pub(crate) fn headline(history: &BenchmarkHistory) -> String {
    let changes = history.changes();
    let of = |kind: ChangeKind| {
        changes
            .iter()
            .filter(|(_, change)| change.kind == kind)
            .count()
    };
    let kinds = [
        (ChangeKind::Regressed, "regression"),
        (ChangeKind::Improved, "improvement"),
        (ChangeKind::Changed, "other change"),
    ];
    let parts: Vec<String> = kinds
        .iter()
        .filter(|(kind, _)| of(*kind) > 0)
        .map(|(kind, word)| counted(of(*kind), word))
        .collect();
    let found = if parts.is_empty() {
        "no change of level".to_owned()
    } else {
        parts.join(", ")
    };
    let most = history
        .lines
        .iter()
        .map(|line| line.runs.len())
        .max()
        .unwrap_or(0);
    format!(
        "{}: {found} in up to {}",
        history.name,
        counted(most, "run")
    )
}

/// What must be known beside the tables.
pub(crate) fn notes(history: &BenchmarkHistory) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(since) = &history.since {
        let answer = match since.word {
            SinceWord::Regressed => format!(
                "changed for the worse: {}",
                counted(since.changes, "change")
            ),
            SinceWord::Improved => format!(
                "changed for the better: {}",
                counted(since.changes, "change")
            ),
            SinceWord::Unchanged => "no change is seen".to_owned(),
            SinceWord::TooFewRuns => "too few runs to see a change".to_owned(),
        };
        let blind = match since.blind {
            0 => String::new(),
            blind => format!(
                " ({} of {} have too few runs since then to show one)",
                blind,
                counted(history.lines.len(), "line")
            ),
        };
        notes.push(format!("Since {}: {answer}{blind}.", since.since));
    }
    notes.push(format!(
        "Of lines without any change, {} would show one; what changes is confirmed by measuring both sides again.",
        share::percent(history.alpha)
    ));
    let short = history
        .lines
        .iter()
        .filter(|line| line.runs.len() < history.fewest)
        .count();
    if short > 0 {
        notes.push(format!(
            "{} too few runs: a change can be found from {} on.",
            if short == 1 {
                "1 line has".to_owned()
            } else {
                format!("{short} lines have")
            },
            counted(history.fewest, "run")
        ));
    }
    for line in history
        .lines
        .iter()
        .filter(|line| !line.began_because.is_empty())
    {
        let why: Vec<String> = line.began_because.iter().map(condition).collect();
        notes.push(format!(
            "{} begins a new line at {}: {}.",
            title(line),
            line.runs[0].run,
            why.join("; ")
        ));
    }
    let mixed: BTreeSet<&str> = history
        .lines
        .iter()
        .flat_map(|line| &line.runs)
        .filter(|run| run.mixed)
        .map(|run| run.run.as_str())
        .collect();
    if !mixed.is_empty() {
        notes.push(format!(
            "Mixed code: trials of {} ran different versions of it, so that such a run stands for none of them.",
            first_of(&mixed, NAMED)
        ));
    }
    if !history.left_out.is_empty() {
        let named = history
            .left_out
            .iter()
            .map(|run| format!("{}: {}", run.run, run.why));
        notes.push(format!(
            "Left out: {} ({}).",
            counted(history.left_out.len(), "run"),
            first_of(named, NAMED)
        ));
    }
    notes
}

fn condition(condition: &MeasuredUnlike) -> String {
    let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "not known".to_owned());
    format!(
        "{} was {}, is {}",
        condition.what,
        value(&condition.before),
        value(&condition.now)
    )
}

/// The changes, then the lines; with `runs`, every run of each line.
pub(crate) fn sections(history: &BenchmarkHistory, runs: RunRows) -> Vec<Section> {
    let mut sections: Vec<Section> = changes_section(history).into_iter().collect();
    sections.push(lines_section(history));
    if runs == RunRows::Each {
        sections.extend(history.lines.iter().map(runs_section));
    }
    sections
}

/// Whether every run has a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunRows {
    /// Only the lines have.
    InLines,
    /// Each has.
    Each,
}

fn changes_section(history: &BenchmarkHistory) -> Option<Section> {
    let changes = history.changes();
    if changes.is_empty() {
        return None;
    }
    let mut grid = Grid::new(vec![
        Column::words(""),
        Column::words("metric"),
        Column::words("task").may_go(2),
        Column::words("arm"),
        Column::words("point"),
        Column::numbers("before"),
        Column::numbers("after"),
        Column::numbers("change"),
        Column::words("from run").may_go(3),
        Column::words("to run").may_go(1),
        Column::words("commits"),
        Column::numbers("p").may_go(1),
    ]);
    for (line, change) in changes {
        let (word, tone) = match change.kind {
            ChangeKind::Regressed => ("regressed", Tone::Bad),
            ChangeKind::Improved => ("improved", Tone::Good),
            ChangeKind::Changed => ("changed", Tone::Caution),
        };
        let format = format_of(line);
        grid.push(vec![
            Cell::from(word).toned(tone),
            with_unit(&line.metric, line.unit.as_deref()).into(),
            line.task.clone().into(),
            line.arm.clone().unwrap_or_default().into(),
            line.point.to_string().into(),
            format.number(change.before).into(),
            format.number(change.after).into(),
            change.relative.map_or(String::new(), share::change).into(),
            line.runs[change.first - 1].run.clone().into(),
            line.runs[change.first].run.clone().into(),
            commits(change).into(),
            share::p_cell(change.p).into(),
        ]);
    }
    Some(Section {
        title: "Changes of level".to_owned(),
        grid: grid.without_empty_columns(),
        notes: Vec::new(),
    })
}

/// `1a2b3c4d5e..6f7a8b9c0d (3)`.
fn commits(change: &LevelChange) -> String {
    let short = |commit: &Option<String>| {
        let commit = commit.as_deref().unwrap_or("?");
        commit.get(..COMMIT).unwrap_or(commit).to_owned()
    };
    match (&change.commit_before, &change.commit_after) {
        (None, None) => String::new(),
        (before, after) if before == after => format!("{}, the same", short(after)),
        (before, after) => {
            let count = change
                .commits
                .map_or(String::new(), |count| format!(" ({count})"));
            format!("{}..{}{count}", short(before), short(after))
        }
    }
}

fn lines_section(history: &BenchmarkHistory) -> Section {
    let mut grid = Grid::new(vec![
        Column::words("metric"),
        Column::words("task").may_go(2),
        Column::words("arm"),
        Column::words("point"),
        Column::numbers("runs"),
        Column::words("oldest to newest"),
        Column::numbers("newest"),
        Column::numbers("interval").may_go(1),
        Column::words("newest run").may_go(3),
    ]);
    for line in &history.lines {
        let format = format_of(line);
        let Some(last) = line.runs.last() else {
            continue;
        };
        let interval = last.interval.map(|[low, high]| format.range(low, high));
        grid.push(vec![
            with_unit(&line.metric, line.unit.as_deref()).into(),
            line.task.clone().into(),
            line.arm.clone().unwrap_or_default().into(),
            line.point.to_string().into(),
            line.runs.len().to_string().into(),
            sparkline(line).into(),
            format.number(last.mean).into(),
            interval.unwrap_or_default().into(),
            last.run.clone().into(),
        ]);
    }
    let has_changes = history.lines.iter().any(|line| !line.changes.is_empty());
    Section {
        title: "Lines".to_owned(),
        grid: grid.without_empty_columns(),
        notes: has_changes
            .then(|| "A stroke stands where the level changed.".to_owned())
            .into_iter()
            .collect(),
    }
}

/// The runs as letters, neighbours taken together where there are many, a stroke before each new level.
fn sparkline(line: &HistoryLine) -> String {
    let together = line.runs.len().div_ceil(SPARK_POINTS).max(1);
    let means: Vec<f64> = line
        .runs
        .chunks(together)
        .map(|runs| runs.iter().map(|run| run.mean).sum::<f64>() / runs.len() as f64)
        .collect();
    let low = means.iter().copied().fold(f64::INFINITY, f64::min);
    let high = means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut text = String::new();
    for (place, mean) in means.iter().enumerate() {
        if line
            .changes
            .iter()
            .any(|change| change.first.div_ceil(together) == place)
        {
            text.push('|');
        }
        let share = if high > low {
            (mean - low) / (high - low)
        } else {
            0.5
        };
        let letter = (share * (SPARK.len() - 1) as f64).round();
        text.push(SPARK.get(letter as usize).copied().unwrap_or(' '));
    }
    text
}

fn runs_section(line: &HistoryLine) -> Section {
    let mut grid = Grid::new(vec![
        Column::words("run"),
        Column::words("commit"),
        Column::numbers("mean"),
        Column::numbers("interval"),
        Column::numbers("values"),
        Column::numbers("missing").may_go(1),
        Column::words("").may_go(1),
    ]);
    let format = format_of(line);
    for (place, run) in line.runs.iter().enumerate() {
        let commit = run.commit.as_deref().unwrap_or_default();
        let changed = if run.dirty { " changed" } else { "" };
        let is_new = line.changes.iter().any(|change| change.first == place);
        grid.push(vec![
            run.run.clone().into(),
            format!("{}{changed}", commit.get(..COMMIT).unwrap_or(commit)).into(),
            format.number(run.mean).into(),
            run.interval
                .map_or(String::new(), |[low, high]| format.range(low, high))
                .into(),
            run.n.to_string().into(),
            if run.missing > 0 {
                run.missing.to_string()
            } else {
                String::new()
            }
            .into(),
            if is_new { "new level" } else { "" }.into(),
        ]);
    }
    Section {
        title: capitalised(&title(line)),
        grid: grid.without_empty_columns(),
        notes: Vec::new(),
    }
}

/// `time_s (s) of task train, arm candidate, lr=0.1`.
fn title(line: &HistoryLine) -> String {
    let mut text = format!(
        "{} of {}",
        with_unit(&line.metric, line.unit.as_deref()),
        line.task
    );
    if let Some(arm) = &line.arm {
        text = format!("{text}, {arm}");
    }
    if !line.point.is_empty() {
        text = format!("{text}, {}", line.point);
    }
    text
}

fn format_of(line: &HistoryLine) -> NumberFormat {
    let means: Vec<f64> = line.runs.iter().map(|run| run.mean).collect();
    let halves: Vec<f64> = line
        .runs
        .iter()
        .filter_map(|run| run.interval)
        .map(|[low, high]| (high - low) / 2.0)
        .collect();
    NumberFormat::choose(&means, &halves, None)
}

/// The chart of one line.
pub fn figure(history: &BenchmarkHistory, line: &HistoryLine) -> Figure {
    let ends = match (line.runs.first(), line.runs.last()) {
        (Some(first), Some(last)) => format!("From {} to {}. ", first.run, last.run),
        _ => String::new(),
    };
    let point = |run: &fairtrial_analysis::history::HistoryRun| {
        let [low, high] = run.interval.unwrap_or([f64::NAN; 2]);
        HistoryPoint {
            name: run.run.clone(),
            range: [low, run.mean, high],
        }
    };
    let shift = |change: &LevelChange| Shift {
        at: change.first,
        before: change.before,
        after: change.after,
    };
    charts::history(&History {
        heading: Heading {
            title: format!("{}: run by run", title(line)),
            subtitle: format!(
                "{ends}Of histories without any change, {} would show one.",
                share::percent(history.alpha)
            ),
            notes: line
                .began_because
                .iter()
                .map(|why| format!("A new line, because {}.", condition(why)))
                .collect(),
        },
        value: with_unit(&line.metric, line.unit.as_deref()),
        points: line.runs.iter().map(point).collect(),
        shifts: line.changes.iter().map(shift).collect(),
    })
}
