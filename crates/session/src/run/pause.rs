//! Lets a run start nothing for a while, and goes on with one that was cut off, from somebody else's process.

use crate::error::SessionError;
use crate::session::Session;
use crate::spec_file::recorded_path;
use fairtrial_journal::{RunDir, RunState, end_pause, is_live, request_pause, resolved_spec};
use std::fs::File;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a resumed run is watched: one that cannot be resumed says so at once.
const SEEN_OFF: Duration = Duration::from_millis(1500);
/// How often it is looked at meanwhile.
const LOOK: Duration = Duration::from_millis(50);

impl Session {
    /// Asks a run's controller to start nothing for now, or takes that back. What is in flight finishes.
    pub fn pause(&self, run: &RunDir, paused: bool) -> Result<(), SessionError> {
        if !paused {
            return Ok(end_pause(run)?);
        }
        if !is_live(run)?.is_live() {
            let (name, stamp) = (run.name(), run.stamp());
            return Err(SessionError::Input(format!(
                "{name} {stamp} is not running"
            )));
        }
        Ok(request_pause(run, (self.caller().now)())?)
    }

    /// Goes on with a run by a process of its own, which outlives this one; says how. What it prints is in `resume.log` of
    /// the run's folder.
    pub fn resume_apart(&self, run: &RunDir) -> Result<String, SessionError> {
        let (name, stamp) = (run.name(), run.stamp());
        if is_live(run)?.is_live() {
            let text = format!("{name} {stamp} is running already");
            return Err(SessionError::Input(text));
        }
        let spec = resolved_spec(run)?;
        let path = recorded_path(&spec);
        if !path.is_file() {
            return Err(SessionError::SpecGone(path));
        }
        let state = RunState::read(&run.journal())?;
        let opened = state.opened.as_ref();
        let mut command = Command::new(&self.caller().program);
        command.arg("run").arg(&path).current_dir(&spec.base_dir);
        for set in opened.iter().flat_map(|opened| &opened.set) {
            command.args(["--set", set]);
        }
        if let Some(only) = opened.and_then(|opened| opened.only.as_ref()) {
            command.args(["--only", only]);
        }
        let stamp = stamp.to_string();
        command.args(["--resume", &stamp, "--as-recorded", "--data-dir"]);
        command.arg(run.root().path());
        let log = run.path().join("resume.log");
        let broken = |error: std::io::Error| {
            SessionError::Machine(format!("cannot resume {name} {stamp}: {error}"))
        };
        let out = File::create(&log).map_err(broken)?;
        let err = out.try_clone().map_err(broken)?;
        command.stdin(Stdio::null()).stdout(out).stderr(err);
        let child = command.process_group(0).spawn().map_err(broken)?;
        if went_wrong(child).map_err(broken)? {
            let said = std::fs::read_to_string(&log).unwrap_or_default();
            return Err(SessionError::Input(said.trim().to_owned()));
        }
        Ok(format!("{name} {stamp} continues"))
    }
}

/// Sees a process off: whether it ended at once without success. It is waited for wherever it ends.
fn went_wrong(mut child: Child) -> std::io::Result<bool> {
    let began = Instant::now();
    while began.elapsed() < SEEN_OFF {
        if let Some(status) = child.try_wait()? {
            // Trials that failed, or a regression, are no reason to say that nothing was done.
            return Ok(!matches!(status.code(), Some(0 | 1)));
        }
        std::thread::sleep(LOOK);
    }
    std::thread::spawn(move || child.wait());
    Ok(false)
}
