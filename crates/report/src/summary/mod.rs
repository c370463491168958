//! A run's summary as tables: how the trials ended, then one table per metric.

mod shown;

pub use shown::{ShownMetrics, SummaryRows, SummaryView};

pub(crate) use shown::Detail;

use self::shown::{Family, also_logged, families, in_cases, shown_cases, shown_families};
use crate::grid::{Cell, Column, Grid, Section, Tone};
use crate::rollouts;
use fairtrial_analysis::RunSummary;
use fairtrial_analysis::summary::{
    Cell as SummaryCell, IterationNumbers, MeanRange, MetricCell, MetricInfo, Numbers, WorstCase,
};
use fairtrial_model::{Direction, Outcome, without_case};
use fairtrial_text::count::{count, counted};
use fairtrial_text::duration::span;
use fairtrial_text::number::NumberFormat;
use fairtrial_text::share;
use std::collections::HashMap;

/// The tables of a summary.
#[derive(Debug, Default)]
pub(crate) struct SummaryTables {
    pub(crate) shown: Vec<Section>,
    /// Those of metrics that nobody declared, and what is said where they are folded.
    pub(crate) folded: Option<(String, Vec<Section>)>,
}

/// `bench 20250824__12-34-56: 27 of 28 trials, 25 ok, 2 failed`.
pub(crate) fn headline(summary: &RunSummary) -> String {
    let name = summary
        .run
        .as_ref()
        .map_or(String::new(), |run| format!("{} {}: ", run.name, run.stamp));
    let recorded = summary.outcomes.total();
    let trials = match summary.planned {
        Some(planned) if planned != recorded => {
            format!("{} of {}", count(recorded), counted(planned, "trial"))
        }
        _ => counted(recorded, "trial"),
    };
    let seen = Outcome::ALL
        .into_iter()
        .filter(|outcome| summary.outcomes.get(*outcome) > 0);
    let outcomes =
        seen.map(|outcome| format!("{} {outcome}", count(summary.outcomes.get(outcome))));
    let parts: Vec<String> = std::iter::once(trials).chain(outcomes).collect();
    format!("{name}{}", parts.join(", "))
}

/// The tables.
pub(crate) fn tables(summary: &RunSummary, detail: Detail) -> SummaryTables {
    if summary.cells.is_empty() {
        return SummaryTables::default();
    }
    let (plain, cases) = families(&summary.metrics);
    let (shown, others) = shown_families(&plain, detail);
    let (shown_cases, other_cases) = shown_cases(&cases, summary, detail);
    let note = (!others.is_empty()).then(|| also_logged(others, summary, detail));
    let in_cases = (!other_cases.is_empty()).then(|| in_cases(&other_cases, detail));
    let mut outcomes = outcome_section(summary);
    outcomes.notes.extend(left_out(summary));
    if detail != Detail::File {
        outcomes.notes.extend(note.iter().chain(&in_cases).cloned());
    }
    let of = |families: &[Family<'_>]| -> Vec<Section> {
        let sections = families.iter().map(|family| section(family, summary));
        sections.flatten().collect()
    };
    let mut sections = vec![outcomes];
    sections.extend(
        (summary.rollouts.iter()).flat_map(|found| rollouts::sections(found, summary.imported)),
    );
    sections.extend(of(shown));
    sections.extend(of(&shown_cases));
    let mut folded = of(others);
    folded.extend(of(&other_cases));
    SummaryTables {
        shown: sections,
        folded: note
            .or(in_cases)
            .filter(|_| detail == Detail::File)
            .map(|note| (note, folded)),
    }
}

/// How many rows are left out of every table.
pub(crate) fn left_out(summary: &RunSummary) -> Option<String> {
    let rows = counted(summary.left_out, "more row");
    (summary.left_out > 0).then(|| {
        format!("{rows} of this and the other tables: `fairtrial summarize --all` shows every one.")
    })
}

/// Rows of the table that stands in for a verdict where nothing is compared.
const FEW_CELLS: usize = 8;

/// The table of the metric that decides, where it is a small one.
pub(crate) fn primary_section(summary: &RunSummary) -> Option<Section> {
    let (plain, cases) = families(&summary.metrics);
    let small = |family: &&Family<'_>| summary.cells.len() * family.members.len() <= FEW_CELLS;
    let of = |families: &[Family<'_>]| {
        let first = families.iter().take(1).find(small);
        first.and_then(|family| section(family, summary))
    };
    of(&plain).or_else(|| of(&cases))
}

/// Which cell a row is about.
fn place_columns() -> Vec<Column> {
    vec![
        Column::words("task"),
        Column::words("arm"),
        Column::words("point"),
        Column::words("case"),
    ]
}

fn place_cells(cell: &SummaryCell, case: Option<&str>) -> Vec<Cell> {
    vec![
        cell.task.as_str().into(),
        cell.arm.as_deref().unwrap_or_default().into(),
        cell.point.to_string().into(),
        case.unwrap_or_default().into(),
    ]
}

/// Outcomes that have a column even where no trial ended that way.
const ALWAYS: [Outcome; 2] = [Outcome::Ok, Outcome::Failed];

