//! The chart of a metric over the runs before, with its change points.

use fairtrial_analysis::report::{MetricHistory, NoPoint};
use fairtrial_chart::Figure;
use fairtrial_chart::charts::{self, Heading, History, HistoryPoint, Shift, with_unit};
use fairtrial_text::count::{counted, first_of};
use fairtrial_text::share;

/// Runs that a history names at most.
const NAMED_RUNS: usize = 3;

/// Runs that have no point, and points that are not over all trials of their run.
fn history_notes(found: &MetricHistory) -> Vec<String> {
    let mut notes = Vec::new();
    let other = format!(
        "No point, because {} was made in another way there (source, summary, conversion, rounding or unit)",
        found.metric
    );
    for (why, words) in [
        (NoPoint::NoValue, "No point, without a value"),
        (NoPoint::Unfinished, "No point, not finished"),
        (NoPoint::MadeDifferently, &other),
    ] {
        let runs = found.without.iter().filter(|run| run.why == why);
        let runs: Vec<String> = runs.map(|run| run.stamp.to_string()).collect();
        notes.extend(named_runs(words, &runs));
    }
    let part = found.runs.iter().filter(|run| run.missing > 0);
    let part: Vec<String> = part
        .map(|run| format!("{} ({} of {})", run.stamp, run.n, run.n + run.missing))
        .collect();
    notes.extend(named_runs("Mean over a part of the trials", &part));
    notes
}

/// `No point, not finished: 2 runs (A, B).`
fn named_runs(what: &str, runs: &[String]) -> Option<String> {
    let (counted, named) = (counted(runs.len(), "run"), first_of(runs, NAMED_RUNS));
    (!runs.is_empty()).then(|| format!("{what}: {counted} ({named})."))
}

/// The points with a gap where a run has none, and where each of the runs that have one stands among them.
fn history_points(found: &MetricHistory) -> (Vec<HistoryPoint>, Vec<usize>) {
    let with = found.runs.iter().enumerate().map(|(place, run)| {
        let [low, high] = run.interval.unwrap_or([f64::NAN; 2]);
        (run.stamp, Some(place), [low, run.mean, high])
    });
    let without = found.without.iter();
    let without = without.map(|run| (run.stamp, None, [f64::NAN; 3]));
    let mut all: Vec<_> = with.chain(without).collect();
    all.sort_by_key(|(stamp, ..)| *stamp);
    let places = all.iter().enumerate();
    let places = places.filter_map(|(at, (_, place, _))| place.map(|_| at));
    let places: Vec<usize> = places.collect();
    let points = all.into_iter().map(|(stamp, _, range)| HistoryPoint {
        name: stamp.to_string(),
        range,
    });
    (points.collect(), places)
}

/// The primary metric over the runs before.
pub(super) fn history(found: &MetricHistory) -> Figure {
    let arm = found
        .arm
        .as_ref()
        .map_or(String::new(), |arm| format!(", {arm}"));
    let ends = match (found.runs.first(), found.runs.last()) {
        (Some(first), Some(last)) => format!("From {} to {}. ", first.stamp, last.stamp),
        _ => String::new(),
    };
    let (points, places) = history_points(found);
    charts::history(&History {
        heading: Heading {
            title: format!("{}{arm}: run by run", found.metric),
            subtitle: format!(
                "{ends}Of histories without any change, {} would show one.",
                share::percent(found.false_alarms)
            ),
            notes: history_notes(found),
        },
        value: with_unit(&found.metric, found.unit.as_deref()),
        points,
        shifts: found
            .changes
            .iter()
            .map(|change| Shift {
                at: places.get(change.index).copied().unwrap_or(change.index),
                before: change.mean_before,
                after: change.mean_after,
            })
            .collect(),
    })
}
