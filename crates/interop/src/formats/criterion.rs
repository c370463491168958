//! The folder that criterion leaves (`target/criterion`): `<group>/<function>/<value>/{new,base,<baseline>}/sample.json`.
//!
//! The times of a sample are the totals of its iterations, which differ from sample to sample. Maintainers call these
//! files private; the form has been the same since 2020.

use super::shared::per_iteration;
use crate::error::InteropError;
use crate::execution::{Execution, Samples};
use crate::folder::entries;
use crate::format::{Format, ReadUnit};
use crate::head::Head;
use crate::input::Input;
use crate::json::Json;
use crate::rules::{Arm, Rules, way};
use crate::scale::Scale;
use crate::sink::Sink;
use fairtrial_model::Number;
use serde::Deserialize;
use std::path::Path;

/// See the module.
pub(crate) struct Criterion;

const SAMPLE: &str = "sample.json";
const BENCHMARK: &str = "benchmark.json";
/// Folders below which one of criterion is looked for.
const LOOKED_AT: usize = 300;
/// How deep.
const DEPTH: usize = 8;

const RULES: Rules = Rules {
    newest: Some(("baseline", "new")),
    ..Rules::timing(
        &[
            way(Arm::Fields(&["baseline"]), &["benchmark"]),
            way(Arm::Fields(&["function"]), &["group", "value"]),
            way(Arm::None, &["benchmark"]),
        ],
        &[way(Arm::None, &["benchmark"])],
    )
};

impl Format for Criterion {
    fn name(&self) -> &'static str {
        "criterion"
    }

    fn title(&self) -> &'static str {
        "benchmarks of criterion"
    }

    fn rules(&self) -> Rules {
        RULES
    }

    fn knows_file(&self, head: &Head) -> bool {
        head.name == SAMPLE && head.has(&["sampling_mode", "iters", "times"])
    }

    fn knows_folder(&self, folder: &Path) -> bool {
        let mut left = LOOKED_AT;
        has_samples(folder, &mut left, 0)
    }

    fn read_file(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<(), InteropError> {
        let path = input.path().to_owned();
        let mut json = Json::new(input.name(), input.reader()?);
        let sample: SampleFile = json.value("sample")?;
        let mut execution = Execution::of(&path);
        if let Some(folder) = path.parent() {
            describe(&mut execution, folder)?;
        }
        let scale = Scale::of("ns");
        let values = per_iteration(&scale, &sample.times, &sample.iters);
        execution.samples.push(Samples {
            metric: sink.metric(&scale.time()),
            values: values.map_err(|wrong| json.wrong(wrong))?,
        });
        sink.execution(execution);
        Ok(())
    }

    fn read(&self, unit: &ReadUnit, sink: &mut dyn Sink) -> Result<(), InteropError> {
        for path in &unit.paths {
            if path.is_dir() {
                self.folder(path, sink, 0)?;
            } else {
                self.read_file(Input::open(path)?, sink)?;
            }
        }
        Ok(())
    }
}

impl Criterion {
    fn folder(&self, folder: &Path, sink: &mut dyn Sink, depth: usize) -> Result<(), InteropError> {
        for (path, is_folder) in entries(folder)? {
            if is_folder && depth < 2 * DEPTH {
                self.folder(&path, sink, depth + 1)?;
            } else if !is_folder && path.file_name().is_some_and(|name| name == SAMPLE) {
                self.read_file(Input::open(&path)?, sink)?;
            }
        }
        Ok(())
    }
}

#[derive(Deserialize)]
struct SampleFile {
    iters: Vec<Number>,
    times: Vec<Number>,
}

#[derive(Deserialize)]
struct Benchmark {
    group_id: String,
    #[serde(default)]
    function_id: Option<String>,
    #[serde(default)]
    value_str: Option<String>,
    full_id: String,
}

/// Which benchmark and which baseline a folder is of. Its description may be missing: the folders say the same.
fn describe(execution: &mut Execution, folder: &Path) -> Result<(), InteropError> {
    let name = |path: &Path| {
        path.file_name()
            .map(|name| name.to_string_lossy().into_owned())
    };
    execution.set_some("baseline", name(folder));
    let path = folder.join(BENCHMARK);
    if !path.is_file() {
        execution.set_some("benchmark", folder.parent().and_then(name));
        return Ok(());
    }
    let input = Input::open(&path)?;
    let benchmark: Benchmark = Json::new(input.name(), input.reader()?).value("benchmark")?;
    execution.set("benchmark", benchmark.full_id);
    execution.set("group", benchmark.group_id);
    execution.set_some("function", benchmark.function_id);
    execution.set_some("value", benchmark.value_str);
    Ok(())
}

fn has_samples(folder: &Path, left: &mut usize, depth: usize) -> bool {
    if *left == 0 || depth > DEPTH {
        return false;
    }
    *left -= 1;
    if folder.join(SAMPLE).is_file() && folder.join(BENCHMARK).is_file() {
        return true;
    }
    let Ok(entries) = entries(folder) else {
        return false;
    };
    // Criterion's own folders hold folders and the page of the report; anything else stands elsewhere.
    let folders = entries.iter().filter(|(_, is_folder)| *is_folder);
    folders
        .map(|(path, _)| path)
        .any(|path| has_samples(path, left, depth + 1))
}
