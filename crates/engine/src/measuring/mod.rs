//! Measures the trials of a run again by the spec as it is now. Nothing is run: metrics are a view of what trials left. The
//! new records follow the old ones in the journal, with who asked for it and when.

mod again;

pub(crate) use again::{Again, Measuring};

use crate::error::EngineError;
use crate::prepare;
use crate::put_away::bring_back;
use fairtrial_journal::redact::Redactor;
use fairtrial_journal::{
    Durability, Event, JournalError, JournalWriter, RunDir, RunLock, RunState, effective_records,
    resolved_spec, views,
};
use fairtrial_model::{MetricDeclaration, Outcome, Record, UtcTime};
use fairtrial_plan::{Plan, measured_differently};
use serde::Serialize;
use std::sync::Arc;

/// What is measured again, and by what.
#[derive(Debug, Clone, Copy)]
pub struct MeasureRequest<'a> {
    /// The run.
    pub run: &'a RunDir,
    /// The metrics as they are declared now.
    pub metrics: &'a [MetricDeclaration],
    /// The caller's environment.
    pub environment: &'a [(String, String)],
    /// Who asks for it, as `user@host`.
    pub by: &'a str,
    /// The clock.
    pub now: fn() -> UtcTime,
}

/// What measuring again came to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Remeasured {
    /// Trials that were measured again.
    pub trials: u64,
    /// The metrics that are made differently now.
    pub changed: Vec<String>,
    /// What became of each declared metric.
    pub metrics: Vec<MetricRead>,
    /// Trials that had failed for want of a metric and are `ok` now.
    pub now_ok: u64,
    /// Trials that were `ok` and lack a required metric now.
    pub now_failed: u64,
}

/// What became of one metric.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct MetricRead {
    /// Its name.
    pub name: String,
    /// Trials that have a value now.
    pub values: u64,
    /// Trials whose value is another one now, or that had none.
    pub changed: u64,
    /// Trials that had a value and have none now.
    pub lost: u64,
}

/// Measures the trials of a run again, and makes its spec and its views say so.
pub fn measure_again(request: &MeasureRequest<'_>) -> Result<Remeasured, EngineError> {
    let run = request.run;
    let _lock = RunLock::acquire(run, (request.now)())?;
    let state = RunState::read(&run.journal())?;
    let recorded = resolved_spec(run)?;
    let only = state.opened.as_ref().and_then(|opened| opened.only.clone());
    let before = Plan::new(Arc::new(recorded), only.as_deref())?;
    let plan = before.measuring(request.metrics, only.as_deref())?;
    let variables = request
        .environment
        .iter()
        .map(|(name, value)| (name, value));
    let redactor = Redactor::from_env(variables);
    let measuring = Measuring {
        root: run.root(),
        before: &before.spec().metrics,
        now: plan.spec(),
        redactor: &redactor,
    };
    let mut records = Vec::new();
    effective_records(&run.journal(), &state, |record: Record| {
        records.push(record);
        Ok::<(), JournalError>(())
    })?;
    let in_folder = |record: &&Record| !record.dir.is_empty() && record.packed.is_none();
    let ran = records.iter().filter(in_folder);
    let dirs = ran.map(|record| run.root().path().join(&record.dir));
    bring_back(run.root(), dirs).map_err(|source| JournalError::Io {
        action: "bring back files of trials of",
        path: run.path().to_owned(),
        source,
    })?;
    let pairs = paired(records, &measuring)?;
    let measured = Remeasured {
        changed: measured_differently(before.spec(), plan.spec()),
        ..counted(&pairs, request.metrics)
    };
    keep(request, &plan, &measured, pairs)?;
    Ok(measured)
}

/// The records before and now; where some cannot be made again, none is.
fn paired(
    records: Vec<Record>,
    measuring: &Measuring<'_>,
) -> Result<Vec<(Record, Record)>, EngineError> {
    let again = measuring.all(&records);
    let (mut pairs, mut gone) = (Vec::new(), Vec::new());
    for (record, again) in records.into_iter().zip(again) {
        match again {
            Again::Measured(now) => pairs.push((record, *now)),
            // One without numbers has none that could be of another kind.
            Again::Gone if !record.metrics.is_empty() => {
                gone.push(record.trial.label().to_string());
            }
            Again::Gone | Again::NeverRan => {}
        }
    }
    if gone.is_empty() {
        Ok(pairs)
    } else {
        Err(EngineError::NothingToMeasure { trials: gone })
    }
}

/// What changed.
fn counted(pairs: &[(Record, Record)], metrics: &[MetricDeclaration]) -> Remeasured {
    let value = |record: &Record, name: &str| {
        let found = record.metrics.get(name);
        // As bits, in which a value that is no number equals itself.
        found.map(|number| number.0.to_bits())
    };
    let of = |metric: &MetricDeclaration| {
        let mut read = MetricRead {
            name: metric.name.clone(),
            ..MetricRead::default()
        };
        for (before, now) in pairs {
            let (old, new) = (value(before, &metric.name), value(now, &metric.name));
            read.values += u64::from(new.is_some());
            read.changed += u64::from(new.is_some() && old != new);
            read.lost += u64::from(new.is_none() && old.is_some());
        }
        read
    };
    let became = |from: Outcome, to: Outcome| {
        let turned = pairs.iter();
        let turned = turned.filter(|(before, now)| before.outcome == from && now.outcome == to);
        turned.count() as u64
    };
    Remeasured {
        trials: pairs.len() as u64,
        changed: Vec::new(),
        metrics: metrics.iter().map(of).collect(),
        now_ok: became(Outcome::Failed, Outcome::Ok),
        now_failed: became(Outcome::Ok, Outcome::Failed),
    }
}

/// Writes what changed. That it begins is on disk before anything is replaced, so that one that is cut off is seen to be.
fn keep(
    request: &MeasureRequest<'_>,
    plan: &Plan,
    measured: &Remeasured,
    pairs: Vec<(Record, Record)>,
) -> Result<(), EngineError> {
    let run = request.run;
    let begins = JournalWriter::open(&run.journal(), Box::new(drop))?;
    begins.append(&Event::Measuring {
        at: (request.now)(),
        by: request.by.to_owned(),
        plan_hash: plan.hash().to_owned(),
        metrics: measured.changed.clone(),
    });
    begins.close()?;
    prepare::replace_plan(run, plan)?;
    let writer = JournalWriter::open(&run.journal(), Box::new(drop))?;
    for (before, now) in pairs {
        if before == now {
            continue;
        }
        // What another run recorded stays as that run has it.
        if now.reused_from.is_none() {
            views::replace_record(&run.root().path().join(&now.dir), &now)?;
        }
        writer.append(&Event::Finished(Box::new(now)));
    }
    writer.append(&prepare::sealed(&[run.resolved_spec()], (request.now)())?);
    writer.append(&Event::Measured {
        at: (request.now)(),
        trials: measured.trials,
    });
    writer.close()?;
    views::write_all(run, plan.spec(), Durability::Content)?;
    Ok(())
}
