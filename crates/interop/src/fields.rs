//! What executions have in their fields, taken together: what tells them apart, and what the user's word for it is.

use crate::error::InteropError;
use crate::execution::Execution;
use fairtrial_model::{Outcome, ParamValue, Params};
use fairtrial_text::count::first_of;
use fairtrial_text::nearest::nearest;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Fields that a message names.
const LISTED: usize = 40;

/// What executions have in one field.
#[derive(Default)]
struct Column<'a> {
    values: BTreeSet<String>,
    /// The value that came last: most executions have the one before's.
    last: Option<&'a ParamValue>,
    /// How many of those that ended well have it; what failed may not have come so far as to say it.
    present: usize,
}

/// The fields of all executions.
pub(crate) struct Fields<'a> {
    columns: BTreeMap<String, Column<'a>>,
    /// Their names in the order of the files.
    pub(crate) order: Vec<String>,
    executions: usize,
    /// How many of them ended well.
    ended_well: usize,
}

impl<'a> Fields<'a> {
    pub(crate) fn of(executions: &'a [Execution]) -> Self {
        let mut columns: BTreeMap<String, Column> = BTreeMap::new();
        let mut order = Vec::new();
        let mut ended_well = 0;
        for alike in executions.chunk_by(|a, b| Arc::ptr_eq(a.fields.shared(), b.fields.shared())) {
            let mut add = |(name, value): (&str, &'a ParamValue), present: usize| {
                if !columns.contains_key(name) {
                    order.push(name.to_owned());
                    columns.insert(name.to_owned(), Column::default());
                }
                if let Some(column) = columns.get_mut(name) {
                    column.present += present;
                    if column.last != Some(value) {
                        column.values.insert(Params::display(value));
                        column.last = Some(value);
                    }
                }
            };
            let is_ok = |execution: &&Execution| execution.outcome == Outcome::Ok;
            let well = alike.iter().filter(is_ok).count();
            ended_well += well;
            // What a file says of all its executions is looked at once.
            if let Some(first) = alike.first() {
                first
                    .fields
                    .shared()
                    .iter()
                    .for_each(|field| add(field, well));
            }
            for execution in alike {
                let own = execution.fields.own();
                own.for_each(|field| add(field, usize::from(is_ok(&execution))));
            }
        }
        Self {
            columns,
            order,
            executions: executions.len(),
            ended_well,
        }
    }

    /// How many different values a field has.
    pub(crate) fn count(&self, field: &str) -> usize {
        self.columns
            .get(field)
            .map_or(0, |column| column.values.len())
    }

    /// Whether all executions have the same in a field.
    pub(crate) fn is_same_everywhere(&self, field: &str) -> bool {
        let in_all = |column: &Column<'_>| column.present == self.executions;
        self.count(field) == 1 && self.columns.get(field).is_some_and(in_all)
    }

    /// The values of a field.
    pub(crate) fn values(&self, field: &str) -> impl Iterator<Item = &str> {
        let column = self.columns.get(field).into_iter();
        column.flat_map(|column| column.values.iter().map(String::as_str))
    }

    /// The field that the user means: its name, or the end of it after a point.
    pub(crate) fn resolve(&self, role: &str, key: &str) -> Result<String, InteropError> {
        if self.columns.contains_key(key) {
            return Ok(key.to_owned());
        }
        let ending = format!(".{key}");
        let meant = self.order.iter().filter(|name| name.ends_with(&ending));
        match meant.collect::<Vec<_>>().as_slice() {
            [] => {}
            [only] => return Ok((*only).clone()),
            several => {
                let flag = if role == "seed" { "seed-key" } else { role };
                let named = several.iter().map(|name| format!("`{name}`"));
                return Err(InteropError::Ambiguous(format!(
                    "which field is the {role}? `{key}` can be {}; write the whole name, as in --{flag} {}",
                    first_of(named, LISTED),
                    several[0]
                )));
            }
        }
        let near = nearest(key, self.order.iter().map(String::as_str));
        let hint = near.map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"));
        Err(InteropError::Unknown(format!(
            "there is no field `{key}` to take as the {role}{hint}; there are {}",
            first_of(&self.order, LISTED)
        )))
    }

    /// The fields below a prefix that could tell arms apart: two values or more, in every execution that ended
    /// well, some of them shared.
    /// Of fields that divide the executions in the same way, the first.
    pub(crate) fn differing(
        &self,
        prefix: &str,
        seed: Option<&str>,
        executions: &[Execution],
    ) -> Vec<&String> {
        let could = |name: &&String| {
            let column = &self.columns[*name];
            let each_its_own = column.values.len() == self.executions && self.executions > 2;
            name.starts_with(prefix)
                && Some(name.as_str()) != seed
                && column.values.len() > 1
                && column.present == self.ended_well
                && !each_its_own
        };
        let mut seen: Vec<Vec<usize>> = Vec::new();
        let mut kept = Vec::new();
        for name in self.order.iter().filter(could) {
            let partition = partition(name, executions);
            if !seen.contains(&partition) {
                seen.push(partition);
                kept.push(name);
            }
        }
        kept
    }
}

/// Which executions share a value of a field: the number of its value, for each.
fn partition(field: &str, executions: &[Execution]) -> Vec<usize> {
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let value = |execution: &Execution| execution.fields.get(field).map(Params::display);
    executions
        .iter()
        .map(|execution| {
            let next = numbers.len();
            *numbers
                .entry(value(execution).unwrap_or_default())
                .or_insert(next)
        })
        .collect()
}

/// The values of fields in one name; fields that an execution does not have are left out.
pub(crate) fn joined(fields: &[String], execution: &Execution) -> String {
    let mut joined = String::new();
    for value in fields
        .iter()
        .filter_map(|field| execution.fields.get(field))
    {
        let text = Params::text(value);
        if !text.is_empty() {
            if !joined.is_empty() {
                joined.push_str(" · ");
            }
            joined.push_str(&text);
        }
    }
    joined
}
