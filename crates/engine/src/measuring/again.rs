//! Records made again by other declarations, from what their trials left.

use fairtrial_journal::redact::Redactor;
use fairtrial_journal::{DataRoot, FilesOfTrials};
use fairtrial_model::{MetricDeclaration, MetricSource, Record};
use fairtrial_spec::{Spec, Work};
use fairtrial_trial::{Declarations, measured_again};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use tempfile::TempDir;

/// By what records were made, and by what they are made now.
pub(crate) struct Measuring<'a> {
    /// Where the trials lie.
    pub(crate) root: &'a DataRoot,
    /// The spec as it was.
    pub(crate) before: &'a [MetricDeclaration],
    /// The spec as it is.
    pub(crate) now: &'a Spec,
    /// Masks secrets in what is noted.
    pub(crate) redactor: &'a Redactor,
}

/// What came of a record.
pub(crate) enum Again {
    /// It was made again; nothing in it need have changed.
    Measured(Box<Record>),
    /// The trial never ran, so that there is nothing to measure.
    NeverRan,
    /// What the trial left is gone.
    Gone,
}

impl Measuring<'_> {
    /// Makes all records again, on all cores, in their order.
    pub(crate) fn all(&self, records: &[Record]) -> Vec<Again> {
        let next = AtomicUsize::new(0);
        let done = Mutex::new(BTreeMap::new());
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            for _ in 0..cores.clamp(1, records.len().max(1)) {
                scope.spawn(|| {
                    let mut files = FilesOfTrials::of(self.root);
                    loop {
                        let place = next.fetch_add(1, Ordering::Relaxed);
                        let Some(record) = records.get(place) else {
                            break;
                        };
                        let again = self.one(record, &mut files);
                        let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                        done.insert(place, again);
                    }
                });
            }
        });
        let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.into_values().collect()
    }

    fn one(&self, record: &Record, files: &mut FilesOfTrials) -> Again {
        if record.dir.is_empty() {
            return Again::NeverRan;
        }
        let dir = self.root.path().join(&record.dir);
        let is_packed = record.packed.is_some() && !dir.is_dir();
        let home = is_packed.then(|| unpacked(record, files)).flatten();
        let dir = home.as_ref().map_or(&*dir, TempDir::path);
        if !dir.is_dir() {
            return Again::Gone;
        }
        let mut again = if self.is_rollout(record) {
            self.rollout(record, dir)
        } else {
            let declared = Declarations {
                before: self.before,
                now: &self.now.metrics,
            };
            measured_again(record, dir, declared)
        };
        self.redactor.redact_record(&mut again);
        Again::Measured(Box::new(again))
    }

    fn is_rollout(&self, record: &Record) -> bool {
        let mut tasks = self.now.tasks.iter();
        let task = tasks.find(|task| task.id == record.trial.task);
        task.is_some_and(|task| matches!(task.work, Work::Prepared { .. }))
    }

    /// A rollout of an agent: what it reported may have been scored again since, which only its record holds. What the spec
    /// finds elsewhere is read again.
    fn rollout(&self, record: &Record, dir: &Path) -> Record {
        let elsewhere = |metrics: &[MetricDeclaration]| -> Vec<MetricDeclaration> {
            let found = metrics.iter();
            let found = found.filter(|metric| metric.source != MetricSource::Reported);
            found.cloned().collect()
        };
        let (before, now) = (elsewhere(self.before), elsewhere(&self.now.metrics));
        let declared = Declarations {
            before: &before,
            now: &now,
        };
        let mut again = measured_again(record, dir, declared);
        let is_elsewhere = |name: &String| now.iter().any(|metric| metric.name == *name);
        again.metrics.retain(|name, _| is_elsewhere(name));
        let was_elsewhere = |name: &String| before.iter().any(|metric| metric.name == *name);
        for (name, value) in &record.metrics {
            if !was_elsewhere(name) {
                again.metrics.entry(name.clone()).or_insert(*value);
            }
        }
        again
    }
}

/// What was packed, in a folder of its own for as long as it is read; absent where it is damaged or gone.
fn unpacked(record: &Record, files: &mut FilesOfTrials) -> Option<TempDir> {
    let home = tempfile::tempdir().ok()?;
    let files = files.files(record).ok()?;
    files.unpack_into(home.path()).ok()?;
    (!files.packed().is_empty()).then_some(home)
}
