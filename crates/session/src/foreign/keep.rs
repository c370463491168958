//! Executions into a run's folder: spec, where they come from, records, and the files of their curves.

use super::points::{PointsWritten, REPORTED};
use super::spec::spec_of;
use crate::error::SessionError;
use crate::session::Session;
use crate::version::VERSION;
use fairtrial_engine::sealed;
use fairtrial_interop::{Execution, FactKind, Foreign, Known, Layout, Roles, SeedMeaning, Subject};
use fairtrial_journal::redact::Redactor;
use fairtrial_journal::{
    Durability, Event, IMPORT_SCHEMA, Import, ImportFact, ImportFactKind, ImportRole, ImportSource,
    JOURNAL_SCHEMA, JournalError, JournalWriter, Opened, RecordText, RunDir, RunLock, RunState,
    RunStatus, WriterOptions, effective_records, keep_resolved_spec, provenance::host_name,
    read_if_there, resolved_spec, views, write_atomic_bytes,
};
use fairtrial_model::{Outcome, Record, Sha256, TrialId, TrialKey, UtcTime, hex};
use fairtrial_spec::Spec;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::time::Duration;

/// Records that are made beside each other before they are written, and the fewest of them that are worth a thread.
const AT_ONCE: usize = 1024;
const FOR_A_THREAD: usize = 64;

/// What is put into a run.
pub(super) struct Keeping<'a> {
    pub(super) foreign: &'a Foreign,
    /// The curves' files, where they are kept.
    pub(super) points: Option<&'a PointsWritten>,
    /// The files by their digests, where they are.
    pub(super) sources: Vec<ImportSource>,
    /// Whether the run is there to stay, or goes with this process.
    pub(super) durability: Durability,
}

/// What came of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Taken {
    /// Trials that are new.
    pub(super) added: usize,
    /// Trials that went on since they were imported.
    pub(super) renewed: usize,
    /// Executions that were there already.
    pub(super) known: usize,
}

/// One execution on its way into the run.
struct Coming {
    place: usize,
    key: TrialKey,
    attempt: u32,
}

/// Task, arm, seed and file of a training run.
type SourceKey = (String, Option<String>, u64, String);

/// What a run holds already.
#[derive(Default)]
struct Earlier {
    spec: Option<Spec>,
    state: RunState,
    /// How often each content is there.
    contents: HashMap<TrialId, usize>,
    /// The trial of each training run, by the file it stands in.
    by_source: HashMap<SourceKey, (TrialKey, u32)>,
    known: Known,
}

impl Session {
    /// Puts everything that is new into a run.
    pub(super) fn keep(&self, run: &RunDir, keeping: &Keeping<'_>) -> Result<Taken, SessionError> {
        let now = (self.caller().now)();
        // Nobody verifies what goes with this process.
        let stays = keeping.durability != Durability::Process;
        let _lock = RunLock::acquire(run, now)?;
        let earlier = Earlier::of(run, keeping.foreign)?;
        let (coming, seeds, taken) = earlier.sort(keeping.foreign);
        let keys: Vec<TrialKey> = coming.iter().map(|coming| coming.key.clone()).collect();
        let spec = spec_of(keeping.foreign, (&keys, seeds), earlier.spec.clone())?;
        let spec = Spec {
            name: run.name().to_owned(),
            base_dir: self.caller().folder.display().to_string(),
            ..spec
        };
        keep_resolved_spec(run, &spec, keeping.durability)?;
        let about = serde_json::to_vec_pretty(&import(run, keeping)?);
        write_json(&run.import(), keeping.durability, about)?;
        let options = WriterOptions {
            redactor: self.caller().redactor(),
            sync_every: match keeping.durability {
                Durability::Process => Duration::MAX,
                Durability::Content | Durability::Full => Duration::ZERO,
            },
            chained: stays,
            ..WriterOptions::default()
        };
        let writer = JournalWriter::open_with(&run.journal(), options, Box::new(|_| {}))?;
        if earlier.state.opened.is_none() {
            writer.append(&opened(run, &spec, (keys.len() as u64, now)));
        }
        writer.append(&Event::Session {
            pid: std::process::id(),
            host: host_name(),
            at: now,
            resumed: earlier.state.opened.is_some(),
            attends: false,
            scores: false,
        });
        if stays {
            writer.append(&sealed(&[run.resolved_spec(), run.import()], now)?);
        }
        let mut counts = earlier.state.counts;
        let redactor = self.caller().redactor();
        for some in coming.chunks(AT_ONCE) {
            let made = some.par_iter().with_min_len(FOR_A_THREAD);
            let made = made.map(|coming| record(run, keeping, (coming, now), &redactor));
            for (outcome, text) in made.collect::<Result<Vec<_>, _>>()? {
                counts.add(outcome);
                writer.append_record(&text);
            }
        }
        writer.append(&Event::Closed {
            at: now,
            status: RunStatus::Finished,
            counts,
        });
        writer.close()?;
        Ok(taken)
    }
}

