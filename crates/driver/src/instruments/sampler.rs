//! Looks at something at an interval, on a thread of its own, and keeps a bounded number of rows.

use fairtrial_experiment::protocol::Sample;
use fairtrial_journal::{Durability, JournalError, write_atomic};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Map, Value, json};
use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// One look: when (monotonic nanoseconds), and the named numbers that were seen.
pub(super) type SampledRow = (u64, Vec<(&'static str, f64)>);

/// A running sampler.
#[derive(Debug)]
pub(super) struct Sampler {
    stop: Sender<()>,
    thread: JoinHandle<Vec<SampledRow>>,
}

impl Sampler {
    /// Starts to look: at once, at every interval, and once more at the end. A look that sees nothing keeps no row.
    pub(super) fn start(
        interval: Duration,
        most: usize,
        mut look: impl FnMut() -> Option<Vec<(&'static str, f64)>> + Send + 'static,
    ) -> io::Result<Self> {
        let (stop, stopped) = channel::<()>();
        let thread = std::thread::Builder::new().name("instrument".into());
        let thread = thread.spawn(move || {
            let mut rows: Vec<SampledRow> = Vec::new();
            let mut pause = interval;
            loop {
                rows.extend(look().map(|seen| (now(), seen)));
                if rows.len() > most {
                    thin(&mut rows);
                    pause *= 2;
                }
                if stopped.recv_timeout(pause) != Err(RecvTimeoutError::Timeout) {
                    rows.extend(look().map(|seen| (now(), seen)));
                    return rows;
                }
            }
        })?;
        Ok(Self { stop, thread })
    }

    /// Ends it.
    pub(super) fn finish(self) -> Vec<SampledRow> {
        drop(self.stop);
        self.thread.join().unwrap_or_default()
    }
}

/// Drops every second row, so that the rest still covers the whole time evenly.
fn thin(rows: &mut Vec<SampledRow>) {
    let mut place = 0;
    rows.retain(|_| {
        place += 1;
        place % 2 == 1
    });
}

/// The clock that workers report the starts of iterations by.
fn now() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// The iteration that was running at a time.
fn iteration_at(samples: &[Sample], at: u64) -> Option<u64> {
    let after = samples.partition_point(|sample| sample.start_ns <= at);
    let sample = samples.get(after.checked_sub(1)?)?;
    (at <= sample.start_ns + sample.wall_ns).then_some(sample.index)
}

/// Writes the rows as JSON lines, each with the iteration it fell into.
pub(super) fn write_rows(
    path: &Path,
    rows: &[SampledRow],
    samples: &[Sample],
) -> Result<(), JournalError> {
    // Whatever the experiment put in its place is replaced.
    write_atomic(path, Durability::Process, |file| {
        for (at, seen) in rows {
            let mut line = Map::new();
            line.insert("ts".to_owned(), json!(*at as f64 / 1e9));
            line.insert("iteration".to_owned(), json!(iteration_at(samples, *at)));
            for (name, value) in seen {
                line.insert((*name).to_owned(), plain(*value));
            }
            serde_json::to_writer(&mut *file, &line)?;
            file.write_all(b"\n")?;
        }
        Ok(())
    })
}

/// Smallest, largest and mean of every number over some rows, and how many there were.
pub(super) fn summary<'a>(rows: impl Iterator<Item = &'a SampledRow>) -> Map<String, Value> {
    let mut columns: Vec<(&'static str, Vec<f64>)> = Vec::new();
    let mut count = 0_u64;
    for (_, seen) in rows {
        count += 1;
        for (name, value) in seen {
            match columns.iter_mut().find(|(known, _)| known == name) {
                Some((_, values)) => values.push(*value),
                None => columns.push((name, vec![*value])),
            }
        }
    }
    let mut summary = Map::new();
    for (name, values) in columns {
        let (mut low, mut high, mut sum) = (f64::INFINITY, f64::NEG_INFINITY, 0.0);
        for value in &values {
            low = low.min(*value);
            high = high.max(*value);
            sum += value;
        }
        let mean = sum / values.len() as f64;
        summary.insert(
            name.to_owned(),
            json!({"min": plain(low), "max": plain(high), "mean": mean}),
        );
    }
    summary.insert("samples".to_owned(), count.into());
    summary
}

/// The summaries of the iterations that some row fell into.
pub(super) fn by_iteration(rows: &[SampledRow], samples: &[Sample]) -> Vec<(u64, Value)> {
    let mut found: Vec<(u64, Vec<&SampledRow>)> = Vec::new();
    for row in rows {
        let Some(index) = iteration_at(samples, row.0) else {
            continue;
        };
        match found.last_mut() {
            Some((last, rows)) if *last == index => rows.push(row),
            _ => found.push((index, vec![row])),
        }
    }
    let summarised = found
        .into_iter()
        .map(|(index, rows)| (index, Value::Object(summary(rows.into_iter()))));
    summarised.collect()
}

/// A whole number without a point: bytes are counted, not measured.
fn plain(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 9e15 {
        json!(value as i64)
    } else {
        json!(value)
    }
}

#[cfg(test)]
mod tests {
    use super::{SampledRow, by_iteration, iteration_at, summary, thin, write_rows};
    use fairtrial_experiment::protocol::Sample;

    fn samples() -> Vec<Sample> {
        let at = |index, start_ns| Sample {
            index,
            start_ns,
            wall_ns: 50,
            ..Sample::default()
        };
        vec![at(0, 100), at(1, 200)]
    }

    #[test]
    fn a_row_belongs_to_the_iteration_that_was_running() {
        let found = [99, 100, 150, 151, 200, 251].map(|at| iteration_at(&samples(), at));
        assert_eq!(found, [None, Some(0), Some(0), None, Some(1), None]);
    }

    #[test]
    fn rows_are_summed_up_by_iteration_and_over_all() {
        let rows: Vec<SampledRow> = [(100, 1.0), (120, 3.0), (160, 100.0), (210, 5.0)]
            .map(|(at, value)| (at, vec![("x", value)]))
            .into();
        let all = summary(rows.iter());
        assert_eq!(all["x"]["max"], 100);
        assert_eq!(all["samples"], 4);
        let by = by_iteration(&rows, &samples());
        assert_eq!(by.len(), 2);
        assert_eq!(by[0].1["x"]["mean"], 2.0);
        assert_eq!(by[1].1["samples"], 1);
    }

    #[test]
    fn rows_take_the_place_of_what_the_experiment_put_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.jsonl");
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        write_rows(&path, &[(100, vec![("x", 1.0)])], &samples()).unwrap();
        let rows = std::fs::read_to_string(&path).unwrap();
        assert_eq!(rows, "{\"ts\":1e-7,\"iteration\":0,\"x\":1}\n");
    }

    #[test]
    fn a_full_sampler_keeps_every_second_row() {
        let mut rows: Vec<SampledRow> = (0..5).map(|at| (at, Vec::new())).collect();
        thin(&mut rows);
        assert_eq!(rows.iter().map(|row| row.0).collect::<Vec<_>>(), [0, 2, 4]);
    }
}
