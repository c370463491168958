//! The text of Go's `testing` benchmarks, as benchstat reads it: `BenchmarkFib/n=10-8  100  12345 ns/op  16 B/op`.
//!
//! Lines of one benchmark are repetitions (`-count`) in one process. Lines `key: value` hold for what follows.

use super::shared::ONLY_MEAN;
use crate::error::InteropError;
use crate::execution::{Execution, Fact, FactKind, Metric};
use crate::format::Format;
use crate::grouped::Grouped;
use crate::head::Head;
use crate::input::Input;
use crate::lines::Lines;
use crate::rules::{Arm, Rules, Way, way};
use crate::scale::Scale;
use crate::sink::Sink;
use fairtrial_model::{Direction, Number, Outcome};
use std::collections::HashMap;
use std::path::Path;

/// See the module.
pub(crate) struct GoBench;

const SIDE: &[Way] = &[way(Arm::None, &["?pkg", "benchmark"])];

const RULES: Rules = Rules::timing(SIDE, SIDE);

impl Format for GoBench {
    fn name(&self) -> &'static str {
        "go-bench"
    }

    fn title(&self) -> &'static str {
        "benchmarks of Go"
    }

    fn rules(&self) -> Rules {
        RULES
    }

    fn knows_file(&self, head: &Head) -> bool {
        head.lines().any(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            words.first().is_some_and(|name| is_name(name))
                && words.len() >= 4
                && words[1].parse::<u64>().is_ok()
                && Number::parse(words[2]).is_some()
        })
    }

    fn read_file(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<(), InteropError> {
        let path = input.path().to_owned();
        let mut lines = Lines::new(input.name(), input.reader()?);
        let mut state = State::default();
        while lines.advance()? {
            let text = lines.text();
            let line = text.trim_end();
            if let Some(rest) = line.strip_prefix("Unit ") {
                state.unit(rest);
            } else if let Some(name) = line.trim_start().strip_prefix("--- FAIL: ") {
                let name = name.split_whitespace().next().unwrap_or_default();
                if is_name(name) {
                    state.failed(name, &path);
                }
            } else if let Some((key, value)) = config(line) {
                state.config(key, value, sink);
            } else if line.starts_with("Benchmark") {
                state
                    .result(line, &path, sink)
                    .map_err(|message| lines.wrong(message))?;
            }
        }
        state.rows.give(sink, |execution| {
            if execution.samples.is_empty() && execution.outcome == Outcome::Ok {
                execution.notes.push(ONLY_MEAN.to_owned());
            }
            true
        });
        Ok(())
    }
}

/// What the lines before say.
#[derive(Default)]
struct State {
    rows: Grouped,
    pkg: Option<String>,
    better: HashMap<String, Direction>,
}

impl State {
    /// `Unit ns/op better=lower`.
    fn unit(&mut self, rest: &str) {
        let mut words = rest.split_whitespace();
        let Some(unit) = words.next() else {
            return;
        };
        for word in words {
            match word {
                "better=lower" => self.better.insert(unit.to_owned(), Direction::Down),
                "better=higher" => self.better.insert(unit.to_owned(), Direction::Up),
                _ => None,
            };
        }
    }

    fn config(&mut self, key: &str, value: &str, sink: &mut dyn Sink) {
        match key {
            "pkg" => self.pkg = Some(value.to_owned()),
            "goos" | "goarch" | "cpu" => sink.fact(Fact {
                kind: FactKind::Machine,
                name: key.to_owned(),
                value: value.to_owned(),
            }),
            "commit" => sink.fact(Fact {
                kind: FactKind::Source,
                name: key.to_owned(),
                value: value.to_owned(),
            }),
            _ => {}
        }
    }

    fn execution(pkg: Option<&str>, name: &str, path: &Path) -> Execution {
        let mut execution = Execution::of(path);
        execution.set_some("pkg", pkg);
        let bare = name.strip_prefix("Benchmark").unwrap_or(name);
        let (bare, procs) = match bare.rsplit_once('-') {
            Some((bare, procs)) if procs.parse::<u32>().is_ok() => (bare, Some(procs)),
            _ => (bare, None),
        };
        execution.set("benchmark", bare);
        execution.set_some("procs", procs);
        for part in bare.split('/').skip(1) {
            if let Some((key, value)) = part.split_once('=') {
                execution.set(&format!("param.{key}"), value);
            }
        }
        execution
    }

    fn failed(&mut self, name: &str, path: &Path) {
        let pkg = self.pkg.as_deref();
        let mut row = self.rows.row(&format!("{pkg:?} {name}"), || {
            Self::execution(pkg, name, path)
        });
        let execution = row.execution();
        execution.fail(Outcome::Failed, "the benchmark failed");
    }

    /// A line of results; other lines that begin like one (the name alone, with `-v`) are passed over.
    fn result(&mut self, line: &str, path: &Path, sink: &mut dyn Sink) -> Result<(), String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [name, count, measured @ ..] = words.as_slice() else {
            return Ok(());
        };
        if !is_name(name) || count.parse::<u64>().is_err() || measured.is_empty() {
            return Ok(());
        }
        let pkg = self.pkg.as_deref();
        let mut row = self.rows.row(&format!("{pkg:?} {name}"), || {
            Self::execution(pkg, name, path)
        });
        for pair in measured.chunks(2) {
            let [value, unit] = pair else {
                return Err(format!("`{}` has no unit", pair[0]));
            };
            let Some(Number(value)) = Number::parse(value) else {
                return Err(format!("`{value}` is not a number ({unit})"));
            };
            let scale = Scale::of(unit);
            let mut metric = metric(unit, &scale);
            if let Some(direction) = self.better.get(*unit) {
                metric.direction = Some(*direction);
            }
            row.push(sink.metric(&metric), scale.apply(value));
        }
        Ok(())
    }
}

fn metric(unit: &str, scale: &Scale) -> Metric {
    match unit {
        "ns/op" | "sec/op" | "s/op" => scale.time(),
        "B/op" => scale.metric("memory").better(Direction::Down).headline(),
        "allocs/op" => scale.metric("allocs").better(Direction::Down),
        "MB/s" | "B/s" => scale.metric("throughput").better(Direction::Up),
        other => scale.metric(other),
    }
}

/// `Benchmark` alone, or followed by something that is no small letter.
fn is_name(word: &str) -> bool {
    let rest = word.strip_prefix("Benchmark");
    rest.is_some_and(|rest| !rest.starts_with(char::is_lowercase))
}

/// A line `key: value`, whose key begins with a small letter and has no blanks.
fn config(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let is_key = key.starts_with(char::is_lowercase) && !key.contains(char::is_whitespace);
    is_key.then(|| (key, value.trim()))
}
