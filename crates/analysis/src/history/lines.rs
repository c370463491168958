//! Runs in lines that can be compared, and where each line changes its level.

use super::reading::{CellReading, RunReading};
use super::result::{
    BenchmarkHistory, ChangeKind, HistoryLine, HistoryRun, LeftOutRun, LevelChange, MeasuredUnlike,
    SCHEMA,
};
use crate::compare::data::definition;
use crate::error::AnalysisError;
use fairtrial_model::{Direction, MetricDeclaration};
use fairtrial_stats::history::{ChangePoint, SegmentOptions, fewest_points, level_changes};
use std::collections::BTreeMap;

/// Which lines are asked for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AskedLines {
    /// Metrics; without any, the declared ones, or all where none is declared.
    pub metrics: Vec<String>,
    /// The task; absent for all.
    pub task: Option<String>,
    /// The arm; absent for all.
    pub arm: Option<String>,
    /// The share of unchanged lines that may show a change.
    pub alpha: Option<f64>,
}

impl AskedLines {
    fn fits(&self, cell: &CellReading, any_declared: bool) -> bool {
        let is =
            |asked: &Option<String>, own: Option<&String>| asked.is_none() || asked.as_ref() == own;
        let metric = match &self.metrics[..] {
            [] => cell.declared || !any_declared,
            asked => asked.contains(&cell.metric.name),
        };
        metric && is(&self.task, Some(&cell.task)) && is(&self.arm, cell.arm.as_ref())
    }
}

/// A line that grows run by run.
struct Growing {
    line: HistoryLine,
    metric: MetricDeclaration,
    conditions: BTreeMap<String, String>,
}

/// The lines of runs, which stand in their order, with the changes of each.
pub fn arrange(
    name: &str,
    runs: &[RunReading],
    (asked, left_out): (&AskedLines, Vec<LeftOutRun>),
) -> Result<BenchmarkHistory, AnalysisError> {
    let options = SegmentOptions {
        alpha: asked.alpha.unwrap_or(SegmentOptions::default().alpha),
        ..SegmentOptions::default()
    };
    let any_declared = runs
        .iter()
        .flat_map(|run| &run.cells)
        .any(|cell| cell.declared);
    let mut growing: Vec<Growing> = Vec::new();
    for run in runs {
        for cell in run
            .cells
            .iter()
            .filter(|cell| asked.fits(cell, any_declared))
        {
            let place = place_of(&mut growing, cell);
            growing[place].line.runs.push(point(run, cell));
        }
    }
    if growing.is_empty() {
        return Err(nothing(name, runs, asked));
    }
    let mut lines = Vec::new();
    for Growing { mut line, .. } in growing {
        line.changes = changes(&line, &options)?;
        lines.push(line);
    }
    let has_none = |line: &HistoryLine| line.changes.is_empty();
    lines.sort_by_key(has_none);
    Ok(BenchmarkHistory {
        schema: SCHEMA,
        name: name.to_owned(),
        alpha: options.alpha,
        fewest: fewest_points(&options),
        lines,
        left_out,
        since: None,
    })
}

/// Why there is no line.
fn nothing(name: &str, runs: &[RunReading], asked: &AskedLines) -> AnalysisError {
    if runs.is_empty() {
        return AnalysisError::Question(format!(
            "no run of {name} counts: none is finished, or none is asked for"
        ));
    }
    let mut metrics: Vec<&str> = runs
        .iter()
        .flat_map(|run| &run.cells)
        .map(|cell| cell.metric.name.as_str())
        .collect();
    metrics.sort_unstable();
    metrics.dedup();
    let what = if metrics.is_empty() {
        format!("no run of {name} measured anything")
    } else if asked.task.is_some() || asked.arm.is_some() {
        format!(
            "no run of {name} measured that metric of that task and arm; there is {}",
            metrics.join(", ")
        )
    } else {
        format!(
            "no run of {name} measured {}; there is {}",
            asked.metrics.join(", "),
            metrics.join(", ")
        )
    };
    AnalysisError::Question(what)
}

/// The line that a cell goes on, or a new one.
fn place_of(growing: &mut Vec<Growing>, cell: &CellReading) -> usize {
    let same = |known: &Growing| {
        let line = &known.line;
        (&line.metric, &line.task, &line.arm, &line.point)
            == (&cell.metric.name, &cell.task, &cell.arm, &cell.point)
    };
    let alike = |known: &Growing| {
        known.conditions == cell.conditions
            && definition::changes(&known.metric, &cell.metric).is_empty()
    };
    if let Some(place) = growing.iter().position(|known| same(known) && alike(known)) {
        return place;
    }
    let before = growing.iter().rev().find(|known| same(known));
    let began_because = before.map_or(Vec::new(), |before| differences(before, cell));
    growing.push(Growing {
        line: HistoryLine {
            metric: cell.metric.name.clone(),
            unit: cell.metric.unit.clone(),
            direction: cell.direction,
            task: cell.task.clone(),
            arm: cell.arm.clone(),
            point: cell.point.clone(),
            began_because,
            runs: Vec::new(),
            changes: Vec::new(),
        },
        metric: cell.metric.clone(),
        conditions: cell.conditions.clone(),
    });
    growing.len() - 1
}

/// In what a cell was measured unlike a line.
fn differences(before: &Growing, cell: &CellReading) -> Vec<MeasuredUnlike> {
    let of_metric = definition::changes(&before.metric, &cell.metric).into_iter();
    let mut found: Vec<MeasuredUnlike> = of_metric
        .map(|change| MeasuredUnlike {
            what: format!("{}: {}", cell.metric.name, change.what),
            before: change.registered,
            now: change.used,
        })
        .collect();
    let mut names: Vec<&String> = before
        .conditions
        .keys()
        .chain(cell.conditions.keys())
        .collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let (old, new) = (before.conditions.get(name), cell.conditions.get(name));
        if old != new {
            found.push(MeasuredUnlike {
                what: name.clone(),
                before: old.cloned(),
                now: new.cloned(),
            });
        }
    }
    found
}

