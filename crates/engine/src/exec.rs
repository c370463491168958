//! A chunk of trials on a node, exactly as the local engine would run them: the other half of every remote engine.
//!
//! It needs the run's folder and nothing else: no network to the controller, no Python, no scheduler library. It may
//! be killed and started again at any time, and two of it may meet over one chunk.

mod controls;
mod courier;
mod heartbeat;
pub(crate) mod stored;
pub(crate) mod stored_request;

use crate::attempt::Attempts;
use crate::attempt_id::AttemptId;
use crate::chunk::{CHUNK_SCHEMA, Chunk, ChunkDir, Owner, Phase, Revoked};
use crate::code::watch::{CodeNow, CodeWatch};
use crate::error::EngineError;
use crate::node_memory::OomWatch;
use crate::put_away::PutAway;
use crate::warm_up::WarmUps;
pub use controls::ExecControls;
use controls::OnNotice;
use fairtrial_journal::{Fresh, RunDir, resolved_spec};
use fairtrial_model::{Cause, Exit, Outcome, Record, UtcTime};
use fairtrial_plan::Plan;
use fairtrial_trial::TrialRunner;
use heartbeat::Heartbeat;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The signals by which schedulers announce the end of a job to all its processes: TERM, and USR2 of Grid Engine.
const ENDING: [i32; 2] = [15, 12];
/// What shells add to a signal that ended a program.
const OF_SHELLS: i32 = 128;
/// How long a signal to the whole job may take to reach this process too.
const SIGNAL_WAIT: Duration = Duration::from_millis(500);
/// Why a trial that saves its state left before its job's end.
const TIME_IS_UP: &str = "its time runs out";

/// One chunk to run.
pub struct ExecRequest {
    /// The run.
    pub run: RunDir,
    /// Number of the chunk.
    pub chunk: u64,
    /// The spec's folder on this machine, where it is not where it was.
    pub base_dir: Option<PathBuf>,
    /// This very binary, from which the launcher is started.
    pub program: PathBuf,
    /// Its version, which must be that of the controller.
    pub version: String,
    /// The environment on this node, from which trials inherit.
    pub environment: Vec<(String, String)>,
    /// The clock for records.
    pub now: fn() -> UtcTime,
    /// Who this is.
    pub owner: Owner,
}

/// How a chunk was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExecEnd {
    /// Every trial has its record.
    Complete,
    /// The scheduler or the controller asked it to stop; the rest is given out again.
    Stopped,
    /// Another process lives that runs this chunk.
    Elsewhere,
    /// The store has no work of this name any more: it was taken back, or the run has its answers.
    Nothing,
}

/// Runs a chunk. `tell` gets every record that this process wrote.
pub fn exec(
    request: &ExecRequest,
    controls: &ExecControls,
    tell: &mut dyn FnMut(&Record),
) -> Result<ExecEnd, EngineError> {
    let dir = ChunkDir::of(&request.run, request.chunk);
    let chunk = dir.read()?;
    let plan = agreed_plan(request, &chunk)?;
    if !claim(&dir, &chunk, &request.owner) {
        return Ok(ExecEnd::Elsewhere);
    }
    let heartbeat = Heartbeat::new(dir.clone(), &request.owner, chunk.beat_s);
    heartbeat.beat();
    let node = Node {
        request,
        dir,
        plan,
        controls,
        heartbeat: &heartbeat,
    };
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .spawn_scoped(scope, || heartbeat.keep_beating())
            .map_err(EngineError::NoThread)?;
        let end = node.work(&chunk, tell);
        heartbeat.stop(if end.is_ok() {
            Phase::Ended
        } else {
            Phase::Running
        });
        end
    })
}

/// The plan that the chunk's numbers mean, or why this binary must not run it.
fn agreed_plan(request: &ExecRequest, chunk: &Chunk) -> Result<Plan, EngineError> {
    let refuse = |message: String| EngineError::Refused {
        chunk: request.chunk,
        message,
    };
    if chunk.version != request.version || chunk.schema != CHUNK_SCHEMA {
        return Err(refuse(format!(
            "it was given out by fairtrial {} (form {}), and this is {} (form {CHUNK_SCHEMA}); use the same binary on \
             every node (`engine.program`)",
            chunk.version, chunk.schema, request.version
        )));
    }
    let mut spec = resolved_spec(&request.run)?;
    if let Some(base_dir) = &request.base_dir {
        spec.base_dir = base_dir.display().to_string();
    }
    let plan = Plan::new(Arc::new(spec), chunk.only.as_deref())?;
    if plan.hash() != chunk.plan_hash {
        return Err(refuse(format!(
            "it belongs to plan {}, and the run's spec gives plan {}",
            chunk.plan_hash,
            plan.hash()
        )));
    }
    Ok(plan)
}

