//! W&B's offline run logs (`run-<id>.wandb`), of 0.16 and 0.31: history, config and the end of a run.
//!
//! Segments of one run that was resumed are read as one run, in the order of their times; of a step that
//! several have, the last counts. A run without a word about its
//! end crashed, or still runs.

mod frames;
mod history;
mod record;

use crate::error::InteropError;
use crate::format::{Format, ReadUnit};
use crate::head::Head;
use crate::input::Input;
use crate::rules::{Arm, Rules, Subject, way};
use crate::sink::Sink;
use frames::{Frames, MAGIC};
use record::Run;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// See the module.
pub(crate) struct Wandb;

const TASK: &[&str] = &["?project", "?job_type"];

/// Rules for runs of a tracker whose config stands below this prefix: the group, else what differs in the config.
const RULES: Rules = Rules {
    subject: Subject::Training,
    alone: &[
        way(Arm::Fields(&["group"]), TASK),
        way(Arm::Differing("config."), TASK),
        way(Arm::None, TASK),
    ],
    side: &[way(Arm::None, TASK)],
    seed: &[],
    repeat: &[],
    newest: None,
};

/// Records at the beginning of a file among which the run's own is looked for.
const FIRST_RECORDS: usize = 20;

impl Format for Wandb {
    fn name(&self) -> &'static str {
        "wandb"
    }

    fn title(&self) -> &'static str {
        "offline runs of W&B"
    }

    fn rules(&self) -> Rules {
        RULES
    }

    fn knows_file(&self, head: &Head) -> bool {
        head.bytes.starts_with(&MAGIC[..4])
    }

    fn units(&self, files: Vec<PathBuf>) -> Result<Vec<ReadUnit>, InteropError> {
        let mut runs: BTreeMap<usize, Vec<PathBuf>> = BTreeMap::new();
        let mut known: BTreeMap<String, usize> = BTreeMap::new();
        for path in files {
            let next = known.len();
            let id = run_id(&path)?;
            let place = *known.entry(id).or_insert(next);
            runs.entry(place).or_default().push(path);
        }
        let units = runs.into_values().map(|mut paths| {
            // Folders are named by the time of their segment: `offline-run-20250824_123456-id`.
            paths.sort();
            ReadUnit { paths }
        });
        Ok(units.collect())
    }

    fn read_file(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<(), InteropError> {
        let path = input.path().to_owned();
        let mut run = Run::new(&path);
        read_segment(input, &mut run, sink)?;
        run.give(sink);
        Ok(())
    }

    fn read(&self, unit: &ReadUnit, sink: &mut dyn Sink) -> Result<(), InteropError> {
        let first = unit.paths.first().map_or(Path::new(""), PathBuf::as_path);
        let mut run = Run::new(first);
        if unit.paths.len() > 1 {
            run.of_segments(latest(&unit.paths)?);
        }
        for (place, path) in unit.paths.iter().enumerate() {
            run.begin_segment(place);
            read_segment(Input::open(path)?, &mut run, sink)?;
        }
        run.give(sink);
        Ok(())
    }
}

fn read_segment(input: Input<'_>, run: &mut Run, sink: &mut dyn Sink) -> Result<(), InteropError> {
    let mut frames = Frames::open(input.name(), input.reader()?)?;
    let mut broken = 0_u64;
    while let Some(record) = frames.next()? {
        broken += u64::from(run.take(record, sink).is_err());
    }
    for problem in std::mem::take(&mut frames.problems) {
        sink.note(problem);
    }
    if broken > 0 {
        run.note(format!("{broken} records could not be read"));
    }
    Ok(())
}

/// The last segment that has a row of each step: a run that was resumed from a checkpoint logs some of them again, and the
/// later rows count.
fn latest(paths: &[PathBuf]) -> Result<HashMap<u64, usize>, InteropError> {
    let mut found = HashMap::new();
    for (place, path) in paths.iter().enumerate() {
        let input = Input::open(path)?;
        let mut frames = Frames::open(input.name(), input.reader()?)?;
        while let Some(record) = frames.next()? {
            found.extend(record::step(record).map(|step| (step, place)));
        }
    }
    Ok(found)
}

/// The run that a file is a segment of: its own word, else the file's path.
fn run_id(path: &Path) -> Result<String, InteropError> {
    let input = Input::open(path)?;
    let mut frames = Frames::open(input.name(), input.reader()?)?;
    for _ in 0..FIRST_RECORDS {
        let Some(record) = frames.next()? else {
            break;
        };
        if let Some(id) = record::run_id(record) {
            return Ok(id);
        }
    }
    Ok(path.display().to_string())
}