fn point(run: &RunReading, cell: &CellReading) -> HistoryRun {
    HistoryRun {
        run: run.run.clone(),
        commit: run.commit.clone(),
        dirty: run.dirty,
        mixed: run.mixed,
        mean: cell.mean,
        interval: cell.interval,
        n: cell.n,
        missing: cell.missing,
    }
}

fn changes(
    line: &HistoryLine,
    options: &SegmentOptions,
) -> Result<Vec<LevelChange>, AnalysisError> {
    let means: Vec<f64> = line.runs.iter().map(|run| run.mean).collect();
    let found = level_changes(&means, options)
        .map_err(|error| AnalysisError::Question(error.to_string()))?;
    let change = |found: ChangePoint| {
        let commit = |place: usize| line.runs[place].commit.clone();
        let relative = found.mean_after / found.mean_before - 1.0;
        LevelChange {
            kind: kind(line.direction, &found),
            first: found.index,
            before: found.mean_before,
            after: found.mean_after,
            relative: (found.mean_before > 0.0 && relative.is_finite()).then_some(relative),
            p: found.p,
            commit_before: commit(found.index - 1),
            commit_after: commit(found.index),
            commits: None,
        }
    };
    Ok(found.points.into_iter().map(change).collect())
}

fn kind(direction: Option<Direction>, found: &ChangePoint) -> ChangeKind {
    let is_up = found.mean_after > found.mean_before;
    match (direction, is_up) {
        (None, _) => ChangeKind::Changed,
        (Some(Direction::Up), true) | (Some(Direction::Down), false) => ChangeKind::Improved,
        _ => ChangeKind::Regressed,
    }
}

#[cfg(test)]
mod tests {
    use super::{AskedLines, arrange};
    use crate::dataset::Dataset;
    use crate::history::{ChangeKind, RunReading};

    /// A year of a table: the time of two arms, of which one gets slower at 30.
    fn readings() -> Vec<RunReading> {
        let of = |at: u32| {
            let slow = if at < 30 { 1.0 } else { 1.2 };
            let wave = 0.01 * f64::from(at * 7 % 5);
            let text = format!("arm,seed,time_s\na,1,{}\nb,1,{}\n", slow + wave, 2.0 + wave);
            RunReading::of_table(
                &format!("{at:040}"),
                &Dataset::from_csv("t.csv", &text).unwrap(),
            )
        };
        (0..60).map(of).collect()
    }

    #[test]
    fn the_arm_that_changed_comes_first() {
        let runs = readings();
        let found = arrange("t.csv", &runs, (&AskedLines::default(), Vec::new())).unwrap();
        assert_eq!(found.lines.len(), 2);
        let line = &found.lines[0];
        assert_eq!(
            (line.arm.as_deref(), line.runs.len(), line.changes.len()),
            (Some("a"), 60, 1)
        );
        let change = &line.changes[0];
        assert_eq!(
            (change.first, change.commit_after.as_deref()),
            (30, Some(format!("{:040}", 30).as_str()))
        );
        assert!((change.relative.unwrap() - 0.2).abs() < 0.02, "{change:?}");
        assert!(change.p <= 0.01);
        assert!(found.lines[1].changes.is_empty());
        assert_eq!(found.changes()[0].1.kind, change.kind);
        let one = AskedLines {
            arm: Some("b".to_owned()),
            ..AskedLines::default()
        };
        assert_eq!(
            arrange("t.csv", &runs, (&one, Vec::new()))
                .unwrap()
                .lines
                .len(),
            1
        );
        let none = AskedLines {
            metrics: vec!["tme".to_owned()],
            ..AskedLines::default()
        };
        let error = arrange("t.csv", &runs, (&none, Vec::new())).unwrap_err();
        assert!(error.to_string().contains("there is time_s"), "{error}");
    }

    #[test]
    fn what_is_measured_unlike_begins_a_line() {
        let mut runs = readings();
        for run in &mut runs[40..] {
            for cell in &mut run.cells {
                cell.conditions
                    .insert("cpu".to_owned(), "another".to_owned());
            }
        }
        // One that came back to the first machine goes on with its line.
        for cell in &mut runs[50].cells {
            cell.conditions.remove("cpu");
        }
        let one = AskedLines {
            arm: Some("b".to_owned()),
            ..AskedLines::default()
        };
        let found = arrange("t.csv", &runs, (&one, Vec::new())).unwrap();
        let lengths: Vec<usize> = found.lines.iter().map(|line| line.runs.len()).collect();
        assert_eq!(lengths, [41, 19]);
        assert!(found.lines[0].began_because.is_empty());
        assert_eq!(found.lines[1].began_because[0].what, "cpu");
        assert_eq!(
            found.lines[1].began_because[0].now.as_deref(),
            Some("another")
        );
        assert!(found.lines.iter().all(|line| line.changes.is_empty()));
    }

    #[test]
    fn the_direction_says_what_is_worse() {
        let mut runs = readings();
        for cell in runs.iter_mut().flat_map(|run| &mut run.cells) {
            cell.direction = Some(fairtrial_model::Direction::Down);
        }
        let found = arrange("t.csv", &runs, (&AskedLines::default(), Vec::new())).unwrap();
        assert_eq!(found.changes()[0].1.kind, ChangeKind::Regressed);
    }
}
