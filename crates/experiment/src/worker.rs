//! The worker's end of the protocol: answers requests until the driver goes away.

use crate::allocations::{Allocated, allocated};
use crate::clock::nanos;
use crate::contract::{Artifact, Context, Experiment, Failure, Metrics, Phase, Place};
use crate::pace::Pace;
use crate::protocol::{Reply, Request, Sample, Setup, VERSION, unfit};
use crate::registry::Registry;
use rustix::fs::FileType;
use rustix::time::ClockId;
use serde_json::{Map, Value};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::ops::Range;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

/// The instrument that counts allocations.
const MEMORY: &str = "memory";

/// The `main` of a program with experiments: speaks the protocol over the socket that the driver gives it as standard
/// input. Started by hand, it says how it is meant to be used.
#[allow(
    clippy::print_stderr,
    reason = "this is the main function of a program"
)]
pub fn main(registry: &Registry) -> ExitCode {
    let socket = match take_socket() {
        Ok(Some(socket)) => socket,
        Ok(None) => {
            eprintln!(
                "this program offers experiments to fairtrial; name it in a spec:\n  \
                 [experiments]\n  rust = [\"PATH\"]"
            );
            return ExitCode::from(2);
        }
        Err(error) => {
            eprintln!("the socket of the experiment driver cannot be used: {error}");
            return ExitCode::from(3);
        }
    };
    let served = socket
        .try_clone()
        .and_then(|replies| serve(registry, BufReader::new(socket), replies));
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("the experiment driver cannot be reached: {error}");
            ExitCode::from(3)
        }
    }
}

/// The driver's socket, where standard input is one. Standard input becomes empty, so that neither the experiment nor
/// what it starts can read the driver's words.
fn take_socket() -> io::Result<Option<UnixStream>> {
    let stdin = io::stdin();
    if !FileType::from_raw_mode(rustix::fs::fstat(&stdin)?.st_mode).is_socket() {
        return Ok(None);
    }
    let socket = UnixStream::from(stdin.as_fd().try_clone_to_owned()?);
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    Ok(Some(socket))
}

/// Answers requests until there are no more.
pub fn serve(registry: &Registry, requests: impl BufRead, replies: impl Write) -> io::Result<()> {
    let mut worker = Worker {
        registry,
        replies,
        running: None,
        line: Vec::with_capacity(256),
    };
    for line in requests.lines() {
        match serde_json::from_str::<Request>(&line?) {
            Ok(request) => worker.answer(request)?,
            Err(error) => worker.fail(format!("the request is not understood: {error}"), None)?,
        }
    }
    worker.abandon();
    Ok(())
}

struct Worker<'a, W> {
    registry: &'a Registry,
    replies: W,
    running: Option<(Box<dyn Experiment>, Context)>,
    line: Vec<u8>,
}