fn outcome_section(summary: &RunSummary) -> Section {
    let has_column =
        |outcome: &Outcome| ALWAYS.contains(outcome) || summary.outcomes.get(*outcome) > 0;
    let outcomes: Vec<Outcome> = Outcome::ALL.into_iter().filter(has_column).collect();
    let mut columns = place_columns();
    columns.push(Column::numbers("trials"));
    columns.extend(
        outcomes
            .iter()
            .map(|outcome| Column::numbers(outcome.word())),
    );
    columns.push(Column::numbers("mean wall").may_go(1));
    let mut grid = Grid::new(columns);
    for cell in &summary.cells {
        let mut row = place_cells(cell, None);
        row.push(count(cell.outcomes.total()).into());
        row.extend(
            outcomes
                .iter()
                .map(|outcome| outcome_cell(*outcome, cell.outcomes.get(*outcome))),
        );
        row.push(
            cell.wall
                .map_or(Cell::default(), |wall| span(wall.mean).into()),
        );
        grid.push(row);
    }
    Section {
        title: "Trials".to_owned(),
        grid: grid.without_empty_columns(),
        notes: Vec::new(),
    }
}

fn outcome_cell(outcome: Outcome, n: u64) -> Cell {
    let tone = match outcome {
        _ if n == 0 => Tone::Faint,
        Outcome::Ok => Tone::Plain,
        outcome if outcome.is_arm_failure() => Tone::Bad,
        _ => Tone::Caution,
    };
    Cell::from(count(n)).toned(tone)
}

/// `overview/reward (higher is better, unit)`.
fn metric_title(name: &str, metric: &MetricInfo) -> String {
    let direction = metric.direction.map(|direction| match direction {
        Direction::Up => "higher is better".to_owned(),
        Direction::Down => "lower is better".to_owned(),
    });
    let about: Vec<String> = metric.unit.clone().into_iter().chain(direction).collect();
    if about.is_empty() {
        name.to_owned()
    } else {
        format!("{name} ({})", about.join(", "))
    }
}

/// The table of a metric, or of its cases; nothing where no cell has it.
fn section(family: &Family<'_>, summary: &RunSummary) -> Option<Section> {
    let places: HashMap<&str, usize> = family
        .members
        .iter()
        .map(|of| of.name.as_str())
        .zip(0..)
        .collect();
    let place = |of: &MetricCell| match family.members.as_slice() {
        [only] => (of.metric == only.name).then_some(0),
        _ => places.get(of.metric.as_str()).copied(),
    };
    let mut rows: Vec<(&SummaryCell, &MetricCell)> = Vec::new();
    for cell in &summary.cells {
        let first = rows.len();
        let mine = cell.metrics.iter().filter(|of| place(of).is_some());
        rows.extend(mine.map(|of| (cell, of)));
        rows[first..].sort_by_key(|(_, of)| place(of));
    }
    if rows.is_empty() {
        return None;
    }
    let metric = family.members.first()?;
    let look = Look::of(&rows, metric, summary.alpha);
    let mut columns = place_columns();
    columns.extend([
        Column::numbers("n"),
        Column::numbers("iterations"),
        Column::numbers("missing"),
        Column::numbers(look.mean_title()),
        Column::numbers("sd").may_go(1),
        Column::numbers("min").may_go(3),
        Column::numbers("median").may_go(2),
        Column::numbers("p95").may_go(2),
        Column::numbers("max").may_go(3),
        Column::numbers("worst-case mean"),
    ]);
    let mut grid = Grid::new(columns);
    for (cell, values) in &rows {
        let mut row = place_cells(cell, without_case(&values.metric).1);
        row.extend(look.row(values));
        grid.push(row);
    }
    Some(Section {
        title: metric_title(family.name, metric),
        grid: grid.without_empty_columns(),
        notes: notes(&rows),
    })
}

/// The interval of a cell; of one trial alone, that of its iterations.
fn range_of(values: &MetricCell) -> Option<&MeanRange> {
    let of_iterations = || values.iterations.as_ref()?.interval.as_ref();
    values.interval.as_ref().or_else(of_iterations)
}

/// How the numbers of one metric are written: alike in all rows.
struct Look {
    format: NumberFormat,
    /// Of what iterations are like: a mean over processes that differ much has few digits, and says nothing about them.
    inside: NumberFormat,
    symmetric: bool,
    alpha: f64,
}

impl Look {
    fn of(rows: &[(&SummaryCell, &MetricCell)], metric: &MetricInfo, alpha: f64) -> Self {
        let numbers = || rows.iter().filter_map(|(_, cell)| cell.numbers);
        let values: Vec<f64> = numbers().flat_map(|of| [of.mean, of.min, of.max]).collect();
        let ranges = || {
            rows.iter()
                .filter_map(|(_, cell)| Some((cell.numbers?.mean, range_of(cell)?)))
        };
        let mut widths: Vec<f64> = ranges().map(|(_, range)| half_width(range)).collect();
        if widths.is_empty() {
            widths = numbers().filter_map(|of| of.sd).collect();
        }
        let inside = || rows.iter().filter_map(|(_, cell)| cell.iterations.as_ref());
        let symmetric = ranges().all(|(mean, range)| is_symmetric(mean, range));
        if !symmetric && inside().next().is_some() {
            // An interval on the log scale has its digits at its lower end.
            widths.extend(ranges().map(|(_, range)| range.interval.low));
        }
        let points: Vec<f64> = inside()
            .flat_map(|of| [of.min, of.median, of.p95, of.max])
            .collect();
        Self {
            format: NumberFormat::choose(&values, &widths, metric.precision),
            inside: NumberFormat::choose(&points, &[], metric.precision),
            symmetric,
            alpha,
        }
    }

