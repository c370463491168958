//! hyperfine's CSV, of 1.x and 2.0: statistics only. The JSON export has the single times.

use super::hyperfine::COMMANDS;
use super::shared::ONLY_MEAN;
use crate::error::InteropError;
use crate::execution::Execution;
use crate::format::Format;
use crate::head::Head;
use crate::input::Input;
use crate::rules::Rules;
use crate::scale::Scale;
use crate::sink::Sink;
use crate::table::Table;

/// See the module.
pub(crate) struct HyperfineCsv;

/// The title of the means: in 1.x, and in 2.0.
const MEANS: [&str; 2] = ["mean", "time_wall_clock_mean"];

impl Format for HyperfineCsv {
    fn name(&self) -> &'static str {
        "hyperfine-csv"
    }

    fn title(&self) -> &'static str {
        "statistics of hyperfine (CSV)"
    }

    fn rules(&self) -> Rules {
        COMMANDS
    }

    fn knows_file(&self, head: &Head) -> bool {
        let titles = head.titles(b',');
        let begins = |with: &[&str]| with.iter().all(|wanted| titles.iter().any(|t| t == wanted));
        titles.first().is_some_and(|title| title == "command")
            && (begins(&["mean", "stddev", "median", "user", "system"])
                || begins(&["time_wall_clock_unit", "time_wall_clock_mean"]))
    }

    fn read_file(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<(), InteropError> {
        let path = input.path().to_owned();
        let mut table = Table::open(input.name(), input.reader()?, b',')?;
        table.require(&["command"])?;
        let parameters: Vec<(String, String)> = table
            .titles()
            .iter()
            .filter_map(|title| {
                let name = title.strip_prefix("parameter_")?;
                Some((title.clone(), format!("parameter.{name}")))
            })
            .collect();
        while table.advance()? {
            let mut execution = Execution::of(&path);
            execution.set_some("command", table.cell("command"));
            for (title, field) in &parameters {
                execution.set_some(field, table.cell(title));
            }
            let scale = Scale::of(table.cell("time_wall_clock_unit").unwrap_or("s"));
            for title in MEANS {
                if let Some(mean) = table.number(title)? {
                    let time = sink.metric(&scale.time());
                    execution.metrics.push((time, scale.apply(mean)));
                }
            }
            execution.notes.push(ONLY_MEAN.to_owned());
            sink.execution(execution);
        }
        Ok(())
    }
}
