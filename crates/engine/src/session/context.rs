//! What a session works on, and how it writes the journal.

use crate::code::watch::CodeWatch;
use crate::controls::Controls;
use crate::error::EngineError;
use crate::events::RunEvent;
use crate::prepare;
use crate::remote::contract::ProbedEngine;
use crate::request::{RunRequest, Start};
use crate::timed;
use fairtrial_journal::redact::Redactor;
use fairtrial_journal::{
    Commit, Event, JOURNAL_SCHEMA, JournalError, JournalWriter, Opened, Packer, RunDir, RunState,
    TakeOver, WriterOptions, is_there,
};
use fairtrial_model::{Sha256, hex};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

/// One controller's work on a run.
pub(super) struct Session<'a> {
    pub(super) request: &'a RunRequest,
    pub(super) run: RunDir,
    pub(super) known: RunState,
    pub(super) events: Sender<RunEvent>,
    pub(super) controls: &'a Controls,
    /// What packs the files of trials; absent where each keeps its folder.
    pub(super) packer: Option<Arc<Packer>>,
    /// What looks at the code of the trials.
    pub(super) code: Arc<CodeWatch>,
    /// Whether the session before wrote its views to the end.
    pub(super) views_were_whole: bool,
    pub(super) probed: Option<Arc<ProbedEngine>>,
}

/// What the journal and the workers have to say.
pub(super) enum News {
    /// The journal wrote, or could not.
    Commit(Commit),
    /// A worker has nothing left to do.
    Left,
}

impl Session<'_> {
    pub(super) fn redactor(&self) -> Redactor {
        Redactor::from_env(
            self.request
                .environment
                .iter()
                .map(|(name, value)| (name, value)),
        )
    }

    /// How the journal is written, whoever writes it.
    pub(super) fn writing(&self) -> WriterOptions {
        let options = WriterOptions {
            redactor: self.redactor(),
            packer: self.packer.clone(),
            ..WriterOptions::default()
        };
        let stays = !self.run.root().is_passing();
        let options = WriterOptions {
            chained: stays,
            ..options
        };
        if !timed::is_timed(self.request.plan.spec()) {
            return options;
        }
        WriterOptions {
            spacing: timed::WRITTEN_EVERY,
            sync_every: if stays {
                timed::SYNCED_EVERY
            } else {
                Duration::MAX
            },
            ..options
        }
    }

    pub(super) fn open_journal(&self, news: Sender<News>) -> Result<JournalWriter, EngineError> {
        // The writer's thread must never wait for the controller: the controller may be waiting for room in the journal.
        let tell = Box::new(move |commit| drop(news.send(News::Commit(commit))));
        let writer = JournalWriter::open_with(&self.run.journal(), self.writing(), tell)?;
        if let Some(repair) = writer.repaired() {
            let text = format!(
                "an unfinished last line of {} bytes was cut off the journal",
                repair.bytes
            );
            writer.append(&Event::Note {
                at: (self.request.now)(),
                text,
            });
        }
        Ok(writer)
    }

    /// The first lines of this session.
    pub(super) fn begin(
        &self,
        writer: &JournalWriter,
        host: &str,
        takes_over: Option<TakeOver>,
    ) -> Result<(), JournalError> {
        let RunRequest {
            plan,
            set,
            only,
            slots,
            version,
            now,
            spec_text,
            registration,
            ..
        } = self.request;
        let resumed = self.known.opened.is_some();
        if !resumed {
            writer.append(&Event::Opened(Opened {
                schema: JOURNAL_SCHEMA,
                name: self.run.name().to_owned(),
                stamp: self.run.stamp(),
                config: plan.spec().source.clone(),
                spec_sha256: hex(&Sha256::digest(spec_text)),
                plan_hash: plan.hash().to_owned(),
                trials: plan.len(),
                set: set.clone(),
                only: only.clone(),
                registration_sha256: registration.as_ref().map(|text| hex(&Sha256::digest(text))),
                takes_over,
                imported: false,
                parallel: *slots,
                version: version.clone(),
                created_at: now(),
                host: host.to_owned(),
            }));
        }
        let pid = std::process::id();
        writer.append(&Event::Session {
            pid,
            host: host.to_owned(),
            at: now(),
            resumed,
            attends: matches!(self.request.start, Start::Attend(_)),
            scores: false,
        });
        if let Some(change) = &self.request.accepted_code {
            writer.append(&Event::CodeAccepted {
                at: now(),
                trials: change.trials.len() as u64,
                names: change.names.clone(),
            });
        }
        let mut files = vec![self.run.resolved_spec()];
        // A controller that was killed after it wrote this file had no time to say so.
        let environment = self.run.environment();
        let name = environment.file_name().unwrap_or_default();
        let is_sealed = self.known.files.contains_key(&*name.to_string_lossy());
        if resumed && !is_sealed && is_there(&environment)? {
            files.push(environment);
        }
        writer.append(&prepare::sealed(&files, now())?);
        Ok(())
    }
}
