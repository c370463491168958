//! The charts of several tasks and arms: who solves what, the leaderboard, chances to be better, cost against score.

use crate::ranking::{format_of, mean_title, standing_word};
use fairtrial_analysis::compare::{Comparison, Ranking, Role};
use fairtrial_analysis::report::{CostFrontier, Flip, TaskCell, TaskGrid};
use fairtrial_chart::charts::{
    self, Frontier, FrontierArm, Heading, HeatCell, HeatMap, HeatRow, IntervalRow, Intervals,
    with_unit,
};
use fairtrial_chart::{Figure, TickFormat};
use fairtrial_model::Direction;
use fairtrial_text::count::counted;
use fairtrial_text::number::NumberFormat;
use fairtrial_text::share::{common_level, level};

/// Arms of a leaderboard that are drawn.
const PLACES: usize = 24;

/// The primary metric by task and arm.
pub(super) fn grid(found: &TaskGrid) -> Figure {
    let cells = || found.tasks.iter().flat_map(|row| &row.cells);
    let means: Vec<f64> = cells().filter_map(|cell| cell.mean).collect();
    // Shares and scores mean the same in every task; rewards of two games do not.
    let shared = means.iter().all(|mean| (0.0..=1.0).contains(mean));
    let format = if shared {
        NumberFormat::Fixed(2)
    } else {
        NumberFormat::choose(&means, &[], None)
    };
    let level = |mean: f64, row: &[TaskCell]| {
        let (low, high) = if shared { (0.0, 1.0) } else { ends(row) };
        let place = if low < high {
            (mean - low) / (high - low)
        } else {
            0.5
        };
        match found.direction {
            Some(Direction::Down) => 1.0 - place,
            _ => place,
        }
    };
    let rows = found.tasks.iter().map(|row| HeatRow {
        name: row.task.clone(),
        cells: row
            .cells
            .iter()
            .map(|cell| HeatCell {
                level: cell.mean.map_or(f64::NAN, |mean| level(mean, &row.cells)),
                text: cell_words(cell, format),
            })
            .collect(),
    });
    charts::heat_map(&HeatMap {
        heading: Heading {
            title: format!(
                "{}: task by task",
                with_unit(&found.metric, found.unit.as_deref())
            ),
            subtitle: grid_words(found, shared),
            notes: grid_notes(found),
        },
        columns: found.arms.clone(),
        rows: rows.collect(),
    })
}

/// The smallest and the largest mean of a task.
fn ends(row: &[TaskCell]) -> (f64, f64) {
    let means = || row.iter().filter_map(|cell| cell.mean);
    (
        means().fold(f64::INFINITY, f64::min),
        means().fold(f64::NEG_INFINITY, f64::max),
    )
}

fn cell_words(cell: &TaskCell, format: NumberFormat) -> String {
    let Some(mean) = cell.mean else {
        return String::new();
    };
    let mark = match cell.flip {
        Some(Flip::Gained) => " ▲",
        Some(Flip::Lost) => " ▼",
        None => "",
    };
    format!("{}{mark}", format.number(mean))
}

fn grid_words(found: &TaskGrid, shared: bool) -> String {
    let darker = match found.direction {
        Some(_) => "the better, the darker",
        None => "the larger, the darker",
    };
    let among = if shared {
        ""
    } else {
        " among the arms of a task"
    };
    let mut words = format!("Means; {darker}{among}.");
    let flips = found.tasks.iter().flat_map(|row| &row.cells);
    if flips.clone().any(|cell| cell.flip.is_some()) {
        words.push_str(" ▲ solves more rollouts than the control, ▼ fewer.");
    }
    words
}

fn grid_notes(found: &TaskGrid) -> Vec<String> {
    let cells = || found.tasks.iter().flat_map(|row| &row.cells);
    let failed: usize = cells().map(|cell| cell.failed).sum();
    let failed = (failed > 0).then(|| {
        let trials = counted(failed as u64, "failed trial");
        if found.failed_as_zero {
            format!("With {trials}, each as 0.")
        } else {
            format!("Without {trials}.")
        }
    });
    let empty = cells().filter(|cell| cell.mean.is_none()).count();
    let empty = (empty > 0).then(|| "An empty cell has no value.".to_owned());
    let tasks = (found.more_tasks > 0).then(|| {
        format!(
            "{} of {} tasks are shown: those in which arms differ most.",
            found.tasks.len(),
            found.tasks.len() + found.more_tasks
        )
    });
    let arms = (found.more_arms > 0).then(|| {
        let shown = found.arms.len();
        format!(
            "The first {shown} of {} arms are shown.",
            shown + found.more_arms
        )
    });
    [failed, empty, tasks, arms].into_iter().flatten().collect()
}