impl<W: Write> Worker<'_, W> {
    fn answer(&mut self, request: Request) -> io::Result<()> {
        match request {
            Request::Describe { .. } => {
                let experiments = self.registry.descriptions();
                self.say(&Reply::Described {
                    protocol: VERSION,
                    experiments,
                    instruments: Vec::new(),
                })
            }
            Request::Setup(setup) => self.set_up(*setup),
            Request::Iterate {
                phase: Phase::Profiled,
                first,
                count,
                ..
            } => self.iterate_profiled(first..first.saturating_add(count)),
            Request::Iterate {
                phase,
                first,
                count,
                inner,
            } => self.iterate(phase, first..first.saturating_add(count), inner),
            Request::Teardown => self.tear_down(),
        }
    }

    fn set_up(&mut self, setup: Setup) -> io::Result<()> {
        if setup.protocol != VERSION {
            let (theirs, ours) = (setup.protocol, VERSION);
            return self.fail(
                format!("the driver speaks version {theirs} of the protocol, this worker {ours}"),
                None,
            );
        }
        let Some(entry) = self.registry.get(&setup.experiment) else {
            return self.fail(
                format!("there is no experiment `{}`", setup.experiment),
                None,
            );
        };
        let params = match entry.params.complete(&setup.params) {
            Ok(params) => params,
            Err(wrong) => return self.fail(wrong.join("; "), None),
        };
        let mut context = Context {
            place: Place {
                run: setup.run,
                trial: setup.trial,
                dir: setup.dir,
                seed: setup.seed,
            },
            instruments: setup
                .instruments
                .into_iter()
                .map(|instrument| instrument.name)
                .collect(),
            ..Context::default()
        };
        let built = guarded(|| (entry.build)(&params));
        let ready = built.and_then(|mut experiment| {
            let ready = guarded(|| experiment.setup(&mut context));
            // From here on teardown is owed, also after a setup that failed half way.
            self.running = Some((experiment, context));
            ready
        });
        if let Err(message) = ready {
            self.send_told()?;
            return self.fail(message, None);
        }
        self.send_told()?;
        let versions = self
            .running
            .as_ref()
            .map_or_else(Vec::new, |(experiment, _)| experiment.versions());
        let versions: Map<String, Value> = versions
            .into_iter()
            .map(|(name, version)| (name, version.into()))
            .collect();
        self.say(&Reply::Ready { params, versions })
    }

    fn iterate(&mut self, phase: Phase, indices: Range<u64>, inner: Option<u64>) -> io::Result<()> {
        let mut pace = Pace::default();
        for index in indices {
            let Some((experiment, context)) = &mut self.running else {
                return self.fail("`iterate` before `setup`".to_owned(), None);
            };
            let is_measured = phase == Phase::Measured;
            context.iteration = is_measured.then_some(index);
            let sample = Sample {
                index,
                inner,
                pace_ns: is_measured.then(|| pace.due()).flatten(),
                ..Sample::default()
            };
            let (sample, outcome) = measured(experiment.as_mut(), context, sample);
            context.iteration = None;
            self.send_told()?;
            let fit = outcome.and_then(|metrics| unfit(&metrics).map_or(Ok(metrics), Err));
            match fit {
                Ok(metrics) => self.say(&Reply::Sample(Box::new(Sample { metrics, ..sample })))?,
                Err(message) => return self.fail(message, Some(index)),
            }
        }
        self.say(&Reply::Done)
    }

    /// Iterations that are not timed, under the instruments that this worker has: `memory`.
    fn iterate_profiled(&mut self, indices: Range<u64>) -> io::Result<()> {
        for index in indices {
            let Some((experiment, context)) = &mut self.running else {
                return self.fail("`iterate` before `setup`".to_owned(), None);
            };
            let asked = context.instruments.iter().any(|name| name == MEMORY);
            let (outcome, found) = allocated(|| guarded(|| experiment.execute_once(context)));
            self.send_told()?;
            if let Err(message) = outcome {
                return self.fail(message, Some(index));
            }
            if asked {
                self.say(&memory_finding(found))?;
            }
        }
        self.say(&Reply::Done)
    }

    fn tear_down(&mut self) -> io::Result<()> {
        let outcome = match &mut self.running {
            Some((experiment, context)) => guarded(|| experiment.teardown(context)),
            None => Ok(()),
        };
        self.send_told()?;
        self.running = None;
        match outcome {
            Ok(()) => self.say(&Reply::Done),
            Err(message) => self.fail(message, None),
        }
    }

    /// The driver is gone: what was set up is torn down all the same.
    fn abandon(&mut self) {
        if let Some((mut experiment, mut context)) = self.running.take() {
            let _ = guarded(|| experiment.teardown(&mut context));
        }
    }

    /// Sends what the experiment told its context.
    fn send_told(&mut self) -> io::Result<()> {
        let Some((_, context)) = &mut self.running else {
            return Ok(());
        };
        if context.logs.is_empty() && context.artifacts.is_empty() {
            return Ok(());
        }
        let logs = std::mem::take(&mut context.logs);
        let artifacts: Vec<Artifact> = std::mem::take(&mut context.artifacts);
        for text in logs {
            self.say(&Reply::Log { text })?;
        }
        for artifact in artifacts {
            self.say(&Reply::Artifact(artifact))?;
        }
        Ok(())
    }

    fn fail(&mut self, message: String, index: Option<u64>) -> io::Result<()> {
        self.say(&Reply::Error {
            message,
            trace: String::new(),
            index,
        })
    }

    /// One line, in one write: a worker that is killed has said all that it had finished.
    fn say(&mut self, reply: &Reply) -> io::Result<()> {
        self.line.clear();
        serde_json::to_writer(&mut self.line, reply)?;
        self.line.push(b'\n');
        self.replies.write_all(&self.line)?;
        self.replies.flush()
    }
}

/// What an iteration allocated; or that this program does not count it.
fn memory_finding(found: Option<Allocated>) -> Reply {
    let bytes = found.map(|found| [("peak_bytes", found.peak), ("kept_bytes", found.kept)]);
    let summary = bytes.into_iter().flatten();
    Reply::Finding {
        instrument: MEMORY.to_owned(),
        summary: summary
            .map(|(name, bytes)| (name.to_owned(), bytes.into()))
            .collect(),
        absent: found.is_none().then(|| {
            "this program does not count what it allocates; make `CountingAllocator` its global allocator".to_owned()
        }),
    }
}

/// Runs one iteration with the clock right around it.
fn measured(
    experiment: &mut dyn Experiment,
    context: &mut Context,
    sample: Sample,
) -> (Sample, Result<Metrics, String>) {
    let more = sample.executions() - 1;
    let cpu_before = nanos(ClockId::ProcessCPUTime);
    let before = nanos(ClockId::Monotonic);
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        for _ in 0..more {
            experiment.execute_once(context)?;
        }
        experiment.execute_once(context)
    }));
    let after = nanos(ClockId::Monotonic);
    let cpu_after = nanos(ClockId::ProcessCPUTime);
    let sample = Sample {
        start_ns: before,
        wall_ns: after.saturating_sub(before),
        cpu_ns: Some(cpu_after.saturating_sub(cpu_before)),
        ..sample
    };
    let outcome = match outcome {
        Ok(outcome) => outcome.map_err(|failure| causes(failure.as_ref())),
        Err(panic) => Err(panic_words(panic.as_ref())),
    };
    (sample, outcome)
}

/// Calls into the experiment; a panic is a failure like others.
fn guarded<T>(call: impl FnOnce() -> Result<T, Failure>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(outcome) => outcome.map_err(|failure| causes(failure.as_ref())),
        Err(panic) => Err(panic_words(panic.as_ref())),
    }
}

fn causes(failure: &dyn std::error::Error) -> String {
    let mut words = failure.to_string();
    let mut cause = failure.source();
    while let Some(error) = cause {
        let text = error.to_string();
        if !words.ends_with(&text) {
            words = format!("{words}: {text}");
        }
        cause = error.source();
    }
    words
}

fn panic_words(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied());
    format!("panicked: {}", text.unwrap_or("without a message"))
}