    fn mean_title(&self) -> String {
        let level = share::level(self.alpha);
        if self.symmetric {
            format!("mean ± {level}")
        } else {
            format!("mean [{level} interval]")
        }
    }

    /// The numbers of a row. Where the iterations are known, what they are like is theirs.
    fn row(&self, values: &MetricCell) -> Vec<Cell> {
        let number = |x: Option<f64>| x.map_or(Cell::default(), |x| self.format.number(x).into());
        let numbers = values.numbers;
        let inside = values.iterations.as_ref();
        let within = |x: f64| Cell::from(self.inside.number(x));
        let of = |of_trials: fn(Numbers) -> f64, of_iterations: fn(&IterationNumbers) -> f64| {
            match inside {
                Some(inside) => within(of_iterations(inside)),
                None => number(numbers.map(of_trials)),
            }
        };
        let missing = values.missing.total();
        vec![
            values.n.to_string().into(),
            inside.map_or(Cell::default(), |of| count(of.n as u64).into()),
            match missing {
                0 => Cell::default(),
                _ => Cell::from(missing.to_string()).toned(Tone::Bad),
            },
            self.mean(values),
            number(numbers.and_then(|of| of.sd)),
            of(|of| of.min, |of| of.min),
            of(|of| of.median, |of| of.median),
            inside.map_or(Cell::default(), |of| within(of.p95)),
            of(|of| of.max, |of| of.max),
            match values.worst_case {
                Some(WorstCase::Mean { mean, .. }) => number(Some(mean)),
                Some(WorstCase::Unknown { .. }) => Cell::from("unknown").toned(Tone::Caution),
                None => Cell::default(),
            },
        ]
    }

    fn mean(&self, values: &MetricCell) -> Cell {
        let Some(numbers) = values.numbers else {
            return Cell::from("no value").toned(Tone::Bad);
        };
        let mean = self.format.number(numbers.mean);
        match range_of(values) {
            Some(range) if self.symmetric => self
                .format
                .plus_minus(numbers.mean, half_width(range))
                .into(),
            Some(range) => format!(
                "{mean} {}",
                self.format.range(range.interval.low, range.interval.high)
            )
            .into(),
            None => mean.into(),
        }
    }
}

fn half_width(range: &MeanRange) -> f64 {
    (range.interval.high - range.interval.low) / 2.0
}

fn is_symmetric(mean: f64, range: &MeanRange) -> bool {
    let (below, above) = (mean - range.interval.low, range.interval.high - mean);
    (below - above).abs() <= 1e-9 * (below + above)
}

/// What a reader must know to read the table: why values are missing, why there is no interval, what the unit is.
fn notes(rows: &[(&SummaryCell, &MetricCell)]) -> Vec<String> {
    let mut notes = Vec::new();
    let total = |of: fn(&MetricCell) -> usize| rows.iter().map(|(_, cell)| of(cell)).sum::<usize>();
    let reasons = [
        (total(|cell| cell.missing.failed), "failed"),
        (total(|cell| cell.missing.absent), "not reported"),
        (total(|cell| cell.missing.nan), "NaN"),
        (total(|cell| cell.missing.infinite), "infinite"),
    ];
    let said: Vec<String> = reasons
        .iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, why)| format!("{n} {why}"))
        .collect();
    if !said.is_empty() {
        notes.push(format!("Missing: {}.", said.join(", ")));
    }
    notes.extend(distinct(rows.iter().filter_map(
        |(_, cell)| match cell.worst_case {
            Some(WorstCase::Unknown { why }) => Some(format!("Worst case unknown: {why}.")),
            _ => None,
        },
    )));
    notes.extend(distinct(rows.iter().filter_map(|(_, cell)| {
        let why = cell.no_interval.as_ref()?;
        (cell.n > 0 && range_of(cell).is_none()).then(|| format!("No interval: {why}."))
    })));
    let methods = rows
        .iter()
        .filter_map(|(_, cell)| range_of(cell))
        .map(|range| range.method.clone());
    let methods: Vec<String> = distinct(methods);
    if !methods.is_empty() {
        notes.push(format!("Intervals: {}.", methods.join("; ")));
    }
    if rows.iter().any(|(_, cell)| cell.iterations.is_some()) {
        notes.push("min, median, p95 and max are over the iterations; n counts trials.".to_owned());
    }
    notes
}

fn distinct(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = Vec::new();
    for text in texts {
        if !seen.contains(&text) {
            seen.push(text);
        }
    }
    seen
}
