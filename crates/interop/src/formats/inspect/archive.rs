//! The members of an `.eval` archive: the header and the summaries, or what a crash left of them.

use super::header::{Eval, Log};
use super::sample::InspectSample;
use crate::error::InteropError;
use crate::input::Input;
use crate::json::Json;
use crate::sink::Sink;
use crate::zip::Zip;
use std::io::Read;

const HEADER: &str = "header.json";
const START: &str = "_journal/start.json";
const SUMMARIES: &str = "summaries.json";
const BATCHES: &str = "_journal/summaries/";
const SAMPLES: &str = "samples/";

pub(super) fn read(
    input: Input<'_>,
    log: &mut Log,
    sink: &mut dyn Sink,
) -> Result<(), InteropError> {
    let name = input.name();
    let mut zip = Zip::open(name.clone(), input.seekable())?;
    if zip.is_cut {
        sink.note(format!(
            "{name}: the archive is cut off; what stands whole in it is used"
        ));
    }
    let header = if zip.has(HEADER) { HEADER } else { START };
    if let Some(member) = zip.member(header)? {
        read_header(
            &mut Json::new(format!("{name}:{header}"), member),
            log,
            sink,
        )?;
    }
    let mut lists: Vec<String> = if zip.has(SUMMARIES) {
        vec![SUMMARIES.to_owned()]
    } else {
        let batches = zip.names().filter(|name| name.starts_with(BATCHES));
        batches.map(str::to_owned).collect()
    };
    // Batches are numbered: 10 comes after 9.
    lists.sort_by_key(|name| (name.len(), name.clone()));
    for list in lists {
        let Some(member) = zip.member(&list)? else {
            continue;
        };
        let mut json = Json::new(format!("{name}:{list}"), member);
        json.array_together(carefully, |sample| log.sample(sample, sink))?;
    }
    if header == START {
        // What was done after the last batch of summaries stands in the samples alone.
        let samples = zip.names().filter(|name| name.starts_with(SAMPLES));
        let missing: Vec<String> = samples
            .filter(|name| who(name).is_some_and(|(id, epoch)| !log.has(id, epoch)))
            .map(str::to_owned)
            .collect();
        for member_name in missing {
            if let Some(member) = zip.member(&member_name)? {
                let mut json = Json::new(format!("{name}:{member_name}"), member);
                let sample = InspectSample::read(&mut json)?;
                log.sample(sample, sink);
            }
        }
    }
    Ok(())
}

fn carefully(json: &mut Json<&[u8]>) -> Result<InspectSample, InteropError> {
    InspectSample::read(json)
}

fn read_header<R: Read>(
    json: &mut Json<R>,
    log: &mut Log,
    sink: &mut dyn Sink,
) -> Result<(), InteropError> {
    json.object(|key, json| match key {
        "status" => {
            log.header.status = json.text(key)?;
            Ok(())
        }
        "eval" => {
            let eval: Eval = json.value(key)?;
            log.header.describe(eval, sink);
            Ok(())
        }
        _ => json.skip(),
    })
}

/// The sample and epoch in `samples/<id>_epoch_<n>.json`.
fn who(member: &str) -> Option<(&str, u64)> {
    let name = member.strip_prefix(SAMPLES)?.strip_suffix(".json")?;
    let (id, epoch) = name.rsplit_once("_epoch_")?;
    Some((id, epoch.parse().ok()?))
}