/// The arms in order, each with its interval; `place` is where an arm stands in the spec.
pub(super) fn leaderboard(ranking: &Ranking, place: impl Fn(&str) -> usize) -> Figure {
    let rows = ranking.arms.iter().take(PLACES).enumerate();
    let rows = rows.map(|(rank, arm)| {
        let of = &arm.standing;
        let [low, high] = of
            .interval
            .map_or([f64::NAN; 2], |found| [found.low, found.high]);
        IntervalRow {
            name: arm.arm.clone(),
            note: short_word(&standing_word(&arm.arm, rank, of).text).to_owned(),
            range: [low, of.mean, high],
            look: place(&arm.arm),
        }
    });
    let rows: Vec<IntervalRow> = rows.collect();
    let more = ranking.arms.len() - rows.len();
    let at = if ranking.point.is_empty() {
        String::new()
    } else {
        format!(" at {}", ranking.point)
    };
    let format = format_of(ranking.arms.iter().map(|arm| &arm.standing));
    let first = ranking
        .arms
        .first()
        .map(|arm| format.number(arm.standing.mean));
    charts::intervals(&Intervals {
        heading: Heading {
            title: format!("Arms by {}{at}", ranking.metric),
            subtitle: format!(
                "The {} of each with its {} interval; the best has {}, and was picked by these numbers.",
                mean_title(ranking.scale),
                level(ranking.alpha),
                first.unwrap_or_default()
            ),
            notes: (more > 0)
                .then(|| format!("and {}.", counted(more as u64, "more arm")))
                .into_iter()
                .collect(),
        },
        axis: ranking.metric.clone(),
        format: TickFormat::Plain,
        level: None,
        rows,
    })
}

/// As much of it as stands at the end of a row.
fn short_word(word: &str) -> &str {
    let word = word.split_once(':').map_or(word, |(word, _)| word);
    word.strip_suffix(" from the best").unwrap_or(word)
}

/// With what probability a run of each candidate is better than one of the control, over the tasks of a suite.
pub(super) fn chances(comparison: &Comparison, place: impl Fn(&str) -> usize) -> Option<Figure> {
    let mut alphas = Vec::new();
    let mut rows = Vec::new();
    for contrast in &comparison.contrasts {
        let mut metrics = contrast.metrics.iter();
        let metric = metrics.find(|metric| metric.role == Role::Primary)?;
        let Some(chance) = metric
            .second_opinions
            .suite
            .as_ref()
            .and_then(|of| of.improvement)
        else {
            continue;
        };
        let name = contrast.candidate.short().to_owned();
        // Where no draw differs there is no interval.
        let [low, high] = if chance.low == chance.high {
            [f64::NAN; 2]
        } else {
            [chance.low, chance.high]
        };
        alphas.push(metric.family.alpha);
        rows.push(IntervalRow {
            look: place(&name),
            name,
            note: metric.verdict.word.text().to_owned(),
            range: [low, chance.value, high],
        });
    }
    let known = common_level(alphas.iter().copied());
    (!rows.is_empty()).then(|| {
        charts::intervals(&Intervals {
            heading: Heading {
                title: "Probability of improvement".to_owned(),
                subtitle: format!(
                    "That a run is better than one of the control, over the tasks, with its {}; 50 % is no difference.",
                    known.map_or("interval".to_owned(), |level| format!("{level} interval"))
                ),
                notes: Vec::new(),
            },
            axis: "probability".to_owned(),
            format: TickFormat::Percent,
            level: Some(0.5),
            rows,
        })
    })
}

/// What arms cost against what they reach.
pub(super) fn frontier(found: &CostFrontier, alpha: f64) -> Figure {
    let unknown = (!found.unknown.is_empty()).then(|| {
        format!(
            "Not drawn, the cost or the score is not known: {}.",
            found.unknown.join(", ")
        )
    });
    charts::frontier(&Frontier {
        heading: Heading {
            title: "Cost against score".to_owned(),
            subtitle: format!(
                "Mean score, a failure as 0, with its {} interval over tasks. The line joins the arms that none beats in both.",
                level(alpha)
            ),
            notes: unknown.into_iter().collect(),
        },
        cost: "dollars per rollout".to_owned(),
        score: "score".to_owned(),
        arms: found
            .arms
            .iter()
            .map(|arm| FrontierArm {
                name: arm.arm.clone(),
                look: arm.place,
                cost: arm.cost,
                score: {
                    let [low, high] = arm.interval.unwrap_or([f64::NAN; 2]);
                    [low, arm.score, high]
                },
                unbeaten: arm.unbeaten,
            })
            .collect(),
    })
}
