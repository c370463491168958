//! Records of earlier runs that answer trials of this one, put into its journal before anything starts. A run that was
//! cut off between two of them goes on with the rest.

use super::context::Session;
use crate::code::since::OtherCode;
use crate::code::watch::CodeNow;
use crate::error::EngineError;
use crate::events::RunEvent;
use crate::request::{Outputs, Start};
use crate::reuse;
use crate::unchanged;
use fairtrial_journal::{Event, JournalError, JournalWriter, RunDir, RunState, Selector, TakeOver};
use fairtrial_model::{Record, TrialId};
use std::collections::HashMap;

/// What is taken over, by identity, each with the run that it comes from.
pub(super) struct EarlierRecords {
    wanted: TakeOver,
    /// What a reader of the run should know about them.
    notes: Vec<String>,
    offered: HashMap<TrialId, (Record, String)>,
}

impl EarlierRecords {
    /// What the user asked for, or what a session before this one did not come to the end of.
    pub(super) fn of(session: &Session<'_>) -> Result<Option<Self>, EngineError> {
        let (reuse, wanted) = match &session.request.start {
            Start::New { reuse, outputs } => {
                let wanted = TakeOver {
                    run: reuse.as_ref().map(RunDir::stamp),
                    outputs: *outputs == Outputs::Keep,
                };
                (reuse.clone(), wanted)
            }
            Start::Resume(run) | Start::Attend(run) => {
                let Some(wanted) = session.known.open_take_over() else {
                    return Ok(None);
                };
                (earlier(session, run, wanted)?, wanted.clone())
            }
        };
        let mut notes = Vec::new();
        let offered = offered(session, reuse.as_ref(), &wanted, &mut notes)?;
        let nothing = offered.is_empty() && wanted.run.is_none();
        Ok((!nothing).then_some(Self {
            wanted,
            notes,
            offered,
        }))
    }

    /// Writes them, and gives the state of the journal that holds them.
    pub(super) fn write(
        mut self,
        session: &Session<'_>,
        host: &str,
    ) -> Result<RunState, EngineError> {
        let journal = session.run.journal();
        let writer = JournalWriter::open_with(&journal, session.writing(), Box::new(drop))?;
        session.begin(&writer, host, Some(self.wanted))?;
        for text in self.notes {
            let at = (session.request.now)();
            writer.append(&Event::Note { at, text });
        }
        for trial in session.request.plan.trials() {
            let index = trial.key.index;
            if session.known.trial(index).outcome.is_some() {
                continue;
            }
            if let Some((record, from)) = self.offered.remove(&trial.id()) {
                let record = reuse::take_over(record, index, &from);
                writer.append(&Event::Finished(Box::new(record)));
            }
        }
        writer.close()?;
        Ok(RunState::read(&journal)?)
    }
}

/// The run whose records a session before this one was taking over.
fn earlier(
    session: &Session<'_>,
    run: &RunDir,
    wanted: &TakeOver,
) -> Result<Option<RunDir>, EngineError> {
    let Some(stamp) = wanted.run else {
        return Ok(None);
    };
    let tell = |event| drop(session.events.send(event));
    match RunDir::open(run.root(), run.name(), Selector::Stamp(stamp)) {
        Ok(earlier) => {
            tell(RunEvent::Note(format!(
                "it was cut off while it took over the records of run {stamp}: the rest is taken over now"
            )));
            Ok(Some(earlier))
        }
        Err(JournalError::NoSuchRun { .. }) => {
            tell(RunEvent::Warning(format!(
                "run {stamp}, whose records were being taken over, is not there any more: what is left of its trials is \
                 run again"
            )));
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

fn offered(
    session: &Session<'_>,
    reuse: Option<&RunDir>,
    wanted: &TakeOver,
    notes: &mut Vec<String>,
) -> Result<HashMap<TrialId, (Record, String)>, EngineError> {
    let (root, plan) = (&session.request.root, &session.request.plan);
    let mut offered = HashMap::new();
    if wanted.outputs {
        for (id, kept) in unchanged::find(root, plan, &session.run)? {
            let from = format!("{} {}", kept.from.name(), kept.from.stamp());
            let _ = session.events.send(RunEvent::Note(format!(
                "{} is not run: its outputs are unchanged since run {from}",
                kept.record.trial.task
            )));
            reuse::copy_code(std::iter::once(&kept.record), &kept.from, &session.run)?;
            offered.insert(id, (kept.record, from));
        }
    }
    if let Some(earlier) = reuse {
        let now = CodeNow {
            environment: &session.request.environment,
            data: root.path(),
            now: session.request.now,
        };
        let other = match session.request.accepted_code {
            None => OtherCode::LeftOut,
            Some(_) => OtherCode::Accepted,
        };
        let reusable = reuse::reusable(earlier, plan, &now, other)?;
        let (mut records, said) = reusable.measured(earlier, plan, &session.redactor());
        if let Some(said) = said {
            let _ = session.events.send(RunEvent::Note(said.clone()));
            notes.push(said);
        }
        unchanged::keep_valid(root, plan, &mut records);
        reuse::copy_code(records.values(), earlier, &session.run)?;
        let from = format!("{} {}", earlier.name(), earlier.stamp());
        for (id, record) in records {
            offered.entry(id).or_insert_with(|| (record, from.clone()));
        }
    }
    Ok(offered)
}
