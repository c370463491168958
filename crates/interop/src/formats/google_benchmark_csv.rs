//! Google Benchmark's CSV: one row per repetition or aggregate, told apart by the ends of their names.

use super::google_benchmark::repetitions_failed;
use crate::error::InteropError;
use crate::execution::Execution;
use crate::format::Format;
use crate::grouped::Grouped;
use crate::head::Head;
use crate::input::Input;
use crate::rules::{Arm, Rules, Way, way};
use crate::scale::Scale;
use crate::sink::Sink;
use crate::table::Table;
use fairtrial_model::{Direction, Outcome};

/// See the module.
pub(crate) struct GoogleBenchmarkCsv;

const WAYS: &[Way] = &[way(Arm::None, &["benchmark"])];
const TITLES: &str = "name,iterations,real_time,cpu_time,time_unit";
const AGGREGATES: [&str; 6] = ["_mean", "_median", "_stddev", "_cv", "_BigO", "_RMS"];

const RULES: Rules = Rules::timing(WAYS, WAYS);

impl Format for GoogleBenchmarkCsv {
    fn name(&self) -> &'static str {
        "google-benchmark-csv"
    }

    fn title(&self) -> &'static str {
        "results of Google Benchmark (CSV)"
    }

    fn rules(&self) -> Rules {
        RULES
    }

    fn knows_file(&self, head: &Head) -> bool {
        head.first_line().starts_with(TITLES)
    }

    fn read_file(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<(), InteropError> {
        let path = input.path().to_owned();
        let mut table = Table::open(input.name(), input.reader()?, b',')?;
        table.require(&["name", "real_time"])?;
        let mut rows = Grouped::default();
        while table.advance()? {
            let Some(name) = table.cell("name") else {
                continue;
            };
            if AGGREGATES.iter().any(|ending| name.ends_with(ending)) {
                continue;
            }
            let mut row = rows.row(name, || {
                let mut execution = Execution::of(&path);
                execution.set("benchmark", name);
                execution
            });
            if table.cell("error_occurred") == Some("true") {
                let message = table.cell("error_message").unwrap_or("it failed");
                row.execution().fail(Outcome::Failed, message);
                continue;
            }
            let scale = Scale::of(table.cell("time_unit").unwrap_or("ns"));
            let cpu = scale.metric("cpu").better(Direction::Down);
            for (title, metric) in [("real_time", scale.time()), ("cpu_time", cpu)] {
                if let Some(value) = table.number(title)? {
                    row.push(sink.metric(&metric), scale.apply(value));
                }
            }
        }
        rows.give(sink, |execution| {
            if !execution.samples.is_empty() {
                repetitions_failed(execution);
            }
            true
        });
        Ok(())
    }
}
