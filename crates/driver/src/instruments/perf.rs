//! `perf`: the system's sampling profiler on the worker, over extra iterations, and a flame graph of what it saw.

use super::observer::{InstrumentFinding, left_out, number, seconds, whole};
use fairtrial_experiment::Artifact;
use fairtrial_journal::{Durability, write_atomic_bytes};
use fairtrial_spec::Instrument;
#[cfg(feature = "perf")]
use inferno::collapse::{Collapse, perf::Folder};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Map, json};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, io};

/// What may go wrong, in words for the report.
const PERMISSION: &str = "allow it with `sysctl kernel.perf_event_paranoid=1`, or run as root";

const NOT_INSTALLED: &str =
    "the program `perf` is not installed (package linux-perf or linux-tools)";

/// The profiler at work.
#[derive(Debug)]
pub(crate) struct Perf {
    recorder: Child,
    seconds: Duration,
    began: Instant,
}

impl Perf {
    /// Attaches to the worker, where the spec asks for it.
    pub(crate) fn start(
        asked: &[Instrument],
        pid: u32,
        artifacts: &Path,
    ) -> Option<Result<Self, InstrumentFinding>> {
        let instrument = asked.iter().find(|on| on.name == "perf")?;
        if !cfg!(feature = "perf") {
            return Some(Err(InstrumentFinding::absent("perf", left_out("perf"))));
        }
        let hz = whole(instrument, "hz", 499).to_string();
        let recorder = Command::new("perf")
            // Optimised programs keep no frame pointers: stacks are unwound by their debug information.
            .args([
                "record",
                "--quiet",
                "-F",
                &hz,
                "--call-graph",
                "dwarf,8192",
                "-o",
            ])
            .arg(artifacts.join("perf.data"))
            .args(["-p", &pid.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let seconds = seconds(number(instrument, "seconds", 2.0));
        Some(match recorder {
            Ok(recorder) => {
                // perf says nothing when it is attached; it takes a few milliseconds.
                std::thread::sleep(Duration::from_millis(100));
                Ok(Self {
                    recorder,
                    seconds,
                    began: Instant::now(),
                })
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(InstrumentFinding::absent("perf", NOT_INSTALLED))
            }
            Err(error) => Err(InstrumentFinding::absent("perf", error.to_string())),
        })
    }

    /// Whether more iterations should be seen.
    pub(crate) fn wants_more(&self) -> bool {
        self.began.elapsed() < self.seconds
    }

    /// Detaches and draws the flame graph.
    pub(crate) fn finish(mut self, artifacts: &Path) -> InstrumentFinding {
        let pid = i32::try_from(self.recorder.id())
            .ok()
            .and_then(Pid::from_raw);
        if let Some(pid) = pid {
            // An interrupt makes perf write its file and end; one that has ended already needs none.
            let _ = kill_process(pid, Signal::INT);
        }
        let _ = self.recorder.wait();
        match draw(artifacts) {
            Ok(samples) => InstrumentFinding {
                name: "perf".to_owned(),
                summary: Map::from_iter([("samples".to_owned(), json!(samples))]),
                artifacts: vec![
                    artifact("flamegraph", "svg", "artifacts/flamegraph.svg"),
                    artifact("stacks", "text", "artifacts/stacks.folded"),
                ],
                ..InstrumentFinding::default()
            },
            Err(why) => InstrumentFinding::absent("perf", why),
        }
    }
}

/// Whether native code could be profiled here, or why not.
pub(super) fn offered() -> Result<String, String> {
    if !cfg!(feature = "perf") {
        return Err(left_out("perf"));
    }
    let version = fairtrial_process::version("perf").map_err(|error| {
        if error.is_missing() {
            NOT_INSTALLED.to_owned()
        } else {
            error.to_string()
        }
    })?;
    let setting = fs::read_to_string("/proc/sys/kernel/perf_event_paranoid").unwrap_or_default();
    let strict = setting.trim().parse::<i32>().is_ok_and(|level| level > 2);
    if strict && !rustix::process::geteuid().is_root() {
        return Err(format!("users may not profile here; {PERMISSION}"));
    }
    Ok(version)
}

fn artifact(name: &str, kind: &str, path: &str) -> Artifact {
    Artifact {
        name: name.to_owned(),
        kind: kind.to_owned(),
        path: path.to_owned(),
    }
}

/// From what perf recorded to folded stacks and the picture; gives the number of stack samples.
fn draw(artifacts: &Path) -> Result<u64, String> {
    let data = artifacts.join("perf.data");
    if !data.metadata().is_ok_and(|data| data.len() > 0) {
        return Err(format!("perf could not attach to the worker; {PERMISSION}"));
    }
    let text = |error: io::Error| error.to_string();
    let script = Command::new("perf")
        // Names of inlined functions would be looked up one by one, which takes minutes.
        .args(["script", "--no-inline", "-i"])
        .arg(&data)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .map_err(text)?
        .stdout;
    fs::remove_file(&data).map_err(text)?;
    // Every sample begins with a line at the margin; its frames are indented.
    let samples = script
        .split(|byte| *byte == b'\n')
        .filter(|line| line.first().is_some_and(|first| !b" \t#".contains(first)))
        .count() as u64;
    if samples == 0 {
        return Err("perf saw no samples of the worker; raise `seconds`".to_owned());
    }
    let (stacks, picture) = flame_graph(&script)?;
    // Whatever the experiment put in the place of a file is replaced.
    let keep = |name: &str, bytes: &[u8]| {
        let kept = write_atomic_bytes(&artifacts.join(name), Durability::Process, bytes);
        kept.map_err(|error| error.to_string())
    };
    keep("stacks.folded", &stacks)?;
    keep("flamegraph.svg", &picture)?;
    Ok(samples)
}

/// The stacks of a script of perf, folded, and their picture.
#[cfg(feature = "perf")]
fn flame_graph(script: &[u8]) -> Result<(Vec<u8>, Vec<u8>), String> {
    let mut stacks = Vec::new();
    let collapsed = Folder::default().collapse(script, &mut stacks);
    collapsed.map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&stacks);
    let mut options = inferno::flamegraph::Options::default();
    "CPU samples of the worker".clone_into(&mut options.title);
    let mut picture = Vec::new();
    inferno::flamegraph::from_lines(&mut options, text.lines(), &mut picture)
        .map_err(|error| error.to_string())?;
    Ok((stacks, picture))
}

#[cfg(not(feature = "perf"))]
fn flame_graph(_script: &[u8]) -> Result<(Vec<u8>, Vec<u8>), String> {
    Err(left_out("perf"))
}