/// Whether nobody else lives who runs this chunk. A job that the scheduler started again finds the heartbeat of its
/// first start: where that still changes, the first start lives, whatever the scheduler believes.
fn claim(dir: &ChunkDir, chunk: &Chunk, me: &Owner) -> bool {
    let Some(seen) = dir.beat().filter(|beat| beat.phase == Phase::Running) else {
        return true;
    };
    if seen.owner == *me {
        return true;
    }
    let wait = Duration::from_secs_f64(chunk.beat_s * 3.0);
    let (began, step) = (Instant::now(), wait / 10);
    while began.elapsed() < wait {
        std::thread::sleep(step);
        if dir
            .beat()
            .is_some_and(|beat| beat != seen && beat.phase == Phase::Running)
        {
            return false;
        }
    }
    true
}

/// The work of one chunk on this node.
struct Node<'a> {
    request: &'a ExecRequest,
    dir: ChunkDir,
    plan: Plan,
    controls: &'a ExecControls,
    heartbeat: &'a Heartbeat,
}

impl Node<'_> {
    fn work(&self, chunk: &Chunk, tell: &mut dyn FnMut(&Record)) -> Result<ExecEnd, EngineError> {
        let ExecRequest {
            run,
            program,
            environment,
            now,
            ..
        } = self.request;
        let here = CodeNow {
            environment,
            data: run.root().path(),
            now: *now,
        };
        let code = CodeWatch::new(self.plan.spec(), &here, Some(run));
        code.look_at_commit();
        let attempts = Attempts::new(run, &self.plan, program, environment, *now)
            .beside_each_other(&self.plan, None)
            .watching(Arc::new(code));
        std::fs::create_dir_all(run.root().runs_dir()).map_err(|source| {
            fairtrial_journal::JournalError::Io {
                action: "create",
                path: run.root().runs_dir(),
                source,
            }
        })?;
        let mut runner = TrialRunner::start(program)?;
        self.controls.lock().kill = Some(runner.kill_handle());
        let warm_ups = WarmUps::default();
        let mut away = PutAway::new(&self.dir, &self.request.owner);
        let mut turn = Turn::First;
        for id in &chunk.trials {
            if self.shall_stop(turn) {
                return Ok(ExecEnd::Stopped);
            }
            // Where the system does not say, the first record stays all the same.
            if self.dir.has_record(*id).unwrap_or(false) {
                continue;
            }
            self.heartbeat.runs(Some(*id));
            let launcher = || {
                let other = TrialRunner::start(program)?;
                self.controls.lock().kill = Some(other.kill_handle());
                Ok(other)
            };
            // What goes wrong with it goes wrong with the trial as well, which says more.
            let _ = warm_ups.before(&attempts, &self.plan, id.index, launcher);
            self.controls.lock().kill = Some(runner.kill_handle());
            if self.shall_stop(turn) {
                return Ok(ExecEnd::Stopped);
            }
            let record = self.attempt(&attempts, &mut runner, (*id, chunk), turn)?;
            // One that an earlier start began took no time of this one.
            if record.started_at.is_some() {
                turn = Turn::Later;
            }
            if self.dir.write_record(&record)? == Fresh::Taken {
                self.dir.keep_late(&record, &self.request.owner)?;
            } else {
                tell(&record);
                if chunk.put_away {
                    // What stays where it is costs files and nothing else.
                    let _ = away.take(&run.trial_dir(id.index, id.attempt), &record);
                }
            }
            self.heartbeat.done();
        }
        Ok(ExecEnd::Complete)
    }

    /// A job whose time is short from the beginning still runs one trial: else it would be given out for ever.
    fn shall_stop(&self, turn: Turn) -> bool {
        let asked = self.controls.lock();
        let drained = asked.drain && turn == Turn::Later;
        drained || asked.end || self.dir.revoked().is_some()
    }

    fn attempt(
        &self,
        attempts: &Attempts,
        runner: &mut TrialRunner,
        (id, chunk): (AttemptId, &Chunk),
        turn: Turn,
    ) -> Result<Record, EngineError> {
        let AttemptId { index, attempt } = id;
        let no_such_trial = || EngineError::Refused {
            chunk: self.request.chunk,
            message: format!("the plan has no trial {index}"),
        };
        let without_run = |outcome, cause| {
            let record = attempts.without_run(&self.plan, id, outcome, cause);
            record.ok_or_else(no_such_trial)
        };
        let mut job = match attempts.jobs.job(&self.plan, index, attempt) {
            Ok(job) => job,
            Err(error) => {
                let cause = Cause::Launch {
                    message: error.to_string(),
                    permanent: true,
                };
                return without_run(Outcome::Infra, cause);
            }
        };
        job.limits.spent = chunk.spent.get(&index).copied().unwrap_or(0.0);
        self.controls.begins(match job.checkpoint {
            Some(_) => OnNotice::Saves,
            None => OnNotice::Ends,
        });
        let memory = OomWatch::begin();
        let dir_in_data = job.dir_in_data.clone();
        if let Ok((dir, mut record)) = attempts.run(runner, job) {
            let seen = (record.outcome, record.cause.clone());
            memory.correct(&mut record);
            self.blame_the_right_one(&mut record, turn);
            if seen != (record.outcome, record.cause.clone()) {
                fairtrial_journal::views::replace_record(&dir, &record)?;
            }
            return Ok(record);
        }
        // The attempt's directory is there: an earlier start of this job began it and is no more.
        let message =
            "the job was started again (lost node, preemption or requeue) while this trial ran";
        let cause = Cause::Lost {
            message: message.to_owned(),
        };
        let mut record = without_run(Outcome::Infra, cause)?;
        record.dir = dir_in_data;
        Ok(record)
    }

    /// A trial that was ended because its job was: by the user, or by the scheduler for a reason that only the
    /// scheduler knows, and the controller will ask for. Schedulers signal every process of a job, so the trial may
    /// have heard before this process did.
    fn blame_the_right_one(&self, record: &mut Record, turn: Turn) {
        let revoked = self.dir.revoked();
        self.controls.wait_for_end(signal_wait(record, revoked));
        let asked = self.controls.lock();
        // One that says `ok` may have lost a process to the signal and not have noticed: a script goes on after a
        // program that was killed.
        let ended = matches!(
            record.outcome,
            Outcome::Cancelled | Outcome::Failed | Outcome::Ok
        );
        // One that was told while it still ran, because the job's time runs out.
        let left_early = asked.trial == OnNotice::Told && record.outcome == Outcome::Cancelled;
        if !(left_early || asked.end && ended) {
            return;
        }
        if revoked == Some(Revoked::Cancelled) {
            record.outcome = Outcome::Cancelled;
            record.cause = Some(Cause::User);
            return;
        }
        record.outcome = Outcome::Infra;
        record.cause = Some(Cause::JobEnded {
            message: if asked.end {
                "by the scheduler".to_owned()
            } else {
                TIME_IS_UP.to_owned()
            },
            first: turn == Turn::First,
            warned: asked.drain,
        });
    }
}

