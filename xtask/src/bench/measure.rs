//! One command measured from outside: wall time, CPU time with all its descendants, peak memory of its own process.

use serde_json::Value;
use std::fs;
use std::io;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What a command took.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cost {
    /// Wall seconds.
    pub(super) wall: f64,
    /// CPU seconds of the command and of every descendant that was waited for.
    pub(super) cpu: f64,
    /// Largest resident size of the command's own process, in bytes.
    pub(super) peak: u64,
}

/// How often the peak is read: the kernel keeps it, only the last reading before the end counts.
const LOOK: Duration = Duration::from_millis(2);

/// Runs a command to its end; one that fails is an error.
pub(super) fn measure(command: &mut Command) -> io::Result<Cost> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let cpu_before = children_cpu()?;
    let began = Instant::now();
    let mut child = named(command, Command::spawn)?;
    let peak = watch(&mut child)?;
    let wall = began.elapsed().as_secs_f64();
    let status = child.wait()?;
    if !status.success() {
        return Err(io::Error::other(format!("{command:?} ended with {status}")));
    }
    Ok(Cost {
        wall,
        cpu: children_cpu()? - cpu_before,
        peak,
    })
}

/// Starts a command; where that fails, the error names it.
pub(super) fn named<T>(
    command: &mut Command,
    start: impl FnOnce(&mut Command) -> io::Result<T>,
) -> io::Result<T> {
    start(command).map_err(|error| {
        let program = command.get_program().display();
        io::Error::new(error.kind(), format!("cannot start {program}: {error}"))
    })
}

/// Runs a command that is too quick to be watched, again and again, and gives the median of its wall times.
pub(super) fn median_wall(times: usize, mut command: impl FnMut() -> Command) -> io::Result<f64> {
    let mut walls = Vec::new();
    for _ in 0..times {
        let mut command = command();
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let began = Instant::now();
        let status = named(&mut command, Command::status)?;
        walls.push(began.elapsed().as_secs_f64());
        if !status.success() {
            return Err(io::Error::other(format!("{command:?} ended with {status}")));
        }
    }
    Ok(median(&walls))
}

/// What a program prints as JSON; one that fails is an error with what it said.
pub(super) fn json(command: &mut Command) -> io::Result<Value> {
    let output = command.stdin(Stdio::null()).output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(io::Error::other(format!("{command:?} failed: {said}")));
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Waits for the end without reaping, and gives the last peak seen.
fn watch(child: &mut Child) -> io::Result<u64> {
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait()?.is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        peak = peak_of(&text).unwrap_or(peak);
        std::thread::sleep(LOOK);
    }
    Ok(peak)
}

fn peak_of(status: &str) -> Option<u64> {
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// CPU seconds of all descendants waited for so far, from this process's own account.
fn children_cpu() -> io::Result<f64> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let fields = stat
        .rsplit_once(") ")
        .map(|(_, rest)| rest)
        .unwrap_or_default();
    // Fields 16 and 17, of which the first two are cut off; a tick is a hundredth of a second on every Linux.
    let ticks = |place: usize| {
        fields
            .split(' ')
            .nth(place)
            .and_then(|text| text.parse::<f64>().ok())
    };
    match (ticks(13), ticks(14)) {
        (Some(user), Some(system)) => Ok((user + system) / 100.0),
        _ => Err(io::Error::other("/proc/self/stat has another form here")),
    }
}

/// The middle value.
pub(super) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 {
        sorted[middle]
    } else {
        f64::midpoint(sorted[middle - 1], sorted[middle])
    }
}
