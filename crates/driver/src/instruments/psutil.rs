//! `psutil`: CPU, resident memory and I/O of the worker's process tree, sampled by the driver.

use super::observer::{InstrumentFinding, Observer, number, seconds, whole};
use super::process::{TreeUse, look};
use super::sampler::{Sampler, by_iteration, summary, write_rows};
use fairtrial_experiment::Artifact;
use fairtrial_experiment::protocol::Sample;
use fairtrial_spec::Instrument;
use std::path::Path;
use std::time::Instant;

/// The running instrument.
#[derive(Debug)]
pub(super) struct Psutil(Sampler);

impl Psutil {
    /// Starts to watch a process tree.
    pub(super) fn start(instrument: &Instrument, pid: u32) -> Result<Self, String> {
        let first = look(pid).ok_or("this system does not show what processes use (no /proc)")?;
        let interval = seconds(number(instrument, "interval_ms", 200.0) / 1e3);
        let most = whole(instrument, "max_samples", 1000) as usize;
        let mut before: (Instant, TreeUse) = (Instant::now(), first);
        let mut looked = false;
        let watch = move || {
            let (at, tree) = (Instant::now(), look(pid)?);
            let seconds = at.duration_since(before.0).as_secs_f64();
            let used = tree.cpu_since(&before.1);
            // The first look has nothing to compare with, as with the tool that this one is named after.
            let cpu = if looked && seconds > 0.0 {
                used / seconds * 100.0
            } else {
                0.0
            };
            looked = true;
            let mut row = vec![
                ("cpu_percent", cpu),
                ("rss_bytes", tree.rss as f64),
                ("processes", tree.cpu.len() as f64),
            ];
            if let Some((read, written)) = tree.io {
                row.push(("read_bytes", read as f64));
                row.push(("write_bytes", written as f64));
            }
            before = (at, tree);
            Some(row)
        };
        let sampler = Sampler::start(interval, most, watch).map_err(|error| error.to_string())?;
        Ok(Self(sampler))
    }
}

impl Observer for Psutil {
    fn stop(self: Box<Self>, samples: &[Sample], artifacts: &Path) -> InstrumentFinding {
        let rows = self.0.finish();
        let written = write_rows(&artifacts.join("psutil.jsonl"), &rows, samples);
        InstrumentFinding {
            name: "psutil".to_owned(),
            summary: summary(rows.iter()),
            by_iteration: by_iteration(&rows, samples),
            artifacts: vec![Artifact {
                name: "psutil".to_owned(),
                kind: "jsonl".to_owned(),
                path: "artifacts/psutil.jsonl".to_owned(),
            }],
            absent: written
                .err()
                .map(|error| format!("its rows were not written: {error}")),
        }
    }
}