/// How long a signal to the whole job may still be on its way to this process, when it may have reached the trial. A
/// trial that shows no sign of one is waited for by a small part of its own time.
fn signal_wait(record: &Record, revoked: Option<Revoked>) -> Duration {
    let killed = match record.exit {
        Some(Exit::Signal(signal)) => ENDING.contains(&signal),
        Some(Exit::Code(code)) => ENDING.contains(&(code - OF_SHELLS)),
        _ => false,
    };
    if killed || revoked == Some(Revoked::Cancelled) {
        return SIGNAL_WAIT;
    }
    let share = record.resources.wall.unwrap_or(0.0).max(0.0) / 50.0;
    // What saves its state ends as if nothing had happened.
    let most = match record.checkpoint {
        Some(_) => SIGNAL_WAIT,
        None => SIGNAL_WAIT / 5,
    };
    Duration::try_from_secs_f64(share).map_or(SIGNAL_WAIT, |share| share.min(most))
}

/// Whether a start of a job has run a trial before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    First,
    Later,
}

#[cfg(test)]
mod tests {
    use super::{Duration, Exit, Record, Revoked, SIGNAL_WAIT, signal_wait};

    #[test]
    fn a_signal_is_waited_for_where_it_may_have_hit() {
        let text = r#"{"schema":1,"id":"0123456789abcdef0123456789abcdef","attempt":1,"outcome":"ok",
            "trial":{"index":0,"task":"t","arm":"a","seed":1},"ended_at":"2025-08-24T12:34:56Z","dir":"",
            "resources":{},"metrics":{}}"#;
        let mut record: Record = serde_json::from_str(text).unwrap();
        record.exit = Some(Exit::Code(0));
        assert_eq!(signal_wait(&record, None), Duration::ZERO);
        record.resources.wall = Some(1.0);
        assert_eq!(signal_wait(&record, None), Duration::from_millis(20));
        record.resources.wall = Some(3600.0);
        assert_eq!(signal_wait(&record, None), SIGNAL_WAIT / 5);
        assert_eq!(signal_wait(&record, Some(Revoked::Cancelled)), SIGNAL_WAIT);
        record.exit = Some(Exit::Signal(15));
        record.resources.wall = Some(0.0);
        assert_eq!(signal_wait(&record, None), SIGNAL_WAIT);
    }
}