impl Earlier {
    fn of(run: &RunDir, foreign: &Foreign) -> Result<Self, SessionError> {
        let mut earlier = Self::default();
        if read_if_there(&run.journal())?.is_none() {
            return Ok(earlier);
        }
        earlier.spec = Some(resolved_spec(run)?);
        earlier.state = RunState::read(&run.journal())?;
        effective_records(&run.journal(), &earlier.state, |record| {
            *earlier.contents.entry(record.id.clone()).or_insert(0) += 1;
            earlier.known.add(&record.trial, &foreign.roles);
            let source = record.facts.get("source").cloned().unwrap_or_default();
            let key = record.trial.clone();
            earlier.by_source.insert(
                (key.task.clone(), key.arm.clone(), key.seed, source),
                (key, record.attempt),
            );
            Ok::<(), JournalError>(())
        })?;
        Ok(earlier)
    }

    /// What is new, each with its place in the design, and what their seeds are. A training run that went on replaces what
    /// was imported of it before; everything else that is not there yet is a trial of its own.
    fn sort(&self, foreign: &Foreign) -> (Vec<Coming>, SeedMeaning, Taken) {
        let (found, roles) = (&foreign.found, &foreign.roles);
        let mut left = self.contents.clone();
        let mut taken = Taken::default();
        let (mut coming, mut new) = (Vec::new(), Vec::new());
        for (place, execution) in found.executions.iter().enumerate() {
            let same = (!left.is_empty()).then(|| found.identity(place));
            let same = same.and_then(|id| left.get_mut(&id));
            if let Some(count) = same.filter(|count| **count > 0) {
                *count -= 1;
                taken.known += 1;
                continue;
            }
            let went_on = (roles.subject == Subject::Training)
                .then(|| self.by_source.get(&source_key(execution, roles)))
                .flatten();
            match went_on {
                Some((key, attempt)) => coming.push(Coming {
                    place,
                    key: key.clone(),
                    attempt: attempt + 1,
                }),
                None => new.push(place),
            }
        }
        (taken.renewed, taken.added) = (coming.len(), new.len());
        let executions: Vec<&Execution> = new.iter().map(|at| &found.executions[*at]).collect();
        let layout = Layout::of(&executions, roles, &self.known);
        let numbered = new.into_iter().zip(layout.keys);
        coming.extend(numbered.map(|(place, key)| Coming {
            place,
            key,
            attempt: 1,
        }));
        (coming, layout.seeds, taken)
    }
}

fn source_key(execution: &Execution, roles: &Roles) -> SourceKey {
    let seed = roles.seed_of(execution).unwrap_or(0);
    let source = execution.source.display().to_string();
    (
        roles.task_of(execution),
        roles.arm_of(execution),
        seed,
        source,
    )
}

