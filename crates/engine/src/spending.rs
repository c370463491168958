//! What a run has spent before this session, from its journal: caps are for the whole run.

use fairtrial_journal::{Entry, Event, JournalError, ReadError, RunDir, RunState, read_journal};
use fairtrial_model::{Number, Record};
use fairtrial_spec::Budget;
use std::collections::HashSet;

/// Every record that earlier sessions left, superseded ones too, each attempt with what it spent once, where a cap counts what is in them.
pub(crate) fn earlier_records(
    run: &RunDir,
    known: &RunState,
    budget: &Budget,
) -> Result<impl Iterator<Item = Result<Record, JournalError>>, JournalError> {
    let is_counted = budget.cost.is_some() || budget.tokens.is_some();
    let journal = (is_counted && known.opened.is_some())
        .then(|| read_journal(&run.journal()))
        .transpose()?;
    let mut counted = HashSet::new();
    let record = move |entry: Result<Entry<Event>, ReadError>| match entry {
        Ok(Entry {
            event: Event::Finished(mut record),
            ..
        }) => {
            // Scoring again leaves another record of an attempt, in which the judge alone spent something anew.
            let is_first = counted.insert((record.trial.index, record.attempt));
            let is_judged = record.metrics.contains_key("judge_tokens");
            if !is_first {
                record.metrics.retain(|name, _| name.starts_with("judge_"));
                let nothing =
                    ["cost_usd", "tokens_total"].map(|name| (name.to_owned(), Number(0.0)));
                record.metrics.extend(nothing);
            }
            (is_first || is_judged).then_some(Ok(*record))
        }
        Err(ReadError::Io(error)) => Some(Err(error)),
        // Damaged lines are told of where the journal is folded.
        Ok(_) | Err(ReadError::Corrupt(_)) => None,
    };
    Ok(journal.into_iter().flatten().filter_map(record))
}
