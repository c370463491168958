//! What BenchExec's `runexec` prints: `walltime=0.0158s`, one value on each line.

use super::benchexec::{metric, with_unit};
use crate::error::InteropError;
use crate::execution::Execution;
use crate::format::Format;
use crate::head::Head;
use crate::input::Input;
use crate::lines::Lines;
use crate::rules::{Arm, Rules, Way, way};
use crate::sink::Sink;
use crate::time;
use fairtrial_model::{Cause, Outcome};

/// See the module.
pub(crate) struct Runexec;

const WAYS: &[Way] = &[way(Arm::None, &["?file"])];
const RULES: Rules = Rules::timing(WAYS, WAYS);

impl Format for Runexec {
    fn name(&self) -> &'static str {
        "runexec"
    }

    fn title(&self) -> &'static str {
        "output of runexec"
    }

    fn rules(&self) -> Rules {
        RULES
    }

    fn knows_file(&self, head: &Head) -> bool {
        let has = |key: &str| head.lines().any(|line| line.starts_with(key));
        has("walltime=") && has("cputime=") && has("returnvalue=")
            || has("walltime=") && has("exitsignal=")
    }

    fn read_file(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<(), InteropError> {
        let mut execution = Execution::of(input.path());
        let stem = input.path().file_stem();
        execution.set_some("file", stem.map(|stem| stem.to_string_lossy().into_owned()));
        let mut lines = Lines::new(input.name(), input.reader()?);
        while lines.advance()? {
            let text = lines.text();
            let Some((key, value)) = text.split_once('=') else {
                continue;
            };
            match key {
                "walltime" | "cputime" | "memory" => {
                    let (number, scale) = with_unit(value).ok_or_else(|| {
                        lines.wrong(format!("`{value}` is not a number with its unit"))
                    })?;
                    let id = sink.metric(&metric(key, &scale));
                    execution.metrics.push((id, scale.apply(number)));
                }
                "returnvalue" => execution.exit(value.trim().parse().unwrap_or(0)),
                "exitsignal" => {
                    execution.outcome = Outcome::Failed;
                    execution.cause = Some(Cause::Signal {
                        signal: value.trim().parse().unwrap_or(0),
                    });
                }
                "terminationreason" => {
                    let outcome = match value.trim() {
                        "cputime" | "walltime" | "cputime-soft" => Outcome::Timeout,
                        "memory" => Outcome::Oom,
                        _ => Outcome::Failed,
                    };
                    execution.fail(outcome, format!("ended for {value}"));
                }
                "starttime" => execution.started_at = time::from_text(value),
                _ => {}
            }
        }
        sink.execution(execution);
        Ok(())
    }
}
