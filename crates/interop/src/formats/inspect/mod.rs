//! Inspect's logs: `.eval` (an archive, of which only the header and the summaries are read) and `.json`.
//!
//! A sample that errored is a failure. Samples that a log lists and has no result of, because the run stopped, are
//! cancelled: they do not just vanish.

mod archive;
mod header;
mod sample;

use crate::error::InteropError;
use crate::format::Format;
use crate::head::Head;
use crate::input::Input;
use crate::json::Json;
use crate::rules::{Arm, Rules, way};
use crate::sink::Sink;
use crate::zip;
use header::{Header, Log};
use sample::InspectSample;

/// See the module.
pub(crate) struct Inspect;

const TASK: &[&str] = &["task", "sample"];
const RULES: Rules = Rules::tasks(
    &[
        way(Arm::Fields(&["model"]), TASK),
        way(Arm::Fields(&["solver"]), TASK),
        way(Arm::Differing("metadata."), TASK),
        way(Arm::Differing("task_args."), TASK),
        way(Arm::None, TASK),
    ],
    &["epoch"],
);

impl Format for Inspect {
    fn name(&self) -> &'static str {
        "inspect"
    }

    fn title(&self) -> &'static str {
        "logs of Inspect"
    }

    fn rules(&self) -> Rules {
        RULES
    }

    fn knows_file(&self, head: &Head) -> bool {
        // Written by Inspect, the journal comes first; other programs may pack in another order.
        let members: [&[u8]; 3] = [b"_journal/start.json", b"header.json", b"_epoch_"];
        let is_archive = head.bytes.starts_with(zip::MAGIC);
        let has = |name: &&[u8]| memchr::memmem::find(&head.bytes, name).is_some();
        is_archive && members.iter().any(has)
            || head.has(&["eval.task", "eval.model", "status", "version"])
    }

    fn read_file(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<(), InteropError> {
        let path = input.path().to_owned();
        let mut log = Log::new(&path);
        if input.starts_with(zip::MAGIC)? {
            archive::read(input, &mut log, sink)?;
        } else {
            let mut json = Json::new(input.name(), input.reader()?);
            read_json(&mut json, &mut log, sink)?;
        }
        log.missing(sink);
        Ok(())
    }
}

/// The form with everything in one object; the samples come last.
fn read_json<R: std::io::Read>(
    json: &mut Json<R>,
    log: &mut Log,
    sink: &mut dyn Sink,
) -> Result<(), InteropError> {
    let read = json.object(|key, json| match key {
        "status" => {
            log.header.status = json.text(key)?;
            Ok(())
        }
        "eval" => {
            log.header.describe(json.value(key)?, sink);
            Ok(())
        }
        "samples" if json.kind()? == crate::json::JsonKind::Array => json.array(|json| {
            let sample = InspectSample::read(json)?;
            log.sample(sample, sink);
            Ok(())
        }),
        _ => json.skip(),
    });
    if let Err(InteropError::Cut { place }) = read {
        sink.note(format!("{place}: the log is cut off here"));
        "started".clone_into(&mut log.header.status);
        return Ok(());
    }
    read
}

impl Header {
    /// Whether the run came to its end.
    fn is_over(&self) -> bool {
        self.status == "success"
    }
}
