//! TensorBoard's event files. Scalars come in two forms: a plain 32-bit number, or a tensor without dimensions.
//!
//! The files of one folder are one run, in the order of their times. Nothing in them says how the run ended.

mod event;
mod records;

use crate::error::InteropError;
use crate::execution::Execution;
use crate::format::{Format, ReadUnit};
use crate::head::Head;
use crate::input::Input;
use crate::rules::{Arm, Rules, Subject, way};
use crate::run_name;
use crate::sink::Sink;
use event::Events;
use records::{Records, begins};
use std::collections::BTreeMap;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// See the module.
pub(crate) struct Tensorboard;

const RULES: Rules = Rules {
    subject: Subject::Training,
    alone: &[
        way(Arm::Differing("hparam."), &[]),
        way(Arm::Fields(&["name"]), &[]),
        way(Arm::None, &[]),
    ],
    side: &[way(Arm::None, &[])],
    seed: &["seed"],
    repeat: &[],
    newest: None,
};

impl Format for Tensorboard {
    fn name(&self) -> &'static str {
        "tensorboard"
    }

    fn title(&self) -> &'static str {
        "event files of TensorBoard"
    }

    fn rules(&self) -> Rules {
        RULES
    }

    fn knows_file(&self, head: &Head) -> bool {
        begins(&head.bytes)
    }

    fn units(&self, files: Vec<PathBuf>) -> Result<Vec<ReadUnit>, InteropError> {
        let mut runs: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
        for path in files {
            let folder = path.parent().map(Path::to_owned).unwrap_or_default();
            runs.entry(folder).or_default().push(path);
        }
        let units = runs.into_values().map(|mut paths| {
            paths.sort_by_key(|path| (time_in_name(path), path.clone()));
            ReadUnit { paths }
        });
        Ok(units.collect())
    }

    fn read_file(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<(), InteropError> {
        let mut execution = named(input.path());
        read_one(input, &mut execution, sink)?;
        sink.execution(execution);
        Ok(())
    }

    fn read(&self, unit: &ReadUnit, sink: &mut dyn Sink) -> Result<(), InteropError> {
        let first = unit.paths.first().map_or(Path::new(""), PathBuf::as_path);
        let mut execution = named(first);
        for path in &unit.paths {
            read_one(Input::open(path)?, &mut execution, sink)?;
        }
        sink.execution(execution);
        Ok(())
    }
}

fn named(path: &Path) -> Execution {
    let mut execution = Execution::of(path);
    if let Some(folder) = path.parent() {
        run_name::describe(&mut execution, folder);
    }
    execution
}

fn read_one(
    input: Input<'_>,
    execution: &mut Execution,
    sink: &mut dyn Sink,
) -> Result<(), InteropError> {
    let name = input.name();
    let mut records = Records::new(name.clone(), BufReader::new(input.reader()?));
    let mut events = Events::default();
    let mut broken = 0_u64;
    while let Some(record) = records.next()? {
        broken += u64::from(events.take(record, execution, sink).is_err());
    }
    records
        .problems
        .drain(..)
        .for_each(|problem| sink.note(problem));
    if broken > 0 {
        sink.note(format!("{name}: {broken} events could not be read"));
    }
    Ok(())
}

/// The seconds in `events.out.tfevents.<seconds>.<host>…`.
fn time_in_name(path: &Path) -> u64 {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut numbers = name.split('.').filter_map(|part| part.parse().ok());
    numbers.next().unwrap_or(0)
}
