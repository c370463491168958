//! Metrics as a view of what a trial left: its record made again by other declarations, without running it.

use crate::collect::{self, Collected};
use crate::curves;
use fairtrial_model::{Cause, MetricDeclaration, MetricSource, Number, Outcome, Record};
use std::path::Path;

/// Two sets of declarations for the same trials.
#[derive(Debug, Clone, Copy)]
pub struct Declarations<'a> {
    /// Those that the record was made by.
    pub before: &'a [MetricDeclaration],
    /// Those that it is made by now.
    pub now: &'a [MetricDeclaration],
}

/// The record with its metrics read again from the attempt's directory. How the program ended stands; only a trial that
/// failed for want of a metric is judged anew.
pub fn measured_again(record: &Record, dir: &Path, declared: Declarations<'_>) -> Record {
    let Collected {
        metrics,
        series,
        missing,
        notes,
        ..
    } = collect::collect(dir, declared.now, &record.whole_resources());
    let mut record = Record {
        metrics,
        series,
        ..record.clone()
    };
    curves::digest(&mut record.series, dir, declared.now);
    if !record.notes.is_empty() {
        // Notes are about more than metrics; those that the declarations before give are the ones to replace.
        let before = collect::collect(dir, declared.before, &record.whole_resources()).notes;
        record.notes.retain(|note| !before.contains(note));
    }
    record.notes.extend(notes);
    if let Some(Cause::MissingMetric { .. }) = record.cause {
        (record.outcome, record.cause) = (Outcome::Ok, None);
    }
    if record.outcome == Outcome::Ok && !missing.is_empty() {
        record.outcome = Outcome::Failed;
        record.cause = Some(Cause::MissingMetric { metrics: missing });
    }
    record
}

/// Metrics of what a trial used are of all its parts: makes them again, now that the parts are known.
pub fn count_all_parts(record: &mut Record, declared: &[MetricDeclaration]) {
    let whole = record.whole_resources().into_owned();
    for metric in declared {
        let MetricSource::Resource { field, less } = &metric.source else {
            continue;
        };
        if let (Some(value), Some(known)) =
            (whole.field(field), record.metrics.get_mut(&metric.name))
        {
            *known = Number(metric.kept(collect::above(value, *less)));
        }
    }
    let parts = record.checkpoint.as_ref().map_or(&[][..], |it| &it.parts);
    let unknown = parts.iter().filter(|part| part.wall.is_none()).count();
    if unknown > 0 {
        let note =
            format!("the time that {unknown} of its parts took is not known, and not in its total");
        record.notes.push(note);
    }
}

#[cfg(test)]
mod tests {
    use super::{Declarations, measured_again};
    use fairtrial_model::{
        Cause, MetricDeclaration, MetricSource, Number, Outcome, Record, TrialId, TrialKey, UtcTime,
    };

    fn declared(name: &str, required: bool) -> MetricDeclaration {
        MetricDeclaration {
            source: MetricSource::Reported,
            required,
            ..MetricDeclaration::named(name)
        }
    }

    fn record() -> Record {
        let key = TrialKey {
            index: 0,
            task: "a".to_owned(),
            arm: None,
            point: fairtrial_model::Params::default(),
            seed: 1,
            rollout: 0,
        };
        let now = UtcTime::from_micros(0);
        Record::of(key, TrialId("0".repeat(32)), 1, now)
    }

    #[test]
    fn a_trial_that_failed_for_want_of_a_metric_is_ok_where_it_is_not_required() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(
            dir.path().join("metrics.jsonl"),
            "{\"reward\": 2}\nbroken\n",
        )
        .unwrap();
        let (before, now) = (
            [declared("reward", true), declared("kl", true)],
            [declared("reward", true), declared("kl", false)],
        );
        let both = |before, now| Declarations { before, now };
        let mut record = record();
        record.outcome = Outcome::Ok;
        record
            .notes
            .push("12 bytes of standard output were left out".to_owned());
        let failed = measured_again(&record, dir.path(), both(&[], &before));
        assert_eq!(failed.outcome, Outcome::Failed);
        assert!(matches!(failed.cause, Some(Cause::MissingMetric { .. })));
        assert_eq!(failed.notes.len(), 2, "{:?}", failed.notes);
        let healed = measured_again(&failed, dir.path(), both(&before, &now));
        assert_eq!((healed.outcome, &healed.cause), (Outcome::Ok, &None));
        assert_eq!(healed.metrics["reward"], Number(2.0));
        // The note on the broken line is there once, and the other one stays.
        assert_eq!(healed.notes.len(), 2, "{:?}", healed.notes);
    }

    #[test]
    fn how_the_program_ended_stands() {
        let dir = tempfile::tempdir().unwrap();
        let mut record = record();
        for (outcome, cause) in [
            (Outcome::Failed, Some(Cause::ExitCode { code: 3 })),
            (Outcome::Infra, None),
        ] {
            (record.outcome, record.cause) = (outcome, cause);
            let declared = Declarations {
                before: &[],
                now: &[declared("reward", true)],
            };
            let again = measured_again(&record, dir.path(), declared);
            assert_eq!((again.outcome, &again.cause), (outcome, &record.cause));
        }
    }
}
