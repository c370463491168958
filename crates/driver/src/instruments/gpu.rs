//! `gpu`: utilisation, memory and power of the NVIDIA GPUs, through the management library of the driver.

use super::nvml::Nvml;
use super::observer::{InstrumentFinding, Observer, number, seconds, whole};
use super::sampler::{Sampler, by_iteration, summary, write_rows};
use fairtrial_experiment::Artifact;
use fairtrial_experiment::protocol::Sample;
use fairtrial_spec::Instrument;
use std::path::Path;

/// The running instrument.
#[derive(Debug)]
pub(super) struct Gpu {
    sampler: Sampler,
    names: Vec<String>,
}

impl Gpu {
    /// Starts to watch all GPUs together: utilisation of the busiest, memory and power of all.
    pub(super) fn start(instrument: &Instrument) -> Result<Self, String> {
        let (nvml, names) = find()?;
        let count = names.len() as u32;
        let interval = seconds(number(instrument, "interval_ms", 200.0) / 1e3);
        let most = whole(instrument, "max_samples", 1000) as usize;
        let sampler = Sampler::start(interval, most, move || Some(look(&nvml, count)))
            .map_err(|error| error.to_string())?;
        Ok(Self { sampler, names })
    }
}

/// The management library, and the names of the GPUs it knows.
fn find() -> Result<(Nvml, Vec<String>), String> {
    let nvml = Nvml::open()
        .map_err(|error| format!("no NVIDIA GPU can be asked on this machine ({error})"))?;
    let count = nvml.count()?;
    let name = |number: u32| nvml.gpu(number)?.name();
    let names: Vec<String> = (0..count)
        .map(|number| name(number).unwrap_or_else(|_| "unknown".to_owned()))
        .collect();
    if names.is_empty() {
        return Err("this machine has no NVIDIA GPU".to_owned());
    }
    Ok((nvml, names))
}

/// The GPUs that could be watched, or why there are none.
pub(super) fn offered() -> Result<String, String> {
    find().map(|(_, names)| names.join(", "))
}

/// What the GPUs show; what one does not show is left out.
fn look(nvml: &Nvml, count: u32) -> Vec<(&'static str, f64)> {
    let (mut busiest, mut memory, mut power) = (None::<f64>, None::<f64>, None::<f64>);
    for gpu in (0..count).filter_map(|number| nvml.gpu(number).ok()) {
        if let Ok(percent) = gpu.utilization() {
            busiest = Some(busiest.unwrap_or(0.0).max(f64::from(percent)));
        }
        if let Ok(bytes) = gpu.memory() {
            memory = Some(memory.unwrap_or(0.0) + bytes as f64);
        }
        if let Ok(milliwatts) = gpu.milliwatts() {
            power = Some(power.unwrap_or(0.0) + f64::from(milliwatts) / 1e3);
        }
    }
    let named = [
        ("utilization_percent", busiest),
        ("memory_bytes", memory),
        ("power_w", power),
    ];
    named
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
}

impl Observer for Gpu {
    fn stop(self: Box<Self>, samples: &[Sample], artifacts: &Path) -> InstrumentFinding {
        let Self { sampler, names } = *self;
        let rows = sampler.finish();
        let written = write_rows(&artifacts.join("gpu.jsonl"), &rows, samples);
        let mut summary = summary(rows.iter());
        summary.insert("gpus".to_owned(), names.into());
        InstrumentFinding {
            name: "gpu".to_owned(),
            summary,
            by_iteration: by_iteration(&rows, samples),
            artifacts: vec![Artifact {
                name: "gpu".to_owned(),
                kind: "jsonl".to_owned(),
                path: "artifacts/gpu.jsonl".to_owned(),
            }],
            absent: written
                .err()
                .map(|error| format!("its rows were not written: {error}")),
        }
    }
}
