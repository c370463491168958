//! One attempt, from its job to a redacted record with a copy beside the logs: the same on this machine and on a node.

use crate::attempt_id::AttemptId;
use crate::code::watch::CodeWatch;
use crate::error::EngineError;
use crate::job::JobMaker;
use crate::packing::{BareFolder, may_pack};
use fairtrial_journal::redact::Redactor;
use fairtrial_journal::{Packer, RecordText, RunDir, views};
use fairtrial_model::{Cause, Outcome, Record, UtcTime};
use fairtrial_plan::Plan;
use fairtrial_trial::{
    AttemptTaken, Fate, Finished, Output, OutputChunk, TrialJob, TrialRunner, blame_the_machine,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What every attempt of a run shares on one machine.
pub(crate) struct Attempts {
    pub(crate) jobs: JobMaker,
    pub(crate) host: String,
    redactor: Redactor,
    now: fn() -> UtcTime,
    /// Where files of trials are packed; absent where each keeps its folder.
    packer: Option<Arc<Packer>>,
}

impl Attempts {
    pub(crate) fn new(
        run: &RunDir,
        plan: &Plan,
        program: &Path,
        environment: &[(String, String)],
        now: fn() -> UtcTime,
    ) -> Self {
        let variables = environment.iter().map(|(name, value)| (name, value));
        Self {
            jobs: JobMaker::new(run, plan.spec(), program, environment),
            host: fairtrial_journal::provenance::host_name(),
            redactor: Redactor::from_env(variables),
            now,
            packer: None,
        }
    }

    /// The same with the files of trials packed that leave little.
    pub(crate) fn packing(mut self, packer: Option<Arc<Packer>>) -> Self {
        self.packer = packer;
        self
    }

    /// The job for an attempt whose record goes into the journal of this process, and to nobody else.
    pub(crate) fn job(&self, plan: &Plan, id: AttemptId) -> Result<TrialJob, EngineError> {
        let mut job = self.jobs.job(plan, id.index, id.attempt)?;
        job.packs = self.packer.is_some() && may_pack(&job);
        Ok(job)
    }

    /// The same where so many of them run beside each other on this machine; unknown where a scheduler places them.
    pub(crate) fn beside_each_other(mut self, plan: &Plan, slots: Option<usize>) -> Self {
        self.jobs.share_cores(plan.spec(), slots);
        self
    }

    /// The same with the code of each recorded.
    pub(crate) fn watching(mut self, code: Arc<CodeWatch>) -> Self {
        self.jobs.code = Some(code);
        self
    }

    /// Runs an attempt to its end; gives its directory and its record.
    pub(crate) fn run(
        &self,
        runner: &mut TrialRunner,
        job: TrialJob,
    ) -> Result<(PathBuf, Record), AttemptTaken> {
        let dir = job.dir.clone();
        self.begin(runner, job, Output::Kept);
        runner.hand();
        loop {
            for (job, fate) in self.wait(runner, &mut |_, _| ()) {
                match fate {
                    Fate::Ended(finished) => {
                        return Ok((dir, self.record(job, finished).0));
                    }
                    Fate::Taken(taken) => return Err(taken),
                    // Nothing waits behind a lone job, and what comes back may be handed over again.
                    Fate::Returned => {
                        self.begin(runner, job, Output::Kept);
                        runner.hand();
                    }
                }
            }
        }
    }

    /// Prepares to hand an attempt to its launcher.
    pub(crate) fn begin(&self, runner: &mut TrialRunner, job: TrialJob, output: Output) {
        runner.begin(job, (self.now)(), output);
    }

    /// Waits for the ends of the oldest attempts.
    pub(crate) fn wait(
        &self,
        runner: &mut TrialRunner,
        output: &mut dyn FnMut(&TrialJob, OutputChunk<'_>),
    ) -> Vec<(TrialJob, Fate)> {
        runner.wait(self.now, output)
    }

    /// The record of an attempt that has ended, with its copy beside the logs. Its text is given too, where that copy was
    /// written and nothing has been added since.
    pub(crate) fn record(
        &self,
        mut job: TrialJob,
        mut finished: Finished,
    ) -> (Record, Option<RecordText>) {
        let dir = job.dir.clone();
        let timed = job.timed.is_some();
        let bare = job.packs.then(|| BareFolder {
            script: job.script.take(),
            held: finished.take_held(),
        });
        let mut record = finished.record(job, Some(self.host.clone()));
        if let Some(code) = &self.jobs.code {
            code.add_commit(&mut record);
        }
        let has_dir = !timed || (record.outcome != Outcome::Ok && dir.is_dir());
        if !has_dir {
            record.dir.clear();
        }
        self.redactor.redact_record(&mut record);
        if let Some((packer, bare)) = self.packer.as_ref().zip(bare)
            && let Err(error) = bare.leave(packer, &dir, &mut record)
        {
            let failure = format!("the trial's logs were not written: {error}");
            blame_the_machine(&mut record, &failure);
            record.notes.push(failure);
        }
        let text = RecordText::of(&record);
        if !has_dir || record.packed.is_some() {
            return (record, text.ok());
        }
        let written = match &text {
            Ok(text) => views::write_record(&dir, text).map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        if let Err(error) = written {
            let failure = format!("record.json was not written: {error}");
            blame_the_machine(&mut record, &failure);
            record.notes.push(failure);
            return (record, None);
        }
        (record, text.ok())
    }

    /// The record of an attempt that did not run to an end of its own.
    pub(crate) fn without_run(
        &self,
        plan: &Plan,
        attempt: AttemptId,
        outcome: Outcome,
        cause: Cause,
    ) -> Option<Record> {
        let trial = plan.trial(attempt.index)?;
        let id = trial.id();
        Some(Record {
            outcome,
            cause: Some(cause),
            host: Some(self.host.clone()),
            ..Record::of(trial.key, id, attempt.attempt, (self.now)())
        })
    }
}
