//! The rows that a query finds, and the page of them that is on the screen.

use super::query::{RowOrder, RowQuery};
use super::row::TrialRow;
use super::run_view::RunView;
use serde::Serialize;
use std::cmp::Ordering;

/// Rows of one page at most.
const MOST: usize = 500;

/// Some rows of those that a query finds.
#[derive(Debug, Serialize)]
pub struct RowsPage<'a> {
    /// How many there are.
    pub total: usize,
    /// Where these begin.
    pub offset: usize,
    /// The metrics of their values.
    pub metrics: &'a [String],
    /// The rows.
    pub rows: Vec<Row<'a>>,
}

/// A row with its status in a word.
#[derive(Debug, Serialize)]
pub struct Row<'a> {
    status: &'static str,
    #[serde(flatten)]
    row: &'a TrialRow,
}

impl RunView {
    /// Rows of a query from a place on; at most 500. `live` says whether a controller has the run.
    pub fn rows(&mut self, query: &RowQuery, live: bool, from: usize, most: usize) -> RowsPage<'_> {
        let kept = self.order.0.as_ref();
        if kept.is_none_or(|(known, was_live, _)| known != query || *was_live != live) {
            let found = self.find(query, live);
            self.order.0 = Some((query.clone(), live, found));
        }
        let found = self.order.0.as_ref().map_or(&[][..], |(_, _, found)| found);
        let page = found.iter().skip(from).take(most.min(MOST));
        RowsPage {
            total: found.len(),
            offset: from,
            metrics: &self.metrics,
            rows: page
                .map(|place| {
                    let row = &self.rows[*place as usize];
                    let status = row.status(live);
                    Row { status, row }
                })
                .collect(),
        }
    }

    fn find(&self, query: &RowQuery, live: bool) -> Vec<u32> {
        let words = wanted_words(&query.words);
        let wanted = |row: &TrialRow| {
            let is = |asked: &str, found: &str| asked.is_empty() || asked == found;
            is(&query.status, row.status(live))
                && is(&query.arm, row.arm.as_deref().unwrap_or_default())
                && is(&query.task, &row.task)
                && (words.is_empty() || holds(row, live, &words))
        };
        let places = (0..).zip(&self.rows);
        let found = places.filter(|(_, row)| wanted(row));
        let mut found: Vec<u32> = found.map(|(place, _)| place).collect();
        let of = |place: &u32| &self.rows[*place as usize];
        let value = self.value_of(&query.order);
        // What has no value comes last in either direction.
        found.sort_by(|a, b| {
            let (a, b) = (of(a), of(b));
            match &query.order {
                RowOrder::Plan => turned(a.trial.cmp(&b.trial), query.backwards),
                RowOrder::Task => turned(a.task.cmp(&b.task), query.backwards),
                RowOrder::Arm => turned(a.arm.cmp(&b.arm), query.backwards),
                RowOrder::Seed => turned(
                    (a.seed, a.rollout).cmp(&(b.seed, b.rollout)),
                    query.backwards,
                ),
                RowOrder::Status => turned(a.status(live).cmp(b.status(live)), query.backwards),
                RowOrder::Ended => last(a.ended_at, b.ended_at, query.backwards),
                RowOrder::Wall | RowOrder::Metric(_) => {
                    last(value(a).map(Total), value(b).map(Total), query.backwards)
                }
            }
        });
        found
    }

    /// The number that an order goes by.
    fn value_of(&self, order: &RowOrder) -> impl Fn(&TrialRow) -> Option<f64> + use<> {
        let place = match order {
            RowOrder::Metric(name) => self.metrics.iter().position(|known| known == name),
            _ => None,
        };
        let wall = *order == RowOrder::Wall;
        move |row| {
            if wall {
                row.wall
            } else {
                *row.values.get(place?)?
            }
        }
    }
}

/// A number with an order among all numbers.
#[derive(PartialEq)]
struct Total(f64);

impl Eq for Total {}

impl PartialOrd for Total {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Total {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

fn turned(order: Ordering, backwards: bool) -> Ordering {
    if backwards { order.reverse() } else { order }
}

fn last<T: Ord>(a: Option<T>, b: Option<T>, backwards: bool) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => turned(a.cmp(&b), backwards),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    }
}

/// What a row must hold, in small letters. `seed 3` is that seed, not every trial with a 3 somewhere.
fn wanted_words(asked: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in asked.split_whitespace().map(str::to_lowercase) {
        match words.last_mut() {
            Some(last) if matches!(last.as_str(), "seed" | "rollout") => {
                *last = format!(" {last} {word} ");
            }
            _ => words.push(word),
        }
    }
    words
}

/// Whether a row holds all these words, which are in small letters.
fn holds(row: &TrialRow, live: bool, words: &[String]) -> bool {
    let arm = row.arm.as_deref().unwrap_or_default();
    let cause = row.cause.as_deref().unwrap_or_default();
    let text = format!(
        "{} {} {arm} {} seed {} rollout {} {} {cause}",
        row.trial,
        row.task,
        row.point,
        row.seed,
        row.rollout,
        row.status(live)
    )
    .to_lowercase();
    words.iter().all(|word| text.contains(word.as_str()))
}