/// How an execution ended, and its record as the journal has it; its curves' file is moved to the trial's folder.
fn record(
    run: &RunDir,
    keeping: &Keeping<'_>,
    (coming, now): (&Coming, UtcTime),
    redactor: &Redactor,
) -> Result<(Outcome, RecordText), SessionError> {
    let found = &keeping.foreign.found;
    let mut record = found.record(coming.place, &coming.key, now);
    record.attempt = coming.attempt;
    redactor.redact_record(&mut record);
    let file = keeping.points.and_then(|points| points.file(coming.place));
    let Some(file) = file else {
        return Ok((record.outcome, text_of(&record)?));
    };
    let dir = run.trial_dir(coming.key.index, coming.attempt);
    let failed = |error: std::io::Error| {
        SessionError::Machine(format!("cannot write {}: {error}", dir.display()))
    };
    std::fs::create_dir_all(&dir).map_err(failed)?;
    std::fs::rename(&file, dir.join(REPORTED)).map_err(failed)?;
    let relative = dir.strip_prefix(run.root().path()).unwrap_or(&dir);
    record.dir = relative.display().to_string();
    for series in record.series.values_mut() {
        REPORTED.clone_into(&mut series.file);
    }
    let text = text_of(&record)?;
    views::write_record(&dir, &text)?;
    Ok((record.outcome, text))
}

fn text_of(record: &Record) -> Result<RecordText, SessionError> {
    RecordText::of(record).map_err(|error| SessionError::Machine(error.to_string()))
}

/// What the run keeps about its sources, with those of earlier imports.
fn import(run: &RunDir, keeping: &Keeping<'_>) -> Result<Import, SessionError> {
    let foreign = keeping.foreign;
    let earlier = Import::of(run)?;
    let mut sources: BTreeMap<String, ImportSource> = BTreeMap::new();
    let mut facts: BTreeSet<ImportFact> = BTreeSet::new();
    if let Some(earlier) = earlier {
        sources.extend(earlier.sources.into_iter().map(|it| (it.path.clone(), it)));
        facts.extend(earlier.facts);
    }
    let new = keeping.sources.iter().cloned();
    sources.extend(new.map(|source| (source.path.clone(), source)));
    facts.extend(foreign.found.facts.iter().map(|fact| ImportFact {
        kind: match fact.kind {
            FactKind::Machine => ImportFactKind::Machine,
            FactKind::Source => ImportFactKind::Source,
            FactKind::Tool => ImportFactKind::Tool,
        },
        name: fact.name.clone(),
        value: fact.value.clone(),
    }));
    let roles = foreign.lines.iter();
    Ok(Import {
        schema: IMPORT_SCHEMA,
        format: foreign.source.format()?.name().to_owned(),
        sources: sources.into_values().collect(),
        roles: roles
            .map(|line| ImportRole {
                role: line.role.to_owned(),
                fields: line.fields.clone(),
            })
            .collect(),
        facts: facts.into_iter().collect(),
        notes: foreign.found.notes.clone(),
    })
}

fn opened(run: &RunDir, spec: &Spec, (trials, now): (u64, UtcTime)) -> Event {
    Event::Opened(Opened {
        schema: JOURNAL_SCHEMA,
        name: run.name().to_owned(),
        stamp: run.stamp(),
        config: spec.source.clone(),
        spec_sha256: String::new(),
        plan_hash: String::new(),
        trials,
        set: Vec::new(),
        only: None,
        registration_sha256: None,
        takes_over: None,
        imported: true,
        parallel: 1,
        version: VERSION.to_owned(),
        created_at: now,
        host: host_name(),
    })
}

fn write_json(
    path: &Path,
    durability: Durability,
    text: serde_json::Result<Vec<u8>>,
) -> Result<(), SessionError> {
    let text =
        text.map_err(|error| SessionError::Machine(format!("{}: {error}", path.display())))?;
    Ok(write_atomic_bytes(path, durability, &text)?)
}

/// The SHA-256 of a file.
pub(super) fn digest(path: &Path) -> std::io::Result<String> {
    let mut hash = Sha256::new();
    std::io::copy(&mut std::fs::File::open(path)?, &mut hash)?;
    Ok(hex(&hash.finalize()))
}
