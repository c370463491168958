//! Instruments: what observes a trial from outside the timed region. One file each; `known` is the one list of them.

mod custom;
#[cfg(feature = "gpu")]
mod gpu;
#[cfg(feature = "gpu")]
mod nvml;
pub(crate) mod observer;
pub(crate) mod perf;
mod process;
mod psutil;
mod sampler;

use custom::Custom;
use fairtrial_experiment::protocol::Sample;
use fairtrial_experiment::{InstrumentInfo, Origin, Param, ParamSchema, ParamType};
use fairtrial_spec::Instrument;
use observer::{DAY_S, InstrumentFinding, Observer, whole};
use psutil::Psutil;
use serde_json::Map;
use std::path::Path;

/// The profiler of Python workers, which the worker itself runs.
const CPROFILE: &str = "cprofile";
/// What counts allocations, inside the worker.
const MEMORY: &str = "memory";

/// Every instrument that is built in, with its options.
pub(crate) fn known() -> Vec<InstrumentInfo> {
    let interval = |default| {
        Param::number("interval_ms", default)
            .at_least(10.0)
            .at_most(DAY_S * 1e3)
            .doc("Milliseconds between two looks")
    };
    let most = Param::whole("max_samples", 1000)
        .at_least(2.0)
        .doc("Rows kept; when they are full every second one is dropped and the interval doubles");
    let info = |name: &str, summary: &str, options: Vec<Param>| InstrumentInfo {
        name: name.to_owned(),
        summary: summary.to_owned(),
        options: ParamSchema::of(options),
    };
    vec![
        info(
            "timing",
            "Wall and CPU time of each iteration, read inside the worker; always on.",
            vec![],
        ),
        info(
            "psutil",
            "CPU, resident memory and I/O of the worker and all its descendants.",
            vec![interval(200.0), most.clone()],
        ),
        info(
            CPROFILE,
            "Python's profiler over extra iterations that are not measured.",
            vec![
                Param::whole("top_n", 30)
                    .at_least(1.0)
                    .doc("Rows in each table"),
                Param::whole("iterations", 1)
                    .at_least(1.0)
                    .doc("How many extra iterations are profiled"),
            ],
        ),
        info(
            MEMORY,
            "Bytes that an extra iteration allocates, at its peak and kept at its end; of Python also the peak resident size \
             of a child process.",
            vec![],
        ),
        info(
            "perf",
            "A sampling profiler for native code, with a flame graph, over extra iterations that are not measured.",
            vec![
                Param::whole("hz", 499)
                    .at_least(1.0)
                    .at_most(20_000.0)
                    .doc("Samples per second"),
                Param::number("seconds", 2.0)
                    .at_least(0.05)
                    .at_most(DAY_S)
                    .doc("Iterations are repeated for at least this long"),
            ],
        ),
        info(
            "gpu",
            "Utilisation, memory and power of the NVIDIA GPUs.",
            vec![interval(200.0), most],
        ),
        info(
            "custom",
            "Commands of your own before the first and after the last measured iteration.",
            vec![
                Param::optional("start", ParamType::Text)
                    .doc("Run before the first measured iteration, without a shell"),
                Param::optional("stop", ParamType::Text).doc(
                    "Run after the last one, without a shell; a JSON object on its standard output becomes metrics",
                ),
                Param::text("label", "custom").doc("Name of its files and metrics"),
            ],
        ),
    ]
}

/// Which of the instruments that need something of the machine have it, or why not.
pub fn offered() -> [(&'static str, Result<String, String>); 2] {
    [("gpu", gpus()), ("perf", perf::offered())]
}

/// The GPUs that could be watched, or why there are none.
#[cfg(feature = "gpu")]
fn gpus() -> Result<String, String> {
    gpu::offered()
}

#[cfg(not(feature = "gpu"))]
fn gpus() -> Result<String, String> {
    Err(observer::left_out("gpu"))
}

/// Starts to watch the GPUs.
#[cfg(feature = "gpu")]
fn watch_gpus(instrument: &Instrument) -> Result<Box<dyn Observer>, String> {
    gpu::Gpu::start(instrument).map(|on| Box::new(on) as _)
}

#[cfg(not(feature = "gpu"))]
fn watch_gpus(_: &Instrument) -> Result<Box<dyn Observer>, String> {
    Err(observer::left_out("gpu"))
}

/// The instruments of a trial that observe from outside the worker.
pub(crate) struct Observers(Vec<Box<dyn Observer>>);

impl Observers {
    /// Starts them for the worker with this process id.
    pub(crate) fn start(
        asked: &[Instrument],
        pid: u32,
        artifacts: &Path,
    ) -> (Self, Vec<InstrumentFinding>) {
        let mut running: Vec<Box<dyn Observer>> = Vec::new();
        let mut absent = Vec::new();
        for instrument in asked {
            let started: Result<Box<dyn Observer>, String> = match instrument.name.as_str() {
                "psutil" => Psutil::start(instrument, pid).map(|on| Box::new(on) as _),
                "gpu" => watch_gpus(instrument),
                "custom" => Custom::start(instrument, artifacts).map(|on| Box::new(on) as _),
                _ => continue,
            };
            match started {
                Ok(observer) => running.push(observer),
                Err(why) => absent.push(InstrumentFinding::absent(&instrument.name, why)),
            }
        }
        (Self(running), absent)
    }

    /// Stops all of them, the last started first.
    pub(crate) fn stop(self, samples: &[Sample], artifacts: &Path) -> Vec<InstrumentFinding> {
        let observers = self.0.into_iter().rev();
        observers
            .map(|observer| observer.stop(samples, artifacts))
            .collect()
    }
}

/// The instruments that the worker itself runs, over extra iterations.
pub(crate) struct WorkerProfile {
    /// How many; none where nothing is asked that this worker can do.
    pub(crate) iterations: u64,
    cprofile: Option<Result<u64, String>>,
    memory: bool,
}

impl WorkerProfile {
    /// What is asked of a worker.
    pub(crate) fn asked(asked: &[Instrument], origin: &Origin) -> Self {
        let named = |name| asked.iter().find(|on| on.name == name);
        let cprofile = named(CPROFILE).map(|on| match origin {
            Origin::Python { .. } => Ok(whole(on, "iterations", 1)),
            _ => Err(
                "cprofile observes Python workers and this experiment is none; `perf` observes native code"
                    .to_owned(),
            ),
        });
        let memory = named(MEMORY).is_some();
        let profiled = cprofile.as_ref().and_then(|found| found.as_ref().ok());
        Self {
            iterations: profiled.copied().unwrap_or(0).max(u64::from(memory)),
            cprofile,
            memory,
        }
    }

    /// Adds what a worker's own profiler did, whose files come from the worker, and that one knows no `memory`.
    pub(crate) fn complete(self, findings: &mut Vec<InstrumentFinding>) {
        findings.extend(self.cprofile.map(|profiled| match profiled {
            Ok(iterations) => InstrumentFinding {
                name: CPROFILE.to_owned(),
                summary: Map::from_iter([("iterations".to_owned(), iterations.into())]),
                ..InstrumentFinding::default()
            },
            Err(why) => InstrumentFinding::absent(CPROFILE, why),
        }));
        if self.memory && !findings.iter().any(|found| found.name == MEMORY) {
            let why = "the worker of this experiment does not count memory";
            findings.push(InstrumentFinding::absent(MEMORY, why));
        }
    }
}
