//! GNU parallel's job log (`--joblog`) and its table (`--results FILE.csv`): one line per job, times to the millisecond.

use crate::error::InteropError;
use crate::execution::Execution;
use crate::format::Format;
use crate::head::Head;
use crate::input::Input;
use crate::rules::{Arm, Rules, way};
use crate::scale::Scale;
use crate::sink::Sink;
use crate::table::Table;
use crate::time;
use fairtrial_model::{Cause, Outcome};

/// See the module.
pub(crate) struct Parallel;

const TITLES: [&str; 9] = [
    "Seq",
    "Host",
    "Starttime",
    "JobRuntime",
    "Send",
    "Receive",
    "Exitval",
    "Signal",
    "Command",
];

const RULES: Rules = Rules::timing(
    &[way(Arm::Fields(&["command"]), &[])],
    &[way(Arm::None, &["command"])],
);

impl Format for Parallel {
    fn name(&self) -> &'static str {
        "gnu-parallel"
    }

    fn title(&self) -> &'static str {
        "jobs of GNU parallel"
    }

    fn rules(&self) -> Rules {
        RULES
    }

    fn knows_file(&self, head: &Head) -> bool {
        [b'\t', b','].into_iter().any(|delimiter| {
            let titles = head.titles(delimiter);
            titles.len() >= TITLES.len() && titles.iter().zip(TITLES).all(|(a, b)| a == b)
        })
    }

    fn read_file(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<(), InteropError> {
        let path = input.path().to_owned();
        let name = input.name();
        let (reader, delimiter) = super::shared::with_delimiter(input)?;
        let mut table = Table::open(name, reader, delimiter)?;
        table.require(&TITLES)?;
        while table.advance()? {
            let mut execution = Execution::of(&path);
            execution.set_some("command", table.cell("Command"));
            execution.set_some("host", table.cell("Host"));
            for place in 1..=9 {
                let title = format!("V{place}");
                execution.set_some(&format!("argument.{place}"), table.cell(&title));
            }
            let Some(seconds) = table.number("JobRuntime")? else {
                return Err(table.wrong("the job has no `JobRuntime`"));
            };
            let metric = sink.metric(&Scale::of("s").time());
            execution.metrics.push((metric, seconds));
            let started = table.number("Starttime")?;
            execution.started_at = started.and_then(time::from_seconds);
            match table.number("Signal")? {
                Some(signal) if signal != 0.0 => {
                    execution.outcome = Outcome::Failed;
                    execution.cause = Some(Cause::Signal {
                        signal: signal as i32,
                    });
                }
                _ => execution.exit(table.number("Exitval")?.unwrap_or(0.0) as i32),
            }
            sink.execution(execution);
        }
        Ok(())
    }
}
