//! snakemake's benchmark files: one row per repetition, seconds and mebibytes (which it writes as MB).

use crate::error::InteropError;
use crate::execution::Execution;
use crate::format::Format;
use crate::head::Head;
use crate::input::Input;
use crate::rules::{Arm, Rules, Way, way};
use crate::scale::Scale;
use crate::sink::Sink;
use crate::table::Table;
use fairtrial_model::Direction;

/// See the module.
pub(crate) struct Snakemake;

const WAYS: &[Way] = &[way(Arm::None, &["?file", "rule", "wildcards"])];
/// Columns of numbers, with their units.
const COLUMNS: [(&str, &str); 9] = [
    ("s", "s"),
    ("max_rss", "MiB"),
    ("max_vms", "MiB"),
    ("max_uss", "MiB"),
    ("max_pss", "MiB"),
    ("io_in", "MiB"),
    ("io_out", "MiB"),
    ("mean_load", ""),
    ("cpu_time", "s"),
];

const RULES: Rules = Rules::timing(
    &[
        way(Arm::Fields(&["wildcards"]), &["rule"]),
        way(Arm::None, &["?file", "rule", "wildcards"]),
    ],
    WAYS,
);

impl Format for Snakemake {
    fn name(&self) -> &'static str {
        "snakemake"
    }

    fn title(&self) -> &'static str {
        "benchmark files of snakemake"
    }

    fn rules(&self) -> Rules {
        RULES
    }

    fn knows_file(&self, head: &Head) -> bool {
        head.first_line().starts_with("s\th:m:s\tmax_rss\tmax_vms")
    }

    fn read_file(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<(), InteropError> {
        let path = input.path().to_owned();
        let mut table = Table::open(input.name(), input.reader()?, b'\t')?;
        table.require(&["s"])?;
        let stem = path
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned());
        while table.advance()? {
            let mut execution = Execution::of(&path);
            execution.set_some("file", stem.as_deref());
            execution.set_some("rule", table.cell("rule_name"));
            execution.set_some("wildcards", table.cell("wildcards"));
            execution.set_some("threads", table.cell("threads"));
            for (title, unit) in COLUMNS {
                // Jobs of less than half a second have no memory.
                let Some(value) = table.number(title)? else {
                    continue;
                };
                let scale = Scale::of(unit);
                let metric = match title {
                    "s" => scale.time(),
                    "max_rss" => scale.metric("memory").better(Direction::Down),
                    "cpu_time" => scale.metric("cpu").better(Direction::Down),
                    other => scale.metric(other),
                };
                let metric = sink.metric(&metric);
                execution.metrics.push((metric, scale.apply(value)));
            }
            sink.execution(execution);
        }
        Ok(())
    }
}
